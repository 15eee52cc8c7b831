/*
 * spargio/sched/context.h - a stack that can be left and taken up again
 *
 * A context is a stack pointer and, in builds that need it, what a sanitizer
 * wants to know of the stack. Only one file per architecture is assembly; the
 * sanitizers are told of every switch in context.c and nowhere else.
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
 * TSan keeps a shadow of the call stack per fiber, so between telling it of
 * the switch and the switch itself no instrumented function may begin or end,
 * and one that never returns would grow the shadow with each use of a stack:
 * hence this on those few.
 */
#if defined(SP_TSAN)
#define SP__UNSEEN __attribute__((no_sanitize("thread"), noinline))
#elif defined(SP_ASAN)
#define SP__UNSEEN __attribute__((no_sanitize("address"), noinline))
#else
#define SP__UNSEEN
#endif

/* All zero before sp__context_make() first sees it. */
struct sp__context {
	void *sp;
#ifdef SP_ASAN
	const void *bottom;
	size_t size;
	void *fake;
#endif
#ifdef SP_TSAN
	void *tsan;
	int ran; /* an older TSan dies when it drops one that never ran */
#endif
};

/*
 * Make @ctx start in @entry(@arg) on the stack from @bottom up to @top.
 * @entry must never return: its last act is sp__context_leave().
 */
void sp__context_make(struct sp__context *ctx, void *bottom, void *top,
		      void (*entry)(void *), void *arg);

/* Take the calling thread's own stack as a context, to come back to. */
void sp__context_adopt(struct sp__context *ctx);

/* Let go of what a sanitizer holds. @ctx will not be used again. */
#ifdef SP_TSAN
void sp__context_drop(struct sp__context *ctx);
#else
static inline void sp__context_drop(struct sp__context *ctx)
{
	(void)ctx;
}
#endif

/*
 * Leave @from, take up @to. Returns when somebody switches back, perhaps on
 * another thread.
 *
 * Hot: once per suspension. Cost: 12 loads and stores on the two stacks and
 * one indirect jump; bench/context_switch.c measures it.
 */
void sp__context_switch(struct sp__context *from, struct sp__context *to);

/* The same for a context that will never be taken up again. */
void sp__context_leave(struct sp__context *from, struct sp__context *to);

/* First thing in an entry function: the switch that came here is complete. */
#ifdef SP_ASAN
void sp__context_arrived(void);
#else
static inline void sp__context_arrived(void)
{
}
#endif

#endif
