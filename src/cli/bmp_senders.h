/*
 * cli/bmp_senders.h - many routers at once, each a fiber
 *
 * All on one shard: they may share what they like between two waits, and one
 * core is enough to fill a collector (bench/load).
 *
 * SIGINT and SIGTERM ask the sessions to end in order, by stop; when a second
 * one comes the process ends at once.
 */
#ifndef CLI_BMP_SENDERS_H
#define CLI_BMP_SENDERS_H

#include "cli/progress.h"

#include <stdint.h>

struct sessions {
	const char *command; /* for messages */
	uint32_t count;
	/* One session, from 0. Yields. What it returns is not looked at. */
	void (*run)(void *ctx, uint32_t index);
	/* Put the progress on the terminal, now and then. */
	void (*show)(void *ctx);
	void *ctx;

	bool stop;	 /* end, please */
	uint32_t failed; /* sessions_complain() was called for so many */
	struct progress progress;
};

/* Returns when all have ended: the exit code. */
int sessions_run(struct sessions *s);

/*
 * Session @index has failed. Of many that do, only the first is explained:
 * the others fail for the same reason as a rule.
 */
void sessions_complain(struct sessions *s, uint32_t index, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));

#endif
