/*
 * bmp/nlri_ops.h - the functions of each kind of NLRI, one row for each
 *
 * Private to the layer; bmp/nlri.h, bmp/nlri_key.h, bmp/nlri_text.h and
 * bgp_write_nlri() call the functions of the row. To add a kind, add a line to
 * BGP_NLRI_KIND_LIST and a row with all functions to nlri_kinds.c. Without the
 * row the layer does not compile; without one of the functions
 * tests/unit/test_bmp_family.c fails.
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

/* A buffer; bytes that do not fit are counted, but not stored. */
struct nlri_sink {
	uint8_t *p;
	size_t cap;
	size_t len;
};

struct bgp_nlri_ops {
	const char *name;
	/*
	 * Take one NLRI from the field and set type and body. The caller then
	 * removes the route distinguisher from the body.
	 */
	bool (*read)(struct bgp_nlri_iter *it);
	/* bmp/nlri_key.h */
	void (*key)(struct nlri_sink *s, const struct bgp_nlri *n);
	void (*value)(struct nlri_sink *s, const struct bgp_nlri *n);
	void (*text)(struct text *t, const struct bgp_nlri *n);
	/* Write the NLRI in wire format, without the path id. */
	void (*write)(struct bmp_writer *w, const struct bgp_nlri *n);
	/* Fields of each type; NULL = the body has no list of fields. */
	const struct nlri_layouts *layouts;
	/*
	 * The type that has no route distinguisher although its family has one;
	 * 0 = none. The type is the first byte of the NLRI.
	 */
	uint8_t type_without_rd;
};

extern const struct bgp_nlri_ops *const bgp_nlri_ops[BGP_NLRI_KINDS];

/* True if the NLRI has a route distinguisher. */
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
