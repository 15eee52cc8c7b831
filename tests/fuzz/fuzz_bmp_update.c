/*
 * Any UPDATE, read in any way (the first bytes say how), keeps the promises of
 * bmp/update.h: views inside the input, as many routes as were counted, none
 * of them longer than its address, a canonical form that reads as attributes
 * and makes itself again. Read by the straight way it is the same.
 */
#include "bmp/attr_row.h"
#include "bmp/canonical.h"
#include "bmp/decode_context.h"
#include "bmp/nlri_key.h"
#include "bmp/nlri_text.h"
#include "bmp/update.h"

#include "../unit/update_same.h"

#include <stdlib.h>

#define HEAD_LEN 9

static uint8_t form[2 * 70000 + 64], again[4 * 70000 + 256];

static void check_inside(struct wire_view v, struct wire_view in)
{
	if (v.len != 0 && (v.p < in.p || v.p + v.len > in.p + in.len))
		abort();
}

static void check_attrs(const struct bgp_attrs *a, struct wire_view in)
{
	struct bgp_as_path_iter it = bgp_as_path_start(&a->as_path);
	struct bgp_as_segment s;

	check_inside(a->block, in);
	check_inside(a->as_path.path, a->block);
	check_inside(a->as_path.as4_path, a->block);
	check_inside(a->communities, a->block);
	check_inside(a->ext_communities, a->block);
	check_inside(a->large_communities, a->block);
	check_inside(a->ipv6_ext_communities, a->block);
	check_inside(a->cluster_list, a->block);
	check_inside(a->reach.next_hop, a->block);
	check_inside(a->reach.nlri, a->block);
	check_inside(a->unreach.nlri, a->block);
	if (a->communities.len % 4 || a->ext_communities.len % 8 ||
	    a->large_communities.len % 12 || a->ipv6_ext_communities.len % 20 ||
	    a->cluster_list.len % 4 || a->origin > 2)
		abort();
	while (bgp_as_path_next(&it, &s))
		if (s.type < 1 || s.type > 4 || s.count == 0)
			abort();
	if ((a->verdict == BGP_ACCEPT) != (a->fault == BGP_FAULT_NONE))
		abort();
}

static void check_route(const struct bgp_nlri *n, struct wire_view field)
{
	static uint8_t key[70000];
	size_t len = bgp_nlri_key(n, key, sizeof(key));
	char text[256];

	if (n->kind == BGP_NLRI_PREFIX) {
		if (n->prefix_len > bgp_family_info(n->family)->addr_bits)
			abort();
	} else if (len > n->wire.len + BGP_NLRI_KEY_SLACK) {
		abort();
	}
	check_inside(n->labels, field);
	check_inside(n->wire, field);
	check_inside(n->body, field);
	if (bgp_nlri_value(n, NULL, 0) > field.len)
		abort();
	bgp_nlri_text(n, text, sizeof(text));
}

static void check_section(const struct bgp_update *u, enum bgp_nlri_part_id s)
{
	const struct bgp_nlri_part *part = &u->nlri_parts[s];
	struct bgp_nlri_iter it;
	uint32_t n = 0;

	if (!bgp_update_routes(u, s, &it)) {
		if (part->count != 0 && u->verdict != BGP_RESET)
			abort();
		return;
	}
	if (part->lost)
		abort();
	while (bgp_nlri_next(&it)) {
		check_route(&it.nlri, part->field);
		n++;
	}
	if (it.malformed || n != part->count || it.host_bits > n)
		abort();
}

static void check_canonical(const struct bgp_update *u, enum bgp_nlri_part_id s)
{
	struct bgp_decode_opts r = BGP_DECODE_CANONICAL;
	static struct bgp_update back;
	size_t n = bgp_canonical_write(u, s, form, sizeof(form));
	struct wire_view v = { form, n };
	struct wire_view same;

	if (n > bgp_canonical_bound(u))
		abort();
	/* Taken as it stands or written, it is the same. */
	same = bgp_canonical(u, s, again);
	if (same.len != n || memcmp(form, same.p, n) != 0)
		abort();
	back = (struct bgp_update){ 0 };
	if (bgp_attrs_decode(v, &r, &back.attrs) != BGP_ACCEPT)
		abort();
	if (bgp_canonical_write(&back, BGP_PART_NLRI, again, sizeof(again)) !=
		    n ||
	    memcmp(form, again, n) != 0)
		abort();
}

/* A writer that checks the nesting: names in objects, none in lists. */
#define DEPTH_MAX 16

struct nesting {
	char at[DEPTH_MAX]; /* '{' or '[' */
	int depth;
	struct wire_view in;
};

static void check_name(const struct nesting *n, const char *name)
{
	if ((n->at[n->depth] == '{') != (name != NULL))
		abort();
}

static void begin_group(struct nesting *n, const char *name, char kind)
{
	check_name(n, name);
	if (n->depth + 1 == DEPTH_MAX)
		abort();
	n->at[++n->depth] = kind;
}

static void end_group(struct nesting *n, char kind)
{
	if (n->depth == 0 || n->at[n->depth] != kind)
		abort();
	n->depth--;
}

static void begin_object(void *arg, const char *name)
{
	begin_group(arg, name, '{');
}

