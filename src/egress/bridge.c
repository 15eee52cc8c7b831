/*
 * Each lane is one sp_spsc and two counters, one written by each side:
 * pushed - popped is the fill, for the limit and for whoever watches.
 *
 * Who wants to sleep says so first and looks again; who brings something
 * brings it first and then asks whether anybody sleeps. Both do it with an
 * atomic read-modify-write of the same word, so one of the two comes first
 * and the other sees it: either the sleeper sees what was brought, or the
 * bringer sees the sleeper. A semaphore of the runtime carries the wake-up,
 * because it works across runtimes. Who said so and then did not sleep is rung
 * for all the same; whoever is next to sleep at that bell forgets that first.
 *
 * What comes back is a stack that many push to and one takes whole, so there
 * is no bound to keep and no ABA to fear.
 */
#include "egress/bridge.h"

#include <spargio/spsc.h>
#include <spargio/sync.h>

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#define CACHE_LINE 64

/* Batches taken from one lane before the next has its turn. */
#define TURN 16

/* Fibers asleep, and what wakes them. */
struct bell {
	atomic_uint asleep;
	struct sp_sem sem;
};

struct lane {
	/* Set once. */
	struct sp_spsc *ring;
	uint32_t capacity;
	uint64_t capacity_weight;

	/* The worker's. The atomics are read by whoever watches. */
	alignas(CACHE_LINE) _Atomic uint64_t pushed;
	_Atomic uint64_t pushed_bytes;
	_Atomic uint64_t pushed_weight;
	_Atomic uint64_t refused;
	_Atomic uint64_t waits;
	_Atomic uint64_t vain;
	_Atomic uint32_t waiting;
	_Atomic uint32_t fill_max;
	atomic_bool closed;
	bool pressed;

	/* The publisher's. */
	alignas(CACHE_LINE) _Atomic uint64_t popped;
	_Atomic uint64_t popped_bytes;
	_Atomic uint64_t popped_weight;
	struct egress_batch *first; /* already taken off the ring */

	/* From whoever gives back to the worker. */
	alignas(CACHE_LINE) struct egress_batch *_Atomic used;
	struct egress_batch *_Atomic marks;

	alignas(CACHE_LINE) struct bell room;
	struct bell mark;
};

struct egress_bridge {
	struct lane *lanes;
	uint32_t workers;
	uint32_t turn;	    /* the publisher's: whose it is */
	uint32_t turn_left; /* batches until the next one's */

	alignas(CACHE_LINE) struct bell ready;
	atomic_bool kicked;
	atomic_bool stopped;
};

/* Wake all who said that they are about to sleep. */
static void ring_bell(struct bell *bell)
{
	unsigned n = atomic_exchange_explicit(&bell->asleep, 0,
					      memory_order_acq_rel);

	while (n-- > 0)
		(void)sp_sem_post(&bell->sem);
}

/*
 * All who sleep at one bell are of one thread, and none of them waits for
 * anything between this and its sleep. So what the semaphore has now was meant
 * for one who is awake. Left there, it would wake a sleeper in vain, who would
 * announce itself once more and so be rung for twice: they would never get
 * fewer.
 */
static void announce_sleep(struct bell *bell)
{
	while (sp_sem_trywait(&bell->sem) == 0)
		;
	atomic_fetch_add_explicit(&bell->asleep, 1, memory_order_acq_rel);
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
	bridge->lanes =
		aligned_alloc(CACHE_LINE, workers * sizeof(*bridge->lanes));
	if (bridge->lanes == NULL)
		goto fail;
	for (; bridge->workers < workers; bridge->workers++) {
		struct lane *lane = &bridge->lanes[bridge->workers];

		*lane = (struct lane){
			.capacity = batches,
			.capacity_weight =
				(uint64_t)batches * EGRESS_BRIDGE_BATCH_BYTES,
		};
		err = sp_spsc_new(batches, &lane->ring);
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
		struct lane *lane = &bridge->lanes[i];

		if (bytes > EGRESS_BRIDGE_BATCH_BYTES)
			lane->capacity_weight =
				(uint64_t)lane->capacity * bytes;
	}
}

static void lane_fini(struct lane *lane)
{
	struct egress_batch *batch;

	egress_batch_free(lane->first);
	while ((batch = sp_spsc_pop(lane->ring)) != NULL)
		egress_batch_free(batch);
	egress_batch_free_all(stack_take(&lane->used));
	egress_batch_free_all(stack_take(&lane->marks));
	sp_spsc_free(lane->ring);
}

void egress_bridge_free(struct egress_bridge *bridge)
{
	if (bridge == NULL)
		return;
	for (uint32_t i = 0; i < bridge->workers; i++)
		lane_fini(&bridge->lanes[i]);
	free(bridge->lanes);
	free(bridge);
}

uint32_t egress_bridge_workers(const struct egress_bridge *bridge)
{
	return bridge->workers;
}

static struct lane *lane_of(struct egress_bridge *bridge, uint32_t worker)
{
	assert(worker < bridge->workers);
	return &bridge->lanes[worker];
}

