/*
 * The words of one update:
 *
 *	head		2
 *	data		9 in nearly all updates; 10 with a path id or a reason,
 *			11 of peers with a distinguisher, 12 of VPN routes
 *	pointers	up to the last one that is not null
 *	addresses	of the router, the peer and the prefix, 2 each
 *	attributes	origin, path, next hop, communities ...
 *	rare ones	encode_optional.c
 *
 * Routes of one change differ only in the data section and in the prefix, both
 * at fixed positions while the shape is the same; labels and NLRI other than
 * prefixes are built each time.
 */
#include "egress/encode/encode_update.h"

#include "egress/capnp/builder.h"
#include "egress/encode/encode_optional.h"
#include "schema/layout.h"

#include "bmp/attr.h"
#include "bmp/family.h"
#include "bmp/peer.h"

#define BIT(ptr) (UINT32_C(1) << ptr##_PTR)

_Static_assert((int)REASON_PEER_DOWN == (int)RIB_REASON_PEER_DOWN &&
		       (int)REASON_ADMIN == (int)RIB_REASON_ADMIN &&
		       (int)REASON_ADMIN == RIB_REASONS - 1,
	       "the schema has the rib's numbers");

/*
 * The addresses come first, one after the other: message_patch() relies on it.
 */
_Static_assert(UPDATE_ROUTER_ADDR_PTR == 0 && UPDATE_PEER_ADDR_PTR == 1 &&
		       UPDATE_PREFIX_ADDR_PTR == 2,
	       "the prefix stands behind two addresses");
#define PREFIX_BEHIND_PTRS 4

/* Words of the data section that every update has. */
#define DATA_MIN (UPDATE_SEQUENCE_AT / 64 + 1)

/* The number of pointers before those of encode_optional.c. */
#define PTRS_USUAL (UPDATE_CLUSTER_LIST_PTR + 1)

/*
 * The maximum size of an update without its attributes: 5 addresses and an
 * origin.
 */
#define FIXED_BOUND \
	(8 * (EGRESS_HEAD_WORDS + UPDATE_DATA_WORDS + UPDATE_PTRS + 12))

/* Properties of a change, computed before the first route is built. */
struct shared {
	uint32_t present; /* bit mask of the pointers present */
	/* maximum bytes of one route, without its rare pointers */
	size_t bound;
	/* The path, if it is one sequence of four-byte ASNs. */
	const uint8_t *plain_path;
	/* number of ASNs in the path, of two or four bytes */
	size_t path_count;
	bool has_segments; /* the path has other segments than AS_SEQUENCE */
	bool has_as_set;   /* the path has an AS_SET (RFC 9774) */
};

/* A message that was built, to be copied for similar routes. */
struct shape {
	const uint64_t *message;
	size_t bytes;
	size_t data_words;
	size_t prefix; /* index of the word where the prefix begins */
};

static inline void table_words(const struct rib_table_info *t, uint64_t *w)
{
	bool out = t->view == BMP_VIEW_OUT_PRE || t->view == BMP_VIEW_OUT_POST;
	bool post = t->view == BMP_VIEW_IN_POST || t->view == BMP_VIEW_OUT_POST;

	EGRESS_PUT(w, UPDATE_ROUTER_PORT, t->router->port);
	EGRESS_PUT(w, UPDATE_PEER_BGP_ID, t->peer_bgp_id);
	EGRESS_PUT(w, UPDATE_PEER_ASN, t->peer_as);
	EGRESS_PUT(w, UPDATE_IS_POST_POLICY, post);
	EGRESS_PUT(w, UPDATE_IS_ADJ_RIB_OUT, out);
	EGRESS_PUT(w, UPDATE_IS_LOC_RIB, t->view == BMP_VIEW_LOC_RIB);
	EGRESS_PUT(w, UPDATE_IS_FILTERED, t->filtered);
	EGRESS_PUT(w, UPDATE_AFI, t->afi);
	EGRESS_PUT(w, UPDATE_SAFI, t->safi);
	EGRESS_PUT(w, UPDATE_PEER_TYPE, t->peer_type);
	EGRESS_PUT(w, UPDATE_PEER_DISTINGUISHER, t->distinguisher);
}

