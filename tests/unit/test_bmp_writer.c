/*
 * What the writer writes, the decoder reads back equal: for random messages of
 * all kinds. A failure names the seed of its round.
 */
#include "attributes.h"
#include "check.h"

#include "bmp/bgp_writer.h"
#include "bmp/canonical.h"
#include "bmp/decode_context.h"
#include "bmp/names.h"
#include "bmp/writer.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS	   4000
#define ROUTES_MAX 20

static uint64_t random_state;
static uint64_t seed_of_round;

static uint32_t rnd(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32);
}

static uint32_t below(uint32_t n)
{
	return rnd() % n;
}

static bool coin(void)
{
	return rnd() & 1;
}

static void fill(void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((uint8_t *)p)[i] = (uint8_t)rnd();
}

static void start_round(uint64_t seed)
{
	seed_of_round = seed;
	random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (int i = 0; i < 8; i++)
		rnd();
}

#define SAME(what, condition)                                                \
	CHECK(condition, "seed %llu: %s", (unsigned long long)seed_of_round, \
	      what)

static uint8_t buf[400000];

static struct bmp_peer random_peer(void)
{
	struct bmp_peer p = {
		.type = (uint8_t)below(BMP_PEER_TYPES),
		.as = rnd(),
		.bgp_id = rnd(),
		.distinguisher = (uint64_t)rnd() << 32 | rnd(),
		.time_ns = (uint64_t)rnd() * 1000000000 +
			   below(1000000) * UINT64_C(1000),
	};

	if (p.type == BMP_PEER_LOC_RIB) {
		p.view = BMP_VIEW_LOC_RIB;
		p.filtered = coin();
		return p;
	}
	p.view = (uint8_t)below(BMP_VIEW_LOC_RIB);
	p.ipv6 = coin();
	p.two_byte_as = coin();
	fill(p.address, 16);
	if (!p.ipv6)
		memcpy(p.address, (uint8_t[12]){ [10] = 0xff, 0xff }, 12);
	return p;
}

static void check_peer(const struct bmp_peer *a, const struct bmp_peer *b)
{
	SAME("peer type", a->type == b->type);
	SAME("view", a->view == b->view);
	SAME("ipv6", a->ipv6 == b->ipv6);
	SAME("A flag", a->two_byte_as == b->two_byte_as);
	SAME("F flag", a->filtered == b->filtered);
	SAME("AS", a->as == b->as);
	SAME("BGP id", a->bgp_id == b->bgp_id);
	SAME("distinguisher", a->distinguisher == b->distinguisher);
	SAME("time", a->time_ns == b->time_ns);
	SAME("address", memcmp(a->address, b->address, 16) == 0);
}

static void read_back(const struct bmp_writer *w, struct bmp_message *m)
{
	struct bmp_frame frame;
	size_t need;

	SAME("fits", !w->full);
	SAME("is a frame", bmp_frame_next((struct wire_view){ w->p, w->len },
					  BMP_MAX_FRAME_DEFAULT, &frame,
					  &need) == BMP_FRAME_WHOLE);
	SAME("is the only frame", frame.whole.len == w->len);
	SAME("decodes", bmp_message_decode(&frame, BMP_V4_OFF, m) == BMP_OK);
}

static bgp_family_set random_families(void)
{
	bgp_family_set set = rnd();

	/* About a quarter of them. */
	set &= rnd();
	return set & ((UINT64_C(1) << BGP_FAMILIES) - 1) & ~UINT64_C(1);
}

static struct bgp_open random_open(uint8_t name[32])
{
	struct bgp_open o = {
		.version = 4,
		.my_as = (uint16_t)rnd(),
		.hold_time = (uint16_t)rnd(),
		.bgp_id = rnd(),
		.four_byte_as = coin(),
		.ext_message = coin(),
		.graceful_restart = coin(),
		.families = random_families(),
		.add_path_send = random_families(),
		.add_path_receive = random_families(),
		.ext_next_hop = random_families(),
		.multiple_labels = random_families(),
		.long_parameters = coin(),
		.hostname = { name, below(32) },
	};

	fill(name, 32);
	o.as = o.four_byte_as ? rnd() : o.my_as;
	return o;
}

