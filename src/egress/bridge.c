/*
 * Each worker ring is one sp_spsc and two counters: the worker writes pushed,
 * the publisher popped. Their difference is the number of batches in the ring,
 * for the limit and the statistics.
 *
 * Sleep protocol: the consumer increments `asleep`, then checks the ring again;
 * the producer enqueues, then exchanges `asleep` with 0. Both are atomic
 * read-modify-writes of the same word, so no wake-up is lost. A semaphore of
 * the runtime carries the wake-up, because it works across runtimes. A fiber
 * that registered and then did not sleep leaves a stale count in the semaphore;
 * the next one drains it before it sleeps, or stale counts would add up.
 *
 * Used batches return on a lock-free stack: many threads push, and the worker
 * takes the whole stack, so it needs no limit and has no ABA problem.
 */
#include "egress/bridge.h"

#include "egress/batch.h"

#include <spargio/spsc.h>
#include <spargio/sync.h>

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#define CACHE_LINE 64

/*
 * Batches taken from one worker ring before the publisher goes to the next one.
 */
#define TURN 16

/* The number of sleeping fibers, and the semaphore that wakes them. */
struct wakeup {
	atomic_uint asleep;
	struct sp_sem sem;
};

struct worker_ring {
	/* Set once, at creation. */
	struct sp_spsc *ring;
	uint32_t capacity;
	uint64_t capacity_weight;

	/* Written by the worker. The atomics are also read for statistics. */
	alignas(CACHE_LINE) _Atomic uint64_t pushed;
	_Atomic uint64_t pushed_bytes;
	_Atomic uint64_t pushed_weight;
	_Atomic uint64_t refused;
	_Atomic uint64_t waits;
	_Atomic uint64_t spurious;
	_Atomic uint32_t waiting;
	_Atomic uint32_t fill_max;
	atomic_bool closed;
	bool blocked;

	/* Written by the publisher. */
	alignas(CACHE_LINE) _Atomic uint64_t popped;
	_Atomic uint64_t popped_bytes;
	_Atomic uint64_t popped_weight;
	/* batches that the publisher has taken from the ring */
	struct egress_batch *first;

	/* Batches returned by any thread, for the worker. */
	alignas(CACHE_LINE) struct egress_batch *_Atomic used;
	struct egress_batch *_Atomic fences;

	alignas(CACHE_LINE) struct wakeup room;
	struct wakeup fence;
};

struct egress_bridge {
	struct worker_ring *rings;
	uint32_t workers;
	uint32_t turn;	    /* publisher: index of the current worker ring */
	uint32_t turn_left; /* publisher: batches to take until the next ring */

	alignas(CACHE_LINE) struct wakeup ready;
	atomic_bool kicked;
	atomic_bool stopped;
};

/* Wake all fibers that have registered to sleep. */
static void wake_all(struct wakeup *wakeup)
{
	unsigned n = atomic_exchange_explicit(&wakeup->asleep, 0,
					      memory_order_acq_rel);

	while (n-- > 0)
		(void)sp_sem_post(&wakeup->sem);
}

/*
 * All fibers that sleep on one wakeup run on one thread, and none of them
 * yields between registering and sleeping. So if the semaphore has a count now,
 * it was posted for a fiber that is awake already. A stale count would cause a
 * spurious wake-up, which registers the fiber again and leaves another count;
 * so drain the semaphore first.
 */
static void announce_sleep(struct wakeup *wakeup)
{
	while (sp_sem_trywait(&wakeup->sem) == 0)
		;
	atomic_fetch_add_explicit(&wakeup->asleep, 1, memory_order_acq_rel);
}

static void stack_push(struct egress_batch *_Atomic *stack,
		       struct egress_batch *batch)
{
	struct egress_batch *top =
		atomic_load_explicit(stack, memory_order_relaxed);

	do {
		batch->next = top;
	} while (!atomic_compare_exchange_weak_explicit(stack, &top, batch,
							memory_order_release,
							memory_order_relaxed));
}

static struct egress_batch *stack_take(struct egress_batch *_Atomic *stack)
{
	if (atomic_load_explicit(stack, memory_order_relaxed) == NULL)
		return NULL;
	return atomic_exchange_explicit(stack, NULL, memory_order_acquire);
}

