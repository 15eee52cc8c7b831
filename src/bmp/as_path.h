/*
 * bmp/as_path.h - iterate over an AS_PATH, merged with AS4_PATH
 *
 *	+------+-------+------+------+--
 *	| type | count | ASN  | ASN  | ...	RFC 4271 4.3, repeated
 *	+------+-------+------+------+--
 *
 * ASNs are two or four bytes wide; the path itself does not say which. A
 * two-byte path holds 23456 in place of large numbers, and AS4_PATH then has
 * the real ones of its tail (RFC 6793 4.2.3):
 *
 *	AS_PATH		64500 23456 64502 23456
 *	AS4_PATH		    64502 4200000001
 *	read as		64500 23456 64502 4200000001
 *
 * The walk yields segments of the merged path without copying it.
 */
#ifndef BMP_AS_PATH_H
#define BMP_AS_PATH_H

#include "bmp/wire.h"

enum bgp_as_segment_type {
	BGP_AS_SET = 1,
	BGP_AS_SEQUENCE,
	BGP_AS_CONFED_SEQUENCE, /* RFC 5065 */
	BGP_AS_CONFED_SET,
};

#define BGP_AS_TRANS 23456

struct bgp_as_path {
	struct wire_view path;
	struct wire_view as4_path; /* empty if there is nothing to merge */
	uint8_t width;		   /* of path; as4_path is always 4 */
};

struct bgp_as_segment {
	uint8_t type; /* enum bgp_as_segment_type */
	uint8_t width;
	uint16_t count;
	const uint8_t *asns;
};

struct bgp_as_path_iter {
	struct wire_cursor c;
	struct wire_view then; /* the AS4_PATH, read when c has ended */
	uint8_t width;
	bool in_as4;
	uint32_t hops_left; /* hops left in c; UINT32_MAX = all */
};

/* Whether @path is whole segments of known types at this width. */
bool bgp_as_path_valid(struct wire_view path, uint8_t width);

/* Whether AS 0 is in @path, which is valid at this width (RFC 7607). */
bool bgp_as_path_has_zero(struct wire_view path, uint8_t width);

/* Length as route selection counts it: a set is 1, confederations are 0. */
uint32_t bgp_as_path_hops(struct wire_view path, uint8_t width);

/* @path was found valid by bgp_as_path_valid(), or is empty. */
struct bgp_as_path_iter bgp_as_path_start(const struct bgp_as_path *path);
bool bgp_as_path_next(struct bgp_as_path_iter *it, struct bgp_as_segment *out);

static inline uint32_t bgp_as_segment_at(const struct bgp_as_segment *s,
					 unsigned i)
{
	return s->width == 4 ? wire_get_u32(s->asns + 4 * (size_t)i)
			     : wire_get_u16(s->asns + 2 * (size_t)i);
}

static inline bool bgp_as_type_is_sequence(uint8_t type)
{
	return type == BGP_AS_SEQUENCE || type == BGP_AS_CONFED_SEQUENCE;
}

/*
 * The same iteration with consecutive sequences of one type merged into one, in
 * pieces of BGP_AS_RUN_MAX. The meaning is the same, and a path of thousands of
 * short sequences takes less space when it is written for each route.
 */
#define BGP_AS_RUN_MAX 255

struct bgp_as_runs {
	struct bgp_as_path_iter it;
	struct bgp_as_segment segment; /* segment that the run continues with */
	unsigned taken;		       /* ASNs already taken from it */
	bool more;		       /* there is a segment */
};

struct bgp_as_runs bgp_as_runs_start(const struct bgp_as_path *path);

/* The next run: its type and ASNs. Returns their number; 0 at the end. */
unsigned bgp_as_runs_next(struct bgp_as_runs *runs, uint8_t *type,
			  uint32_t asns[BGP_AS_RUN_MAX]);

/* The origin of the route: the last ASN of a sequence, or 0. */
uint32_t bgp_as_path_origin(const struct bgp_as_path *path);

#endif
