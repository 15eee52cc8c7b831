/*
 * egress/capnp/reader.h - messages, structs and lists of Cap'n Proto, read with bounds
 *
 * Knows nothing of our schema: egress/encode/decode.h does. The functions for
 * structs are for that file and the builder only. The layout, in 64-bit
 * little-endian words:
 *
 *	struct pointer	offset:30 kind:2 = 0 | data words:16 | pointers:16
 *	list pointer	offset:30 kind:2 = 1 | element size:3 | count:29
 *
 * Offsets count words from the one behind the pointer. A list of structs has
 * element size 7; its count is in words, and a tag in front of the elements,
 * shaped like a struct pointer, has their number and size.
 *
 * Each object that is resolved is paid for out of a budget of the message's
 * own size, so a message cannot make its reader read anything twice.
 */
#ifndef EGRESS_CAPNP_READER_H
#define EGRESS_CAPNP_READER_H

#include "bmp/wire.h"

/* Elements of a list at most: an attribute of BGP has no room for more. */
#define EGRESS_LIST_MAX 65535

/* Messages */

struct egress_decoder {
	struct wire_cursor c;
};

/* One message. Its first word is the pointer to its struct. */
struct egress_message {
	struct wire_view words;
};

/* @batch: whole messages back to back, each of one segment. */
struct egress_decoder egress_decode_start(struct wire_view batch);

/*
 * Take the next message: 1. 0 at the end; -EBADMSG if it is cut or none of
 * ours (more than one segment).
 */
int egress_decode_next(struct egress_decoder *r, struct egress_message *out);

/* Structs and lists */

/* The message while it is being checked. */
struct capnp_bounds {
	struct wire_view words;
	size_t budget; /* words that may still be resolved */
	bool bad;      /* something was wrong; sticks */
};

/* A list inside a message. */
struct egress_list {
	const uint8_t *p; /* the first element */
	uint32_t count;
	uint16_t data_words; /* of struct elements */
	uint16_t ptrs;
};

struct capnp_struct {
	const uint8_t *data;
	uint16_t data_words;
	uint16_t ptrs; /* they follow the data */
};

enum capnp_list_size {
	EGRESS_LIST_BYTES = 2,
	EGRESS_LIST_U32 = 4,
	EGRESS_LIST_POINTERS = 6,
	EGRESS_LIST_STRUCTS = 7,
};

static inline uint64_t capnp_word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The field of @bits bits at bit @at; 0 if the struct has no such word. */
static inline uint64_t capnp_struct_get(const struct capnp_struct *s,
					unsigned at, unsigned bits)
{
	uint64_t word;

	if (at / 64 >= s->data_words)
		return 0;
	word = capnp_word(s->data + 8 * (size_t)(at / 64)) >> at % 64;
	return bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

/* Where pointer @n stands, or NULL if there is none or it is null. */
const uint8_t *capnp_struct_ptr(const struct capnp_struct *s, unsigned n);

/* The root of a message; b->bad if there is none. */
struct capnp_struct capnp_struct_root(struct capnp_bounds *b,
				      const struct egress_message *m);

/*
 * What pointer @n of @s leads to, empty if it is null. b->bad if it leads
 * elsewhere than it should or to something else.
 */
struct egress_list capnp_struct_list(struct capnp_bounds *b,
				     const struct capnp_struct *s, unsigned n,
				     enum capnp_list_size size);
struct wire_view capnp_struct_data(struct capnp_bounds *b,
				   const struct capnp_struct *s, unsigned n);
/* Ends before its NUL. */
struct wire_view capnp_struct_text(struct capnp_bounds *b,
				   const struct capnp_struct *s, unsigned n);
/* 16 bytes or NULL. */
const uint8_t *capnp_struct_address(struct capnp_bounds *b,
				    const struct capnp_struct *s, unsigned n);

/* Element @i of a list of structs. */
struct capnp_struct capnp_list_struct(const struct egress_list *l, uint32_t i);

/* What a pointer leads to that was checked before; NULL: nothing. */
struct egress_list capnp_follow(const uint8_t *ptr);

#endif