static uint32_t round_up(uint32_t n)
{
	uint32_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

int egress_bridge_new(uint32_t workers, uint32_t batches,
		      struct egress_bridge **out)
{
	struct egress_bridge *bridge = NULL;
	int err = -ENOMEM;

	if (workers == 0 || workers > UINT16_MAX || batches == 0 ||
	    batches > EGRESS_BRIDGE_MAX)
		return -EINVAL;
	batches = round_up(batches);

	bridge = aligned_alloc(CACHE_LINE, sizeof(*bridge));
	if (bridge == NULL)
		return -ENOMEM;
	*bridge = (struct egress_bridge){ .turn_left = TURN };
	bridge->rings =
		aligned_alloc(CACHE_LINE, workers * sizeof(*bridge->rings));
	if (bridge->rings == NULL)
		goto fail;
	for (; bridge->workers < workers; bridge->workers++) {
		struct worker_ring *wr = &bridge->rings[bridge->workers];

		*wr = (struct worker_ring){
			.capacity = batches,
			.capacity_weight =
				(uint64_t)batches * EGRESS_BRIDGE_BATCH_BYTES,
		};
		err = sp_spsc_new(batches, &wr->ring);
		if (err < 0)
			goto fail;
	}
	*out = bridge;
	return 0;

fail:
	egress_bridge_free(bridge);
	return err;
}

void egress_bridge_set_batch_bytes(struct egress_bridge *bridge, uint32_t bytes)
{
	for (uint32_t i = 0; i < bridge->workers; i++) {
		struct worker_ring *wr = &bridge->rings[i];

		if (bytes > EGRESS_BRIDGE_BATCH_BYTES)
			wr->capacity_weight = (uint64_t)wr->capacity * bytes;
	}
}

static void worker_ring_fini(struct worker_ring *wr)
{
	struct egress_batch *batch;

	egress_batch_free(wr->first);
	while ((batch = sp_spsc_pop(wr->ring)) != NULL)
		egress_batch_free(batch);
	egress_batch_free_all(stack_take(&wr->used));
	egress_batch_free_all(stack_take(&wr->fences));
	sp_spsc_free(wr->ring);
}

void egress_bridge_free(struct egress_bridge *bridge)
{
	if (bridge == NULL)
		return;
	for (uint32_t i = 0; i < bridge->workers; i++)
		worker_ring_fini(&bridge->rings[i]);
	free(bridge->rings);
	free(bridge);
}

uint32_t egress_bridge_workers(const struct egress_bridge *bridge)
{
	return bridge->workers;
}

static struct worker_ring *worker_ring_of(struct egress_bridge *bridge,
					  uint32_t worker)
{
	assert(worker < bridge->workers);
	return &bridge->rings[worker];
}

/*
 * The number of batches in the ring. It may be slightly wrong, because the two
 * counters are not read at the same moment.
 */
static uint32_t worker_ring_fill(struct worker_ring *wr)
{
	uint64_t popped =
		atomic_load_explicit(&wr->popped, memory_order_acquire);
	uint64_t pushed =
		atomic_load_explicit(&wr->pushed, memory_order_relaxed);

	return pushed > popped ? (uint32_t)(pushed - popped) : 0;
}

/*
 * The total egress_batch_weight() of the batches in the ring. It may be
 * slightly wrong for the same reason.
 */
static uint64_t worker_ring_weight(struct worker_ring *wr)
{
	uint64_t popped =
		atomic_load_explicit(&wr->popped_weight, memory_order_acquire);
	uint64_t pushed =
		atomic_load_explicit(&wr->pushed_weight, memory_order_relaxed);

	return pushed > popped ? pushed - popped : 0;
}

static bool is_half_empty(struct worker_ring *wr)
{
	return worker_ring_fill(wr) <= wr->capacity / 2 &&
	       worker_ring_weight(wr) <= wr->capacity_weight / 2;
}

/*
 * Only one side writes the counter, so no atomic read-modify-write is needed.
 */
static void counter_add(_Atomic uint64_t *counter, uint64_t n)
{
	uint64_t was = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, was + n, memory_order_release);
}

/*
 * Hot: once per batch. Cost: one atomic read-modify-write, of the counter of
 * sleeping publisher fibers. bench/egress.c
 */
int egress_bridge_push(struct egress_bridge *bridge, uint32_t worker,
		       struct egress_batch *batch)
{
	struct worker_ring *wr = worker_ring_of(bridge, worker);
	uint32_t fill = worker_ring_fill(wr);
	uint32_t len = batch->len;
	uint32_t weight = egress_batch_weight(batch);
	int err;

	if (atomic_load_explicit(&wr->closed, memory_order_relaxed))
		return -EPIPE;
	/* An empty ring accepts a batch of any weight. */
	if (fill >= wr->capacity ||
	    (fill > 0 && worker_ring_weight(wr) >= wr->capacity_weight)) {
		wr->blocked = true;
		counter_add(&wr->refused, 1);
		return -EAGAIN;
	}
	if (fill + 1 >
	    atomic_load_explicit(&wr->fill_max, memory_order_relaxed))
		atomic_store_explicit(&wr->fill_max, fill + 1,
				      memory_order_relaxed);
	batch->worker = (uint16_t)worker;
	batch->next = NULL;
	err = sp_spsc_push(wr->ring, batch);
	/* the ring has at least as much space as the counters say */
	assert(err == 0);
	(void)err;
	/* From here on the publisher may have freed the batch. */
	counter_add(&wr->pushed_bytes, len);
	counter_add(&wr->pushed_weight, weight);
	counter_add(&wr->pushed, 1);
	wake_all(&bridge->ready);
	return 0;
}

