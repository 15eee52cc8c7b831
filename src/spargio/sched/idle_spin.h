/*
 * spargio/sched/idle_spin.h - how long an idle shard spins before it sleeps
 *
 * Waking a sleeping thread costs tens of microseconds, seeing a word change
 * costs a tenth of one. So a shard spins for as long as spinning has found work
 * lately. State and arithmetic only: no clock and no shard, so that a test can
 * play with it.
 */
#ifndef SPARGIO_SCHED_IDLE_SPIN_H
#define SPARGIO_SCHED_IDLE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

struct sp__idle_spin {
	int64_t ns;	      /* of the next spin; 0: never spin */
	uint32_t near_misses; /* short sleeps since the last full spin */
	uint32_t probe_every; /* so many of them before the next */
	uint32_t unanswered;  /* wake-ups sent since the last long spin */
	uint32_t reply_every; /* so many of them before the next */
};

/* @may_spin is false if there are more shards than CPUs. */
void sp__idle_spin_init(struct sp__idle_spin *spin, bool may_spin);

/*
 * How long to spin now. @sent_wakeup says that this shard has woken another
 * since it was last idle.
 */
int64_t sp__idle_spin_begin(struct sp__idle_spin *spin, bool sent_wakeup);

/* Work came after @waited ns, while the shard spun or, if @slept, later. */
void sp__idle_spin_end(struct sp__idle_spin *spin, int64_t waited, bool slept);

#endif
