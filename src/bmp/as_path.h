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
 * The iterator returns the segments of the merged path without copying the
 * path.
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
	uint8_t width;		   /* bytes per ASN in path; 4 in as4_path */
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

/*
 * True if @path consists of whole, non-empty segments of known types, with ASNs
 * of @width bytes.
 */
bool bgp_as_path_valid(struct wire_view path, uint8_t width);

/* True if @path, which is valid for @width, contains AS 0 (RFC 7607). */
bool bgp_as_path_has_zero(struct wire_view path, uint8_t width);

/*
 * The number of hops of @path as route selection counts them: a set counts as
 * 1, a confederation segment as 0.
 */
uint32_t bgp_as_path_hops(struct wire_view path, uint8_t width);

/*
 * Start to iterate over the segments of @path, which is valid (see
 * bgp_as_path_valid()) or empty.
 */
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
 * Iterate over runs instead of segments: consecutive sequences of one type are
 * one run, which ends after BGP_AS_RUN_MAX ASNs at the latest; each set is a
 * run. The meaning is the same, and a path of thousands of short sequences
 * takes less space when it is written for each route.
 */
#define BGP_AS_RUN_MAX 255

struct bgp_as_runs {
	struct bgp_as_path_iter it;
	struct bgp_as_segment segment; /* segment that the run continues with */
	/* ASNs of the segment already returned */
	unsigned taken;
	bool more; /* the member segment is valid */
};

struct bgp_as_runs bgp_as_runs_start(const struct bgp_as_path *path);

/*
 * Get the type and the ASNs of the next run. Returns the number of ASNs; 0 at
 * the end.
 */
unsigned bgp_as_runs_next(struct bgp_as_runs *runs, uint8_t *type,
			  uint32_t asns[BGP_AS_RUN_MAX]);

/* The origin of the route: the last ASN of a sequence, or 0. */
uint32_t bgp_as_path_origin(const struct bgp_as_path *path);

#endif