bool egress_bridge_blocked(struct egress_bridge *bridge, uint32_t worker)
{
	struct worker_ring *wr = worker_ring_of(bridge, worker);

	if (wr->blocked && is_half_empty(wr))
		wr->blocked = false;
	return wr->blocked;
}

static bool is_stopped(struct egress_bridge *bridge)
{
	return atomic_load_explicit(&bridge->stopped, memory_order_acquire);
}

uint64_t egress_bridge_pushed_weight(struct egress_bridge *bridge,
				     uint32_t worker)
{
	return atomic_load_explicit(
		&worker_ring_of(bridge, worker)->pushed_weight,
		memory_order_relaxed);
}

bool egress_bridge_has_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight)
{
	return atomic_load_explicit(
		       &worker_ring_of(bridge, worker)->popped_weight,
		       memory_order_acquire) >= weight;
}

/*
 * True if the worker is not blocked and egress_bridge_has_taken() is true for
 * @weight.
 */
static bool is_free(struct egress_bridge *bridge, uint32_t worker,
		    uint64_t weight)
{
	return !egress_bridge_blocked(bridge, worker) &&
	       egress_bridge_has_taken(bridge, worker, weight);
}

/*
 * Register, check again, and sleep. The publisher sends a wake-up for each
 * batch that it takes from a ring that is at most half full. So a fiber that
 * waits until its batches are taken may be woken a few times too early.
 */
static int sleep_until_free(struct egress_bridge *bridge, uint32_t worker,
			    uint64_t weight, int64_t deadline)
{
	struct worker_ring *wr = worker_ring_of(bridge, worker);
	int err = 0;

	while (err == 0) {
		announce_sleep(&wr->room);
		if (is_free(bridge, worker, weight))
			return 0;
		if (is_stopped(bridge))
			return -EPIPE;
		err = sp_sem_wait_until(&wr->room.sem, deadline); /* yields */
		if (err == 0 && !is_free(bridge, worker, weight))
			counter_add(&wr->spurious, 1);
	}
	return err;
}

int egress_bridge_wait_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight, int64_t deadline)
{
	struct worker_ring *wr = worker_ring_of(bridge, worker);
	int err;

	if (is_free(bridge, worker, weight))
		return 0;
	counter_add(&wr->waits, 1);
	atomic_fetch_add_explicit(&wr->waiting, 1, memory_order_relaxed);
	err = sleep_until_free(bridge, worker, weight, deadline); /* yields */
	atomic_fetch_sub_explicit(&wr->waiting, 1, memory_order_relaxed);
	return err;
}

int egress_bridge_wait_room(struct egress_bridge *bridge, uint32_t worker,
			    int64_t deadline)
{
	return egress_bridge_wait_taken(bridge, worker, 0, deadline);
}

struct egress_batch *egress_bridge_take_back(struct egress_bridge *bridge,
					     uint32_t worker)
{
	return stack_take(&worker_ring_of(bridge, worker)->used);
}

struct egress_batch *egress_bridge_take_fence(struct egress_bridge *bridge,
					      uint32_t worker)
{
	struct egress_batch *rest =
		stack_take(&worker_ring_of(bridge, worker)->fences);
	struct egress_batch *oldest = NULL;

	while (rest != NULL) {
		struct egress_batch *fence = rest;

		rest = fence->next;
		fence->next = oldest;
		oldest = fence;
	}
	return oldest;
}

static bool has_fence(struct worker_ring *wr)
{
	return atomic_load_explicit(&wr->fences, memory_order_acquire) != NULL;
}

int egress_bridge_wait_fence(struct egress_bridge *bridge, uint32_t worker,
			     int64_t deadline)
{
	struct worker_ring *wr = worker_ring_of(bridge, worker);
	int err = 0;

	while (err == 0) {
		if (has_fence(wr))
			return 0;
		announce_sleep(&wr->fence);
		if (has_fence(wr))
			return 0;
		if (is_stopped(bridge))
			return -EPIPE;
		err = sp_sem_wait_until(&wr->fence.sem, deadline); /* yields */
	}
	return err;
}

void egress_bridge_close(struct egress_bridge *bridge, uint32_t worker)
{
	atomic_store_explicit(&worker_ring_of(bridge, worker)->closed, true,
			      memory_order_release);
	wake_all(&bridge->ready);
}

/* The next batch of the worker ring, without taking it. */
static struct egress_batch *worker_ring_first(struct worker_ring *wr)
{
	if (wr->first == NULL)
		wr->first = sp_spsc_pop(wr->ring);
	return wr->first;
}