static bool same_view(struct wire_view a, struct wire_view b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static void check_open(const struct bgp_open *a, struct wire_view pdu)
{
	struct bgp_open b;
	bgp_family_set families = a->families != 0
					  ? a->families
					  : bgp_family_bit(BGP_IPV4_UNICAST);

	pdu.p += BGP_HEADER_LEN;
	pdu.len -= BGP_HEADER_LEN;
	SAME("OPEN decodes", bgp_open_decode(pdu, &b) == BGP_OPEN_OK);
	SAME("my AS", a->my_as == b.my_as);
	SAME("AS of OPEN", a->as == b.as);
	SAME("hold time", a->hold_time == b.hold_time);
	SAME("id of OPEN", a->bgp_id == b.bgp_id);
	SAME("four-byte AS", a->four_byte_as == b.four_byte_as);
	SAME("extended message", a->ext_message == b.ext_message);
	SAME("graceful restart", a->graceful_restart == b.graceful_restart);
	SAME("families", families == b.families);
	SAME("add-path send", a->add_path_send == b.add_path_send);
	SAME("add-path receive", a->add_path_receive == b.add_path_receive);
	SAME("extended next hop", a->ext_next_hop == b.ext_next_hop);
	SAME("labels", a->multiple_labels == b.multiple_labels);
	SAME("hostname", same_view(a->hostname, b.hostname));
}

static void test_peer_up_round_trip(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		static uint8_t opens[2][4096];
		struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
		struct bmp_writer sent = bmp_writer_on(opens[0], 4096);
		struct bmp_writer received = bmp_writer_on(opens[1], 4096);
		struct bmp_peer_up_parts up = { 0 };
		struct bgp_open a, b;
		uint8_t names[2][32];
		struct bmp_peer peer;
		struct bmp_message m;

		start_round(round);
		peer = random_peer();
		a = random_open(names[0]);
		b = random_open(names[1]);
		bgp_write_open(&sent, &a);
		bgp_write_open(&received, &b);
		up.local_port = (uint16_t)rnd();
		up.remote_port = (uint16_t)rnd();
		up.sent_open = (struct wire_view){ opens[0], sent.len };
		up.received_open = (struct wire_view){ opens[1], received.len };
		up.table_name = coin() ? "table" : NULL;
		bmp_write_peer_up(&w, &peer, &up);
		read_back(&w, &m);
		check_peer(&peer, &m.peer);
		SAME("local port", m.up.local_port == up.local_port);
		SAME("remote port", m.up.remote_port == up.remote_port);
		check_open(&a, m.up.sent_open.whole);
		check_open(&b, m.up.received_open.whole);
		SAME("TLVs", m.tlvs.len == (up.table_name ? 9 : 0));
	}
}

/* Routes: everything they point at lives in here. */
struct routes {
	struct bgp_nlri nlri[ROUTES_MAX];
	uint8_t bytes[ROUTES_MAX][200];
	size_t n;
};

static void random_prefix(struct bgp_nlri *n, uint8_t *bytes,
			  unsigned max_labels)
{
	const struct bgp_family_info *info = bgp_family_info(n->family);
	unsigned bits = below(info->addr_bits + 1u);
	uint8_t *address = n->address + (info->addr_bits == 32 ? 12 : 0);

	n->prefix_len = (uint8_t)bits;
	if (info->addr_bits == 32)
		n->address[10] = n->address[11] = 0xff;
	fill(address, (bits + 7) / 8);
	if (bits % 8 != 0)
		address[bits / 8] &= (uint8_t)(0xff00 >> bits % 8);
	if (info->flags & BGP_FAMILY_LABELS && !n->withdrawn) {
		unsigned labels = 1 + below(max_labels);

		fill(bytes, 3 * labels);
		for (unsigned i = 0; i < labels; i++)
			bytes[3 * i + 2] &= 0xfe;
		bytes[3 * labels - 1] |= 1;
		n->labels = (struct wire_view){ bytes, 3 * labels };
	}
}