/* Batches in the ring; the two counters are not read at one moment. */
static uint32_t lane_fill(struct lane *lane)
{
	uint64_t popped =
		atomic_load_explicit(&lane->popped, memory_order_acquire);
	uint64_t pushed =
		atomic_load_explicit(&lane->pushed, memory_order_relaxed);

	return pushed > popped ? (uint32_t)(pushed - popped) : 0;
}

/* The weight of the batches in the ring, likewise. */
static uint64_t lane_weight(struct lane *lane)
{
	uint64_t popped = atomic_load_explicit(&lane->popped_weight,
					       memory_order_acquire);
	uint64_t pushed = atomic_load_explicit(&lane->pushed_weight,
					       memory_order_relaxed);

	return pushed > popped ? pushed - popped : 0;
}

static bool is_half_empty(struct lane *lane)
{
	return lane_fill(lane) <= lane->capacity / 2 &&
	       lane_weight(lane) <= lane->capacity_weight / 2;
}

/* Only one side writes it, so it need not be one step. */
static void add(_Atomic uint64_t *counter, uint64_t n)
{
	uint64_t was = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, was + n, memory_order_release);
}

/*
 * Hot: once per batch. Cost: one atomic read-modify-write, of the word that
 * says whether the publisher sleeps. bench/egress.c
 */
int egress_bridge_push(struct egress_bridge *bridge, uint32_t worker,
		       struct egress_batch *batch)
{
	struct lane *lane = lane_of(bridge, worker);
	uint32_t fill = lane_fill(lane);
	uint32_t len = batch->len;
	uint32_t weight = egress_batch_weight(batch);
	int err;

	if (atomic_load_explicit(&lane->closed, memory_order_relaxed))
		return -EPIPE;
	/* Whatever a batch has, it goes into a ring that is empty. */
	if (fill >= lane->capacity ||
	    (fill > 0 && lane_weight(lane) >= lane->capacity_weight)) {
		lane->pressed = true;
		add(&lane->refused, 1);
		return -EAGAIN;
	}
	if (fill + 1 >
	    atomic_load_explicit(&lane->fill_max, memory_order_relaxed))
		atomic_store_explicit(&lane->fill_max, fill + 1,
				      memory_order_relaxed);
	batch->worker = (uint16_t)worker;
	batch->next = NULL;
	err = sp_spsc_push(lane->ring, batch);
	assert(err == 0); /* it holds what the counters allow */
	(void)err;
	/* From here on the batch may be gone. */
	add(&lane->pushed_bytes, len);
	add(&lane->pushed_weight, weight);
	add(&lane->pushed, 1);
	ring_bell(&bridge->ready);
	return 0;
}

bool egress_bridge_pressed(struct egress_bridge *bridge, uint32_t worker)
{
	struct lane *lane = lane_of(bridge, worker);

	if (lane->pressed && is_half_empty(lane))
		lane->pressed = false;
	return lane->pressed;
}

static bool is_stopped(struct egress_bridge *bridge)
{
	return atomic_load_explicit(&bridge->stopped, memory_order_acquire);
}

uint64_t egress_bridge_pushed_weight(struct egress_bridge *bridge,
				     uint32_t worker)
{
	return atomic_load_explicit(&lane_of(bridge, worker)->pushed_weight,
				    memory_order_relaxed);
}

bool egress_bridge_has_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight)
{
	return atomic_load_explicit(&lane_of(bridge, worker)->popped_weight,
				    memory_order_acquire) >= weight;
}

/* Nothing is pressed, and what has the first @weight is taken. */
static bool is_free(struct egress_bridge *bridge, uint32_t worker,
		    uint64_t weight)
{
	return !egress_bridge_pressed(bridge, worker) &&
	       egress_bridge_has_taken(bridge, worker, weight);
}

/*
 * The publisher rings at each batch that it takes from a ring that is half
 * empty. One whose share is in the ring may be woken a few times in vain.
 */
static int sleep_until_free(struct egress_bridge *bridge, uint32_t worker,
			    uint64_t weight, int64_t deadline)
{
	struct lane *lane = lane_of(bridge, worker);
	int err = 0;

	while (err == 0) {
		announce_sleep(&lane->room);
		if (is_free(bridge, worker, weight))
			return 0;
		if (is_stopped(bridge))
			return -EPIPE;
		err = sp_sem_wait_until(&lane->room.sem, deadline); /* yields */
		if (err == 0 && !is_free(bridge, worker, weight))
			add(&lane->vain, 1);
	}
	return err;
}

int egress_bridge_wait_taken(struct egress_bridge *bridge, uint32_t worker,
			     uint64_t weight, int64_t deadline)
{
	struct lane *lane = lane_of(bridge, worker);
	int err;

	if (is_free(bridge, worker, weight))
		return 0;
	add(&lane->waits, 1);
	atomic_fetch_add_explicit(&lane->waiting, 1, memory_order_relaxed);
	err = sleep_until_free(bridge, worker, weight, deadline); /* yields */
	atomic_fetch_sub_explicit(&lane->waiting, 1, memory_order_relaxed);
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
	return stack_take(&lane_of(bridge, worker)->used);
}