static struct egress_batch *worker_ring_pop(struct worker_ring *wr)
{
	struct egress_batch *batch = worker_ring_first(wr);

	if (batch == NULL)
		return NULL;
	wr->first = NULL;
	counter_add(&wr->popped_bytes, batch->len);
	counter_add(&wr->popped_weight, egress_batch_weight(batch));
	counter_add(&wr->popped, 1);
	if (is_half_empty(wr))
		wake_all(&wr->room);
	return batch;
}

static void next_turn(struct egress_bridge *bridge)
{
	bridge->turn = (bridge->turn + 1) % bridge->workers;
	bridge->turn_left = TURN;
}

struct egress_batch *egress_bridge_pop(struct egress_bridge *bridge)
{
	if (bridge->turn_left == 0)
		next_turn(bridge);
	for (uint32_t i = 0; i < bridge->workers; i++) {
		struct egress_batch *batch =
			worker_ring_pop(&bridge->rings[bridge->turn]);

		if (batch != NULL) {
			bridge->turn_left--;
			return batch;
		}
		next_turn(bridge);
	}
	return NULL;
}

static bool any_ready(struct egress_bridge *bridge)
{
	for (uint32_t i = 0; i < bridge->workers; i++)
		if (worker_ring_first(&bridge->rings[i]) != NULL)
			return true;
	return false;
}

static bool all_closed(struct egress_bridge *bridge)
{
	for (uint32_t i = 0; i < bridge->workers; i++)
		if (!atomic_load_explicit(&bridge->rings[i].closed,
					  memory_order_acquire))
			return false;
	return true;
}

/*
 * Returns 1 if there is something to do, 0 if not, -EPIPE if there will never
 * be anything.
 */
static int bridge_poll(struct egress_bridge *bridge)
{
	/*
	 * Read the closed flags first, so that batches pushed before are seen.
	 */
	bool closed = all_closed(bridge);

	if (atomic_exchange_explicit(&bridge->kicked, false,
				     memory_order_acq_rel))
		return 1;
	if (any_ready(bridge))
		return 1;
	return closed ? -EPIPE : 0;
}

int egress_bridge_wait(struct egress_bridge *bridge, int64_t deadline)
{
	int found = bridge_poll(bridge);

	while (found == 0) {
		int err;

		announce_sleep(&bridge->ready);
		found = bridge_poll(bridge);
		if (found != 0)
			break;
		err = sp_sem_wait_until(&bridge->ready.sem,
					deadline); /* yields */
		if (err < 0)
			return err;
		found = bridge_poll(bridge);
	}
	return found < 0 ? found : 0;
}

void egress_bridge_give_back(struct egress_bridge *bridge,
			     struct egress_batch *batch)
{
	struct worker_ring *wr = worker_ring_of(bridge, batch->worker);

	if (batch->kind == EGRESS_BATCH_FENCE) {
		stack_push(&wr->fences, batch);
		wake_all(&wr->fence);
	} else {
		stack_push(&wr->used, batch);
	}
}

void egress_bridge_stop(struct egress_bridge *bridge)
{
	atomic_store_explicit(&bridge->stopped, true, memory_order_release);
	for (uint32_t i = 0; i < bridge->workers; i++) {
		wake_all(&bridge->rings[i].room);
		wake_all(&bridge->rings[i].fence);
	}
}

void egress_bridge_wake(struct egress_bridge *bridge)
{
	atomic_store_explicit(&bridge->kicked, true, memory_order_release);
	wake_all(&bridge->ready);
}

void egress_bridge_stats(struct egress_bridge *bridge, uint32_t worker,
			 struct egress_bridge_stats *out)
{
	struct worker_ring *wr = worker_ring_of(bridge, worker);
	uint64_t taken =
		atomic_load_explicit(&wr->popped_bytes, memory_order_acquire);
	uint64_t bytes =
		atomic_load_explicit(&wr->pushed_bytes, memory_order_relaxed);

	*out = (struct egress_bridge_stats){
		.capacity = wr->capacity,
		.batches = worker_ring_fill(wr),
		.batches_max = atomic_load_explicit(&wr->fill_max,
						    memory_order_relaxed),
		.bytes = bytes > taken ? bytes - taken : 0,
		.waiting = atomic_load_explicit(&wr->waiting,
						memory_order_relaxed),
		.pushed =
			atomic_load_explicit(&wr->pushed, memory_order_relaxed),
		.pushed_bytes = bytes,
		.refused = atomic_load_explicit(&wr->refused,
						memory_order_relaxed),
		.waits = atomic_load_explicit(&wr->waits, memory_order_relaxed),
		.spurious = atomic_load_explicit(&wr->spurious,
						 memory_order_relaxed),
	};
}
