/*
 * A block that is already canonical is recognised by headers_canonical, which
 * the decoder sets, and by a check of its path and communities.
 *
 * Any other block is written in one pass, as long as the codes ascend; nearly
 * all routers send them so. If they do not, the offset of the first attribute
 * of each code is noted in a table, and the pass follows the table. In both
 * cases the cost is linear in the block.
 */
#include "bmp/canonical.h"

#include "bmp/attr_row.h"

#include <assert.h>

#define HEADER_LEN    3 /* flags, code, length */
#define SEGMENT_MAX   255
#define INSERTION_MAX 32

/* No bounds are checked: bgp_canonical_bound() is always enough. */
struct out {
	uint8_t *p;
	size_t len;
	bool next_hop_done;
};

static inline void put_bytes(struct out *o, const uint8_t *p, size_t n)
{
	wire_copy(o->p + o->len, p, n);
	o->len += n;
}

/* Begin an attribute; returns where its length has to go. */
static inline size_t begin_attr(struct out *o, uint8_t flags, uint8_t code)
{
	size_t at = o->len;

	o->p[at] = flags;
	o->p[at + 1] = code;
	o->len += HEADER_LEN;
	return at;
}

/*
 * End an attribute that needs two bytes of length: move the value by one byte.
 */
static __attribute__((noinline)) void end_long(struct out *o, size_t at)
{
	uint8_t *p = o->p + at;
	size_t len = o->len - at - HEADER_LEN;

	memmove(p + HEADER_LEN + 1, p + HEADER_LEN, len);
	p[0] |= BGP_ATTR_EXT_LEN;
	wire_put_u16(p + 2, (uint16_t)len);
	o->len++;
}

static inline void end_attr(struct out *o, size_t at)
{
	size_t len = o->len - at - HEADER_LEN;

	if (len > UINT8_MAX)
		end_long(o, at);
	else
		o->p[at + 2] = (uint8_t)len;
}

/* Sorting sets of equal elements, in place. */

static int element_compare(const uint8_t *a, const uint8_t *b, size_t width)
{
	if (width == 4) {
		uint32_t x = wire_get_u32(a);
		uint32_t y = wire_get_u32(b);

		return (x > y) - (x < y);
	}
	return memcmp(a, b, width);
}

static void element_swap(uint8_t *a, uint8_t *b, size_t width)
{
	uint8_t t[20];

	memcpy(t, a, width);
	memcpy(a, b, width);
	memcpy(b, t, width);
}

static void sort_insertion(uint8_t *p, size_t n, size_t width)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0; j--) {
			uint8_t *b = p + j * width;

			if (element_compare(b - width, b, width) <= 0)
				break;
			element_swap(b - width, b, width);
		}
}

static void sift_down(uint8_t *p, size_t root, size_t n, size_t width)
{
	for (;;) {
		size_t child = 2 * root + 1;

		if (child >= n)
			return;
		if (child + 1 < n &&
		    element_compare(p + child * width, p + (child + 1) * width,
				    width) < 0)
			child++;
		if (element_compare(p + root * width, p + child * width,
				    width) >= 0)
			return;
		element_swap(p + root * width, p + child * width, width);
		root = child;
	}
}

/*
 * A router can send 16,000 communities in descending order; heap sort avoids
 * n^2.
 */
static void sort_heap(uint8_t *p, size_t n, size_t width)
{
	for (size_t i = n / 2; i > 0; i--)
		sift_down(p, i - 1, n, width);
	for (size_t i = n - 1; i > 0; i--) {
		element_swap(p, p + i * width, width);
		sift_down(p, 0, i, width);
	}
}

/*
 * elements_ascending() for four-byte elements, such as communities, which are
 * the most frequent sets.
 */
static bool ascending_4(const uint8_t *p, size_t n)
{
	uint32_t last = wire_get_u32(p);

	for (size_t i = 1; i < n; i++) {
		uint32_t v = wire_get_u32(p + 4 * i);

		if (v <= last)
			return false;
		last = v;
	}
	return true;
}

