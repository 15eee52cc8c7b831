/*
 * A set is unique by the pair of its second AS, a transit network, and its last
 * AS, the origin. Set i has origin i mod ORIGINS; sets that share an origin use
 * the transit networks in turn, from a start that depends only on the origin.
 * All other attributes are random.
 */
#include "load/attr_sets.h"

#include "bmp/bgp_writer.h"
#include "load/shape.h"

#include <errno.h>
#include <stdlib.h>

#define ORIGINS	 65536u /* the Internet had 78,000 in 2026 */
#define TRANSITS 4096u

/*
 * Numbers of the origin ASes, all even. As in 2026, about half of them have
 * four-byte numbers.
 */
#define ORIGINS_SHORT 30000u
#define SHORT_FIRST   1000u
#define LONG_FIRST    196608u

/* Numbers of the transit networks: all odd, so that no path has an AS twice. */
#define TRANSIT_FIRST 201u
#define TRANSIT_STEP  14u

#define SEGMENT_HEAD 2
#define PATH_MAX_LEN (SEGMENT_HEAD + 4 * (LOAD_HOPS_MAX + LOAD_PREPENDS_MAX))
#define GROW	     (1u << 20)

/* The attributes of one UPDATE, and the bytes that attrs points to. */
struct draft {
	struct bgp_attrs attrs;
	uint8_t path[PATH_MAX_LEN];
	uint8_t next_hop[4];
	uint8_t communities[4 * LOAD_COMMUNITIES_MAX];
	uint8_t ext[8 * LOAD_EXT_MAX];
	uint8_t large[12 * LOAD_LARGE_MAX];
};

static uint32_t origin_as(uint32_t i)
{
	/*
	 * The factor is odd, so the result is a permutation: sets that follow
	 * each other get distant origins.
	 */
	uint32_t nth = i * 40503u % ORIGINS;

	if (nth < ORIGINS_SHORT)
		return SHORT_FIRST + 2 * nth;
	return LONG_FIRST + 6 * (nth - ORIGINS_SHORT);
}

static uint32_t transit_as(uint32_t nth)
{
	return TRANSIT_FIRST + TRANSIT_STEP * (nth % TRANSITS);
}

static void draft_path(struct draft *d, uint32_t i, struct load_random *random)
{
	uint32_t start = i % ORIGINS * 2654435761u >> 20;
	uint32_t transit = start + i / ORIGINS;
	uint32_t hops = load_shape_draw(LOAD_HOPS, random);
	uint32_t prepends = load_shape_draw(LOAD_PREPENDS, random);
	uint8_t *p = d->path + SEGMENT_HEAD;

	wire_put_u32(p, BGP_AS_TRANS); /* the peer's AS, patched later */
	p += 4;
	for (uint32_t hop = 2; hop < hops; hop++, p += 4)
		wire_put_u32(p, transit_as(transit + (hop - 2) * 1021));
	for (uint32_t n = 0; n <= prepends; n++, p += 4)
		wire_put_u32(p, origin_as(i % ORIGINS));
	d->path[0] = BGP_AS_SEQUENCE;
	d->path[1] = (uint8_t)(hops + prepends);
	d->attrs.as_path = (struct bgp_as_path){
		.path = { d->path, (size_t)(p - d->path) },
		.width = 4,
	};
	bgp_attrs_set(&d->attrs, BGP_AS_PATH);
}

/* Add communities of the path's transit network, as is usual. */
static void draft_communities(struct draft *d, uint32_t transit,
			      struct load_random *random)
{
	size_t n = load_shape_draw(LOAD_COMMUNITIES, random);
	uint32_t value = load_random_below(random, 1000);

	for (size_t i = 0; i < n; i++) {
		/* in ascending order, as routers sort them */
		wire_put_u32(d->communities + 4 * i, transit << 16 | value);
		value += 1 + load_random_below(random, 2000);
	}
	d->attrs.communities = (struct wire_view){ d->communities, 4 * n };
	if (n > 0)
		bgp_attrs_set(&d->attrs, BGP_COMMUNITIES);
}

static void draft_ext(struct draft *d, uint32_t transit,
		      struct load_random *random)
{
	size_t n = load_shape_draw(LOAD_EXT_COMMUNITIES, random);

	for (size_t i = 0; i < n; i++) {
		uint64_t value = load_random_below(random, 1000) + 1000 * i;

		/* Route target of a two-byte AS, RFC 4360 4. */
		wire_put_u64(d->ext + 8 * i, UINT64_C(0x0002) << 48 |
						     (uint64_t)transit << 32 |
						     value);
	}
	d->attrs.ext_communities = (struct wire_view){ d->ext, 8 * n };
	if (n > 0)
		bgp_attrs_set(&d->attrs, BGP_EXT_COMMUNITIES);
}

