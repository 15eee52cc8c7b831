/*
 * cli/bmp_senders.h - many simulated routers, each a fiber
 *
 * All fibers run on one shard: they may share data between two waits, and one
 * core is enough to load a collector (bench/load).
 *
 * The first SIGINT or SIGTERM sets stop, and the sessions end in order; a
 * second one ends the process immediately.
 */
#ifndef CLI_BMP_SENDERS_H
#define CLI_BMP_SENDERS_H

#include "cli/progress.h"

#include <stdint.h>

struct sessions {
	const char *command; /* name of the command, for messages */
	uint32_t count;
	/* Run session @index, counted from 0. Yields. */
	void (*run)(void *ctx, uint32_t index);
	/* Show the progress on the terminal; called at intervals. */
	void (*show)(void *ctx);
	void *ctx;

	bool stop;	 /* the sessions should end */
	uint32_t failed; /* number of sessions that failed */
	struct progress progress;
};

/* Run all sessions, and wait until they have ended. Returns the exit code. */
int sessions_run(struct sessions *s);

/*
 * Count session @index as failed. Only the first failure is printed, because
 * the others usually have the same reason.
 */
void sessions_complain(struct sessions *s, uint32_t index, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));

#endif
