/*
 * tests/unit/two_ways.h - the same bytes by the straight way and by the general
 * one
 *
 * Two ribs get the same BMP session in the same pieces: one may take the
 * straight way of rib/plain.h, the other never does. What they publish, count
 * and store must be the same.
 */
#ifndef TESTS_TWO_WAYS_H
#define TESTS_TWO_WAYS_H

#include "apply_messages.h"

#include "bmp/frame.h"
#include "rib/snapshot.h"

#include <stdlib.h>
#include <string.h>

struct way {
	struct rib *rib;
	struct rib_router *router;
	uint64_t sum; /* of all that was published, in its order */
	uint64_t changes;
	uint64_t bytes; /* that the sink claims to have written */
};

struct two_ways {
	struct way straight;
	struct way general;
	struct rib_time when;
	/* messages that were collected, up to @together of them */
	struct bmp_message msgs[RIB_LOOKAHEAD];
	size_t n;
	size_t together;
};

static inline void way_add(struct way *w, const void *p, size_t len)
{
	const uint8_t *bytes = p;

	for (size_t i = 0; i < len; i++)
		w->sum = (w->sum ^ bytes[i]) * UINT64_C(0x100000001b3);
}

#define WAY_ADD(w, member) way_add(w, &(member), sizeof(member))

static inline void way_add_table(struct way *w, const struct rib_table_info *t)
{
	WAY_ADD(w, t->peer_type);
	WAY_ADD(w, t->view);
	WAY_ADD(w, t->safi);
	WAY_ADD(w, t->afi);
	WAY_ADD(w, t->filtered);
	WAY_ADD(w, t->distinguisher);
	WAY_ADD(w, t->peer_address);
	WAY_ADD(w, t->peer_as);
	WAY_ADD(w, t->peer_bgp_id);
}

static inline void way_add_attrs(struct way *w, const struct rib_change *c)
{
	const struct bgp_attrs *a = c->attrs;

	WAY_ADD(w, c->next_hop.has_address);
	WAY_ADD(w, c->next_hop.has_link_local);
	WAY_ADD(w, c->next_hop.address);
	WAY_ADD(w, c->next_hop.link_local);
	WAY_ADD(w, c->next_hop.rd);
	if (a == NULL)
		return;
	way_add(w, a->block.p, a->block.len);
	WAY_ADD(w, a->seen);
	WAY_ADD(w, a->med);
	WAY_ADD(w, a->as_path.width);
	WAY_ADD(w, a->as_path.path.len);
}

static inline void way_add_route(struct way *w, const struct rib_route *r)
{
	WAY_ADD(w, r->sequence);
	WAY_ADD(w, r->rd);
	WAY_ADD(w, r->path_id);
	WAY_ADD(w, r->prefix_len);
	WAY_ADD(w, r->address);
	way_add(w, r->labels.p, r->labels.len);
	way_add(w, r->nlri.p, r->nlri.len);
	way_add(w, r->key.p, r->key.len);
}

static inline void way_on_change(void *arg, const struct rib_change *c)
{
	struct way *w = arg;

	way_add_table(w, c->table);
	WAY_ADD(w, c->received_ns);
	WAY_ADD(w, c->bmp_ns);
	WAY_ADD(w, c->announced);
	WAY_ADD(w, c->synthetic);
	WAY_ADD(w, c->resync);
	WAY_ADD(w, c->has_path_id);
	WAY_ADD(w, c->subject_changed);
	WAY_ADD(w, c->reason);
	WAY_ADD(w, c->kind);
	WAY_ADD(w, c->mp_reach_afi);
	WAY_ADD(w, c->mp_reach_safi);
	WAY_ADD(w, c->mp_unreach_afi);
	WAY_ADD(w, c->mp_unreach_safi);
	way_add_attrs(w, c);
	for (size_t i = 0; i < c->count; i++)
		way_add_route(w, &c->routes[i]);
	w->changes += c->count;
	w->bytes += 300 * c->count;
}

static inline void way_on_event(void *arg, const struct rib_event *e)
{
	struct way *w = arg;

	WAY_ADD(w, e->kind);
	WAY_ADD(w, e->reason);
	WAY_ADD(w, e->routes);
	w->bytes += 200;
}

