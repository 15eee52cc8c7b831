/*
 * bench/bmp_sender.h - a router in a process of its own, which sends on command
 *
 *	source_start()		fork, make the tables		before any runtime
 *	source_table()		connect, send the whole table	waits
 *	source_prepare()	make path changes, in memory	waits
 *	source_go()		send them			does not wait
 *	source_done()		wait until the kernel has them
 *
 * What is measured is the collector, so what it is sent is made before the
 * clock starts. Every update is to a route drawn at random from all peers, and
 * gives it attributes that it did not have (src/load).
 *
 * Errors	End the program with a sentence.
 */
#ifndef BENCH_SOURCE_H
#define BENCH_SOURCE_H

#include "load/plan.h"

#include <sys/types.h>

struct source {
	pid_t pid;
	int fd; /* to it */
	/*
	 * By the number of a tick, from 1 on: when its piece was given to the
	 * kernel, of the monotonic clock. Written by the source.
	 */
	const uint64_t *sent;
	uint64_t ticks; /* so far */
};

#define SOURCE_TICK_NS	 1000000u
#define SOURCE_TICKS_MAX (UINT64_C(1) << 20)

/* @cpu: where it runs; -1: anywhere. @last: of its address, 127.1.0.@last */
void source_start(struct source *s, const struct load_plan *plan, int cpu,
		  uint8_t last);

/* How many routes the table has. */
uint64_t source_table(const struct source *s, uint16_t port);

/* At least @updates; returns how many. */
uint64_t source_prepare(const struct source *s, uint64_t updates);
void source_go(const struct source *s);
void source_done(const struct source *s);

/*
 * @rate a second, in @ticks pieces, one a millisecond. A piece is made before
 * its time has come; the time in the header of its messages is the number of
 * its tick, in seconds. Returns how many updates. Waits.
 */
uint64_t source_pace(struct source *s, uint64_t rate, uint64_t ticks);

void source_end(struct source *s);

#endif