/* Any type and body that the kind can have on the wire. */
static void random_body(struct bgp_nlri *n, uint8_t *bytes)
{
	size_t len = 1 + below(100);

	n->type = (uint16_t)below(20);
	/* No default: a new kind without a case does not compile. */
	switch ((enum bgp_nlri_kind)n->kind) {
	case BGP_NLRI_SR_POLICY:
		len = 8u + bgp_family_info(n->family)->addr_bits / 8u;
		n->type = 0;
		break;
	case BGP_NLRI_ROUTE_TARGET:
		n->prefix_len = (uint8_t)(coin() ? 0 : 32 + below(65));
		len = (n->prefix_len + 7u) / 8;
		n->type = 0;
		break;
	case BGP_NLRI_MDT:
		len = 8;
		n->type = 0;
		break;
	case BGP_NLRI_FLOWSPEC:
	case BGP_NLRI_VPLS:
	case BGP_NLRI_UNREACHABILITY:
	case BGP_NLRI_RAW:
		n->type = 0;
		break;
	case BGP_NLRI_EVPN:
	case BGP_NLRI_LINK_STATE:
	case BGP_NLRI_MVPN:
	case BGP_NLRI_MUP:
	case BGP_NLRI_CAR:
	case BGP_NLRI_SFC:
		break;
	case BGP_NLRI_PREFIX: /* random_prefix() */
	case BGP_NLRI_KINDS:
		fail();
	}
	fill(bytes, len);
	n->body = (struct wire_view){ bytes, len };
	/* Leaf A-D routes have none. */
	if ((n->kind == BGP_NLRI_MVPN && n->type == 4) ||
	    (n->kind == BGP_NLRI_EVPN && n->type == 11))
		n->rd = 0;
}

static void random_routes(struct routes *r, enum bgp_family family,
			  const struct bgp_decode_opts *opts, bool withdrawn)
{
	const struct bgp_family_info *info = bgp_family_info(family);
	bool add_path = opts->add_path & bgp_family_bit(family);
	bool multiple = opts->multiple_labels & bgp_family_bit(family);

	memset(r, 0, sizeof(*r));
	r->n = info->kind == BGP_NLRI_RAW ? 1 : below(ROUTES_MAX + 1);
	for (size_t i = 0; i < r->n; i++) {
		struct bgp_nlri *n = &r->nlri[i];

		n->afi = info->afi;
		n->safi = info->safi;
		n->family = (uint8_t)family;
		n->kind = info->kind;
		n->withdrawn = withdrawn;
		n->has_path_id = add_path;
		n->path_id = add_path ? rnd() : 0;
		if (info->flags & BGP_FAMILY_RD)
			n->rd = (uint64_t)rnd() << 32 | rnd();
		if (n->kind == BGP_NLRI_PREFIX)
			/* More than one only where they can be told apart. */
			random_prefix(n, r->bytes[i],
				      multiple && !withdrawn &&
						      info->addr_bits == 32
					      ? 3
					      : 1);
		else
			random_body(n, r->bytes[i]);
	}
}

#define SAME_ROUTE(n, what, condition)           \
	CHECK(condition, "seed %llu: %s: %s",    \
	      (unsigned long long)seed_of_round, \
	      bgp_family_info((n)->family)->name, what)

static void check_routes(const struct routes *want, const struct bgp_update *u,
			 enum bgp_nlri_part_id s)
{
	struct bgp_nlri_iter it;
	size_t n = 0;

	SAME("number of routes", u->nlri_parts[s].count == want->n);
	if (want->n == 0)
		return;
	SAME("routes", bgp_update_routes(u, s, &it));
	for (; bgp_nlri_next(&it); n++) {
		const struct bgp_nlri *a = &want->nlri[n];
		const struct bgp_nlri *b = &it.nlri;

		SAME_ROUTE(a, "family", a->family == b->family);
		SAME_ROUTE(a, "path id", a->path_id == b->path_id);
		SAME_ROUTE(a, "has path id", a->has_path_id == b->has_path_id);
		SAME_ROUTE(a, "rd", a->rd == b->rd);
		SAME_ROUTE(a, "prefix length", a->prefix_len == b->prefix_len);
		SAME_ROUTE(a, "prefix",
			   memcmp(a->address, b->address, 16) == 0);
		SAME_ROUTE(a, "labels", same_view(a->labels, b->labels));
		SAME_ROUTE(a, "type", a->type == b->type);
		SAME_ROUTE(a, "body", same_view(a->body, b->body));
		SAME_ROUTE(a, "withdrawn", b->withdrawn == (s < BGP_PART_NLRI));
	}
	SAME("all routes", n == want->n);
	SAME("no stray bits", it.host_bits == 0);
}

/* Bytes that the attributes of one UPDATE point at. */
struct attr_bytes {
	uint8_t path[2000], as4[1000], sets[4][400], next_hop[48], block[80];
	uint8_t v4[4], clusters[80];
};

