/*
 * random_change.h - changes and events of which nothing is usual
 *
 * Every value that an update can carry is drawn at random, small and zero ones
 * often: that is where fields are left out. The attributes are written as BGP
 * and decoded, as in the collector, so that struct bgp_attrs is what it is
 * there. The values are kept beside it for whoever knows what to expect.
 */
#ifndef TESTS_RANDOM_CHANGE_H
#define TESTS_RANDOM_CHANGE_H

#include "egress/encode/encode_update.h"
#include "rib/event.h"

#include "bmp/attr.h"
#include "bmp/decode_context.h"
#include "bmp/family.h"
#include "bmp/peer.h"

#include <stdlib.h>
#include <string.h>

#define RANDOM_ROUTES 128
#define RANDOM_COUNTS 8
#define RANDOM_LIST   24

struct random_tlv {
	uint8_t flags;
	uint8_t code;
	uint16_t len;
	const uint8_t *value; /* in block */
};

struct random_segment {
	uint8_t type;
	uint8_t count;
	uint32_t asns[RANDOM_LIST];
};

struct random_change {
	uint64_t state;
	struct rib_router_info router;
	struct rib_table_info table;
	struct rib_change change;
	struct rib_route routes[RANDOM_ROUTES];
	struct bgp_attrs attrs;
	/* What is in attrs, in host order. */
	struct random_segment segments[4];
	size_t segment_count;
	uint32_t communities[RANDOM_LIST];
	size_t community_count;
	uint8_t ext[RANDOM_LIST][8];
	size_t ext_count;
	uint32_t large[RANDOM_LIST][3];
	size_t large_count;
	uint32_t clusters[RANDOM_LIST];
	size_t cluster_count;
	uint8_t ipv6_ext[RANDOM_LIST][20];
	size_t ipv6_ext_count;
	struct random_tlv unknown[4];
	size_t unknown_count;
	uint8_t block[8192];
	size_t block_len;
	char name[16];
	uint8_t table_name[16];
	uint8_t route_bytes[RANDOM_ROUTES][64]; /* labels, NLRI, key */
};

