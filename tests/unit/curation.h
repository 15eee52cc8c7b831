/*
 * curation.h - a router made of a few calls, and a consumer that keeps book
 *
 *	struct stage s;
 *
 *	stage_start(&s, NULL);
 *	stage_up(&s, &peer_a);
 *	stage_announce(&s, &peer_a, "192.0.2.0/24", 1);
 *	...
 *	assert_true(stage_has(&s, &peer_a, "192.0.2.0/24"));
 *
 * The consumer applies every change to a list of routes by their whole key, and
 * fails if a sequence has a gap. Messages go through the writer and the decoder,
 * as a session's would.
 */
#ifndef TESTS_CURATION_H
#define TESTS_CURATION_H

#include "apply_messages.h"
#include "check.h"

#include "rib/rib.h"

#include "bmp/bgp_writer.h"
#include "bmp/message.h"
#include "bmp/writer.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define STAGE_ROUTES 4096
#define SECONDS(n)   ((uint64_t)(n)*1000000000u)

/* A route as a consumer knows it, in the order in which they were first seen. */
struct stage_route {
	uint8_t router[16];
	uint8_t peer_type;
	uint64_t distinguisher;
	uint8_t peer_address[16];
	uint8_t view;
	uint16_t afi;
	uint8_t safi;
	bool has_path_id;
	uint32_t path_id;
	uint64_t rd;
	uint8_t prefix_len;
	uint8_t address[16];
	uint8_t key[64];
	size_t key_len;
	/* Not key from here. */
	bool present;
	uint32_t as; /* the subject it was announced on */
	uint32_t med;
	uint32_t label;
};

#define STAGE_KEY offsetof(struct stage_route, present)

struct stage {
	struct rib *rib;
	struct rib_router *router;
	struct rib_time when;
	struct rib_config config;
	struct bgp_overrides *over;
	/* the policy of peers that come up; NULL: all is published */
	void (*policy)(const struct bmp_peer *header,
		       struct rib_policy_mask out[BMP_VIEWS]);
	struct stage_route routes[STAGE_ROUTES];
	size_t route_count;
	size_t changes; /* routes in changes, since stage_forget() */
	size_t announced;
	size_t withdrawn;
	size_t subject_changed; /* of these */
	size_t synthetic[RIB_REASONS];
	size_t resynced;
	size_t events[RIB_EVENTS];
	struct rib_event last_event;
	size_t notices[RIB_NOTICES];
	struct rib_notice last_notice;
	void *forgotten;	/* the slot of the last peer that went */
	uint32_t last_as;	/* of the last change */
	uint64_t sequences[64]; /* by table, in the order they were seen */
	struct stage_route tables[64];
	size_t table_count;
};

static inline void stage_fill(struct stage_route *out,
			      const struct rib_table_info *t)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->router, t->router->address, 16);
	out->peer_type = t->peer_type;
	out->distinguisher = t->distinguisher;
	memcpy(out->peer_address, t->peer_address, 16);
	out->view = t->view;
	out->afi = t->afi;
	out->safi = t->safi;
}

static inline void stage_sequence(struct stage *s,
				  const struct stage_route *table,
				  uint64_t sequence)
{
	size_t i = 0;

	while (i < s->table_count &&
	       memcmp(&s->tables[i], table, STAGE_KEY) != 0)
		i++;
	if (i == s->table_count) {
		assert_true(s->table_count < COUNT(s->tables));
		s->tables[s->table_count++] = *table;
		s->sequences[i] = 0;
	}
	CHECK(sequence == s->sequences[i] + 1, "sequence %llu after %llu",
	      (unsigned long long)sequence,
	      (unsigned long long)s->sequences[i]);
	s->sequences[i] = sequence;
}

static inline struct stage_route *stage_slot(struct stage *s,
					     const struct stage_route *key)
{
	for (size_t i = 0; i < s->route_count; i++)
		if (memcmp(&s->routes[i], key, STAGE_KEY) == 0)
			return &s->routes[i];
	assert_true(s->route_count < STAGE_ROUTES);
	s->routes[s->route_count] = *key;
	return &s->routes[s->route_count++];
}

