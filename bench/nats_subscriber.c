#include "nats_subscriber.h"

#include "bench.h"

#include <stdlib.h>
#include <unistd.h>

#define POLL_US 1000
#define WAIT_NS UINT64_C(10000000000)

static void on_message(natsConnection *nc, natsSubscription *sub, natsMsg *msg,
		       void *arg)
{
	struct ear *e = arg;
	size_t n = atomic_load_explicit(&e->count, memory_order_relaxed);

	(void)nc;
	(void)sub;
	bench_must(n < e->cap, "room for a message");
	e->heard[n] = (struct heard){ .msg = msg, .ns = bench_now_ns() };
	/* Pairs with ear_wait(): the message before its number. */
	atomic_store_explicit(&e->count, n + 1, memory_order_release);
}

void ear_open(struct ear *e, jsCtx *js, const char *stream,
	      const char *subjects, size_t cap)
{
	jsSubOptions options;

	e->heard = calloc(cap, sizeof(*e->heard));
	bench_must(e->heard != NULL, "memory");
	e->cap = cap;
	jsSubOptions_Init(&options);
	options.Stream = stream;
	options.ManualAck = true;
	options.Config.AckPolicy = js_AckNone;
	options.Config.DeliverPolicy = js_DeliverNew;
	bench_must(js_Subscribe(&e->sub, js, subjects, on_message, e, NULL,
				&options, NULL) == NATS_OK,
		   "a consumer");
	bench_must(natsSubscription_SetPendingLimits(e->sub, -1, -1) == NATS_OK,
		   "a consumer without limits");
}

void ear_forget(struct ear *e)
{
	size_t n = atomic_load(&e->count);

	for (size_t i = 0; i < n; i++)
		natsMsg_Destroy(e->heard[i].msg);
	atomic_store(&e->count, 0);
}

void ear_close(struct ear *e)
{
	natsSubscription_Unsubscribe(e->sub);
	natsSubscription_Destroy(e->sub);
	ear_forget(e);
	free(e->heard);
}

void ear_wait(const struct ear *e, size_t count)
{
	uint64_t since = bench_now_ns();

	while (atomic_load_explicit(&e->count, memory_order_acquire) < count) {
		bench_must(bench_now_ns() - since < WAIT_NS,
			   "what was published is heard");
		usleep(POLL_US);
	}
}