static inline void change_words(const struct rib_change *c, uint64_t *w)
{
	EGRESS_PUT(w, UPDATE_TIME_RECEIVED_NS, c->received_ns);
	EGRESS_PUT(w, UPDATE_TIME_BMP_HEADER_NS, c->bmp_ns);
	EGRESS_PUT(w, UPDATE_ANNOUNCED, c->announced);
	EGRESS_PUT(w, UPDATE_SYNTHETIC, c->synthetic);
	EGRESS_PUT(w, UPDATE_RESYNC, c->resync);
	EGRESS_PUT(w, UPDATE_HAS_PATH_ID, c->has_path_id);
	EGRESS_PUT(w, UPDATE_REASON, c->reason);
	EGRESS_PUT(w, UPDATE_MP_REACH_AFI, c->mp_reach_afi);
	EGRESS_PUT(w, UPDATE_MP_REACH_SAFI, c->mp_reach_safi);
	EGRESS_PUT(w, UPDATE_MP_UNREACH_AFI, c->mp_unreach_afi);
	EGRESS_PUT(w, UPDATE_MP_UNREACH_SAFI, c->mp_unreach_safi);
}

/*
 * The number of an attribute is set only if the attribute is present; present
 * with value 0 differs from absent.
 */
#define PUT_ATTR(w, a, code, field, has, value)      \
	do {                                         \
		if (bgp_attrs_has(a, code)) {        \
			EGRESS_PUT(w, field, value); \
			EGRESS_PUT(w, has, 1);       \
		}                                    \
	} while (0)

static inline void attr_words(const struct bgp_attrs *a, uint64_t *w)
{
	PUT_ATTR(w, a, BGP_MED, UPDATE_MULTI_EXIT_DISC,
		 UPDATE_HAS_MULTI_EXIT_DISC, a->med);
	PUT_ATTR(w, a, BGP_LOCAL_PREF, UPDATE_LOCAL_PREFERENCE,
		 UPDATE_HAS_LOCAL_PREFERENCE, a->local_pref);
	PUT_ATTR(w, a, BGP_OTC, UPDATE_ONLY_TO_CUSTOMER,
		 UPDATE_HAS_ONLY_TO_CUSTOMER, a->otc);
	PUT_ATTR(w, a, BGP_ORIGINATOR_ID, UPDATE_ORIGINATOR_ID,
		 UPDATE_HAS_ORIGINATOR_ID, a->originator_id);
	PUT_ATTR(w, a, BGP_AGGREGATOR, UPDATE_AGGREGATOR_ASN,
		 UPDATE_HAS_AGGREGATOR, a->aggregator_as);
	if (bgp_attrs_has(a, BGP_AGGREGATOR))
		EGRESS_PUT(w, UPDATE_AGGREGATOR_BGP_ID, a->aggregator_id);
	EGRESS_PUT(w, UPDATE_ATOMIC_AGGREGATE,
		   bgp_attrs_has(a, BGP_ATOMIC_AGGREGATE));
}

/*
 * Scan the path once: is it one four-byte sequence, and how many ASNs has it?
 */
static void measure_path(const struct bgp_as_path *path, struct shared *s)
{
	struct bgp_as_path_iter it;
	struct bgp_as_segment segment;
	struct wire_view v = path->path;

	if (path->width == 4 && path->as4_path.len == 0 && v.len >= 2 &&
	    v.p[0] == BGP_AS_SEQUENCE && v.len == 2 + 4 * (size_t)v.p[1]) {
		s->plain_path = v.p + 2;
		s->path_count = v.p[1];
		return;
	}
	it = bgp_as_path_start(path);
	while (bgp_as_path_next(&it, &segment)) {
		s->path_count += segment.count;
		s->has_segments |= segment.type != BGP_AS_SEQUENCE;
		s->has_as_set |= !bgp_as_type_is_sequence(segment.type);
	}
}