static bool elements_ascending(const uint8_t *p, size_t n, size_t width)
{
	if (width == 4 && n > 1)
		return ascending_4(p, n);
	for (size_t i = 1; i < n; i++)
		if (element_compare(p + (i - 1) * width, p + i * width,
				    width) >= 0)
			return false;
	return true;
}

/* Sort elements and remove duplicates. Returns how many elements remain. */
static size_t sort_unique(uint8_t *p, size_t n, size_t width)
{
	size_t kept = 1;

	assert(width <= 20);
	if (elements_ascending(p, n, width))
		return n;
	if (n <= INSERTION_MAX)
		sort_insertion(p, n, width);
	else
		sort_heap(p, n, width);
	for (size_t i = 1; i < n; i++) {
		if (element_compare(p + (kept - 1) * width, p + i * width,
				    width) == 0)
			continue;
		memmove(p + kept * width, p + i * width, width);
		kept++;
	}
	return kept;
}

/* AS_PATH */

/*
 * True if the path is empty or one sequence of four-byte ASNs, as nearly all
 * paths are: then it is canonical.
 */
static bool path_is_plain(const struct bgp_as_path *path)
{
	struct wire_view v = path->path;

	return path->width == 4 && path->as4_path.len == 0 &&
	       (v.len == 0 ||
		(v.p[0] == BGP_AS_SEQUENCE && v.len == 2 + (size_t)v.p[1] * 4));
}

/*
 * Append a segment. Consecutive sequences become one, in pieces of maximum
 * length; @at is the previous segment, or SIZE_MAX.
 */
static size_t put_segment(struct out *o, const struct bgp_as_segment *s,
			  size_t at)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (at == SIZE_MAX || o->p[at] != s->type ||
		    !bgp_as_type_is_sequence(s->type) ||
		    o->p[at + 1] == SEGMENT_MAX) {
			/*
			 * A set stays one segment: its header is written with
			 * its first member.
			 */
			if (i == 0 || bgp_as_type_is_sequence(s->type)) {
				at = o->len;
				o->p[at] = s->type;
				o->p[at + 1] = 0;
				o->len += 2;
			}
		}
		wire_put_u32(o->p + o->len, bgp_as_segment_at(s, i));
		o->len += 4;
		o->p[at + 1]++;
	}
	if (!bgp_as_type_is_sequence(s->type)) {
		size_t n = sort_unique(o->p + at + 2, o->p[at + 1], 4);

		o->p[at + 1] = (uint8_t)n;
		o->len = at + 2 + 4 * n;
	}
	return at;
}

static void put_segments(struct out *o, const struct bgp_as_path *path)
{
	struct bgp_as_path_iter it = bgp_as_path_start(path);
	struct bgp_as_segment s;
	size_t at = SIZE_MAX;

	while (bgp_as_path_next(&it, &s))
		at = put_segment(o, &s, at);
}

/* Other attributes */

static void put_set(struct out *o, struct wire_view value, size_t width)
{
	uint8_t *p = o->p + o->len;

	put_bytes(o, value.p, value.len);
	o->len = (size_t)(p - o->p) +
		 width * sort_unique(p, value.len / width, width);
}

static inline void put_value(struct out *o, const struct bgp_attr_row *row,
			     const struct bgp_attrs *a,
			     const struct bgp_attr *t)
{
	switch ((enum bgp_attr_spelling)row->spelling) {
	case BGP_SPELL_PATH:
		if (path_is_plain(&a->as_path))
			put_bytes(o, t->value.p, t->value.len);
		else
			put_segments(o, &a->as_path);
		break;
	case BGP_SPELL_AGGREGATOR:
		wire_put_u32(o->p + o->len, a->aggregator_as);
		wire_put_u32(o->p + o->len + 4, a->aggregator_id);
		o->len += 8;
		break;
	case BGP_SPELL_SET:
		put_set(o, t->value, row->element);
		break;
	default:
		put_bytes(o, t->value.p, t->value.len);
	}
}