static struct wire_view random_path(uint8_t *p, unsigned width)
{
	unsigned segments = below(4);
	size_t len = 0;

	while (segments-- > 0) {
		unsigned count = 1 + below(40);

		p[len] = (uint8_t)(1 + below(4));
		p[len + 1] = (uint8_t)count;
		fill(p + len + 2, count * width);
		len += 2 + count * width;
		/* AS 0 is malformed: RFC 7607. */
		for (unsigned i = 0; i < count; i++)
			p[len - 1 - i * width] |= 1;
	}
	return (struct wire_view){ p, len };
}

static struct wire_view random_set(uint8_t *p, size_t width)
{
	size_t len = width * (1 + below(20));

	fill(p, len);
	return (struct wire_view){ p, len };
}

/* Attributes without a member of their own: one unknown, one AIGP. */
static void random_block(struct bgp_attrs *a, struct attr_bytes *b)
{
	uint8_t aigp[] = { 0x80, 26, 11, 1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 9 };
	size_t len = 10 + below(30);

	memcpy(b->block, aigp, sizeof(aigp));
	b->block[14] = 0xc0;
	b->block[15] = 222;
	b->block[16] = (uint8_t)len;
	fill(b->block + 17, len);
	a->block = (struct wire_view){ b->block, 17 + len };
	bgp_attrs_set(a, BGP_AIGP);
	bgp_attrs_set(a, 222);
}

static void maybe(struct bgp_attrs *a, uint8_t code)
{
	if (coin())
		bgp_attrs_set(a, code);
}

static void random_attrs(struct bgp_attrs *a, struct attr_bytes *b,
			 uint8_t width)
{
	memset(a, 0, sizeof(*a));
	for (size_t i = 0; i < COUNT(optional_attributes); i++)
		maybe(a, optional_attributes[i]);
	bgp_attrs_set(a, BGP_ORIGIN);
	bgp_attrs_set(a, BGP_AS_PATH);
	bgp_attrs_set(a, BGP_NEXT_HOP);
	a->origin = (uint8_t)below(3);
	a->as_path.width = width;
	a->as_path.path = random_path(b->path, width);
	fill(b->v4, 4);
	a->next_hop = b->v4;
	a->next_hop_len = 4;
	a->med = rnd();
	a->local_pref = rnd();
	a->aggregator_as = 1 + (width == 2 ? below(23455) : rnd() / 2);
	a->aggregator_id = rnd();
	a->originator_id = rnd();
	a->otc = rnd();
	a->communities = random_set(b->sets[0], 4);
	a->ext_communities = random_set(b->sets[1], 8);
	a->large_communities = random_set(b->sets[2], 12);
	a->ipv6_ext_communities = random_set(b->sets[3], 20);
	a->cluster_list = random_set(b->clusters, 4);
	if (coin())
		random_block(a, b);
}

static void check_attrs(const struct bgp_attrs *a, const struct bgp_attrs *b)
{
	struct wire_view v, w;

	for (int i = 0; i < 4; i++)
		SAME("attributes", a->seen[i] == b->seen[i]);
	SAME("origin", a->origin == b->origin);
	SAME("path", same_view(a->as_path.path, b->as_path.path));
	SAME("next hop", memcmp(a->next_hop, b->next_hop, 4) == 0);
	SAME("med", !bgp_attrs_has(a, BGP_MED) || a->med == b->med);
	SAME("local pref", !bgp_attrs_has(a, BGP_LOCAL_PREF) ||
				   a->local_pref == b->local_pref);
	SAME("aggregator", !bgp_attrs_has(a, BGP_AGGREGATOR) ||
				   (a->aggregator_as == b->aggregator_as &&
				    a->aggregator_id == b->aggregator_id));
	SAME("originator", !bgp_attrs_has(a, BGP_ORIGINATOR_ID) ||
				   a->originator_id == b->originator_id);
	SAME("otc", !bgp_attrs_has(a, BGP_OTC) || a->otc == b->otc);
	SAME("communities", !bgp_attrs_has(a, BGP_COMMUNITIES) ||
				    same_view(a->communities, b->communities));
	SAME("extended",
	     !bgp_attrs_has(a, BGP_EXT_COMMUNITIES) ||
		     same_view(a->ext_communities, b->ext_communities));
	SAME("large",
	     !bgp_attrs_has(a, BGP_LARGE_COMMUNITIES) ||
		     same_view(a->large_communities, b->large_communities));
	SAME("clusters", !bgp_attrs_has(a, BGP_CLUSTER_LIST) ||
				 same_view(a->cluster_list, b->cluster_list));
	SAME("unknown",
	     bgp_attrs_find(a, 222, &v) == bgp_attrs_find(b, 222, &w));
	if (bgp_attrs_has(a, 222))
		SAME("value of unknown", same_view(v, w));
}

