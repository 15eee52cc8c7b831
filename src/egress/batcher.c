/*
 * A router has either open batches of updates or one open batch of events,
 * never both, so that events keep their place in the order. All open batches of
 * the worker are in one list, oldest first.
 *
 * Most changes go to one of the last few batches; the others are looked up.
 */
#include "egress/batcher.h"

#include "egress/codec.h"
#include "egress/encode/encode_update.h"
#include "egress/batch_pool.h"
#include "egress/message_id.h"
#include "egress/open_batches.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The minimum of max_bytes: enough for one or two usual updates. */
#define BYTES_MIN 1024u

/* Typical bytes of an update, to choose the size of a new batch. */
#define UPDATE_BYTES 400u

/* Number of recently used batches; a power of two. */
#define RECENT 64u

/* The pace of updates is measured over at least this time. */
#define PACE_NS (10 * UINT64_C(1000000))

/* An unused batch may be freed after this time. */
#define TRIM_NS (2 * UINT64_C(1000000000))

struct egress_batcher {
	struct egress_bridge *bridge;
	uint32_t worker;
	uint32_t max_bytes;
	uint32_t max_updates;
	enum egress_encoding encoding;
	struct egress_routers routers;
	struct egress_batch_pool pool;
	struct egress_codec *codec;
	/* The recently used batches that are still open; see place_of(). */
	struct egress_open *recent[RECENT];
	struct egress_batch *backlog, **kept_end;
	uint64_t trim_ns; /* time of the next trim */
	uint64_t linger_ns;
	/*
	 * At the last measurement updates came at EGRESS_BATCHER_BUSY or more.
	 */
	bool is_busy;
	uint64_t pace_ns;      /* when the measurement began */
	uint64_t pace_updates; /* stats.updates at that time */
	struct egress_batcher_stats stats;
	char updates[SUBJECT_PREFIX_MAX + 1];
	char events[SUBJECT_PREFIX_MAX + 1];
	struct egress_origin origin;
	char collector[COLLECTOR_ID_MAX];
};

static bool copy_prefix(const char *prefix, char out[SUBJECT_PREFIX_MAX + 1])
{
	size_t len = strlen(prefix);

	if (len > SUBJECT_PREFIX_MAX)
		return false;
	memcpy(out, prefix, len + 1);
	return true;
}

static bool copy_collector(const char *id, struct egress_batcher *b)
{
	size_t len;

	if (id == NULL)
		return true;
	len = strlen(id);
	if (len >= sizeof(b->collector))
		return false;
	memcpy(b->collector, id, len + 1);
	b->origin.collector = b->collector;
	return true;
}

int egress_batcher_new(const struct egress_batcher_opts *opts,
		       struct egress_batcher **out)
{
	uint32_t bytes =
		opts->max_bytes == 0 ? EGRESS_BATCHER_BYTES : opts->max_bytes;
	struct egress_batcher *b;
	int err;

	if (bytes < BYTES_MIN || bytes > EGRESS_PLAIN_MAX / 2)
		return -EINVAL;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return -ENOMEM;
	b->bridge = opts->bridge;
	b->worker = opts->worker;
	b->max_bytes = bytes;
	b->max_updates = opts->max_updates == 0 ? EGRESS_BATCHER_UPDATES
						: opts->max_updates;
	b->encoding = opts->encoding;
	b->linger_ns = opts->linger_ns;
	b->kept_end = &b->backlog;
	egress_batch_pool_init(&b->pool, opts->bridge, opts->worker, bytes);
	err = egress_routers_init(&b->routers, opts->seed);
	if (err < 0) {
		free(b);
		return err;
	}
	err = egress_codec_new(&b->codec);
	if (err == 0 && !(copy_prefix(opts->updates, b->updates) &&
			  copy_prefix(opts->events, b->events) &&
			  copy_collector(opts->collector, b)))
		err = -ENAMETOOLONG;
	if (err < 0) {
		egress_batcher_free(b);
		return err;
	}
	*out = b;
	return 0;
}