/*
 * Write NEXT_HOP for all cases except that put_next_hop() copies the attribute
 * NEXT_HOP. Nothing is written if the routes have no next hop.
 */
static void put_next_hop_address(struct out *o, const struct bgp_update *u,
				 enum bgp_nlri_part_id s)
{
	struct bgp_next_hop nh;
	size_t at;

	bgp_update_next_hop(u, s, &nh);
	if (!nh.has_address)
		return;
	at = begin_attr(o, BGP_ATTR_TRANSITIVE, BGP_NEXT_HOP);
	if (nh.has_link_local) {
		put_bytes(o, nh.address, 16);
		put_bytes(o, nh.link_local, 16);
	} else if (wire_is_mapped(nh.address)) {
		put_bytes(o, nh.address + 12, 4);
	} else {
		put_bytes(o, nh.address, 16);
	}
	end_attr(o, at);
}

/*
 * Write NEXT_HOP. Called before the first attribute whose code is not below
 * that of NEXT_HOP, or at the end if there is none.
 */
static inline void put_next_hop(struct out *o, const struct bgp_update *u,
				enum bgp_nlri_part_id s)
{
	size_t at;

	o->next_hop_done = true;
	if (s != BGP_PART_NLRI || u->attrs.next_hop_len != 4) {
		put_next_hop_address(o, u, s);
		return;
	}
	at = begin_attr(o, BGP_ATTR_TRANSITIVE, BGP_NEXT_HOP);
	put_bytes(o, u->attrs.next_hop, 4);
	end_attr(o, at);
}

static inline __attribute__((always_inline)) void put_attr(
	struct out *o, const struct bgp_update *u, enum bgp_nlri_part_id s,
	const struct bgp_attr *t)
{
	const struct bgp_attr_row *row = &bgp_attr_rows[t->code];
	uint8_t flags = t->flags & (BGP_ATTR_OPTIONAL | BGP_ATTR_TRANSITIVE |
				    BGP_ATTR_PARTIAL);
	size_t at;

	if (!o->next_hop_done && t->code >= BGP_NEXT_HOP)
		put_next_hop(o, u, s);
	if (row->spelling == BGP_SPELL_NOWHERE)
		return;
	/* The partial bit of known attributes is not kept. */
	if (row->decode != NULL)
		flags &= (uint8_t)~BGP_ATTR_PARTIAL;
	at = begin_attr(o, flags, t->code);
	put_value(o, row, &u->attrs, t);
	end_attr(o, at);
}

/*
 * Write the attributes of a block whose codes do not ascend. Not inlined, so
 * that its table is not on the stack of the usual path.
 */
static __attribute__((noinline)) void put_unordered(struct out *o,
						    const struct bgp_update *u,
						    enum bgp_nlri_part_id s)
{
	struct wire_cursor c = wire_start(u->attrs.block);
	struct wire_cursor at[256];
	uint64_t met[4] = { 0 };
	struct wire_cursor before = c;
	struct bgp_attr t;

	while (bgp_attr_next(&c, &t)) {
		uint64_t bit = UINT64_C(1) << (t.code % 64);

		if (bgp_attrs_has(&u->attrs, t.code) &&
		    !(met[t.code / 64] & bit)) {
			met[t.code / 64] |= bit;
			at[t.code] = before;
		}
		before = c;
	}
	for (int word = 0; word < 4; word++)
		for (uint64_t m = met[word]; m != 0; m &= m - 1) {
			int code = 64 * word + __builtin_ctzll(m);

			if (bgp_attr_next(&at[code], &t))
				put_attr(o, u, s, &t);
		}
}

/*
 * Cost: a copy of the block, and a comparison per community. bench/bmp_decode.c,
 * variant "canonical".
 */
