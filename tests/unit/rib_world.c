#include "rib_world.h"

#include "bmp/nlri_key.h"

#include <stdlib.h>
#include <string.h>

static const enum bgp_family families[WORLD_FAMILIES] = {
	BGP_IPV4_UNICAST,  BGP_IPV6_UNICAST,   BGP_IPV4_MULTICAST,
	BGP_IPV4_LABELED,  BGP_IPV4_VPN,       BGP_L2VPN_EVPN,
	BGP_IPV4_FLOWSPEC, BGP_FAMILY_UNKNOWN,
};

/* A family nobody has defined. */
#define UNKNOWN_AFI  77
#define UNKNOWN_SAFI 99

struct set {
	struct bgp_attrs attrs;
	uint8_t path[2 + 4 * 8];
	uint8_t sorted[4 * 4];
	uint8_t reversed[4 * 4];
	uint8_t next_hop[16]; /* IPv4 mapped; the family decides */
	uint8_t next_hop_v6[16];
};

struct world {
	struct set sets[WORLD_SETS];
	struct bgp_nlri nlri[WORLD_FAMILIES][WORLD_KEYS][WORLD_VALUES];
	uint8_t bytes[WORLD_FAMILIES][WORLD_KEYS][WORLD_VALUES][48];
	uint8_t key[WORLD_FAMILIES][WORLD_KEYS][64];
	size_t key_len[WORLD_FAMILIES][WORLD_KEYS];
};

