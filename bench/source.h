/*
 * bench/source.h - a router in a process of its own, which sends on command
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
};

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
 * So many a second, for @ns, in one piece each millisecond, made as they are
 * sent and stamped with the wall clock; returns how many. Waits.
 */
uint64_t source_pace(const struct source *s, uint64_t rate, uint64_t ns);

void source_end(struct source *s);

#endif