static inline void stage_change(void *arg, const struct rib_change *c)
{
	struct stage *s = arg;

	assert_true(c->count > 0 && c->count <= RIB_CHANGE_MAX);
	assert_int_equal(c->announced, c->attrs != NULL);
	if (c->announced)
		assert_int_equal(c->reason, RIB_REASON_NONE);
	for (size_t i = 0; i < c->count; i++) {
		const struct rib_route *r = &c->routes[i];
		struct stage_route key, *slot;

		stage_fill(&key, c->table);
		stage_sequence(s, &key, r->sequence);
		key.has_path_id = c->has_path_id;
		key.path_id = r->path_id;
		key.rd = r->rd;
		key.prefix_len = r->prefix_len;
		memcpy(key.address, r->address, 16);
		key.key_len = r->key.len;
		if (r->key.len != 0)
			memcpy(key.key, r->key.p,
			       r->key.len < 64 ? r->key.len : 64);
		slot = stage_slot(s, &key);
		/* Nothing is withdrawn that was not announced, nor elsewhere. */
		if (!c->announced && s->config.mode != RIB_MODE_OFF) {
			assert_true(slot->present);
			assert_int_equal(slot->as, c->table->peer_as);
		}
		slot->present = c->announced;
		slot->as = c->table->peer_as;
		slot->med = c->announced ? c->attrs->med : 0;
		slot->label = c->announced && r->labels.len != 0
				      ? bgp_label_value(r->labels.p)
				      : 0;
		s->changes++;
		s->announced += c->announced;
		s->withdrawn += !c->announced;
		s->subject_changed += c->subject_changed;
		s->resynced += c->resync;
		s->synthetic[c->reason] += c->synthetic;
	}
	s->last_as = c->table->peer_as;
}

static inline void stage_event(void *arg, const struct rib_event *e)
{
	struct stage *s = arg;

	s->events[e->kind]++;
	s->last_event = *e;
}

static inline void stage_notice(void *arg, const struct rib_notice *n)
{
	struct stage *s = arg;

	s->notices[n->kind]++;
	s->last_notice = *n;
}

static inline void stage_forgotten(void *arg, void *peer_slot)
{
	((struct stage *)arg)->forgotten = peer_slot;
}

/* @config may be NULL. */
static inline void stage_start(struct stage *s, const struct rib_config *config)
{
	struct rib_sink sink = { .change = stage_change,
				 .event = stage_event,
				 .change_arg = s,
				 .event_arg = s,
				 .notice = stage_notice,
				 .forget = stage_forgotten };
	struct rib_identity id = {
		.address = { [10] = 0xff, [11] = 0xff, [12] = 192, [15] = 9 }
	};

	memset(s, 0, sizeof(*s));
	rib_config_defaults(&s->config);
	if (config != NULL)
		s->config = *config;
	s->when = (struct rib_time){ SECONDS(1000), SECONDS(1800000000) };
	assert_int_equal(rib_new(&s->config, &sink, &s->rib), 0);
	assert_int_equal(rib_router_get(s->rib, &id, &s->router), 0);
	rib_session_open(s->router, &s->when, id.address, 4000, NULL);
}

static inline void stage_forget(struct stage *s)
{
	s->changes = s->announced = s->withdrawn = s->resynced = 0;
	s->subject_changed = 0;
	memset(s->synthetic, 0, sizeof(s->synthetic));
	memset(s->events, 0, sizeof(s->events));
	memset(s->notices, 0, sizeof(s->notices));
}

static inline void stage_end(struct stage *s)
{
	assert_true(rib_validate(s->rib));
	rib_free(s->rib);
}

/* Do all work that is due, in slices of @budget. */
static inline void stage_work_by(struct stage *s, size_t budget)
{
	while (rib_background(s->rib, &s->when, budget).more)
		;
	assert_true(rib_validate(s->rib));
}

static inline void stage_work(struct stage *s)
{
	stage_work_by(s, 1000);
}

static inline void stage_pass(struct stage *s, uint64_t seconds)
{
	s->when.now_ns += SECONDS(seconds);
	s->when.wall_ns += SECONDS(seconds);
}

/* Hand a written message to the rib. */
static inline void stage_send(struct stage *s, const struct bmp_writer *w)
{
	struct wire_view in = { w->p, w->len };
	struct bmp_frame frame;
	struct bmp_message msg;
	struct rib_policy_mask policy[BMP_VIEWS];
	uint64_t failed = 0;
	size_t need;

	assert_false(w->full);
	assert_int_equal(bmp_frame_next(in, BMP_MAX_FRAME_DEFAULT, &frame,
					&need),
			 BMP_FRAME_WHOLE);
	assert_true(bmp_status_usable(
		bmp_message_decode(&frame, BMP_V4_OFF, &msg)));
	if (s->policy != NULL && msg.has_peer)
		s->policy(&msg.peer, policy);
	assert_int_equal(apply_some_messages(s->router, &s->when, &msg, 1,
					     s->over, NULL, NULL, &failed,
					     s->policy != NULL ? policy : NULL),
			 1);
	assert_int_equal(failed, 0);
}

/* Peers */

struct stage_peer {
	struct bmp_peer header;
	uint16_t port;
	bool add_path;
	bgp_family_set families; /* 0: those below */
};

#define STAGE_FAMILIES                                                         \
	(bgp_family_bit(BGP_IPV4_UNICAST) | bgp_family_bit(BGP_IPV6_UNICAST) | \
	 bgp_family_bit(BGP_IPV4_MULTICAST) | bgp_family_bit(BGP_IPV4_VPN) |   \
	 bgp_family_bit(BGP_L2VPN_EVPN))

