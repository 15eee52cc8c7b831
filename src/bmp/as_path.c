#include "bmp/as_path.h"

static bool take_segment(struct wire_cursor *c, uint8_t width,
			 struct bgp_as_segment *out)
{
	struct wire_view asns;
	uint8_t type, count;

	if (!(wire_u8(c, &type) && wire_u8(c, &count) &&
	      wire_take(c, (size_t)count * width, &asns)))
		return false;
	*out = (struct bgp_as_segment){
		.type = type,
		.width = width,
		.count = count,
		.asns = asns.p,
	};
	return true;
}

static bool type_known(uint8_t type)
{
	return type - 1u < 4;
}

/* Hot: once per UPDATE with a path. Cost: one step per segment. */
bool bgp_as_path_valid(struct wire_view path, uint8_t width)
{
	struct wire_cursor c = wire_start(path);
	struct bgp_as_segment s;

	while (c.left != 0)
		/* RFC 7606 7.2: an empty segment is malformed, too. */
		if (!take_segment(&c, width, &s) || !type_known(s.type) ||
		    s.count == 0)
			return false;
	return true;
}

/* Hot: once per UPDATE with a path. Cost: one step per ASN. */
bool bgp_as_path_has_zero(struct wire_view path, uint8_t width)
{
	struct wire_cursor c = wire_start(path);
	struct bgp_as_segment s;
	bool zero = false;

	while (take_segment(&c, width, &s))
		for (unsigned i = 0; i < s.count; i++)
			zero |= bgp_as_segment_at(&s, i) == 0;
	return zero;
}

static uint32_t segment_hops(const struct bgp_as_segment *s)
{
	switch (s->type) {
	case BGP_AS_SET:
		return 1;
	case BGP_AS_SEQUENCE:
		return s->count;
	default:
		return 0;
	}
}

uint32_t bgp_as_path_hops(struct wire_view path, uint8_t width)
{
	struct wire_cursor c = wire_start(path);
	struct bgp_as_segment s;
	uint32_t hops = 0;

	while (take_segment(&c, width, &s))
		hops += segment_hops(&s);
	return hops;
}

struct bgp_as_path_iter bgp_as_path_start(const struct bgp_as_path *path)
{
	struct bgp_as_path_iter it = {
		.c = wire_start(path->path),
		.width = path->width,
		.hops_left = UINT32_MAX,
	};
	uint32_t hops, hops4;

	if (path->as4_path.len == 0)
		return it;
	hops = bgp_as_path_hops(path->path, path->width);
	hops4 = bgp_as_path_hops(path->as4_path, 4);
	/*
	 * RFC 6793 4.2.3: an AS4_PATH with more hops than AS_PATH is ignored.
	 */
	if (hops4 == 0 || hops4 > hops)
		return it;
	it.hops_left = hops - hops4;
	it.then = path->as4_path;
	return it;
}

/*
 * All hops of AS_PATH that precede AS4_PATH were returned: continue with
 * AS4_PATH.
 */
static void switch_to_as4(struct bgp_as_path_iter *it)
{
	it->c = wire_start(it->then);
	it->then.len = 0;
	it->width = 4;
	it->in_as4 = true;
	it->hops_left = UINT32_MAX;
}

bool bgp_as_path_next(struct bgp_as_path_iter *it, struct bgp_as_segment *out)
{
	uint32_t hops;

	/*
	 * If no hop of AS_PATH is left to return, confederation segments that
	 * follow still belong to it, because they count as no hops.
	 */
	for (;;) {
		if (!take_segment(&it->c, it->width, out)) {
			if (it->then.len == 0)
				return false;
			switch_to_as4(it);
			continue;
		}
		hops = segment_hops(out);
		/*
		 * RFC 6793 3: AS4_PATH must not contain confederation segments.
		 */
		if (it->in_as4 && hops == 0)
			continue;
		if (hops <= it->hops_left)
			break;
		if (it->hops_left == 0) {
			switch_to_as4(it);
			continue;
		}
		/*
		 * AS4_PATH begins inside this sequence: return the ASNs before
		 * that point, then continue with AS4_PATH.
		 */
		out->count = (uint16_t)it->hops_left;
		switch_to_as4(it);
		return true;
	}
	if (it->hops_left != UINT32_MAX)
		it->hops_left -= hops;
	return true;
}

static void runs_step(struct bgp_as_runs *runs)
{
	runs->more = bgp_as_path_next(&runs->it, &runs->segment);
	runs->taken = 0;
}

struct bgp_as_runs bgp_as_runs_start(const struct bgp_as_path *path)
{
	struct bgp_as_runs runs = { .it = bgp_as_path_start(path) };

	runs_step(&runs);
	return runs;
}

unsigned bgp_as_runs_next(struct bgp_as_runs *runs, uint8_t *type,
			  uint32_t asns[BGP_AS_RUN_MAX])
{
	const struct bgp_as_segment *s = &runs->segment;
	unsigned n = 0;

	*type = s->type;
	while (runs->more && s->type == *type && n < BGP_AS_RUN_MAX) {
		while (runs->taken < s->count && n < BGP_AS_RUN_MAX)
			asns[n++] = bgp_as_segment_at(s, runs->taken++);
		if (runs->taken == s->count)
			runs_step(runs);
		if (!bgp_as_type_is_sequence(*type))
			break;
	}
	return n;
}

uint32_t bgp_as_path_origin(const struct bgp_as_path *path)
{
	struct bgp_as_path_iter it = bgp_as_path_start(path);
	struct bgp_as_segment s;
	uint32_t origin = 0;

	while (bgp_as_path_next(&it, &s))
		origin = s.type == BGP_AS_SEQUENCE
				 ? bgp_as_segment_at(&s, s.count - 1u)
				 : 0;
	return origin;
}
