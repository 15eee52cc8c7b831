#include "spargio/sched/context.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#ifdef SP_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SP_TSAN
#include <sanitizer/tsan_interface.h>
#endif

void sp__context_swap(void **save, void *load);
void sp__context_start(void);

/*
 * The registers that sp__context_swap() pops; see the assembly file of the
 * architecture. The stack must be 16-byte aligned where the entry function is
 * called.
 */
#if defined(__x86_64__)
enum {
	SLOT_ARG = 2,	/* r13 */
	SLOT_ENTRY = 3, /* r12 */
	SLOT_RETURN = 6,
	SLOTS = 9 /* seven are popped; two more keep the alignment */
};
#elif defined(__aarch64__)
enum {
	SLOT_ENTRY = 0,	  /* x19 */
	SLOT_ARG = 1,	  /* x20 */
	SLOT_RETURN = 11, /* x30 */
	SLOTS = 20
};
#else
#error "no context switch for this architecture"
#endif

void sp__context_make(struct sp__context *ctx, void *bottom, void *top,
		      void (*entry)(void *), void *arg)
{
	void **slots = (void **)((uintptr_t)top & ~(uintptr_t)15) - SLOTS;

	memset(slots, 0, SLOTS * sizeof(*slots));
	slots[SLOT_ENTRY] = (void *)(uintptr_t)entry;
	slots[SLOT_ARG] = arg;
	slots[SLOT_RETURN] = (void *)(uintptr_t)sp__context_start;
	ctx->sp = slots;
#ifdef SP_ASAN
	ctx->fake = NULL;
	ctx->bottom = bottom;
	ctx->size = (size_t)((char *)top - (char *)bottom);
	__asan_unpoison_memory_region(bottom, ctx->size);
#else
	(void)bottom;
#endif
#ifdef SP_TSAN
	/* Reuse TSan's fiber with the stack, because creating one is slow. */
	if (ctx->tsan == NULL)
		ctx->tsan = __tsan_create_fiber(0);
#endif
}

void sp__context_adopt(struct sp__context *ctx)
{
	*ctx = (struct sp__context){ 0 };
#ifdef SP_ASAN
	pthread_attr_t attr;
	void *bottom;

	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstack(&attr, &bottom, &ctx->size);
		ctx->bottom = bottom;
		pthread_attr_destroy(&attr);
	}
#endif
#ifdef SP_TSAN
	ctx->tsan = __tsan_get_current_fiber();
	ctx->ran = 1;
#endif
}

void sp__context_adopt_stack(struct sp__context *ctx, void *bottom, void *top)
{
	*ctx = (struct sp__context){ 0 };
#ifdef SP_ASAN
	ctx->bottom = bottom;
	ctx->size = (size_t)((char *)top - (char *)bottom);
#else
	(void)bottom;
	(void)top;
#endif
#ifdef SP_TSAN
	ctx->tsan = __tsan_get_current_fiber();
	ctx->ran = 1;
#endif
}

#ifdef SP_ASAN
void sp__context_unmark(void *bottom, size_t len)
{
	__asan_unpoison_memory_region(bottom, len);
}
#endif

#ifdef SP_TSAN
SP__UNSEEN void sp__context_drop(struct sp__context *ctx)
{
	if (ctx->tsan == NULL)
		return;
	if (!ctx->ran) {
		void *self = __tsan_get_current_fiber();

		__tsan_switch_to_fiber(ctx->tsan, 0);
		__tsan_switch_to_fiber(self, 0);
	}
	__tsan_destroy_fiber(ctx->tsan);
	ctx->tsan = NULL;
}
#endif

SP__UNSEEN void sp__context_switch(struct sp__context *from,
				   struct sp__context *to)
{
#ifdef SP_ASAN
	__sanitizer_start_switch_fiber(&from->fake, to->bottom, to->size);
#endif
#ifdef SP_TSAN
	to->ran = 1;
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
	sp__context_swap(&from->sp, to->sp);
#ifdef SP_ASAN
	__sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}

SP__UNSEEN void sp__context_leave(struct sp__context *from,
				  struct sp__context *to)
{
#ifdef SP_ASAN
	/*
	 * The argument NULL makes ASan free the fake stack of the context,
	 * which ends.
	 */
	__sanitizer_start_switch_fiber(NULL, to->bottom, to->size);
#endif
#ifdef SP_TSAN
	to->ran = 1;
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
	sp__context_swap(&from->sp, to->sp);
	__builtin_unreachable();
}

#ifdef SP_ASAN
SP__UNSEEN void sp__context_arrived(void)
{
	__sanitizer_finish_switch_fiber(NULL, NULL, NULL);
}
#endif