static inline void stage_address(uint8_t out[16], const char *text)
{
	if (strchr(text, ':') != NULL) {
		assert_int_equal(inet_pton(AF_INET6, text, out), 1);
		return;
	}
	memset(out, 0, 10);
	out[10] = out[11] = 0xff;
	assert_int_equal(inet_pton(AF_INET, text, out + 12), 1);
}

/* A global peer, its Adj-RIB-In before policy; change what you like. */
static inline struct stage_peer stage_peer(const char *address, uint32_t as)
{
	struct stage_peer p = { .port = 179 };

	p.header.type = BMP_PEER_GLOBAL;
	p.header.as = as;
	p.header.bgp_id = as;
	p.header.ipv6 = strchr(address, ':') != NULL;
	p.header.flags = p.header.ipv6 ? 0x80 : 0;
	stage_address(p.header.address, address);
	return p;
}

static inline struct stage_peer stage_loc_rib(uint64_t distinguisher)
{
	struct stage_peer p = { .port = 0 };

	p.header.type = BMP_PEER_LOC_RIB;
	p.header.view = BMP_VIEW_LOC_RIB;
	p.header.distinguisher = distinguisher;
	p.header.as = 64500;
	return p;
}

static inline void stage_view(struct stage_peer *p, enum bmp_view view)
{
	static const uint8_t flags[BMP_VIEWS] = { 0, 0x40, 0x10, 0x50, 0 };

	p->header.view = (uint8_t)view;
	p->header.flags = (uint8_t)((p->header.flags & 0x80) | flags[view]);
}

static inline void stage_up(struct stage *s, const struct stage_peer *p)
{
	bgp_family_set families =
		p->families != 0 ? p->families : STAGE_FAMILIES;
	struct bgp_open open = {
		.version = 4,
		.my_as = 23456,
		.as = p->header.as,
		.four_byte_as = true,
		.hold_time = 90,
		.bgp_id = p->header.bgp_id,
		.families = families,
		.add_path_send = p->add_path ? families : 0,
		.add_path_receive = p->add_path ? families : 0,
	};
	uint8_t pdu[512], buf[2048];
	struct bmp_writer w = bmp_writer_on(pdu, sizeof(pdu));
	struct bmp_peer_up_parts up = { .local_port = 40000,
					.remote_port = p->port };

	bgp_write_open(&w, &open);
	up.sent_open = up.received_open = (struct wire_view){ pdu, w.len };
	w = bmp_writer_on(buf, sizeof(buf));
	bmp_write_peer_up(&w, &p->header, &up);
	stage_send(s, &w);
}

static inline void stage_down(struct stage *s, const struct stage_peer *p,
			      uint8_t reason)
{
	uint8_t buf[256];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));

	bmp_write_peer_down(&w, &p->header, reason, 0, (struct wire_view){ 0 });
	stage_send(s, &w);
}

/* Routes */

/* "192.0.2.0/24", "2001:db8::/32"; of SAFI 1. */
static inline struct bgp_nlri stage_nlri(const char *prefix)
{
	struct bgp_nlri n = { .safi = 1, .kind = BGP_NLRI_PREFIX };
	const char *slash = strchr(prefix, '/');
	char address[64];

	assert_non_null(slash);
	snprintf(address, sizeof(address), "%.*s", (int)(slash - prefix),
		 prefix);
	n.afi = strchr(address, ':') != NULL ? 2 : 1;
	n.prefix_len = (uint8_t)strtoul(slash + 1, NULL, 10);
	stage_address(n.address, address);
	n.family = (uint8_t)bgp_family_find(n.afi, n.safi);
	return n;
}

static inline void stage_pdu(struct stage *s, const struct stage_peer *p,
			     const uint8_t *pdu, size_t len)
{
	static uint8_t buf[70000];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));

	bmp_write_route_monitoring(&w, &p->header,
				   (struct wire_view){ pdu, len });
	stage_send(s, &w);
}

