/*
 * spargio/sched/spin.h - a lock for critical sections of a few instructions
 *
 * A critical section must not wait, yield or call other modules. The kernel can
 * preempt a holder, so a waiter gives up its time slice after a short spin.
 */
#ifndef SPARGIO_SCHED_SPIN_H
#define SPARGIO_SCHED_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SP__CACHE_LINE 64

struct sp__spin {
	atomic_bool taken;
};

static inline void sp__cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

/*
 * Stores of this thread before the fence are visible before its later loads.
 * gcc refuses a fence under TSan: there a locked instruction on a local word is
 * used, which is a full fence on x86-64.
 */
static inline void sp__full_fence(void)
{
#ifdef __SANITIZE_THREAD__
	_Atomic int word = 0;

	atomic_fetch_add(&word, 1);
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

static inline bool sp__spin_try(struct sp__spin *s)
{
	/* Pairs with the release in sp__spin_unlock(). */
	return !atomic_exchange_explicit(&s->taken, true, memory_order_acquire);
}

static inline void sp__spin_lock(struct sp__spin *s)
{
	int spins = 0;

	while (!sp__spin_try(s)) {
		while (atomic_load_explicit(&s->taken, memory_order_relaxed)) {
			if (++spins < 100)
				sp__cpu_relax();
			else
				sched_yield();
		}
	}
}

static inline void sp__spin_unlock(struct sp__spin *s)
{
	atomic_store_explicit(&s->taken, false, memory_order_release);
}

#endif