static bool same_view(struct wire_view a, struct wire_view b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

enum bgp_family world_family(unsigned family)
{
	return families[family];
}

bool world_is_loc_rib(unsigned peer)
{
	return peer >= 5;
}

bool world_has_values(unsigned family)
{
	return families[family] == BGP_IPV4_LABELED ||
	       families[family] == BGP_IPV4_VPN ||
	       families[family] == BGP_L2VPN_EVPN;
}

static uint16_t afi_of(unsigned family)
{
	return families[family] == BGP_FAMILY_UNKNOWN
		       ? UNKNOWN_AFI
		       : bgp_family_info(families[family])->afi;
}

static uint8_t safi_of(unsigned family)
{
	return families[family] == BGP_FAMILY_UNKNOWN
		       ? UNKNOWN_SAFI
		       : bgp_family_info(families[family])->safi;
}

/* Routes */

/*
 * Every third prefix is inside the one before it, so that look-ups have more
 * than one answer; number 0 is the default route.
 */
static void make_prefix(struct bgp_nlri *n, unsigned key)
{
	bool v6 = n->family == BGP_IPV6_UNICAST;
	uint8_t *a = n->address + (v6 ? 0 : 12);

	if (!v6)
		n->address[10] = n->address[11] = 0xff;
	if (key == 0)
		return;
	a[0] = v6 ? 0x20 : 10;
	a[1] = v6 ? 0x01 : (uint8_t)(key / 3);
	if (v6)
		a[2] = (uint8_t)(key / 3);
	n->prefix_len = v6 ? 24 : 16;
	if (key % 3 >= 1) {
		a[v6 ? 3 : 2] = 0x80;
		n->prefix_len = (uint8_t)(n->prefix_len + 1);
	}
	if (key % 3 == 2) {
		a[v6 ? 15 : 3] = 0x7f;
		n->prefix_len = v6 ? 128 : 32;
	}
}

static void make_labels(struct bgp_nlri *n, uint8_t *bytes, unsigned value)
{
	bytes[0] = 0;
	bytes[1] = (uint8_t)(value + 1);
	bytes[2] = 0x01; /* the bottom of the stack */
	n->labels = (struct wire_view){ bytes, 3 };
}

/* A MAC/IP advertisement, RFC 7432 7.2: segment and label are not key. */
static void make_evpn(struct bgp_nlri *n, uint8_t *bytes, unsigned key,
		      unsigned value)
{
	uint8_t *p = bytes;

	n->type = 2;
	memset(p, 0, 25);
	p[9] = (uint8_t)(value + 1); /* the segment */
	p[13] = (uint8_t)(key % 2);  /* the tag */
	p[14] = 48;
	p[20] = (uint8_t)(key / 2); /* the address */
	p[21] = 0;		    /* no IP */
	p[24] = (uint8_t)(value << 4 | 1);
	n->body = (struct wire_view){ p, 25 };
}

static void make_flowspec(struct bgp_nlri *n, uint8_t *bytes, unsigned key)
{
	uint8_t rules[] = { 1, 24, 198, 51, (uint8_t)key, 3, 0x81, 17 };

	memcpy(bytes, rules, sizeof(rules));
	n->body = (struct wire_view){ bytes, sizeof(rules) };
}

static void make_nlri(struct world *w, unsigned f, unsigned key, unsigned value)
{
	struct bgp_nlri *n = &w->nlri[f][key][value];
	uint8_t *bytes = w->bytes[f][key][value];

	n->afi = afi_of(f);
	n->safi = safi_of(f);
	n->family = (uint8_t)families[f];
	n->kind = bgp_family_info(families[f])->kind;
	if (bgp_family_info(families[f])->flags & BGP_FAMILY_RD)
		n->rd = UINT64_C(65000) << 32 | (key % 2);
	if (n->kind == BGP_NLRI_PREFIX)
		/* Under a distinguisher, prefixes come in pairs. */
		make_prefix(n, families[f] == BGP_IPV4_VPN ? key / 2 : key);
	else if (n->kind == BGP_NLRI_EVPN)
		make_evpn(n, bytes, key, value);
	else if (n->kind == BGP_NLRI_FLOWSPEC)
		make_flowspec(n, bytes, key);
	else
		n->body = n->wire =
			(struct wire_view){ memset(bytes, (int)key + 1, 5), 5 };
	if (bgp_family_info(families[f])->flags & BGP_FAMILY_LABELS)
		make_labels(n, bytes, value);
}

const struct bgp_nlri *world_nlri(const struct world *w, unsigned family,
				  unsigned key)
{
	return &w->nlri[family][key][0];
}

struct wire_view world_key(const struct world *w, unsigned family, unsigned key)
{
	return (struct wire_view){ w->key[family][key],
				   w->key_len[family][key] };
}

/* Attributes */

static void make_set(struct set *s, unsigned i)
{
	size_t hops = 1 + i % 5;

	s->path[0] = BGP_AS_SEQUENCE;
	s->path[1] = (uint8_t)hops;
	for (size_t h = 0; h < hops; h++)
		wire_put_u32(s->path + 2 + 4 * h,
			     (uint32_t)(65000 + i * 10 + h));
	for (unsigned c = 0; c < 4; c++) {
		wire_put_u32(s->sorted + 4 * c,
			     UINT32_C(65000) << 16 | (i + c));
		wire_put_u32(s->reversed + 12 - 4 * c,
			     UINT32_C(65000) << 16 | (i + c));
	}
	memcpy(s->next_hop,
	       (uint8_t[]){ [10] = 0xff, 0xff, 192, 0, 2, (uint8_t)(i + 1) },
	       16);
	memcpy(s->next_hop_v6,
	       (uint8_t[]){ 0x20, 1, 0x0d, 0xb8, [15] = (uint8_t)(i + 1) }, 16);
	s->attrs.origin = (uint8_t)(i % 3);
	s->attrs.as_path =
		(struct bgp_as_path){ .path = { s->path, 2 + 4 * hops },
				      .width = 4 };
	s->attrs.med = 100 + i / 2;
	s->attrs.communities = (struct wire_view){ s->sorted, 16 };
	bgp_attrs_set(&s->attrs, BGP_ORIGIN);
	bgp_attrs_set(&s->attrs, BGP_AS_PATH);
	if (i % 2)
		bgp_attrs_set(&s->attrs, BGP_MED);
	if (i % 3)
		bgp_attrs_set(&s->attrs, BGP_COMMUNITIES);
}

struct world *world_new(void)
{
	struct world *w = calloc(1, sizeof(*w));

	if (w == NULL)
		abort();
	for (unsigned s = 0; s < WORLD_SETS; s++)
		make_set(&w->sets[s], s);
	for (unsigned f = 0; f < WORLD_FAMILIES; f++)
		for (unsigned k = 0; k < WORLD_KEYS; k++) {
			for (unsigned v = 0; v < WORLD_VALUES; v++)
				make_nlri(w, f, k, v);
			w->key_len[f][k] = bgp_nlri_key(&w->nlri[f][k][0],
							w->key[f][k], 64);
		}
	return w;
}

void world_free(struct world *w)
{
	free(w);
}

/* Messages */

void world_router_address(unsigned router, uint8_t out[16])
{
	/* The second one speaks IPv6. */
	if (router == 1)
		memcpy(out, (uint8_t[16]){ 0x20, 1, 0x0d, 0xb8, [15] = 99 },
		       16);
	else
		memcpy(out,
		       (uint8_t[16]){ [10] = 0xff,
				      0xff,
				      203,
				      0,
				      113,
				      (uint8_t)router },
		       16);
}

struct bmp_peer world_peer(unsigned peer, uint8_t view,
			   const struct world_session *session)
{
	static const struct {
		uint8_t type;
		bool ipv6;
		uint64_t distinguisher;
	} kinds[WORLD_PEERS] = {
		{ BMP_PEER_GLOBAL, false, 0 },	{ BMP_PEER_RD, false, 1 },
		{ BMP_PEER_RD, false, 2 },	{ BMP_PEER_GLOBAL, true, 0 },
		{ BMP_PEER_LOCAL, false, 1 },	{ BMP_PEER_LOC_RIB, false, 0 },
		{ BMP_PEER_LOC_RIB, false, 7 },
	};
	struct bmp_peer p = {
		.type = kinds[peer].type,
		.view = view,
		.ipv6 = kinds[peer].ipv6,
		.distinguisher = kinds[peer].distinguisher,
		.as = 65001u + session->as,
		.bgp_id = 0x0a000001u + session->bgp_id,
		.time_ns = UINT64_C(1700000000) * 1000000000,
	};

	if (p.type == BMP_PEER_LOC_RIB)
		return p;
	memcpy(p.address,
	       p.ipv6 ? (uint8_t[16]){ 0x20, 1, 0x0d, 0xb8, [15] = 1 }
		      : (uint8_t[16]){ [10] = 0xff, 0xff, 192, 0, 2, 1 },
	       16);
	return p;
}

static struct wire_view write_open(struct bmp_writer *w, bool sender,
				   const struct world_session *session)
{
	struct bgp_open o = {
		.version = 4,
		.my_as = (uint16_t)(65001 + session->as),
		.as = 65001u + session->as,
		.bgp_id = 0x0a000001u + session->bgp_id,
		.hold_time = 90,
		.four_byte_as = true,
	};

	for (unsigned f = 0; f < WORLD_FAMILIES; f++)
		o.families |= bgp_family_bit(families[f]);
	if (session->add_path && sender)
		o.add_path_send = o.families;
	if (session->add_path && !sender)
		o.add_path_receive = o.families;
	if (session->add_path) {
		/* The views of both directions have path identifiers. */
		o.add_path_send = o.families;
		o.add_path_receive = o.families;
	}
	bgp_write_open(w, &o);
	return (struct wire_view){ w->p, w->len };
}

void world_write_peer_up(struct bmp_writer *out, unsigned peer, uint8_t view,
			 const struct world_session *session)
{
	struct bmp_peer p = world_peer(peer, view, session);
	uint8_t opens[2][512];
	struct bmp_writer sent = bmp_writer_on(opens[0], sizeof(opens[0]));
	struct bmp_writer received = bmp_writer_on(opens[1], sizeof(opens[1]));
	struct bmp_peer_up_parts up = {
		.local_port = 179,
		.remote_port = session->port,
		.sent_open = write_open(&sent, true, session),
		.received_open = write_open(&received, false, session),
	};

	bmp_write_peer_up(out, &p, &up);
}

void world_write_peer_down(struct bmp_writer *out, unsigned peer,
			   const struct world_session *session, uint8_t reason)
{
	struct bmp_peer p = world_peer(peer,
				       world_is_loc_rib(peer) ? BMP_VIEW_LOC_RIB
							      : BMP_VIEW_IN_PRE,
				       session);
	uint8_t bytes[64];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));

	if (reason == BMP_DOWN_LOCAL_NOTIFICATION ||
	    reason == BMP_DOWN_REMOTE_NOTIFICATION)
		bgp_write_notification(&w, 6, 2, (struct wire_view){ 0 });
	bmp_write_peer_down(out, &p, reason, 18,
			    (struct wire_view){ bytes, w.len });
}

