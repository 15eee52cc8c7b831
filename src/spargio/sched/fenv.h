/*
 * spargio/sched/fenv.h - the floating-point control words
 *
 * They set the rounding mode and which exceptions trap (<fenv.h>). They belong
 * to the thread, and the ABI requires a function to preserve them. So a fiber
 * that has changed them restores those of its shard before it switches, and its
 * own when it runs again. Flags of past exceptions are not kept: the ABI does
 * not require it.
 *
 * Whether there is a change is asked at each switch, so it must cost little.
 * Reading MXCSR takes 4.5 ns, twice as long as the switch (decision 0127). The
 * x87's control word takes 0.3, and <fenv.h> writes both. It can be read into
 * memory only: into a field, because a function with a local variable of which
 * the address is taken checks its stack, which is ten instructions.
 */
#ifndef SPARGIO_SCHED_FENV_H
#define SPARGIO_SCHED_FENV_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

struct sp__fenv {
	uint32_t mxcsr;
	uint16_t x87;
	uint16_t x87_now; /* of sp__fenv_differs() */
};

static inline void sp__fenv_read(struct sp__fenv *out)
{
	__asm__ volatile("fnstcw %0" : "=m"(out->x87));
	__asm__ volatile("stmxcsr %0" : "=m"(out->mxcsr));
}

static inline void sp__fenv_write(const struct sp__fenv *fenv)
{
	__asm__ volatile("fldcw %0" ::"m"(fenv->x87));
	__asm__ volatile("ldmxcsr %0" ::"m"(fenv->mxcsr));
}

/* Whether <fenv.h> was used to change this thread's since it was @fenv. */
static inline bool sp__fenv_differs(struct sp__fenv *fenv)
{
	__asm__ volatile("fnstcw %0" : "=m"(fenv->x87_now));
	return __builtin_expect(fenv->x87_now != fenv->x87, 0);
}

#elif defined(__aarch64__)

struct sp__fenv {
	uint64_t fpcr;
};

static inline void sp__fenv_read(struct sp__fenv *out)
{
	__asm__ volatile("mrs %0, fpcr" : "=r"(out->fpcr));
}

static inline void sp__fenv_write(const struct sp__fenv *fenv)
{
	__asm__ volatile("msr fpcr, %0" ::"r"(fenv->fpcr));
}

static inline bool sp__fenv_differs(const struct sp__fenv *fenv)
{
	uint64_t now;

	__asm__ volatile("mrs %0, fpcr" : "=r"(now));
	return __builtin_expect(now != fenv->fpcr, 0);
}

#endif
#endif
