/*
 * bench/collector_harness.h - the collector itself, running in this process
 *
 *	socket --> decode --> rib --> encoder --> bridge --> publisher
 *
 * Nothing is left out and nothing is put in its place: it is configured by the
 * options that an operator has. With RIG_DISCARD the publisher gives every
 * batch back at once (--discard).
 *
 * Workers are pinned, the first to the first CPU and so on, unless they are to
 * be loose; the publisher, and whatever else there is, runs where the scheduler
 * wants it to.
 *
 * Errors	End the program with a sentence.
 */
#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include "collector/base/log.h"
#include "collector/collector.h"
#include "collector/config/config.h"

#include <stdbool.h>

enum rig_output {
	RIG_DISCARD,
	RIG_JOURNAL,
	RIG_JETSTREAM,
};

struct rig_options {
	unsigned workers;
	enum rig_output output;
	const char *url;	/* of RIG_JETSTREAM */
	const char *snapshots;	/* how often; NULL: practically never */
	const char *acked_tail; /* how much; NULL: the default */
	bool loose;		/* workers run wherever the scheduler wants */
};

#define RIG_PATH 64

struct rig {
	struct config config;
	struct log log;
	struct collector *collector;
	enum rig_output output;
	unsigned workers;
	char dir[RIG_PATH];
};

void rig_start(struct rig *r, const struct rig_options *options);
void rig_stop(struct rig *r);

uint16_t rig_port(const struct rig *r);

/* Which last byte of 127.1.0.x makes a router that @worker owns. */
uint8_t rig_address(unsigned workers, unsigned worker);

/* Updates and events that are out: discarded, synced or acknowledged. */
uint64_t rig_published(const struct rig *r);

/* Wait for that, at most a minute after the last one came. */
void rig_wait(const struct rig *r, uint64_t published);

/*
 * Wait for at least @published, and then until nothing came for a while;
 * returns how much it was.
 */
uint64_t rig_settle(const struct rig *r, uint64_t published);

/* CPU seconds of a worker's thread. */
double rig_worker_cpu(const struct rig *r, unsigned worker);

#endif