static inline bool way_init(struct way *w, bool general,
			    const struct rib_time *when)
{
	struct rib_identity id = { .address = {
					   [10] = 0xff, 0xff, 10, 0, 0, 1 } };
	struct rib_sink sink = { .change = way_on_change,
				 .event = way_on_event,
				 .bytes = &w->bytes,
				 .change_arg = w,
				 .event_arg = w };
	struct rib_config config;

	*w = (struct way){ .sum = 1 };
	rib_config_defaults(&config);
	config.seed = 7;
	config.general = general;
	if (rib_new(&config, &sink, &w->rib) < 0 ||
	    rib_router_get(w->rib, &id, &w->router) < 0)
		return false;
	rib_session_open(w->router, when, id.address, 4000, NULL);
	return true;
}

static inline bool two_ways_init(struct two_ways *t)
{
	t->when = (struct rib_time){ UINT64_C(1000000000000),
				     UINT64_C(1700000000000000000) };
	t->n = 0;
	t->together = RIB_LOOKAHEAD;
	return way_init(&t->straight, false, &t->when) &&
	       way_init(&t->general, true, &t->when);
}

static inline void two_ways_fini(struct two_ways *t)
{
	rib_free(t->straight.rib);
	rib_free(t->general.rib);
}

/* Apply what was collected. */
static inline void two_ways_flush(struct two_ways *t)
{
	apply_messages(t->straight.router, &t->when, t->msgs, t->n, NULL);
	apply_messages(t->general.router, &t->when, t->msgs, t->n, NULL);
	t->n = 0;
}

/* A slice of the background work, and time goes on. */
static inline void two_ways_work(struct two_ways *t, uint64_t ns)
{
	two_ways_flush(t);
	t->when.now_ns += ns;
	t->when.wall_ns += ns;
	rib_background(t->straight.rib, &t->when, 20);
	rib_background(t->general.rib, &t->when, 20);
}

/* All whole messages of @in; the bytes must stay until two_ways_flush(). */
static inline void two_ways_feed(struct two_ways *t, struct wire_view in)
{
	struct bmp_frame frame;
	size_t want;

	while (bmp_frame_next(in, BMP_MAX_FRAME_DEFAULT, &frame, &want) ==
	       BMP_FRAME_WHOLE) {
		in.p += frame.whole.len;
		in.len -= frame.whole.len;
		if (!bmp_status_usable(bmp_message_decode(&frame, BMP_V4_OFF,
							  &t->msgs[t->n])))
			continue;
		t->n++;
		if (t->n == t->together)
			two_ways_flush(t);
	}
}

/* A hash of the snapshot of a router; 0 if out of memory. */
static inline uint64_t way_snapshot(struct way *w, const struct rib_time *when)
{
	struct way sum = { .sum = 1 };
	struct rib_snapshot *s;
	struct wire_view v;
	int more;

	if (rib_snapshot_new(w->router, when, (struct wire_view){ 0 }, &s) < 0)
		return 0;
	do {
		more = rib_snapshot_step(s, &v);
		if (more >= 0)
			way_add(&sum, v.p, v.len);
	} while (more > 0);
	if (more == 0 &&
	    rib_snapshot_finish(s, (struct wire_view){ 0 }, &v) == 0)
		way_add(&sum, v.p, v.len);
	rib_snapshot_free(s);
	return sum.sum;
}

/* NULL, or what of both is not the same. */
static inline const char *two_ways_differ(struct two_ways *t)
{
	struct rib_sizes one, two;
	struct rib_flow a, b;

	two_ways_flush(t);
	rib_flow(t->straight.rib, &a);
	rib_flow(t->general.rib, &b);
	/* A cache that the straight way does not need. */
	a.attrs_cached = b.attrs_cached = 0;
	rib_sizes(t->straight.rib, &one);
	rib_sizes(t->general.rib, &two);
	if (t->straight.changes != t->general.changes)
		return "number of changes";
	if (t->straight.sum != t->general.sum)
		return "changes and events";
	if (memcmp(&a, &b, sizeof(a)) != 0)
		return "counters";
	if (rib_router_output_bytes(t->straight.router) !=
	    rib_router_output_bytes(t->general.router))
		return "bytes of output";
	if (one.routes != two.routes || one.prefixes != two.prefixes ||
	    one.pending_withdraw != two.pending_withdraw)
		return "sizes";
	if (way_snapshot(&t->straight, &t->when) !=
	    way_snapshot(&t->general, &t->when))
		return "stored routes";
	if (!rib_validate(t->straight.rib) || !rib_validate(t->general.rib))
		return "valid";
	return NULL;
}

#endif
