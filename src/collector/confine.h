/*
 * collector/confine.h - confine the process before its threads start
 *
 *	confine_process(&config, &log, &process);	while one thread exists
 *	collector_start(&config, &log, &process, &c);
 *	...
 *	confine_release(&process);
 *
 * confine_process() does these steps, in this order: check that our ports are
 * free, create the folders that will be written, bind privileged ports, switch
 * to --user, enter the sandbox.
 */
#ifndef COLLECTOR_CONFINE_H
#define COLLECTOR_CONFINE_H

#include "collector/base/early_socket.h"
#include "collector/base/sandbox.h"

struct config;
struct log;

/* Data for collector_start(). Must outlive the collector. */
struct confined_process {
	struct early_sockets sockets;
	struct sandbox_state sandbox;
};

/*
 * Confine the process, which must still have only one thread. Returns 0, or
 * -errno with advice in the log.
 */
int confine_process(const struct config *config, struct log *log,
		    struct confined_process *out);

void confine_release(struct confined_process *process);

#endif