static inline uint64_t random_next(struct random_change *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = r->state;
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint64_t random_below(struct random_change *r, uint64_t n)
{
	return random_next(r) % n;
}

static inline bool random_chance(struct random_change *r, unsigned percent)
{
	return random_below(r, 100) < percent;
}

/* Zero, small or anything. */
static inline uint64_t random_number(struct random_change *r)
{
	switch (random_below(r, 4)) {
	case 0:
		return 0;
	case 1:
		return random_below(r, 100);
	default:
		return random_next(r);
	}
}

static inline void random_bytes(struct random_change *r, uint8_t *p, size_t n)
{
	bool zero = random_chance(r, 10);

	for (size_t i = 0; i < n; i++)
		p[i] = zero ? 0 : (uint8_t)random_next(r);
}

static inline uint8_t *random_attr(struct random_change *r, uint8_t flags,
				   uint8_t code, size_t len)
{
	uint8_t *p = r->block + r->block_len;
	bool extended = len > 255 || random_chance(r, 20);

	p[0] = (uint8_t)(flags | (extended ? BGP_ATTR_EXT_LEN : 0));
	p[1] = code;
	if (extended)
		wire_put_u16(p + 2, (uint16_t)len);
	else
		p[2] = (uint8_t)len;
	p += extended ? 4 : 3;
	r->block_len += (extended ? 4 : 3) + len;
	if (r->block_len > sizeof(r->block))
		abort();
	return p;
}

static inline void random_number_attr(struct random_change *r, uint8_t flags,
				      uint8_t code)
{
	if (random_chance(r, 40))
		wire_put_u32(random_attr(r, flags, code, 4),
			     (uint32_t)random_number(r));
}

static inline void random_path(struct random_change *r, uint8_t width)
{
	bool plain = random_chance(r, 70);
	size_t segments = plain ? 1 : random_below(r, 5);
	size_t len = 0;
	uint8_t *p;

	if (random_chance(r, 10))
		return;
	for (size_t i = 0; i < segments; i++) {
		struct random_segment *s = &r->segments[i];

		s->type = (uint8_t)(plain ? 2 : 1 + random_below(r, 4));
		s->count = (uint8_t)(1 + random_below(r, RANDOM_LIST));
		for (unsigned j = 0; j < s->count; j++)
			/* AS 0 is malformed: RFC 7607. */
			s->asns[j] = (width == 4 ? (uint32_t)random_number(r)
						 : (uint16_t)random_number(r)) |
				     1;
		len += 2 + (size_t)s->count * width;
	}
	r->segment_count = segments;
	p = random_attr(r, 0x40, BGP_AS_PATH, len);
	for (size_t i = 0; i < segments; i++) {
		*p++ = r->segments[i].type;
		*p++ = r->segments[i].count;
		for (unsigned j = 0; j < r->segments[i].count; j++) {
			if (width == 4)
				wire_put_u32(p, r->segments[i].asns[j]);
			else
				wire_put_u16(p,
					     (uint16_t)r->segments[i].asns[j]);
			p += width;
		}
	}
}

static inline size_t random_count(struct random_change *r)
{
	return random_chance(r, 40) ? 0 : 1 + random_below(r, RANDOM_LIST);
}

static inline void random_communities(struct random_change *r)
{
	bool zero = random_chance(r, 20);
	uint8_t *p;

	r->community_count = random_count(r);
	if (r->community_count != 0) {
		p = random_attr(r, 0xc0, BGP_COMMUNITIES,
				4 * r->community_count);
		for (size_t i = 0; i < r->community_count; i++) {
			r->communities[i] =
				zero ? 0 : (uint32_t)random_number(r);
			wire_put_u32(p + 4 * i, r->communities[i]);
		}
	}
	r->ext_count = random_count(r);
	if (r->ext_count != 0) {
		p = random_attr(r, 0xc0, BGP_EXT_COMMUNITIES, 8 * r->ext_count);
		for (size_t i = 0; i < r->ext_count; i++) {
			random_bytes(r, r->ext[i], 8);
			if (zero)
				r->ext[i][0] = r->ext[i][1] = 0;
			memcpy(p + 8 * i, r->ext[i], 8);
		}
	}
}

static inline void random_large(struct random_change *r)
{
	unsigned parts = (unsigned)random_below(r, 4); /* others are zero */
	uint8_t *p;

	r->large_count = random_count(r);
	if (r->large_count == 0)
		return;
	p = random_attr(r, 0xc0, BGP_LARGE_COMMUNITIES, 12 * r->large_count);
	for (size_t i = 0; i < r->large_count; i++) {
		for (unsigned j = 0; j < 3; j++) {
			r->large[i][j] =
				j < parts ? (uint32_t)random_number(r) : 0;
			wire_put_u32(p + 12 * i + 4 * j, r->large[i][j]);
		}
	}
}

static inline void random_lists(struct random_change *r)
{
	uint8_t *p;

	if (random_chance(r, 30)) {
		r->cluster_count = 1 + random_below(r, RANDOM_LIST);
		p = random_attr(r, 0x80, BGP_CLUSTER_LIST,
				4 * r->cluster_count);
		for (size_t i = 0; i < r->cluster_count; i++) {
			r->clusters[i] = (uint32_t)random_number(r);
			wire_put_u32(p + 4 * i, r->clusters[i]);
		}
	}
	if (random_chance(r, 10)) {
		r->ipv6_ext_count = 1 + random_below(r, 5);
		p = random_attr(r, 0xc0, BGP_IPV6_EXT_COMMUNITIES,
				20 * r->ipv6_ext_count);
		for (size_t i = 0; i < r->ipv6_ext_count; i++) {
			random_bytes(r, r->ipv6_ext[i], 20);
			memcpy(p + 20 * i, r->ipv6_ext[i], 20);
		}
	}
}

static inline void random_unknown(struct random_change *r)
{
	static const uint8_t codes[4] = { 0, 99, 150, 255 };
	bool empty = random_chance(r, 20);

	if (random_chance(r, 80))
		return;
	for (size_t i = 0; i < 4; i++) {
		struct random_tlv *t = &r->unknown[r->unknown_count];
		uint8_t *p;

		if (random_chance(r, 50))
			continue;
		t->flags = random_chance(r, 20) ? 0x80 : 0xe0;
		t->code = codes[i];
		t->len = (uint16_t)(empty ? 0 : random_below(r, 300));
		p = random_attr(r, t->flags, t->code, t->len);
		random_bytes(r, p, t->len);
		t->value = p;
		r->unknown_count++;
	}
}

static inline void random_attrs(struct random_change *r)
{
	uint8_t width = random_chance(r, 15) ? 2 : 4;
	struct bgp_decode_opts opts = { .as_width = width,
					.as_width_certain = true };

	if (random_chance(r, 90))
		*random_attr(r, 0x40, BGP_ORIGIN, 1) =
			(uint8_t)random_below(r, 3);
	random_path(r, width);
	random_number_attr(r, 0x80, BGP_MED);
	random_number_attr(r, 0x40, BGP_LOCAL_PREF);
	random_number_attr(r, 0xc0, BGP_OTC);
	random_number_attr(r, 0x80, BGP_ORIGINATOR_ID);
	if (random_chance(r, 30))
		(void)random_attr(r, 0x40, BGP_ATOMIC_AGGREGATE, 0);
	if (random_chance(r, 30)) {
		uint8_t *p = random_attr(r, 0xc0, BGP_AGGREGATOR, 8);

		random_bytes(r, p, 8);
		p[3] |= 1;
	}
	random_communities(r);
	random_large(r);
	random_lists(r);
	random_unknown(r);
	if (bgp_attrs_decode((struct wire_view){ r->block, r->block_len },
			     &opts, &r->attrs) != BGP_ACCEPT)
		abort();
}

static inline void random_route(struct random_change *r, size_t i)
{
	const struct bgp_family_info *family = bgp_family_info(r->table.family);
	struct rib_route *route = &r->routes[i];
	uint8_t *bytes = r->route_bytes[i];

	route->sequence = 1 + (random_next(r) >> 1);
	route->path_id = r->change.has_path_id ? (uint32_t)random_number(r) : 0;
	if (family->flags & BGP_FAMILY_RD)
		route->rd = random_number(r);
	if (r->change.kind == BGP_NLRI_PREFIX) {
		random_bytes(r, route->address, 16);
		route->prefix_len = (uint8_t)random_below(r, 129);
	} else {
		random_bytes(r, bytes, 64);
		route->nlri =
			(struct wire_view){ bytes, 1 + random_below(r, 40) };
		route->key =
			(struct wire_view){ bytes + 40, random_below(r, 24) };
	}
	if (family->flags & BGP_FAMILY_LABELS && r->change.announced) {
		random_bytes(r, bytes, 12);
		route->labels =
			(struct wire_view){ bytes, 3 * random_below(r, 5) };
	}
}

static inline void random_table(struct random_change *r)
{
	static const uint8_t families[] = {
		BGP_IPV4_UNICAST, BGP_IPV6_UNICAST, BGP_IPV4_UNICAST,
		BGP_IPV4_LABELED, BGP_IPV6_VPN,	    BGP_FAMILY_UNKNOWN
	};
	struct rib_table_info *t = &r->table;

	random_bytes(r, r->router.address, 16);
	r->router.port = (uint16_t)random_number(r);
	if (random_chance(r, 20)) {
		strcpy(r->name, "router-\xc3\xa9");
		r->router.name = r->name;
	}
	t->router = &r->router;
	t->peer_type = (uint8_t)random_below(r, 4);
	t->view = (uint8_t)random_below(r, BMP_VIEWS);
	t->family = families[random_below(r, sizeof(families))];
	t->afi = bgp_family_info(t->family)->afi;
	t->safi = bgp_family_info(t->family)->safi;
	t->filtered = random_chance(r, 20);
	t->distinguisher = random_chance(r, 70) ? 0 : random_number(r);
	random_bytes(r, t->peer_address, 16);
	t->peer_as = (uint32_t)random_number(r);
	t->peer_bgp_id = (uint32_t)random_number(r);
	if (random_chance(r, 20)) {
		memcpy(r->table_name, "vrf", 3);
		t->table_name = (struct wire_view){ r->table_name, 3 };
	}
}

static inline void random_change_init(struct random_change *r, uint64_t seed)
{
	struct rib_change *c = &r->change;

	memset(r, 0, sizeof(*r));
	r->state = seed;
	random_table(r);
	c->table = &r->table;
	c->received_ns = random_number(r);
	c->bmp_ns = random_number(r);
	c->announced = random_chance(r, 70);
	c->has_path_id = random_chance(r, 30);
	c->resync = random_chance(r, 10);
	c->kind = bgp_family_info(r->table.family)->kind;
	c->mp_reach_afi = (uint16_t)random_number(r);
	c->mp_reach_safi = (uint8_t)random_number(r);
	c->mp_unreach_afi = (uint16_t)random_number(r);
	c->mp_unreach_safi = (uint8_t)random_number(r);
	if (c->announced) {
		random_attrs(r);
		c->attrs = &r->attrs;
		c->next_hop.has_address = random_chance(r, 90);
		c->next_hop.has_link_local = random_chance(r, 20);
		random_bytes(r, c->next_hop.address, 16);
		random_bytes(r, c->next_hop.link_local, 16);
	} else {
		c->synthetic = random_chance(r, 50);
		c->reason =
			(uint8_t)(c->synthetic ? random_below(r, RIB_REASONS)
					       : 0);
	}
	c->count = random_chance(r, 90) ? 1 + random_below(r, 4)
					: 1 + random_below(r, RANDOM_ROUTES);
	c->routes = r->routes;
	for (size_t i = 0; i < c->count; i++)
		random_route(r, i);
}

struct random_event {
	struct random_change base; /* its table, and a source of numbers */
	struct rib_event event;
	struct rib_event_count counts[RANDOM_COUNTS];
	uint8_t bytes[3][64];
	struct egress_origin epoch;
	bool has_epoch;
};

static inline struct wire_view random_view(struct random_change *r, uint8_t *p)
{
	size_t len = random_chance(r, 50) ? 0 : random_below(r, 65);

	random_bytes(r, p, len);
	return (struct wire_view){ p, len };
}

static inline void random_counts(struct random_event *r)
{
	struct random_change *base = &r->base;
	bool no_value = random_chance(base, 20);

	r->event.count = random_chance(base, 50)
				 ? 0
				 : 1 + random_below(base, RANDOM_COUNTS);
	for (size_t i = 0; i < r->event.count; i++)
		r->counts[i] = (struct rib_event_count){
			.type = (uint32_t)random_number(base),
			.afi = (uint16_t)random_number(base),
			.safi = (uint8_t)random_number(base),
			.value = no_value ? 0 : random_number(base),
		};
	r->event.counts = r->counts;
}

static inline void random_event_init(struct random_event *r, uint64_t seed)
{
	struct random_change *base = &r->base;
	struct rib_event *e = &r->event;

	memset(r, 0, sizeof(*r));
	base->state = seed;
	random_table(base);
	e->kind = (enum rib_event_kind)random_below(base, RIB_EVENTS);
	e->received_ns = 1 + random_number(base);
	e->bmp_ns = random_number(base);
	e->router = random_chance(base, 90) ? &base->router : NULL;
	e->table = random_chance(base, 70) ? &base->table : NULL;
	e->has_table = e->table != NULL && random_chance(base, 50);
	e->reason = (uint16_t)random_number(base);
	e->fsm_event = (uint16_t)random_number(base);
	e->notification = random_view(base, r->bytes[0]);
	e->mirrored = random_view(base, r->bytes[1]);
	e->sent_open = random_view(base, r->bytes[1]);
	e->received_open = random_view(base, r->bytes[2]);
	random_bytes(base, e->local_address, 16);
	e->local_port = (uint16_t)random_number(base);
	e->remote_port = (uint16_t)random_number(base);
	e->routes = random_number(base);
	e->messages = random_number(base);
	e->text = random_chance(base, 50) ? "in words" : NULL;
	random_counts(r);
	r->has_epoch = random_chance(base, 20);
	r->epoch = (struct egress_origin){ "ams1", random_number(base) };
}

#endif