void world_write_end_of_rib(struct bmp_writer *out, unsigned peer, uint8_t view,
			    const struct world_session *session,
			    unsigned family)
{
	struct bmp_peer p = world_peer(peer, view, session);
	uint8_t bytes[64];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));

	bgp_write_end_of_rib(&w, afi_of(family), safi_of(family));
	bmp_write_route_monitoring(out, &p, (struct wire_view){ bytes, w.len });
}

static size_t pick_routes(const struct world *w, const struct world_update *u,
			  bool withdrawn, struct bgp_nlri *out)
{
	const struct world_route *from =
		withdrawn ? u->withdraws : u->announces;
	size_t n = withdrawn ? u->withdrawn : u->announced;

	for (size_t i = 0; i < n; i++) {
		out[i] = w->nlri[u->family][from[i].key][from[i].value];
		out[i].withdrawn = withdrawn;
		out[i].has_path_id = u->session.add_path &&
				     families[u->family] != BGP_FAMILY_UNKNOWN;
		out[i].path_id = from[i].path_id;
		if (withdrawn)
			out[i].labels.len = 0;
	}
	return n;
}

static struct wire_view mp_next_hop(const struct set *s, unsigned family,
				    uint8_t vpn[12])
{
	switch (families[family]) {
	case BGP_IPV6_UNICAST:
		return (struct wire_view){ s->next_hop_v6, 16 };
	case BGP_IPV4_VPN:
		memset(vpn, 0, 8);
		memcpy(vpn + 8, s->next_hop + 12, 4);
		return (struct wire_view){ vpn, 12 };
	case BGP_IPV4_FLOWSPEC:
		return (struct wire_view){ s->next_hop, 0 };
	default:
		return (struct wire_view){ s->next_hop + 12, 4 };
	}
}