/* Announce @n routes of one family, with a MED to tell values apart. */
static inline void stage_put(struct stage *s, const struct stage_peer *p,
			     const struct bgp_nlri *nlri, size_t n,
			     uint32_t med)
{
	static const uint8_t path[] = { 2, 1, 0, 0, 0xfb, 0xf4 };
	static const uint8_t hop[16] = { 192, 0, 2, 1 };
	struct bgp_attrs attrs = { .med = med, .next_hop = hop };
	bool classic = nlri->family == BGP_IPV4_UNICAST;
	struct bgp_update_parts parts = { .attrs = &attrs };
	static uint8_t pdu[66000];
	struct bmp_writer w = bmp_writer_on(pdu, sizeof(pdu));

	attrs.as_path.path = (struct wire_view){ path, sizeof(path) };
	attrs.as_path.width = 4;
	bgp_attrs_set(&attrs, BGP_ORIGIN);
	bgp_attrs_set(&attrs, BGP_AS_PATH);
	bgp_attrs_set(&attrs, BGP_MED);
	if (classic) {
		attrs.next_hop_len = 4;
		bgp_attrs_set(&attrs, BGP_NEXT_HOP);
	} else {
		bgp_attrs_set(&attrs, BGP_MP_REACH);
		attrs.reach = (struct bgp_mp){ .afi = nlri->afi,
					       .safi = nlri->safi,
					       .family = nlri->family,
					       .next_hop = { hop, 4 } };
	}
	parts.nlri_parts[classic ? BGP_PART_NLRI : BGP_PART_MP_REACH] =
		(struct bgp_routes){ nlri, n };
	bgp_write_update(&w, &parts);
	stage_pdu(s, p, pdu, w.len);
}

static inline void stage_take(struct stage *s, const struct stage_peer *p,
			      const struct bgp_nlri *nlri, size_t n)
{
	struct bgp_attrs attrs = { 0 };
	bool classic = nlri->family == BGP_IPV4_UNICAST;
	struct bgp_update_parts parts = { .attrs = &attrs };
	static uint8_t pdu[66000];
	struct bmp_writer w = bmp_writer_on(pdu, sizeof(pdu));

	if (!classic) {
		bgp_attrs_set(&attrs, BGP_MP_UNREACH);
		attrs.unreach = (struct bgp_mp){ .afi = nlri->afi,
						 .safi = nlri->safi,
						 .family = nlri->family };
	}
	parts.nlri_parts[classic ? BGP_PART_WITHDRAWN : BGP_PART_MP_UNREACH] =
		(struct bgp_routes){ nlri, n };
	bgp_write_update(&w, &parts);
	stage_pdu(s, p, pdu, w.len);
}

static inline void stage_announce(struct stage *s, const struct stage_peer *p,
				  const char *prefix, uint32_t med)
{
	struct bgp_nlri n = stage_nlri(prefix);

	stage_put(s, p, &n, 1, med);
}

static inline void stage_withdraw(struct stage *s, const struct stage_peer *p,
				  const char *prefix)
{
	struct bgp_nlri n = stage_nlri(prefix);

	stage_take(s, p, &n, 1);
}

static inline void stage_end_of_rib(struct stage *s, const struct stage_peer *p,
				    uint16_t afi, uint8_t safi)
{
	uint8_t pdu[64];
	struct bmp_writer w = bmp_writer_on(pdu, sizeof(pdu));

	bgp_write_end_of_rib(&w, afi, safi);
	stage_pdu(s, p, pdu, w.len);
}

/* @n routes 10.x.y.0/24, @from the first. */
static inline void stage_many(struct stage *s, const struct stage_peer *p,
			      unsigned from, unsigned n, uint32_t med)
{
	static struct bgp_nlri nlri[1000];

	assert_true(n <= COUNT(nlri));
	for (unsigned i = 0; i < n; i++) {
		nlri[i] = stage_nlri("10.0.0.0/24");
		nlri[i].address[13] = (uint8_t)((from + i) >> 8);
		nlri[i].address[14] = (uint8_t)(from + i);
	}
	stage_put(s, p, nlri, n, med);
}

/* What the consumer has of a peer: by NLRI, or how many in all. */

static inline const struct stage_route *stage_find(struct stage *s,
						   const struct stage_peer *p,
						   const struct bgp_nlri *n)
{
	for (size_t i = 0; i < s->route_count; i++) {
		const struct stage_route *r = &s->routes[i];

		if (r->present && r->peer_type == p->header.type &&
		    r->distinguisher == p->header.distinguisher &&
		    memcmp(r->peer_address, p->header.address, 16) == 0 &&
		    r->view == p->header.view && r->afi == n->afi &&
		    r->safi == n->safi && r->has_path_id == n->has_path_id &&
		    r->path_id == n->path_id && r->rd == n->rd &&
		    r->prefix_len == n->prefix_len &&
		    memcmp(r->address, n->address, 16) == 0)
			return r;
	}
	return NULL;
}

static inline bool stage_has(struct stage *s, const struct stage_peer *p,
			     const char *prefix)
{
	struct bgp_nlri n = stage_nlri(prefix);

	return stage_find(s, p, &n) != NULL;
}

static inline uint32_t stage_med(struct stage *s, const struct stage_peer *p,
				 const char *prefix)
{
	struct bgp_nlri n = stage_nlri(prefix);
	const struct stage_route *r = stage_find(s, p, &n);

	return r == NULL ? 0 : r->med;
}

static inline size_t stage_count(const struct stage *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->route_count; i++)
		n += s->routes[i].present;
	return n;
}

#endif
