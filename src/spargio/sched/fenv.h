/*
 * spargio/sched/fenv.h - the floating-point control words
 *
 * The control words set the rounding mode and the exceptions that trap
 * (<fenv.h>). They belong to the thread, and the ABI requires a function to
 * preserve them. So a switch from a fiber that has changed them restores the
 * control words of the shard, and the switch back restores those of the fiber.
 * Flags of past exceptions are not saved; the ABI does not require that.
 *
 * Each switch tests for a change, so the test must be cheap. Reading MXCSR
 * takes 4.5 ns, twice as long as the switch (decision 0127). Reading the x87
 * control word takes 0.3 ns and is enough, because <fenv.h> writes both. The
 * instruction stores the word to memory, here to a member of the struct: with
 * a local variable whose address is taken, the stack protector would add ten
 * instructions to the function.
 */
#ifndef SPARGIO_SCHED_FENV_H
#define SPARGIO_SCHED_FENV_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

struct sp__fenv {
	uint32_t mxcsr;
	uint16_t x87;
	uint16_t x87_now; /* for sp__fenv_differs() */
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

/*
 * True if <fenv.h> has changed the thread's control words since @fenv was
 * read.
 */
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