/* Attributes as they go into the UPDATE. */
static void pick_attrs(const struct world *w, const struct world_update *u,
		       struct bgp_attrs *attrs, uint8_t vpn[12])
{
	const struct set *s = &w->sets[u->set];
	bool classic = families[u->family] == BGP_IPV4_UNICAST;

	memset(attrs, 0, sizeof(*attrs));
	if (u->announced != 0) {
		*attrs = s->attrs;
		if (u->reversed)
			attrs->communities.p = s->reversed;
	}
	attrs->reach.afi = attrs->unreach.afi = afi_of(u->family);
	attrs->reach.safi = attrs->unreach.safi = safi_of(u->family);
	attrs->reach.next_hop = mp_next_hop(s, u->family, vpn);
	if (classic && u->announced != 0) {
		bgp_attrs_set(attrs, BGP_NEXT_HOP);
		attrs->next_hop = s->next_hop + 12;
		attrs->next_hop_len = 4;
	}
	if (!classic && u->announced != 0)
		bgp_attrs_set(attrs, BGP_MP_REACH);
	if (!classic && u->withdrawn != 0)
		bgp_attrs_set(attrs, BGP_MP_UNREACH);
}

/* Make ORIGIN, the first attribute written, a value that does not exist. */
static void break_origin(uint8_t *pdu, size_t withdrawn_len)
{
	pdu[BGP_HEADER_LEN + 2 + withdrawn_len + 2 + 3] = 9;
}

void world_write_update(const struct world *w, struct bmp_writer *out,
			const struct world_update *u)
{
	struct bgp_nlri withdraws[WORLD_ROUTES], announces[WORLD_ROUTES];
	bool classic = families[u->family] == BGP_IPV4_UNICAST;
	struct bmp_peer p = world_peer(u->peer, u->view, &u->session);
	struct bgp_update_parts parts = { 0 };
	struct bgp_attrs attrs;
	uint8_t vpn[12], bytes[4096];
	struct bmp_writer pdu = bmp_writer_on(bytes, sizeof(bytes));
	struct bgp_routes w_routes = { withdraws,
				       pick_routes(w, u, true, withdraws) };
	struct bgp_routes a_routes = { announces,
				       pick_routes(w, u, false, announces) };

	pick_attrs(w, u, &attrs, vpn);
	parts.attrs = &attrs;
	parts.nlri_parts[classic ? BGP_PART_WITHDRAWN : BGP_PART_MP_UNREACH] =
		w_routes;
	parts.nlri_parts[classic ? BGP_PART_NLRI : BGP_PART_MP_REACH] =
		a_routes;
	/*
	 * A last prefix of 255 bits ends any reading of the field; of ones,
	 * which are such a length themselves, so that it does with path
	 * identifiers and without.
	 */
	if (u->fault == WORLD_CUT_NLRI) {
		struct bgp_nlri *last = &announces[u->announced - 1];

		last->prefix_len = 255;
		last->rd = UINT64_MAX;
		memset(last->address, 0xff, sizeof(last->address));
	}
	bgp_write_update(&pdu, &parts);
	if (u->fault == WORLD_BAD_ATTRIBUTE)
		break_origin(bytes, wire_get_u16(bytes + BGP_HEADER_LEN));
	if (pdu.full)
		abort();
	bmp_write_route_monitoring(out, &p,
				   (struct wire_view){ bytes, pdu.len });
}

/* Back to numbers */