void egress_batcher_free(struct egress_batcher *b)
{
	if (b == NULL)
		return;
	while (!egress_list_empty(&b->routers.by_age)) {
		struct egress_open *open =
			(struct egress_open *)(void *)b->routers.by_age.next;

		egress_batch_free(open->batch);
		egress_open_remove(&b->routers, open);
	}
	egress_batch_free_all(b->backlog);
	egress_codec_free(b->codec);
	egress_batch_pool_fini(&b->pool);
	egress_routers_fini(&b->routers);
	free(b);
}

/* Closing */

static void backlog_append(struct egress_batcher *b, struct egress_batch *batch)
{
	batch->next = NULL;
	*b->kept_end = batch;
	b->kept_end = &batch->next;
	b->stats.backlog++;
	b->stats.kept_weight += egress_batch_weight(batch);
}

/*
 * Push the backlog, as long as the bridge has space. -EAGAIN or -EPIPE if a
 * part is left.
 */
static int push_backlog(struct egress_batcher *b)
{
	while (b->backlog != NULL) {
		struct egress_batch *batch = b->backlog;
		struct egress_batch *next = batch->next;
		uint32_t weight = egress_batch_weight(batch);
		int err = egress_bridge_push(b->bridge, b->worker, batch);

		if (err < 0)
			return err;
		b->backlog = next;
		b->stats.backlog--;
		b->stats.kept_weight -= weight;
	}
	b->kept_end = &b->backlog;
	return 0;
}

/* Push a batch; if there is a backlog, append the batch to it. */
static void batch_send(struct egress_batcher *b, struct egress_batch *batch)
{
	if (push_backlog(b) < 0 ||
	    egress_bridge_push(b->bridge, b->worker, batch) < 0)
		backlog_append(b, batch);
}

static void leave_recent(struct egress_batcher *b, struct egress_open *open)
{
	if (b->recent[open->place] == open)
		b->recent[open->place] = NULL;
}

static void close_open(struct egress_batcher *b, struct egress_open *open,
		       enum egress_flush_cause why)
{
	struct egress_batch *batch = open->batch;

	leave_recent(b, open);
	egress_open_remove(&b->routers, open);
	batch->plain_len = batch->len;
	/* If compression runs out of memory, the batch is sent uncompressed. */
	(void)egress_codec_close(b->codec, b->encoding, batch);
	b->stats.closed[why]++;
	b->stats.plain_bytes += batch->plain_len;
	b->stats.sent_bytes += batch->len;
	batch_send(b, batch);
}

static void close_router(struct egress_batcher *b, struct egress_router *router,
			 enum egress_flush_cause why)
{
	while (!egress_list_empty(&router->open))
		close_open(b, EGRESS_OPEN_OF_ROUTER(router->open.next), why);
}

static struct egress_open *open_batch_oldest(const struct egress_batcher *b)
{
	struct egress_link *first = b->routers.by_age.next;

	return first == &b->routers.by_age
		       ? NULL
		       : (struct egress_open *)(void *)first;
}

static void close_all(struct egress_batcher *b, enum egress_flush_cause why)
{
	struct egress_open *open;

	while ((open = open_batch_oldest(b)) != NULL)
		close_open(b, open, why);
}

void egress_batcher_flush(struct egress_batcher *b)
{
	close_all(b, EGRESS_FLUSH_IDLE);
	(void)push_backlog(b);
}

/*
 * Measure the pace of updates and set is_busy. A pause since the last update
 * lowers the pace.
 */
static void measure_pace(struct egress_batcher *b, uint64_t now)
{
	uint64_t updates = b->stats.updates - b->pace_updates;

	if (b->linger_ns == 0 || now < b->pace_ns + PACE_NS)
		return;
	b->is_busy = updates >= (now - b->pace_ns) / UINT64_C(1000000) *
					(EGRESS_BATCHER_BUSY / 1000);
	b->pace_ns = now;
	b->pace_updates = b->stats.updates;
}

/* The age at which a batch that is not full is closed. */
static uint64_t closing_age(const struct egress_batcher *b)
{
	return b->is_busy && b->linger_ns > EGRESS_BATCHER_AGE
		       ? b->linger_ns
		       : EGRESS_BATCHER_AGE;
}

