/*
 * Routers send a table one attribute set after another, and a set with more
 * prefixes than fit is sent in several UPDATEs. So the attributes of the
 * previous part are cached; if the relevant bytes are the same, the canonical
 * form need not be built, hashed and looked up again.
 *
 * The relevant bytes are the attribute block without MP_REACH and MP_UNREACH
 * and, for routes in MP_REACH, its next hop: the rest of that attribute
 * consists of the routes.
 */
#include "rib/update_attrs.h"

#include "rib/rib_internal.h"
#include "rib/scratch.h"

#include "bmp/canonical.h"

#include <stdlib.h>

static bool reads_alike(const struct bgp_decode_opts *a,
			const struct bgp_decode_opts *b)
{
	return a->as_width == b->as_width &&
	       a->as_width_certain == b->as_width_certain &&
	       a->loc_rib == b->loc_rib;
}

static bool has_mp(const struct bgp_attrs *a)
{
	return bgp_attrs_has(a, BGP_MP_REACH) ||
	       bgp_attrs_has(a, BGP_MP_UNREACH);
}

/*
 * Copy the relevant bytes to @out, which has space for one byte more than the
 * block.
 */
static struct wire_view gather_bytes(const struct bgp_update *u,
				     enum bgp_nlri_part_id s, uint8_t *out)
{
	struct wire_cursor c = wire_start(u->attrs.block);
	struct wire_cursor before = c;
	struct wire_view next_hop = u->attrs.reach.next_hop;
	struct bgp_attr attr;
	size_t len = 0;

	out[len++] = (uint8_t)s;
	if (s == BGP_PART_MP_REACH && next_hop.len != 0) {
		memcpy(out + len, next_hop.p, next_hop.len);
		len += next_hop.len;
	}
	while (bgp_attr_next(&c, &attr)) {
		size_t n = before.left - c.left;

		if (attr.code != BGP_MP_REACH && attr.code != BGP_MP_UNREACH) {
			memcpy(out + len, before.p, n);
			len += n;
		}
		before = c;
	}
	/*
	 * If a part of the block cannot be parsed, copy it, so that it is
	 * compared, too.
	 */
	memcpy(out + len, before.p, before.left);
	return (struct wire_view){ out, len + before.left };
}

static bool is_cached(const struct rib_attr_cache *cache,
		      const struct bgp_decode_opts *opts,
		      struct wire_view bytes)
{
	return cache->set != RIB_VALUE_NONE && cache->len == bytes.len &&
	       reads_alike(&cache->opts, opts) &&
	       memcmp(cache->bytes, bytes.p, bytes.len) == 0;
}

/* Cache the compared bytes. If out of memory, the cache is left empty. */
static void cache_attrs(struct rib *rib, const struct bgp_decode_opts *opts,
			struct wire_view bytes, uint32_t set)
{
	struct rib_attr_cache *cache = &rib->cache;

	if (cache->set != RIB_VALUE_NONE)
		rib_value_put(&rib->attrsets, cache->set);
	cache->set = set;
	cache->opts = *opts;
	cache->len = bytes.len;
	if (bytes.len > cache->capacity) {
		uint8_t *p = realloc(cache->bytes, bytes.len);

		if (p == NULL) {
			/* no block of attributes has this length */
			cache->len = SIZE_MAX;
			return;
		}
		cache->bytes = p;
		cache->capacity = bytes.len;
	}
	if (bytes.len != 0)
		memcpy(cache->bytes, bytes.p, bytes.len);
}

/*
 * The maximum number of bytes for gather_bytes(): the block, the part id and a
 * next hop.
 */
static size_t gather_bound(const struct bgp_update *u)
{
	return u->attrs.block.len + 64;
}

