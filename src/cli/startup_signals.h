/*
 * cli/startup_signals.h - handle signals while the collector starts
 *
 * The start may wait for a broker and read a whole stream, longer than a user
 * who pressed ^C wants to wait. There is nothing to drain yet, and ending at
 * any moment is safe; so SIGTERM and SIGINT end the process after a log line.
 *
 *	quit_watch(&quit, &log);	both signals are blocked in all threads
 *	...				the start
 *	quit_unwatch(&quit);		a signal that comes now stays pending
 *
 * A separate thread waits for the signals, because they must stay blocked in
 * the threads that the start creates.
 */
#ifndef CLI_STARTUP_SIGNALS_H
#define CLI_STARTUP_SIGNALS_H

#include "collector/base/log.h"

#include <pthread.h>

struct quit {
	struct log *log;
	pthread_t thread;
	bool watching;
	int signals; /* readable when a signal is pending */
	int done;    /* readable when the start has completed */
};

/*
 * Start to watch. Returns 0, or -errno: signals are then handled only after the
 * start.
 */
int quit_watch(struct quit *q, struct log *log);
void quit_unwatch(struct quit *q);

#endif
