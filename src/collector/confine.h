/*
 * collector/confine.h - the process, before its threads start
 *
 *	confine_process(&config, &log, &process);	one thread so far
 *	collector_start(&config, &log, &process, &c);
 *	...
 *	confine_release(&process);
 *
 * In this order: see that nobody listens at our ports, make the folders that
 * will be written, bind privileged ports, become --user, give up everything that
 * the rules of --sandbox do not allow.
 */
#ifndef COLLECTOR_CONFINE_H
#define COLLECTOR_CONFINE_H

#include "collector/base/early_socket.h"
#include "collector/base/sandbox.h"

struct config;
struct log;

/* What collector_start() needs of it. Must outlive the collector. */
struct confined_process {
	struct early_sockets sockets;
	struct sandbox_state sandbox;
};

/*
 * 0, or -errno and the log says what an operator can do. The thread must be
 * the only one of the process.
 */
int confine_process(const struct config *config, struct log *log,
		    struct confined_process *out);

void confine_release(struct confined_process *process);

#endif