size_t rib_attrs_form_read(const struct rib *rib, struct rib_lookahead *a,
			   const struct rib_lookahead *before, uint8_t *room,
			   size_t size)
{
	const struct bgp_update *u = &a->in->update;
	struct rib_attrs_form *out = &a->form;
	enum bgp_nlri_part_id s = a->part;
	size_t bound = bgp_canonical_bound(u);
	size_t used = 0;

	*out = (struct rib_attrs_form){ .bytes = u->attrs.block };
	if (bound + gather_bound(u) > size)
		return 0;
	out->is_read = true;
	if (has_mp(&u->attrs)) {
		out->bytes = gather_bytes(u, s, room);
		used = out->bytes.len;
	}
	if (before != NULL && before->form.is_read && before->part == s &&
	    before->form.bytes.len == out->bytes.len &&
	    reads_alike(&before->in->opts, &a->in->opts) &&
	    memcmp(before->form.bytes.p, out->bytes.p, out->bytes.len) == 0) {
		out->canonical = before->form.canonical;
		out->hash = before->form.hash;
		out->is_hashed = before->form.is_hashed;
		return used;
	}
	out->canonical = bgp_canonical(u, s, room + used);
	if (out->canonical.p == room + used)
		used += out->canonical.len;
	/*
	 * If the routes are announced again, they usually have the same set as
	 * before.
	 */
	if (!a->at_expected_id) {
		out->hash = rib_attrset_hash(&rib->attrsets, out->canonical);
		out->is_hashed = true;
		rib_attrset_prefetch(&rib->attrsets, out->hash);
	}
	return used;
}

/* Compute the form that lookahead did not compute. */
static bool complete_form(const struct rib *rib, const struct bgp_update *u,
			  enum bgp_nlri_part_id s, uint8_t *room,
			  uint32_t guess, struct rib_update_attrs *out)
{
	if (out->canonical.p == NULL)
		out->canonical = bgp_canonical(u, s, room);
	return guess != RIB_VALUE_NONE &&
	       rib_attrset_is(&rib->attrsets, guess, out->canonical);
}

void rib_update_attrs_begin(struct rib_router *router,
			    const struct rib_input *in, enum bgp_nlri_part_id s,
			    const struct rib_attrs_form *form, uint32_t guess,
			    struct rib_update_attrs *out)
{
	const struct bgp_update *u = &in->update;
	struct rib *rib = router->rib;
	size_t bound = bgp_canonical_bound(u);
	uint8_t *room = rib_scratch_more(rib, bound + gather_bound(u));

	*out = (struct rib_update_attrs){ .bytes = u->attrs.block };
	if (room == NULL)
		return;
	if (form != NULL)
		out->bytes = form->bytes;
	else if (has_mp(&u->attrs))
		out->bytes = gather_bytes(u, s, room + bound);
	if (is_cached(&rib->cache, &in->opts, out->bytes)) {
		RIB_COUNT(router, attrs_cached, 1);
		out->set = rib->cache.set;
		out->cached = true;
		return;
	}
	if (form != NULL && form->canonical.p != NULL)
		out->canonical = form->canonical;
	if (complete_form(rib, u, s, room, guess, out)) {
		out->set = guess;
		return;
	}
	if (form != NULL && form->is_hashed) {
		out->hash = form->hash; /* and its slot was prefetched */
		return;
	}
	out->hash = rib_attrset_hash(&rib->attrsets, out->canonical);
	rib_attrset_prefetch(&rib->attrsets, out->hash);
}

void rib_update_attrs_go_on(struct rib_router *router,
			    const struct rib_update_attrs *attrs)
{
	if (attrs->set == RIB_VALUE_NONE && attrs->canonical.p != NULL)
		rib_attrset_prefetch_bytes(&router->rib->attrsets, attrs->hash);
}

uint32_t rib_update_attrs_end(struct rib_router *router,
			      const struct rib_input *in,
			      const struct rib_update_attrs *attrs)
{
	struct rib *rib = router->rib;
	uint32_t set = attrs->set;

	if (attrs->cached || attrs->canonical.p == NULL)
		return set;
	if (set != RIB_VALUE_NONE)
		rib_value_get(&rib->attrsets, set);
	else
		set = rib_attrset_intern_hashed(&rib->attrsets, attrs->hash,
						attrs->canonical);
	if (set != RIB_VALUE_NONE)
		cache_attrs(rib, &in->opts, attrs->bytes, set);
	return set;
}