static void attr_pointers(const struct bgp_attrs *a, struct shared *s)
{
	if (bgp_attrs_has(a, BGP_ORIGIN))
		s->present |= BIT(UPDATE_ORIGIN);
	if (bgp_attrs_has(a, BGP_AS_PATH))
		measure_path(&a->as_path, s);
	if (s->path_count != 0)
		s->present |= BIT(UPDATE_AS_PATH);
	if (a->communities.len != 0)
		s->present |= BIT(UPDATE_COMMUNITIES);
	if (a->ext_communities.len != 0)
		s->present |= BIT(UPDATE_EXTENDED_COMMUNITIES);
	if (a->large_communities.len != 0)
		s->present |= BIT(UPDATE_LARGE_COMMUNITIES);
	if (a->cluster_list.len != 0)
		s->present |= BIT(UPDATE_CLUSTER_LIST);
	/* Space for tags, padding, and at most one extra word per element. */
	s->bound += 4 * s->path_count + 2 * a->communities.len +
		    3 * a->ext_communities.len +
		    4 * (a->large_communities.len / 3) + a->cluster_list.len +
		    5 * 8;
}

static inline void shared_init(const struct rib_change *c, struct shared *s)
{
	s->present = BIT(UPDATE_ROUTER_ADDR) | BIT(UPDATE_PEER_ADDR);
	s->bound = FIXED_BOUND;
	s->path_count = 0;
	s->plain_path = NULL;
	s->has_segments = false;
	s->has_as_set = false;
	if (c->kind == BGP_NLRI_PREFIX)
		s->present |= BIT(UPDATE_PREFIX_ADDR);
	if (c->attrs != NULL)
		attr_pointers(c->attrs, s);
	if (c->next_hop.has_address)
		s->present |= BIT(UPDATE_NEXT_HOP);
}

static inline void build_origin(struct capnp_builder *b, uint8_t origin)
{
	static const char names[3][16] = { "IGP", "EGP", "INCOMPLETE" };
	static const uint8_t lengths[3] = { 4, 4, 11 };

	if (origin > 2)
		origin = 2;
	capnp_build_list(b, UPDATE_ORIGIN_PTR, EGRESS_LIST_BYTES,
			 lengths[origin]);
	memcpy(b->next, names[origin], 16); /* there is space for two words */
	b->next += egress_words(lengths[origin]);
}

/* Build the flat list of a path with several segments or two-byte ASNs. */
static void build_mixed_path(struct capnp_builder *b,
			     const struct bgp_as_path *path, size_t count)
{
	struct bgp_as_path_iter it = bgp_as_path_start(path);
	struct bgp_as_segment segment;
	uint32_t *out = (uint32_t *)(void *)b->next;

	capnp_build_list(b, UPDATE_AS_PATH_PTR, EGRESS_LIST_U32, count);
	b->next[egress_words(4 * count) - 1] = 0;
	while (bgp_as_path_next(&it, &segment))
		for (unsigned i = 0; i < segment.count; i++)
			*out++ = bgp_as_segment_at(&segment, i);
	b->next += egress_words(4 * count);
}

static inline void build_path(struct capnp_builder *b,
			      const struct bgp_as_path *path,
			      const struct shared *s)
{
	if (s->plain_path != NULL)
		capnp_build_numbers(b, UPDATE_AS_PATH_PTR, s->plain_path,
				    s->path_count);
	else
		build_mixed_path(b, path, s->path_count);
}

/*
 * Make pointer @ptr refer to the list of structs at @tag, whose elements were
 * written after the tag, and write the tag. This is done after the elements:
 * their data word is omitted if no element needs it, so their size is known
 * only at the end.
 */
static inline void build_structs(struct capnp_builder *b, unsigned ptr,
				 uint64_t *tag, size_t count, size_t data_words,
				 size_t ptrs)
{
	b->next = tag;
	capnp_build_list(b, ptr, EGRESS_LIST_STRUCTS,
			 count * (data_words + ptrs));
	*tag = egress_tag((uint32_t)count, data_words, ptrs);
	b->next = tag + 1 + count * (data_words + ptrs);
}

static inline void build_communities(struct capnp_builder *b,
				     struct wire_view list)
{
	size_t count = list.len / 4;
	uint64_t *tag = b->next;
	uint64_t any = 0;

	_Static_assert(COMMUNITY_DATA_WORDS == 1, "one word each");
	for (size_t i = 0; i < count; i++) {
		uint32_t community = wire_get_u32(list.p + 4 * i);
		uint64_t word = 0;

		word = (uint64_t)(community >> 16) << COMMUNITY_ASN_AT |
		       (uint64_t)(community & 0xffff) << COMMUNITY_VALUE_AT;
		any |= word;
		tag[1 + i] = word;
	}
	build_structs(b, UPDATE_COMMUNITIES_PTR, tag, count, any != 0, 0);
}

