/*
 * spargio/time.h - clocks, deadlines, timers
 *
 * A deadline is a CLOCK_MONOTONIC time in nanoseconds. Calls that wait for
 * another party have a form with a deadline, named ..._until(); SP_NEVER means
 * no deadline. sp_deadline_push() sets a deadline for all waits, also for
 * those of calls without an ..._until() form (path.h, dir.h, and the ..._all()
 * and ..._full() calls of file.h). A call that need not wait succeeds even
 * after its deadline.
 *
 * The timer resolution is one tick of 65 us. A wait never ends before its
 * deadline. It ends at most one tick later, plus the time for which the shard
 * is busy.
 */
#ifndef SPARGIO_TIME_H
#define SPARGIO_TIME_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SP_NEVER INT64_MAX

#define SP_US INT64_C(1000)
#define SP_MS INT64_C(1000000)
#define SP_S  INT64_C(1000000000)

/* Now, in nanoseconds of CLOCK_MONOTONIC. */
int64_t sp_now(void);

/*
 * The wall clock, CLOCK_REALTIME, in nanoseconds. It may step: use sp_now() for
 * intervals.
 */
int64_t sp_wall_now(void);

/* The time @ns from now; SP_NEVER if the sum would overflow. */
int64_t sp_in(int64_t ns);

/* 0 or -ECANCELED. Yield. */
int sp_sleep(int64_t ns);
int sp_sleep_until(int64_t when);

/*
 * sp_deadline_push() sets a deadline for every wait of the caller, until the
 * matching sp_deadline_pop() with the same scope:
 *
 *	struct sp_scope scope;
 *
 *	sp_deadline_push(&scope, sp_in(SP_S));
 *	err = talk_to_somebody();	-ETIMEDOUT after one second
 *	sp_deadline_pop(&scope);
 *
 * If several deadlines are set, the nearest one applies.
 */
struct sp_scope {
	int64_t outer;
};
void sp_deadline_push(struct sp_scope *scope, int64_t deadline);
void sp_deadline_pop(struct sp_scope *scope);
int64_t sp_deadline(void); /* the nearest deadline in force, or SP_NEVER */

/*
 * Run @fn(@arg) with a deadline @ns from now, as if between sp_deadline_push()
 * and sp_deadline_pop(): waits of @fn end with -ETIMEDOUT. Returns the result
 * of @fn; -EPERM outside a fiber.
 */
int sp_timeout(int64_t ns, int (*fn)(void *), void *arg);
int sp_timeout_at(int64_t deadline, int (*fn)(void *), void *arg);

/* A timer that any shard can set again while fibers wait for it. */
struct sp_timer;
int sp_timer_new(int64_t when, struct sp_timer **out);
void sp_timer_free(struct sp_timer *timer); /* no fiber may be waiting */
void sp_timer_reset(struct sp_timer *timer, int64_t when);
/* The time at which the timer expires or has expired. Any thread. */
int64_t sp_timer_when(struct sp_timer *timer);
/* True if the time of sp_timer_when() has passed. Any thread. */
bool sp_timer_elapsed(struct sp_timer *timer);
int sp_timer_wait(struct sp_timer *timer); /* yields */
int sp_timer_wait_until(struct sp_timer *timer, int64_t deadline);

/* What sp_interval_wait() does if ticks have passed since the last call. */
enum sp_missed {
	SP_BURST, /* return for each passed tick without waiting */
	SP_DELAY, /* the following tick is one period from now */
	SP_SKIP,  /* drop passed ticks; keep the original phase */
};

struct sp_interval {
	int64_t next;
	int64_t period;
	enum sp_missed missed;
};
/* The first tick is one period from now. @period > 0, else -EINVAL. */
int sp_interval_init(struct sp_interval *interval, int64_t period,
		     enum sp_missed missed);
/*
 * As sp_interval_init(), but the first tick is at the time @start. Ticks that
 * have passed when sp_interval_wait() is called first are handled as @missed
 * says. -EINVAL if @start is negative or @period is not positive.
 */
int sp_interval_init_at(struct sp_interval *interval, int64_t start,
			int64_t period, enum sp_missed missed);
/* Wait for the next tick. 0 or -ECANCELED. Yields. */
int sp_interval_wait(struct sp_interval *interval);

#ifdef __cplusplus
}
#endif

#endif
