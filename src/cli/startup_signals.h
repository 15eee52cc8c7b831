/*
 * cli/startup_signals.h - a signal while the collector starts
 *
 * The start may wait for a broker, and read back a whole stream: longer than
 * anybody who pressed ^C will. There is nothing to drain yet, and to be killed
 * is safe at any moment; so SIGTERM and SIGINT just end the process, as if they
 * were not blocked, after a line that says so.
 *
 *	quit_watch(&quit, &log);	both are blocked, in all threads
 *	...				the start
 *	quit_unwatch(&quit);		one that comes now stays pending
 *
 * It is a thread that waits, because the signals must stay blocked in those
 * that the start makes.
 */
#ifndef CLI_STARTUP_SIGNALS_H
#define CLI_STARTUP_SIGNALS_H

#include "collector/base/log.h"

#include <pthread.h>

struct quit {
	struct log *log;
	pthread_t thread;
	bool watching;
	int signals; /* readable if there is one */
	int done;    /* readable when the start is over */
};

/* 0, or -errno; then signals wait until the start is over. */
int quit_watch(struct quit *q, struct log *log);
void quit_unwatch(struct quit *q);

#endif
