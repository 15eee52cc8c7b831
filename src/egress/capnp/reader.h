/*
 * egress/capnp/reader.h - read messages, structs and lists of Cap'n Proto with
 * bounds checks
 *
 * This code does not depend on the schema; egress/encode/decode.h does. The
 * functions for structs are for that file and the builder only. The layout, in
 * 64-bit little-endian words:
 *
 *	struct pointer	offset:30 kind:2 = 0 | data words:16 | pointers:16
 *	list pointer	offset:30 kind:2 = 1 | element size:3 | count:29
 *
 * Offsets count words from the word after the pointer. A list of structs has
 * element size 7; its count is the number of words of all its elements, and a
 * tag before the elements, in the form of a struct pointer, has their number
 * and size.
 *
 * Each resolved object is charged to a budget of the message's own size, so a
 * message cannot make its reader read anything twice.
 */
#ifndef EGRESS_CAPNP_READER_H
#define EGRESS_CAPNP_READER_H

#include "bmp/wire.h"

/* Maximum number of elements of a list: a BGP attribute cannot have more. */
#define EGRESS_LIST_MAX 65535

/* Messages */

struct egress_decoder {
	struct wire_cursor c;
};

/* One message. Its first word is the pointer to its root struct. */
struct egress_message {
	struct wire_view words;
};

/* Start to decode @batch: whole messages back to back, each of one segment. */
struct egress_decoder egress_decode_start(struct wire_view batch);

/*
 * Decode the next message. Returns 1; 0 at the end; -EBADMSG if the message is
 * truncated or has more than one segment.
 */
int egress_decode_next(struct egress_decoder *r, struct egress_message *out);

/* Structs and lists */

/* State while a message is being checked. */
struct capnp_bounds {
	struct wire_view words;
	size_t budget; /* number of words that may still be resolved */
	bool bad;      /* an error was found; stays set */
};

/* A list inside a message. */
struct egress_list {
	const uint8_t *p; /* address of the first element */
	uint32_t count;
	uint16_t data_words; /* number of data words of a struct element */
	uint16_t ptrs;
};

struct capnp_struct {
	const uint8_t *data;
	uint16_t data_words;
	/* number of pointers of a struct element; they follow the data words */
	uint16_t ptrs;
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

/*
 * Read the field of @bits bits at bit @at of the data section; 0 if the struct
 * is shorter.
 */
static inline uint64_t capnp_struct_get(const struct capnp_struct *s,
					unsigned at, unsigned bits)
{
	uint64_t word;

	if (at / 64 >= s->data_words)
		return 0;
	word = capnp_word(s->data + 8 * (size_t)(at / 64)) >> at % 64;
	return bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

/* The address of pointer @n; NULL if the struct lacks it or it is null. */
const uint8_t *capnp_struct_ptr(const struct capnp_struct *s, unsigned n);

/* The root struct of a message; sets b->bad if it is invalid. */
struct capnp_struct capnp_struct_root(struct capnp_bounds *b,
				      const struct egress_message *m);

/*
 * The list that pointer @n of @s refers to, empty if it is null. Sets b->bad if
 * the pointer is invalid or of another type.
 */
struct egress_list capnp_struct_list(struct capnp_bounds *b,
				     const struct capnp_struct *s, unsigned n,
				     enum capnp_list_size size);
struct wire_view capnp_struct_data(struct capnp_bounds *b,
				   const struct capnp_struct *s, unsigned n);
/* The text of pointer @n, without its NUL. */
struct wire_view capnp_struct_text(struct capnp_bounds *b,
				   const struct capnp_struct *s, unsigned n);
/* The address (of a router, peer ...) of pointer @n: 16 bytes, or NULL. */
const uint8_t *capnp_struct_address(struct capnp_bounds *b,
				    const struct capnp_struct *s, unsigned n);

/* Element @i of a list of structs. */
struct capnp_struct capnp_list_struct(const struct egress_list *l, uint32_t i);

/* The list that @ptr refers to; @ptr was checked before. NULL = empty list. */
struct egress_list capnp_follow(const uint8_t *ptr);

#endif