void egress_batcher_idle(struct egress_batcher *b, uint64_t now)
{
	measure_pace(b, now);
	if (b->is_busy)
		egress_batcher_flush_aged(b, now);
	else
		egress_batcher_flush(b);
}

void egress_batcher_flush_aged(struct egress_batcher *b, uint64_t now)
{
	struct egress_open *open;

	measure_pace(b, now);
	while ((open = open_batch_oldest(b)) != NULL &&
	       open->batch->opened_ns + closing_age(b) <= now)
		close_open(b, open, EGRESS_FLUSH_AGED);
	(void)push_backlog(b);
	if (now >= b->trim_ns) {
		b->trim_ns = now + TRIM_NS;
		egress_batch_pool_trim(&b->pool);
	}
}

uint64_t egress_batcher_due(const struct egress_batcher *b)
{
	uint64_t due = egress_batch_pool_wants_trim(&b->pool) ? b->trim_ns
							      : UINT64_MAX;
	uint64_t close;

	if (!b->is_busy || egress_list_empty(&b->routers.by_age))
		return due;
	close = open_batch_oldest(b)->batch->opened_ns + closing_age(b);
	return close < due ? close : due;
}

/* Opening */

/* Give @open a batch with space for about @bytes. */
static bool give_batch(struct egress_batcher *b, struct egress_open *open,
		       size_t bytes)
{
	uint32_t room = bytes > b->max_bytes ? b->max_bytes : (uint32_t)bytes;
	struct egress_batch *batch = egress_batch_pool_take(&b->pool, room);
	int len;

	if (batch == NULL)
		return false;
	if (open->is_events)
		len = subject_event(b->events, open->router->token, open->safi,
				    batch->subject);
	else
		len = subject_update(b->updates, open->router->token,
				     open->peer_as, open->afi, open->safi,
				     batch->subject);
	/*
	 * Prefix and token are not longer than their limits, so the subject
	 * fits.
	 */
	batch->subject_len = (uint32_t)len;
	batch->kind =
		open->is_events ? EGRESS_BATCH_EVENTS : EGRESS_BATCH_UPDATES;
	batch->opened_ns = (uint64_t)sp_now();
	open->batch = batch;
	return true;
}

static struct egress_open *add_open(struct egress_batcher *b,
				    struct egress_router *router,
				    uint32_t peer_as, uint16_t afi,
				    uint8_t safi, bool is_events, size_t bytes)
{
	struct egress_open *open = egress_open_add(&b->routers, router, peer_as,
						   afi, safi, is_events);

	if (open == NULL)
		return NULL;
	if (!give_batch(b, open, bytes)) {
		egress_open_remove(&b->routers, open);
		return NULL;
	}
	router->has_events = is_events;
	return open;
}

static bool is_for(const struct egress_open *open,
		   const struct rib_table_info *t)
{
	return open->peer_as == t->peer_as && open->afi == t->afi &&
	       open->safi == t->safi && !open->is_events &&
	       egress_router_is(open->router, t->router);
}

/* Peer numbers are unique only within a router, so hash the router as well. */
static uint32_t place_of(const struct rib_table_info *t)
{
	uint32_t tail = wire_get_u32(t->router->address + 12);
	uint32_t mixed = (t->peer_as ^ tail) * UINT32_C(0x9e3779b1);

	return ((mixed >> 16) + t->afi + t->safi) % RECENT;
}

/* The open batch for updates of @t; NULL if out of memory. */
static struct egress_open *open_updates(struct egress_batcher *b,
					const struct rib_table_info *t,
					size_t routes)
{
	uint32_t place = place_of(t);
	struct egress_open *open = b->recent[place];
	struct egress_router *router;

	if (open != NULL && is_for(open, t))
		return open;
	router = egress_routers_get(&b->routers, t->router);
	if (router == NULL)
		return NULL;
	if (router->has_events)
		close_router(b, router, EGRESS_FLUSH_EVENT);
	open = egress_open_find(&b->routers, router, t->peer_as, t->afi,
				t->safi, /* is_events= */ false);
	if (open == NULL)
		open = add_open(b, router, t->peer_as, t->afi, t->safi,
				/* is_events= */ false,
				512 + UPDATE_BYTES * routes);
	if (open != NULL) {
		/*
		 * A named router may have reconnected from another address:
		 * correct the table.
		 */
		leave_recent(b, open);
		open->place = place;
		b->recent[place] = open;
	}
	return open;
}

