/*
 * bmp/nlri_ops.h - what each kind of NLRI can do: one row has all about one
 *
 * Private to the layer; bmp/nlri.h, bmp/nlri_key.h, bmp/nlri_text.h and
 * bgp_write_nlri() call the row. A new kind is a line of BGP_NLRI_KIND_LIST and
 * a row of nlri_kinds.c with all operations. Without the row it does not
 * compile; without one of the operations tests/unit/test_bmp_family.c fails.
 */
#ifndef BMP_NLRI_OPS_H
#define BMP_NLRI_OPS_H

#include "bmp/family.h"
#include "bmp/wire.h"

struct bgp_nlri;
struct bgp_nlri_iter;
struct bmp_writer;
struct nlri_layouts;
struct text;

/* A buffer that counts beyond its end. */
struct nlri_sink {
	uint8_t *p;
	size_t cap;
	size_t len;
};

struct bgp_nlri_ops {
	const char *name;
	/*
	 * Cut one NLRI off the field and set type and body. The caller takes
	 * the route distinguisher off the body.
	 */
	bool (*read)(struct bgp_nlri_iter *it);
	/* bmp/nlri_key.h */
	void (*key)(struct nlri_sink *s, const struct bgp_nlri *n);
	void (*value)(struct nlri_sink *s, const struct bgp_nlri *n);
	void (*text)(struct text *t, const struct bgp_nlri *n);
	/* As on the wire, without the path id. */
	void (*write)(struct bmp_writer *w, const struct bgp_nlri *n);
	/* Fields of each type; NULL: the body has no list of fields. */
	const struct nlri_layouts *layouts;
	/*
	 * A type without a route distinguisher in families that have one; it
	 * is the first byte of the NLRI.
	 */
	uint8_t type_without_rd;
};

extern const struct bgp_nlri_ops *const bgp_nlri_ops[BGP_NLRI_KINDS];

/* Whether the NLRI has a route distinguisher. */
bool bgp_nlri_has_rd(const struct bgp_nlri *n);

/* nlri.c */
bool bgp_nlri_read_prefix(struct bgp_nlri_iter *it);

/* nlri_text.c, flowspec.c, link_state.c */
void bgp_nlri_text_raw(struct text *t, const struct bgp_nlri *n);
void bgp_nlri_text_prefix(struct text *t, const struct bgp_nlri *n);
void bgp_nlri_text_typed(struct text *t, const struct bgp_nlri *n);
void bgp_nlri_text_route_target(struct text *t, const struct bgp_nlri *n);
void bgp_nlri_text_flowspec(struct text *t, const struct bgp_nlri *n);
void bgp_nlri_text_link_state(struct text *t, const struct bgp_nlri *n);

#endif