_Static_assert(EXTENDED_COMMUNITY_TYPE_HIGH_AT == 0 &&
		       EXTENDED_COMMUNITY_TYPE_LOW_AT == 8,
	       "the types stand as in BGP");

/*
 * Build the elements with @words data words each: 1, or 0 if all types are 0.
 */
static inline void put_ext_communities(struct capnp_builder *b,
				       const uint8_t *p, size_t count,
				       size_t words)
{
	uint64_t *element = b->next + 1;

	build_structs(b, UPDATE_EXTENDED_COMMUNITIES_PTR, b->next, count, words,
		      1);
	for (size_t i = 0; i < count; i++, element += words + 1) {
		uint64_t community = capnp_word(p + 8 * i);
		struct capnp_builder value = { element + words, b->next };

		/* the data word; the pointer, if the data word is omitted */
		element[0] = community & 0xffff;
		capnp_build_list(&value, EXTENDED_COMMUNITY_VALUE_PTR,
				 EGRESS_LIST_BYTES, 6);
		*b->next++ = community >> 16;
	}
}

static inline void build_ext_communities(struct capnp_builder *b,
					 struct wire_view list)
{
	size_t count = list.len / 8;
	uint64_t types = 0;

	for (size_t i = 0; i < count; i++)
		types |= capnp_word(list.p + 8 * i);
	if (__builtin_expect((types & 0xffff) != 0, 1))
		put_ext_communities(b, list.p, count, 1);
	else
		put_ext_communities(b, list.p, count, 0);
}

/*
 * Large communities: omit the last data word of each element, which is always
 * 0; omit the first one, too, if it is 0 in all elements.
 */
static void shorten_large(uint64_t *tag, size_t count, size_t words)
{
	for (size_t i = 0; i < count && words > 0; i++)
		tag[1 + i] = tag[1 + 2 * i];
}

static inline void build_large_communities(struct capnp_builder *b,
					   struct wire_view list)
{
	size_t count = list.len / 12, words = 2;
	uint64_t *tag = b->next;
	uint64_t first = 0, second = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t two = wire_get_u64(list.p + 12 * i);
		uint64_t third = wire_get_u32(list.p + 12 * i + 8);

		two = two << 32 | two >> 32;
		tag[1 + 2 * i] = two;
		tag[2 + 2 * i] = third;
		first |= two;
		second |= third;
	}
	if (__builtin_expect(second == 0, 0)) {
		words = first != 0;
		shorten_large(tag, count, words);
	}
	build_structs(b, UPDATE_LARGE_COMMUNITIES_PTR, tag, count, words, 0);
}

_Static_assert(LARGE_COMMUNITY_GLOBAL_ADMIN_AT == 0 &&
		       LARGE_COMMUNITY_LOCAL_DATA_PART1_AT == 32 &&
		       LARGE_COMMUNITY_LOCAL_DATA_PART2_AT == 64,
	       "build_large_communities() has them so");

static inline void build_attributes(struct capnp_builder *b,
				    const struct rib_change *c,
				    const struct shared *s)
{
	const struct bgp_attrs *a = c->attrs;
	uint32_t present = s->present;

	if (present & BIT(UPDATE_ORIGIN))
		build_origin(b, a->origin);
	if (present & BIT(UPDATE_AS_PATH))
		build_path(b, &a->as_path, s);
	if (present & BIT(UPDATE_NEXT_HOP))
		capnp_build_address(b, UPDATE_NEXT_HOP_PTR,
				    c->next_hop.address);
	if (present & BIT(UPDATE_COMMUNITIES))
		build_communities(b, a->communities);
	if (present & BIT(UPDATE_EXTENDED_COMMUNITIES))
		build_ext_communities(b, a->ext_communities);
	if (present & BIT(UPDATE_LARGE_COMMUNITIES))
		build_large_communities(b, a->large_communities);
	if (present & BIT(UPDATE_CLUSTER_LIST))
		capnp_build_numbers(b, UPDATE_CLUSTER_LIST_PTR,
				    a->cluster_list.p, a->cluster_list.len / 4);
}