struct egress_batch *egress_bridge_take_mark(struct egress_bridge *bridge,
					     uint32_t worker)
{
	struct egress_batch *rest = stack_take(&lane_of(bridge, worker)->marks);
	struct egress_batch *oldest = NULL;

	while (rest != NULL) {
		struct egress_batch *mark = rest;

		rest = mark->next;
		mark->next = oldest;
		oldest = mark;
	}
	return oldest;
}

static bool has_mark(struct lane *lane)
{
	return atomic_load_explicit(&lane->marks, memory_order_acquire) != NULL;
}

int egress_bridge_wait_mark(struct egress_bridge *bridge, uint32_t worker,
			    int64_t deadline)
{
	struct lane *lane = lane_of(bridge, worker);
	int err = 0;

	while (err == 0) {
		if (has_mark(lane))
			return 0;
		announce_sleep(&lane->mark);
		if (has_mark(lane))
			return 0;
		if (is_stopped(bridge))
			return -EPIPE;
		err = sp_sem_wait_until(&lane->mark.sem, deadline); /* yields */
	}
	return err;
}

void egress_bridge_close(struct egress_bridge *bridge, uint32_t worker)
{
	atomic_store_explicit(&lane_of(bridge, worker)->closed, true,
			      memory_order_release);
	ring_bell(&bridge->ready);
}

/* Have a look at the next batch of the lane. */
static struct egress_batch *lane_first(struct lane *lane)
{
	if (lane->first == NULL)
		lane->first = sp_spsc_pop(lane->ring);
	return lane->first;
}

static struct egress_batch *lane_pop(struct lane *lane)
{
	struct egress_batch *batch = lane_first(lane);

	if (batch == NULL)
		return NULL;
	lane->first = NULL;
	add(&lane->popped_bytes, batch->len);
	add(&lane->popped_weight, egress_batch_weight(batch));
	add(&lane->popped, 1);
	if (is_half_empty(lane))
		ring_bell(&lane->room);
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
			lane_pop(&bridge->lanes[bridge->turn]);

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
		if (lane_first(&bridge->lanes[i]) != NULL)
			return true;
	return false;
}

static bool all_closed(struct egress_bridge *bridge)
{
	for (uint32_t i = 0; i < bridge->workers; i++)
		if (!atomic_load_explicit(&bridge->lanes[i].closed,
					  memory_order_acquire))
			return false;
	return true;
}

/* 1: go and look. 0: nothing to do. -EPIPE: nothing will ever come. */
static int look(struct egress_bridge *bridge)
{
	/* Closed is asked first: what was pushed before it is then seen. */
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
	int found = look(bridge);

	while (found == 0) {
		int err;

		announce_sleep(&bridge->ready);
		found = look(bridge);
		if (found != 0)
			break;
		err = sp_sem_wait_until(&bridge->ready.sem,
					deadline); /* yields */
		if (err < 0)
			return err;
		found = look(bridge);
	}
	return found < 0 ? found : 0;
}

void egress_bridge_give_back(struct egress_bridge *bridge,
			     struct egress_batch *batch)
{
	struct lane *lane = lane_of(bridge, batch->worker);

	if (batch->kind == EGRESS_BATCH_MARK) {
		stack_push(&lane->marks, batch);
		ring_bell(&lane->mark);
	} else {
		stack_push(&lane->used, batch);
	}
}

void egress_bridge_stop(struct egress_bridge *bridge)
{
	atomic_store_explicit(&bridge->stopped, true, memory_order_release);
	for (uint32_t i = 0; i < bridge->workers; i++) {
		ring_bell(&bridge->lanes[i].room);
		ring_bell(&bridge->lanes[i].mark);
	}
}

void egress_bridge_kick(struct egress_bridge *bridge)
{
	atomic_store_explicit(&bridge->kicked, true, memory_order_release);
	ring_bell(&bridge->ready);
}

void egress_bridge_stats(struct egress_bridge *bridge, uint32_t worker,
			 struct egress_bridge_stats *out)
{
	struct lane *lane = lane_of(bridge, worker);
	uint64_t taken =
		atomic_load_explicit(&lane->popped_bytes, memory_order_acquire);
	uint64_t bytes =
		atomic_load_explicit(&lane->pushed_bytes, memory_order_relaxed);

	*out = (struct egress_bridge_stats){
		.capacity = lane->capacity,
		.batches = lane_fill(lane),
		.batches_max = atomic_load_explicit(&lane->fill_max,
						    memory_order_relaxed),
		.bytes = bytes > taken ? bytes - taken : 0,
		.waiting = atomic_load_explicit(&lane->waiting,
						memory_order_relaxed),
		.pushed = atomic_load_explicit(&lane->pushed,
					       memory_order_relaxed),
		.pushed_bytes = bytes,
		.refused = atomic_load_explicit(&lane->refused,
						memory_order_relaxed),
		.waits = atomic_load_explicit(&lane->waits,
					      memory_order_relaxed),
		.vain = atomic_load_explicit(&lane->vain, memory_order_relaxed),
	};
}