static void end_object(void *arg)
{
	end_group(arg, '{');
}

static void begin_list(void *arg, const char *name)
{
	begin_group(arg, name, '[');
}

static void end_list(void *arg)
{
	end_group(arg, '[');
}

static void put_number(void *arg, const char *name, uint64_t value)
{
	(void)value;
	check_name(arg, name);
}

static void put_string(void *arg, const char *name, const char *value)
{
	check_name(arg, name);
	if (strlen(value) > 100)
		abort();
}

static void put_bytes(void *arg, const char *name, struct wire_view value)
{
	const struct nesting *n = arg;

	check_name(n, name);
	check_inside(value, n->in);
}

static void check_descriptions(const struct bgp_attrs *a)
{
	static const struct field_writer_ops ops = {
		.begin_object = begin_object,
		.end_object = end_object,
		.begin_list = begin_list,
		.end_list = end_list,
		.number = put_number,
		.string = put_string,
		.text = put_bytes,
		.bytes = put_bytes,
	};
	struct nesting n = { .at = "{", .in = a->block };
	struct field_writer w = { &ops, &n };
	struct wire_cursor c = wire_start(a->block);
	struct bgp_attr attr;

	while (bgp_attr_next(&c, &attr)) {
		bgp_attr_write(&attr, true, &w);
		if (n.depth != 0)
			abort();
	}
}

/*
 * A family is read the other way only if it cannot be read as the options say,
 * and then as those who ask for that form read it, all of it.
 */
static void check_other_way(struct wire_view in,
			    const struct bgp_decode_opts *r,
			    const struct bgp_update *u)
{
	struct bgp_decode_opts strict = *r;
	struct bgp_update as_said, other;

	strict.add_path_either = 0;
	bgp_update_decode(in, &strict, &as_said);
	strict.add_path ^= u->add_path_guessed;
	bgp_update_decode(in, &strict, &other);
	if ((u->add_path_guessed & ~r->add_path_either) != 0 ||
	    as_said.add_path_guessed != 0 || other.verdict != u->verdict ||
	    as_said.verdict < u->verdict)
		abort();
	for (int s = 0; s < BGP_PARTS; s++) {
		const struct bgp_nlri_part *part = &u->nlri_parts[s];

		if (part->count != other.nlri_parts[s].count ||
		    part->lost != other.nlri_parts[s].lost)
			abort();
		if (!bgp_update_guessed(u, s) || part->count == 0)
			continue;
		if (part->lost || part->format.add_path ==
					  as_said.nlri_parts[s].format.add_path)
			abort();
	}
	for (int s = 0; s < BGP_PARTS; s++)
		if (bgp_nlri_part_conclusive(&u->nlri_parts[s]) &&
		    u->nlri_parts[s].count == 0)
			abort();
}

/* Some part of each family that was read so cannot be read as said. */
static void check_guessed(struct wire_view in, const struct bgp_decode_opts *r,
			  const struct bgp_update *u)
{
	struct bgp_decode_opts strict = *r;
	bgp_family_set lost = 0;
	struct bgp_update as_said;

	strict.add_path_either = 0;
	bgp_update_decode(in, &strict, &as_said);
	for (int s = 0; s < BGP_PARTS; s++)
		if (as_said.nlri_parts[s].lost)
			lost |= bgp_family_bit(
				as_said.nlri_parts[s].format.family);
	if ((u->add_path_guessed & ~lost) != 0)
		abort();
}

/* What the straight way of bmp/plain.c takes is what the table makes of it. */
static void check_plain(struct wire_view in, const struct bgp_decode_opts *r)
{
	struct bgp_update plain, any;

	if (!bgp_plain_decode(in, r, &plain))
		return;
	bgp_update_decode_any(in, r, &any);
	if (!same_update(&plain, &any))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct wire_view in;
	struct bgp_decode_opts r;
	struct bgp_update u;

	if (len < HEAD_LEN || len - HEAD_LEN > UINT16_MAX)
		return 0;
	in = (struct wire_view){ data + HEAD_LEN, len - HEAD_LEN };
	r = (struct bgp_decode_opts){
		.add_path = wire_get_u32(data),
		.multiple_labels = wire_get_u32(data + 4),
		.as_width = data[8] & 1 ? 2 : 4,
		.as_width_certain = data[8] & 2,
		.mrt_rib = data[8] & 4,
		.loc_rib = data[8] & 8,
		.add_path_either = data[8] & 16 ? ~(bgp_family_set)0 : 0,
	};
	if (bgp_update_decode(in, &r, &u) >= BGP_VERDICTS)
		abort();
	check_plain(in, &r);
	check_attrs(&u.attrs, in);
	check_descriptions(&u.attrs);
	check_other_way(in, &r, &u);
	check_guessed(in, &r, &u);
	for (int s = 0; s < BGP_PARTS; s++)
		check_section(&u, s);
	check_canonical(&u, BGP_PART_NLRI);
	check_canonical(&u, BGP_PART_MP_REACH);
	/* An End-of-RIB is nothing else. */
	if (u.end_of_rib && u.verdict != BGP_ACCEPT)
		abort();
	return 0;
}