bool world_find_router(const struct rib_router_info *info, unsigned *out)
{
	for (unsigned r = 0; r < WORLD_ROUTERS; r++) {
		uint8_t address[16];

		world_router_address(r, address);
		if (memcmp(address, info->address, 16) == 0) {
			*out = r;
			return true;
		}
	}
	return false;
}

bool world_find_peer(const struct rib_table_info *info, unsigned *out)
{
	struct world_session session = { 0 };

	for (unsigned p = 0; p < WORLD_PEERS; p++) {
		struct bmp_peer peer = world_peer(p, 0, &session);

		if (peer.type == info->peer_type &&
		    peer.distinguisher == info->distinguisher &&
		    memcmp(peer.address, info->peer_address, 16) == 0) {
			*out = p;
			return true;
		}
	}
	return false;
}

bool world_find_family(const struct rib_table_info *info, unsigned *out)
{
	for (unsigned f = 0; f < WORLD_FAMILIES; f++)
		if (afi_of(f) == info->afi && safi_of(f) == info->safi &&
		    families[f] == info->family) {
			*out = f;
			return true;
		}
	return false;
}

static bool is_route(const struct world *w, unsigned f, unsigned key,
		     const struct rib_route *r)
{
	const struct bgp_nlri *n = &w->nlri[f][key][0];

	if (n->kind == BGP_NLRI_PREFIX)
		return n->prefix_len == r->prefix_len && n->rd == r->rd &&
		       memcmp(n->address, r->address, 16) == 0;
	return same_view((struct wire_view){ w->key[f][key],
					     w->key_len[f][key] },
			 r->key);
}

static bool has_value(const struct world *w, unsigned f, unsigned key,
		      unsigned value, const struct rib_route *r)
{
	const struct bgp_nlri *n = &w->nlri[f][key][value];
	uint8_t bytes[64];
	struct bmp_writer wire = bmp_writer_on(bytes, sizeof(bytes));

	if (n->kind == BGP_NLRI_PREFIX)
		return same_view(n->labels, r->labels);
	bgp_write_nlri(&wire, n);
	return same_view((struct wire_view){ bytes, wire.len }, r->nlri);
}

bool world_find_route(const struct world *w, unsigned family, bool announced,
		      const struct rib_route *route, struct world_route *out)
{
	for (unsigned k = 0; k < WORLD_KEYS; k++) {
		if (!is_route(w, family, k, route))
			continue;
		*out = (struct world_route){ .key = (uint8_t)k,
					     .path_id = route->path_id };
		for (unsigned v = 0; announced && v < WORLD_VALUES; v++)
			if (has_value(w, family, k, v, route)) {
				out->value = (uint8_t)v;
				return true;
			}
		return !announced;
	}
	return false;
}

static bool is_set(const struct set *s, const struct bgp_attrs *a)
{
	for (int code = 0; code < 256; code++)
		if (code != BGP_NEXT_HOP && code != BGP_MP_REACH &&
		    code != BGP_MP_UNREACH &&
		    bgp_attrs_has(&s->attrs, (uint8_t)code) !=
			    bgp_attrs_has(a, (uint8_t)code))
			return false;
	if (bgp_attrs_has(a, BGP_MED) && a->med != s->attrs.med)
		return false;
	if (bgp_attrs_has(a, BGP_COMMUNITIES) &&
	    !same_view(a->communities, (struct wire_view){ s->sorted, 16 }) &&
	    !same_view(a->communities, (struct wire_view){ s->reversed, 16 }))
		return false;
	return a->origin == s->attrs.origin && a->as_path.width == 4 &&
	       same_view(a->as_path.path, s->attrs.as_path.path);
}

static bool is_next_hop(const struct set *s, unsigned family,
			const struct bgp_next_hop *next_hop)
{
	if (families[family] == BGP_IPV4_FLOWSPEC)
		return !next_hop->has_address;
	if (!next_hop->has_address)
		return false;
	return memcmp(next_hop->address,
		      families[family] == BGP_IPV6_UNICAST ? s->next_hop_v6
							   : s->next_hop,
		      16) == 0;
}

bool world_find_set(const struct world *w, unsigned family,
		    const struct bgp_attrs *attrs,
		    const struct bgp_next_hop *next_hop, unsigned *out)
{
	for (unsigned s = 0; s < WORLD_SETS; s++)
		if (is_set(&w->sets[s], attrs) &&
		    is_next_hop(&w->sets[s], family, next_hop)) {
			*out = s;
			return true;
		}
	return false;
}