static const uint8_t next_hop_lengths[] = { 0, 4, 8, 12, 16, 24, 32, 48 };

static enum bgp_family set_mp(struct bgp_mp *mp)
{
	enum bgp_family family = below(BGP_FAMILIES);
	const struct bgp_family_info *info = bgp_family_info(family);

	mp->afi = info->afi;
	mp->safi = info->safi;
	mp->family = (uint8_t)family;
	return family;
}

static void update_round(void)
{
	static struct routes routes[BGP_PARTS];
	static struct attr_bytes bytes;
	static uint8_t pdu[100000];
	struct bgp_decode_opts r = {
		.as_width = coin() ? 4 : 2,
		.as_width_certain = true,
		.add_path = random_families(),
		.multiple_labels = random_families(),
	};
	struct bmp_peer peer = random_peer();
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_writer p = bmp_writer_on(pdu, sizeof(pdu));
	struct bgp_update_parts parts;
	struct bgp_attrs attrs;
	struct bgp_update u;
	struct bmp_message m;

	random_attrs(&attrs, &bytes, r.as_width);
	bgp_attrs_set(&attrs, BGP_MP_REACH);
	bgp_attrs_set(&attrs, BGP_MP_UNREACH);
	fill(bytes.next_hop, sizeof(bytes.next_hop));
	random_routes(&routes[0], BGP_IPV4_UNICAST, &r, true);
	random_routes(&routes[1], set_mp(&attrs.unreach), &r, true);
	random_routes(&routes[2], BGP_IPV4_UNICAST, &r, false);
	random_routes(&routes[3], set_mp(&attrs.reach), &r, false);
	attrs.reach.next_hop = (struct wire_view){
		bytes.next_hop,
		next_hop_lengths[below(COUNT(next_hop_lengths))],
	};
	parts.attrs = &attrs;
	for (int s = 0; s < BGP_PARTS; s++)
		parts.nlri_parts[s] =
			(struct bgp_routes){ routes[s].nlri, routes[s].n };
	bgp_write_update(&p, &parts);
	SAME("PDU fits", !p.full && p.len <= UINT16_MAX);
	bmp_write_route_monitoring(&w, &peer, (struct wire_view){ pdu, p.len });
	read_back(&w, &m);
	check_peer(&peer, &m.peer);
	bgp_update_decode(m.update.body, &r, &u);
	CHECK(u.verdict == BGP_ACCEPT,
	      "seed %llu: %s in attribute %u; announced %s, withdrawn %s",
	      (unsigned long long)seed_of_round, bgp_fault_name(u.fault),
	      u.fault_code, bgp_family_info(attrs.reach.family)->name,
	      bgp_family_info(attrs.unreach.family)->name);
	check_attrs(&attrs, &u.attrs);
	SAME("next hop of MP_REACH",
	     same_view(attrs.reach.next_hop, u.attrs.reach.next_hop));
	for (int s = 0; s < BGP_PARTS; s++)
		check_routes(&routes[s], &u, s);
}

static void test_update_round_trip(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		start_round(round);
		update_round();
	}
}