/*
 * Make space for @need more bytes in the batch of @open: grow the batch, or, if
 * it has reached the size limit, close it and open another one. Only an empty
 * batch may exceed the limit. False if out of memory.
 */
static bool make_room(struct egress_batcher *b, struct egress_open *open,
		      size_t need)
{
	struct egress_batch *batch = open->batch;
	size_t bytes = batch->len + need;

	if (bytes > b->max_bytes && batch->len != 0) {
		close_open(b, open, EGRESS_FLUSH_FULL);
		return true;
	}
	if (bytes > EGRESS_PLAIN_MAX)
		return false;
	if (bytes < 2 * (size_t)batch->cap && 2 * batch->cap <= b->max_bytes)
		bytes = 2 * (size_t)batch->cap;
	batch = egress_batch_pool_grow(&b->pool, batch, (uint32_t)bytes);
	if (batch == NULL)
		return false;
	open->batch = batch;
	return true;
}

/* The number of bytes that still fit into @batch. */
static size_t room_in(const struct egress_batcher *b,
		      const struct egress_batch *batch)
{
	uint32_t limit = batch->cap;

	if (limit > b->max_bytes && batch->len != 0)
		limit = b->max_bytes;
	return limit > batch->len ? limit - batch->len : 0;
}

/* Encode routes of @c from @first on. Returns how many were encoded. */
static size_t batch_encode_routes(struct egress_batcher *b,
				  struct egress_batch *batch,
				  const struct rib_change *c, size_t first)
{
	struct egress_encoded got =
		egress_encode_update(c, first, b->max_updates - batch->updates,
				     batch->bytes + batch->len,
				     room_in(b, batch));

	batch->len += (uint32_t)got.bytes;
	batch->updates += (uint32_t)got.routes;
	b->stats.made_bytes += got.bytes;
	return got.routes;
}

static void put_change(void *arg, const struct rib_change *c)
{
	struct egress_batcher *b = arg;
	size_t done = 0;

	while (done < c->count) {
		struct egress_open *open =
			open_updates(b, c->table, c->count - done);

		if (open == NULL)
			break;
		done += batch_encode_routes(b, open->batch, c, done);
		if (open->batch->updates == b->max_updates)
			close_open(b, open, EGRESS_FLUSH_FULL);
		else if (done == c->count && c->subject_changed)
			close_open(b, open, EGRESS_FLUSH_EVENT);
		else if (done < c->count &&
			 !make_room(b, open, egress_encode_bound(c, done)))
			break;
	}
	b->stats.updates += done;
	if (done < c->count)
		b->stats.lost += c->count - done;
}

/*
 * The open batch of the router for events of this kind; NULL if out of memory.
 */
static struct egress_open *open_events(struct egress_batcher *b,
				       const struct rib_event *e)
{
	struct egress_router *router =
		egress_routers_get(&b->routers, e->router);
	struct egress_open *open;

	if (router == NULL)
		return NULL;
	open = egress_open_find(&b->routers, router, 0, 0, (uint8_t)e->kind,
				/* is_events= */ true);
	if (open != NULL)
		return open;
	close_router(b, router, EGRESS_FLUSH_EVENT);
	return add_open(b, router, 0, 0, (uint8_t)e->kind,
			/* is_events= */ true, 0);
}