/* The length of the data section of a route. */
static inline size_t data_words(const struct rib_change *c,
				const struct rib_route *r)
{
	_Static_assert(UPDATE_DATA_WORDS == 12 && DATA_MIN == 9 &&
			       UPDATE_PATH_ID_AT / 64 == 9 &&
			       UPDATE_REASON_AT / 64 == 9 &&
			       UPDATE_PEER_DISTINGUISHER_AT / 64 == 10 &&
			       UPDATE_ROUTE_DISTINGUISHER_AT / 64 == 11,
		       "only these words may be left out");
	if (r->rd != 0)
		return 12;
	if (c->table->distinguisher != 0)
		return 11;
	return (c->reason | r->path_id) != 0 ? 10 : 9;
}

/*
 * Store a word from a register. Without this gcc stores the words to an array
 * and loads them back two at a time; such a load must wait for two stores,
 * which takes longer than all other work here.
 */
static inline void put_word(uint64_t *p, uint64_t word)
{
	__asm__("" : "+r"(word));
	*p = word;
}

/* Write the data section, which has @words words. */
static inline void build_data(const struct rib_change *c,
			      const struct rib_route *r, const struct shared *s,
			      size_t words, uint64_t *data)
{
	uint64_t w[UPDATE_DATA_WORDS] = { 0 };

	table_words(c->table, w);
	change_words(c, w);
	if (c->attrs != NULL)
		attr_words(c->attrs, w);
	EGRESS_PUT(w, UPDATE_HAS_AS_SET, s->has_as_set);
	EGRESS_PUT(w, UPDATE_SEQUENCE, r->sequence);
	EGRESS_PUT(w, UPDATE_PREFIX_LEN, r->prefix_len);
	EGRESS_PUT(w, UPDATE_PATH_ID, r->path_id);
	EGRESS_PUT(w, UPDATE_ROUTE_DISTINGUISHER, r->rd);
	/* No loop: with a loop gcc would put the array into memory. */
	put_word(&data[0], w[0]);
	put_word(&data[1], w[1]);
	put_word(&data[2], w[2]);
	put_word(&data[3], w[3]);
	put_word(&data[4], w[4]);
	put_word(&data[5], w[5]);
	put_word(&data[6], w[6]);
	put_word(&data[7], w[7]);
	put_word(&data[8], w[8]);
	if (words > 9)
		put_word(&data[9], w[9]);
	if (words > 10)
		put_word(&data[10], w[10]);
	if (words > 11)
		put_word(&data[11], w[11]);
}

/* Build a whole message at @message. */
static void message_build(const struct rib_change *c, const struct rib_route *r,
			  const struct shared *s,
			  const struct egress_optional *rare, uint64_t *message,
			  struct shape *out)
{
	size_t words = data_words(c, r);
	size_t ptrs = capnp_build_ptrs(s->present | rare->present);
	uint64_t *data = message + EGRESS_HEAD_WORDS;
	struct capnp_builder b = { .ptrs = data + words,
				   .next = data + words + ptrs };

	capnp_build_head(message, words, ptrs);
	build_data(c, r, s, words, data);
	/*
	 * Clear all usual pointers in a few stores; if the pointer section is
	 * shorter, the objects after it overwrite the rest.
	 */
	memset(b.ptrs, 0, 8 * PTRS_USUAL);
	for (size_t i = PTRS_USUAL; i < ptrs; i++)
		b.ptrs[i] = 0;
	capnp_build_address(&b, UPDATE_ROUTER_ADDR_PTR,
			    c->table->router->address);
	capnp_build_address(&b, UPDATE_PEER_ADDR_PTR, c->table->peer_address);
	if (s->present & BIT(UPDATE_PREFIX_ADDR))
		capnp_build_address(&b, UPDATE_PREFIX_ADDR_PTR, r->address);
	build_attributes(&b, c, s);
	if (rare->present != 0) {
		/* so that b itself stays in registers */
		struct capnp_builder rest = b;

		egress_optional_build(c, r, rare, &rest);
		b = rest;
	}
	*out = (struct shape){
		.message = message,
		.bytes = capnp_build_end(message, &b),
		.data_words = words,
		.prefix = EGRESS_HEAD_WORDS + words + ptrs + PREFIX_BEHIND_PTRS,
	};
}