static void draft_large(struct draft *d, uint32_t transit,
			struct load_random *random)
{
	size_t n = load_shape_draw(LOAD_LARGE_COMMUNITIES, random);

	for (size_t i = 0; i < n; i++) {
		wire_put_u32(d->large + 12 * i, transit);
		wire_put_u32(d->large + 12 * i + 4, (uint32_t)i + 1);
		wire_put_u32(d->large + 12 * i + 8,
			     load_random_below(random, 100000));
	}
	d->attrs.large_communities = (struct wire_view){ d->large, 12 * n };
	if (n > 0)
		bgp_attrs_set(&d->attrs, BGP_LARGE_COMMUNITIES);
}

static void draft_numbers(struct draft *d, uint32_t origin,
			  struct load_random *random)
{
	struct bgp_attrs *a = &d->attrs;

	a->origin = (uint8_t)load_shape_draw(LOAD_ORIGIN, random);
	bgp_attrs_set(a, BGP_ORIGIN);
	if (load_shape_draw(LOAD_MED, random)) {
		a->med = load_random_below(random, 200);
		bgp_attrs_set(a, BGP_MED);
	}
	if (load_shape_draw(LOAD_ATOMIC_AGGREGATE, random))
		bgp_attrs_set(a, BGP_ATOMIC_AGGREGATE);
	if (load_shape_draw(LOAD_AGGREGATOR, random)) {
		a->aggregator_as = origin;
		a->aggregator_id = UINT32_C(0xc6336400) + /* 198.51.100.0 */
				   load_random_below(random, 256);
		bgp_attrs_set(a, BGP_AGGREGATOR);
	}
}

/* Make the attributes of set @i. */
static void draft_make(struct draft *d, uint32_t i, enum bgp_family family,
		       struct load_random *random)
{
	uint32_t transit;

	*d = (struct draft){ 0 };
	draft_path(d, i, random);
	transit = wire_get_u32(d->path + SEGMENT_HEAD + 4);
	draft_numbers(d, origin_as(i % ORIGINS), random);
	draft_communities(d, transit, random);
	draft_ext(d, transit, random);
	draft_large(d, transit, random);
	if (family == BGP_IPV4_UNICAST) {
		d->attrs.next_hop = d->next_hop;
		d->attrs.next_hop_len = sizeof(d->next_hop);
		bgp_attrs_set(&d->attrs, BGP_NEXT_HOP);
	}
}

static int make_room(struct load_sets *sets)
{
	size_t size = sets->size + sets->size / 2 + GROW;
	uint8_t *grown;

	if (sets->len + LOAD_SET_MAX <= sets->size)
		return 0;
	if (size > UINT32_MAX)
		return -ERANGE;
	grown = realloc(sets->bytes, size);
	if (grown == NULL)
		return -ENOMEM;
	sets->bytes = grown;
	sets->size = size;
	return 0;
}

/* Encode the draft as an UPDATE, and append its attributes to @sets. */
static void set_add(struct load_sets *sets, const struct draft *d)
{
	struct bgp_update_parts parts = { .attrs = &d->attrs };
	struct load_set *set = &sets->list[sets->count++];
	size_t head = BGP_HEADER_LEN + 4; /* two length fields */
	uint8_t pdu[BGP_HEADER_LEN + 4 + LOAD_SET_MAX];
	struct bmp_writer w = bmp_writer_on(pdu, sizeof(pdu));

	bgp_write_update(&w, &parts);
	*set = (struct load_set){
		.at = (uint32_t)sets->len,
		.len = (uint16_t)(w.len - head),
	};
	if (bgp_attrs_has(&d->attrs, BGP_NEXT_HOP))
		set->next_hop_at = (uint16_t)(LOAD_SET_AS_AT - SEGMENT_HEAD +
					      d->attrs.as_path.path.len + 3);
	memcpy(sets->bytes + sets->len, pdu + head, set->len);
	sets->len += set->len;
}

int load_sets_init(struct load_sets *sets, enum bgp_family family,
		   uint32_t count, struct load_random *random)
{
	struct draft d;
	int err = 0;

	*sets = (struct load_sets){ 0 };
	if (count == 0)
		return 0;
	if (count > ORIGINS * TRANSITS)
		return -ERANGE;
	sets->list = malloc(count * sizeof(*sets->list));
	if (sets->list == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && err == 0; i++) {
		err = make_room(sets);
		if (err == 0) {
			draft_make(&d, i, family, random);
			set_add(sets, &d);
		}
	}
	if (err < 0)
		load_sets_fini(sets);
	return err;
}

void load_sets_fini(struct load_sets *sets)
{
	free(sets->bytes);
	free(sets->list);
	*sets = (struct load_sets){ 0 };
}
