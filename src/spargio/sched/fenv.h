/*
 * spargio/sched/fenv.h - the floating-point control words
 *
 * They set the rounding mode and which exceptions trap (<fenv.h>). They belong
 * to the thread, and the ABI requires a function to preserve them. So a fiber
 * that has changed them restores those of its shard before it switches, and its
 * own when it runs again. Flags of past exceptions are not kept: the ABI does
 * not require it.
 *
 * Each switch checks for a change, so the check must be cheap. Reading MXCSR
 * takes 4.5 ns, twice as long as the switch (decision 0127). Reading the x87
 * control word takes 0.3 ns, and <fenv.h> writes both.
 */
#ifndef SPARGIO_SCHED_FENV_H
#define SPARGIO_SCHED_FENV_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

struct sp__fenv {
	uint32_t mxcsr;
	uint16_t x87;
};

static inline uint16_t sp__fenv_x87(void)
{
	uint16_t control;

	__asm__ volatile("fnstcw %0" : "=m"(control));
	return control;
}

static inline void sp__fenv_read(struct sp__fenv *out)
{
	out->x87 = sp__fenv_x87();
	__asm__ volatile("stmxcsr %0" : "=m"(out->mxcsr));
}

static inline void sp__fenv_write(const struct sp__fenv *fenv)
{
	__asm__ volatile("fldcw %0" ::"m"(fenv->x87));
	__asm__ volatile("ldmxcsr %0" ::"m"(fenv->mxcsr));
}

/*
 * True if <fenv.h> changed the control words of this thread since @fenv was
 * saved.
 */
static inline bool sp__fenv_differs(const struct sp__fenv *fenv)
{
	return __builtin_expect(sp__fenv_x87() != fenv->x87, 0);
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
	struct sp__fenv now;

	sp__fenv_read(&now);
	return __builtin_expect(now.fpcr != fenv->fpcr, 0);
}

#endif
#endif