/* Overwrite a field whose position is a multiple of 8 bits. */
#define PATCH(data, field, value)                                    \
	do {                                                         \
		_Static_assert(field##_BITS == 8 * sizeof(value) &&  \
				       field##_AT % 8 == 0,          \
			       "a field of whole bytes");            \
		memcpy((uint8_t *)(data) + field##_AT / 8, &(value), \
		       sizeof(value));                               \
	} while (0)

/* Copy the message of @shape and patch it for route @r. */
static inline void message_patch(const struct rib_route *r,
				 const struct shape *shape, uint64_t *message)
{
	uint64_t *data = message + EGRESS_HEAD_WORDS;

	memcpy(message, shape->message, shape->bytes);
	PATCH(data, UPDATE_SEQUENCE, r->sequence);
	PATCH(data, UPDATE_PREFIX_LEN, r->prefix_len);
	memcpy(message + shape->prefix, r->address, 16);
	if (shape->data_words == DATA_MIN)
		return;
	PATCH(data, UPDATE_PATH_ID, r->path_id);
	if (shape->data_words == UPDATE_DATA_WORDS)
		PATCH(data, UPDATE_ROUTE_DISTINGUISHER, r->rd);
}

/* True if a pointer of encode_optional.c may be present. */
static inline bool has_rare(const struct rib_change *c, const struct shared *s)
{
	return c->table->router->name != NULL ||
	       c->table->table_name.len != 0 || c->next_hop.has_link_local ||
	       s->has_segments ||
	       (c->attrs != NULL && egress_optional_attrs(c->attrs));
}

/* True if the prefix alone identifies the route. */
static inline bool is_plain(const struct rib_change *c,
			    const struct rib_route *r)
{
	return c->kind == BGP_NLRI_PREFIX && r->labels.len == 0;
}

/*
 * Build a message that is not copied from a shape. 0 if the message may not
 * fit.
 */
static size_t build_single(const struct rib_change *c,
			   const struct rib_route *r, const struct shared *s,
			   struct egress_optional *rare, uint8_t *out,
			   size_t cap)
{
	uint32_t present = rare->present;
	size_t bound = rare->bound;
	struct shape shape = { 0 };

	if (!is_plain(c, r))
		egress_optional_route(c, r, rare);
	if (s->bound + rare->bound <= cap)
		message_build(c, r, s, rare, (uint64_t *)(void *)out, &shape);
	rare->present = present;
	rare->bound = bound;
	return shape.bytes;
}

size_t egress_encode_bound(const struct rib_change *c, size_t i)
{
	struct egress_optional rare;
	struct shared s;

	shared_init(c, &s);
	egress_optional_change(c, s.has_segments, &rare);
	if (!is_plain(c, &c->routes[i]))
		egress_optional_route(c, &c->routes[i], &rare);
	return s.bound + rare.bound;
}

/*
 * Hot: once per UPDATE and family. Cost: the attributes are read once and
 * written once; each further route is one memcpy() from a cache-warm source
 * and five stores. bench/egress.c
 */
struct egress_encoded egress_encode_update(const struct rib_change *c,
					   size_t first, size_t max,
					   uint8_t *out, size_t cap)
{
	struct egress_encoded done = { 0 };
	struct egress_optional rare;
	struct shared s;
	struct shape shape = { 0 };

	shared_init(c, &s);
	rare.present = 0;
	rare.bound = 0;
	if (has_rare(c, &s))
		egress_optional_change(c, s.has_segments, &rare);
	for (size_t i = first; i < c->count && done.routes < max; i++) {
		const struct rib_route *r = &c->routes[i];
		size_t left = cap - done.bytes;
		uint64_t *at = (uint64_t *)(void *)(out + done.bytes);
		size_t bytes;

		if (!is_plain(c, r)) {
			bytes = build_single(c, r, &s, &rare, out + done.bytes,
					     left);
		} else if (shape.message != NULL &&
			   shape.data_words == data_words(c, r)) {
			bytes = shape.bytes <= left ? shape.bytes : 0;
			if (bytes != 0)
				message_patch(r, &shape, at);
		} else {
			bytes = 0;
			if (s.bound + rare.bound <= left) {
				message_build(c, r, &s, &rare, at, &shape);
				bytes = shape.bytes;
			}
		}
		if (bytes == 0)
			break;
		done.bytes += bytes;
		done.routes++;
	}
	return done;
}