/* Shuffled communities and attributes never change the canonical form. */
static void test_canonical_form_of_what_was_written(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		static struct attr_bytes bytes;
		struct bgp_decode_opts r = { .as_width = 4 };
		struct bgp_decode_opts c = BGP_DECODE_CANONICAL;
		static uint8_t pdu[2][20000], form[2][40000];
		struct bgp_update_parts parts = { 0 };
		struct bgp_attrs attrs;
		struct bgp_update u;
		size_t n[2];

		start_round(round);
		random_attrs(&attrs, &bytes, 4);
		parts.attrs = &attrs;
		for (int i = 0; i < 2; i++) {
			struct bmp_writer w = bmp_writer_on(pdu[i], 20000);

			bgp_write_update(&w, &parts);
			bgp_update_decode(
				(struct wire_view){ pdu[i] + BGP_HEADER_LEN,
						    w.len - BGP_HEADER_LEN },
				&r, &u);
			n[i] = bgp_canonical_write(&u, BGP_PART_NLRI, form[i],
						   sizeof(form[i]));
			/* Two communities change places. */
			if (attrs.communities.len >= 8) {
				uint8_t t[4];

				memcpy(t, bytes.sets[0], 4);
				memcpy(bytes.sets[0], bytes.sets[0] + 4, 4);
				memcpy(bytes.sets[0] + 4, t, 4);
			}
		}
		SAME("canonical form",
		     n[0] == n[1] && memcmp(form[0], form[1], n[0]) == 0);
		SAME("canonical form is valid",
		     bgp_attrs_decode((struct wire_view){ form[0], n[0] }, &c,
				      &u.attrs) == BGP_ACCEPT);
		SAME("canonical form is stable",
		     bgp_canonical_write(&u, BGP_PART_NLRI, form[1],
					 sizeof(form[1])) == n[0] &&
			     memcmp(form[0], form[1], n[0]) == 0);
	}
}

static void test_statistics_round_trip(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS / 4; round++) {
		struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
		struct bmp_stat stats[30], got;
		struct bmp_stat_iter it;
		struct bmp_peer peer;
		struct bmp_message m;
		uint8_t raw[7] = { 0 };
		size_t n;

		start_round(round);
		peer = random_peer();
		n = below(COUNT(stats) + 1);
		for (size_t i = 0; i < n; i++) {
			stats[i] = (struct bmp_stat){
				.type = (uint16_t)rnd(),
				.kind = (uint8_t)below(4),
				.afi = (uint16_t)rnd(),
				.safi = (uint8_t)rnd(),
				.value = rnd(),
				.raw = { raw, sizeof(raw) },
			};
		}
		bmp_write_statistics(&w, &peer, stats, n);
		read_back(&w, &m);
		check_peer(&peer, &m.peer);
		SAME("count", m.stats_count == n);
		it = bmp_stat_start(&m);
		for (size_t i = 0; i < n; i++) {
			SAME("stat", bmp_stat_next(&it, &got));
			SAME("stat type", got.type == stats[i].type);
			SAME("stat kind", got.kind == stats[i].kind);
			SAME("stat value", got.kind == BMP_STAT_RAW ||
						   got.value == stats[i].value);
		}
		SAME("no more", !bmp_stat_next(&it, &got));
	}
}

static void test_end_of_rib_of_every_family(void **state)
{
	(void)state;
	for (int f = 1; f < BGP_FAMILIES; f++) {
		const struct bgp_family_info *info = bgp_family_info(f);
		struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
		struct bgp_decode_opts r = { .as_width = 4 };
		struct bgp_update u;

		bgp_write_end_of_rib(&w, info->afi, info->safi);
		assert_int_equal(w.len, f == BGP_IPV4_UNICAST ? 23 : 29);
		bgp_update_decode((struct wire_view){ buf + BGP_HEADER_LEN,
						      w.len - BGP_HEADER_LEN },
				  &r, &u);
		assert_true(u.end_of_rib);
		assert_int_equal(u.eor_afi, info->afi);
		assert_int_equal(u.eor_safi, info->safi);
	}
}

static void test_writer_counts_what_does_not_fit(void **state)
{
	struct bmp_writer all = bmp_writer_on(buf, sizeof(buf));
	struct bmp_writer w;
	uint8_t small[64];

	(void)state;
	bmp_write_initiation(&all, "descr", "name");
	for (size_t cap = 0; cap < all.len; cap++) {
		memset(small, 0xee, sizeof(small));
		w = bmp_writer_on(small, cap);
		bmp_write_initiation(&w, "descr", "name");
		assert_true(w.full);
		assert_int_equal(w.len, all.len);
		assert_int_equal(small[cap], 0xee);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peer_up_round_trip),
		cmocka_unit_test(test_update_round_trip),
		cmocka_unit_test(test_canonical_form_of_what_was_written),
		cmocka_unit_test(test_statistics_round_trip),
		cmocka_unit_test(test_end_of_rib_of_every_family),
		cmocka_unit_test(test_writer_counts_what_does_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