size_t bgp_canonical_write(const struct bgp_update *u, enum bgp_nlri_part_id s,
			   uint8_t *out, size_t cap)
{
	struct wire_cursor c = wire_start(u->attrs.block);
	struct out o = { .p = out };
	struct bgp_attr t;
	int last = -1;

	if (cap < bgp_canonical_bound(u))
		return 0;
	while (bgp_attr_next(&c, &t)) {
		if (!bgp_attrs_has(&u->attrs, t.code) || t.code == last)
			continue;
		/*
		 * Skip this attribute before codes are compared: MP_REACH
		 * usually comes first (RFC 7606 5.1).
		 */
		if (bgp_attr_rows[t.code].spelling == BGP_SPELL_NOWHERE)
			continue;
		if (t.code < last) {
			o = (struct out){ .p = out };
			put_unordered(&o, u, s);
			break;
		}
		last = t.code;
		put_attr(&o, u, s, &t);
	}
	if (!o.next_hop_done)
		put_next_hop(&o, u, s);
	return o.len;
}

static inline bool is_set(struct wire_view v, size_t width)
{
	return v.len == 0 || elements_ascending(v.p, v.len / width, width);
}

/*
 * NEXT_HOP has 16 or 32 bytes only in blocks that are canonical already. It is
 * not canonical if it has an IPv4-mapped address.
 */
static bool next_hop_is_canonical(const struct bgp_attrs *a)
{
	return a->next_hop_len != 16 || !wire_is_mapped(a->next_hop);
}

static inline bool sets_are_canonical(const struct bgp_attrs *a)
{
	return is_set(a->communities, 4) && is_set(a->ext_communities, 8) &&
	       is_set(a->large_communities, 12) &&
	       is_set(a->ipv6_ext_communities, 20);
}

/* True if the block is the canonical form of the attributes of part @s. */
static bool is_canonical(const struct bgp_attrs *a, enum bgp_nlri_part_id s)
{
	return s == BGP_PART_NLRI && a->headers_canonical &&
	       a->block.len != 0 && next_hop_is_canonical(a) &&
	       path_is_plain(&a->as_path) && sets_are_canonical(a);
}

/*
 * For routes in MP_REACH whose other attributes are canonical: copy these
 * attributes to @room, and insert NEXT_HOP at its place. Only for plain
 * UPDATEs: their attributes are complete, and their next hop is one or two
 * addresses.
 */
static size_t put_spliced(const struct bgp_update *u, uint8_t *room)
{
	struct wire_cursor c = wire_start(u->attrs.block);
	struct out o = { .p = room };
	struct bgp_attr t;

	for (const uint8_t *at = c.p; bgp_attr_next(&c, &t); at = c.p) {
		if (t.code == BGP_MP_REACH || t.code == BGP_NEXT_HOP)
			continue;
		if (t.code > BGP_NEXT_HOP && !o.next_hop_done)
			put_next_hop(&o, u, BGP_PART_MP_REACH);
		put_bytes(&o, at, (size_t)(c.p - at));
	}
	if (!o.next_hop_done)
		put_next_hop(&o, u, BGP_PART_MP_REACH);
	return o.len;
}

/*
 * Hot: once per part with announcements. Cost: a comparison per community; if
 * the block is not canonical, also the cost of bgp_canonical_write().
 */
struct wire_view bgp_canonical(const struct bgp_update *u,
			       enum bgp_nlri_part_id s, uint8_t *room)
{
	if (is_canonical(&u->attrs, s))
		return u->attrs.block;
	if (u->plain && s == BGP_PART_MP_REACH && u->attrs.others_canonical &&
	    sets_are_canonical(&u->attrs))
		return (struct wire_view){ room, put_spliced(u, room) };
	return (struct wire_view){
		.p = room,
		.len = bgp_canonical_write(u, s, room, bgp_canonical_bound(u)),
	};
}
