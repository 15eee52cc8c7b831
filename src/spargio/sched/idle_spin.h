/*
 * spargio/sched/idle_spin.h - how long an idle shard spins before it sleeps
 *
 * Waking a sleeping thread takes tens of microseconds; a spinning thread sees
 * a changed word after a tenth of a microsecond. So a shard spins before it
 * sleeps, for longer if recent spins have found work. This file has only state
 * and arithmetic, without a clock or a shard, so that a test can drive it.
 */
#ifndef SPARGIO_SCHED_IDLE_SPIN_H
#define SPARGIO_SCHED_IDLE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

struct sp__idle_spin {
	int64_t ns;	      /* length of the next spin; 0 = never spin */
	uint32_t near_misses; /* short sleeps since the last full spin */
	/* number of near misses before the next full spin */
	uint32_t probe_every;
	uint32_t unanswered;  /* wake-ups sent since the last long spin */
	uint32_t reply_every; /* number of wake-ups before the next long spin */
	bool for_reply;	      /* the current spin is a long one */
	bool contended;	      /* no CPU was free for the thread woken last */
	int64_t start_ns;     /* time in which a woken thread should start */
};

/* @may_spin is false if there are more shards than CPUs. */
void sp__idle_spin_init(struct sp__idle_spin *spin, bool may_spin);

/*
 * Begin a spin and return its maximum length in ns. @sent_wakeup is true if
 * the shard has woken another shard since it was last idle.
 */
int64_t sp__idle_spin_begin(struct sp__idle_spin *spin, bool sent_wakeup);

/*
 * After @spun ns without work: true if the spin must end before its limit,
 * because the shard that was woken does not run yet (@started is false). Its
 * thread then waits for a CPU, perhaps for the one that this shard spins on.
 */
bool sp__idle_spin_is_vain(struct sp__idle_spin *spin, int64_t spun,
			   bool started);

/*
 * Work arrived after @waited ns, while the shard was spinning or, if @slept,
 * sleeping.
 */
void sp__idle_spin_end(struct sp__idle_spin *spin, int64_t waited, bool slept);

#endif
