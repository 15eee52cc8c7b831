/*
 * spargio/sched/context.h - switching between stacks
 *
 * A context is a stack pointer and, in sanitizer builds, the sanitizer's data
 * about the stack. Only one file per architecture is assembly; only context.c
 * tells the sanitizers about switches.
 */
#ifndef SPARGIO_SCHED_CONTEXT_H
#define SPARGIO_SCHED_CONTEXT_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define SP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SP_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define SP_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SP_TSAN 1
#endif
#endif

/*
 * TSan keeps a shadow call stack per fiber. So no instrumented function may
 * begin or end between telling TSan of the switch and the switch itself, and a
 * function that never returns would grow the shadow with each use of a stack.
 * The functions concerned have this attribute.
 */
#if defined(SP_TSAN)
#define SP__UNSEEN __attribute__((no_sanitize("thread"), noinline))
#elif defined(SP_ASAN)
#define SP__UNSEEN __attribute__((no_sanitize("address"), noinline))
#else
#define SP__UNSEEN
#endif

/* Must be all zero before the first sp__context_make(). */
struct sp__context {
	void *sp;
#ifdef SP_ASAN
	const void *bottom;
	size_t size;
	void *fake;
#endif
#ifdef SP_TSAN
	void *tsan;
	/* older versions of TSan crash if a context that never ran is freed */
	int ran;
#endif
};

/*
 * Make @ctx start in @entry(@arg) on the stack from @bottom to @top. @entry
 * must never return: it ends with sp__context_leave().
 */
void sp__context_make(struct sp__context *ctx, void *bottom, void *top,
		      void (*entry)(void *), void *arg);

/* Make a context of the calling thread's own stack, to switch back to. */
void sp__context_adopt(struct sp__context *ctx);

/*
 * As sp__context_adopt(), for a caller that runs on the stack from @bottom to
 * @top instead of the thread's own stack.
 */
void sp__context_adopt_stack(struct sp__context *ctx, void *bottom, void *top);

/*
 * Call this before @len bytes at @bottom, which were stacks, are unmapped. A
 * fiber that never ended leaves its frames marked as in use, and ASan keeps the
 * marks for the next mapping at the address.
 */
#ifdef SP_ASAN
void sp__context_unmark(void *bottom, size_t len);
#else
static inline void sp__context_unmark(void *bottom, size_t len)
{
	(void)bottom;
	(void)len;
}
#endif

/* Free the sanitizer's data. @ctx will not be used again. */
#ifdef SP_TSAN
void sp__context_drop(struct sp__context *ctx);
#else
static inline void sp__context_drop(struct sp__context *ctx)
{
	(void)ctx;
}
#endif

/*
 * Switch from @from to @to. Returns when another context switches back, perhaps
 * on another thread.
 *
 * Hot: once per suspension. Cost: 12 loads and stores on the two stacks and
 * one indirect jump; bench/context_switch.c measures it.
 */
void sp__context_switch(struct sp__context *from, struct sp__context *to);

/* As sp__context_switch(), but @from will never run again. */
void sp__context_leave(struct sp__context *from, struct sp__context *to);

/* An entry function calls this first, because its context is new to ASan. */
#ifdef SP_ASAN
void sp__context_arrived(void);
#else
static inline void sp__context_arrived(void)
{
}
#endif

#endif