static void put_event(void *arg, const struct rib_event *e)
{
	struct egress_batcher *b = arg;
	struct egress_open *open;

	while ((open = open_events(b, e)) != NULL) {
		struct egress_batch *batch = open->batch;
		size_t room = room_in(b, batch);
		size_t len =
			egress_encode_event(e, &b->origin,
					    batch->bytes + batch->len, room);

		if (len <= room) {
			batch->len += (uint32_t)len;
			batch->updates++;
			b->stats.events++;
			b->stats.made_bytes += len;
			if (batch->updates >= b->max_updates)
				close_open(b, open, EGRESS_FLUSH_FULL);
			return;
		}
		if (!make_room(b, open, len))
			break;
	}
	b->stats.lost++;
}

struct rib_sink egress_batcher_sink(struct egress_batcher *b)
{
	return (struct rib_sink){
		.change = put_change,
		.change_arg = b,
		.bytes = &b->stats.made_bytes,
		.event = put_event,
		.event_arg = b,
	};
}

int egress_batcher_fence(struct egress_batcher *b,
			 const struct rib_router_info *router, uint64_t number)
{
	struct egress_batch *batch = egress_batch_pool_take_fence(&b->pool);
	struct egress_router *known;

	if (batch == NULL)
		return -ENOMEM;
	batch->fence_number = number;
	if (router == NULL) {
		close_all(b, EGRESS_FLUSH_FENCE);
	} else {
		known = egress_routers_find(&b->routers, router);
		if (known != NULL)
			close_router(b, known, EGRESS_FLUSH_FENCE);
	}
	batch_send(b, batch);
	return 0;
}

void egress_batcher_put_fence(struct egress_batcher *b,
			      struct egress_batch *fence)
{
	egress_batch_pool_put(&b->pool, fence);
}

bool egress_batcher_blocked(struct egress_batcher *b)
{
	return push_backlog(b) < 0 ||
	       egress_bridge_blocked(b->bridge, b->worker);
}

bool egress_batcher_full(const struct egress_batcher *b)
{
	return b->stats.backlog >= EGRESS_BATCHER_KEPT ||
	       b->stats.kept_weight >= EGRESS_BATCHER_KEPT_BYTES;
}

uint64_t egress_batcher_made(const struct egress_batcher *b)
{
	return b->stats.made_bytes;
}

uint64_t egress_batcher_place(const struct egress_batcher *b)
{
	return egress_bridge_pushed_weight(b->bridge, b->worker) +
	       b->stats.kept_weight;
}

bool egress_batcher_has_taken(struct egress_batcher *b, uint64_t place)
{
	return egress_bridge_has_taken(b->bridge, b->worker, place);
}

int egress_batcher_wait_taken(struct egress_batcher *b, uint64_t place,
			      int64_t deadline)
{
	int err = 0;

	while (err == 0 && (egress_batcher_blocked(b) ||
			    !egress_batcher_has_taken(b, place))) {
		/*
		 * If this worker has closed its ring, the ring never has space
		 * again.
		 */
		if (push_backlog(b) == -EPIPE)
			return -EPIPE;
		err = egress_bridge_wait_taken(b->bridge, b->worker, place,
					       deadline); /* yields */
	}
	return err;
}

int egress_batcher_wait(struct egress_batcher *b, int64_t deadline)
{
	return egress_batcher_wait_taken(b, 0, deadline); /* yields */
}

void egress_batcher_limit(struct egress_batcher *b, uint32_t max_bytes)
{
	if (max_bytes < BYTES_MIN)
		max_bytes = BYTES_MIN;
	if (max_bytes >= b->max_bytes)
		return;
	b->max_bytes = max_bytes;
	b->pool.max_bytes = max_bytes;
}

void egress_batcher_forget(struct egress_batcher *b,
			   const struct rib_router_info *router)
{
	struct egress_router *known = egress_routers_find(&b->routers, router);

	if (known == NULL)
		return;
	close_router(b, known, EGRESS_FLUSH_EVENT);
	egress_routers_remove(&b->routers, known);
}

void egress_batcher_stats(const struct egress_batcher *b,
			  struct egress_batcher_stats *out)
{
	*out = b->stats;
	out->allocated = b->pool.allocated;
	out->made = b->pool.made;
	out->open = b->routers.open_count;
	out->routers = b->routers.router_count;
}
