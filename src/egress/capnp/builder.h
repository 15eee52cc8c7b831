/*
 * egress/capnp/builder.h - write the words of a Cap'n Proto message, in order
 *
 * Private to the encoder. Objects are written one after the other in the order
 * of their pointers, and a struct ends with its last non-zero word: the
 * canonical form. See egress/capnp/reader.h for pointers.
 *
 *	word 0		segment table: one segment, its words
 *	word 1		pointer to the struct, which follows
 *	word 2		data section
 *	...		pointer section
 *	...		the objects that the pointers refer to
 *
 * No bounds are checked here: the caller has made sure that there is space.
 * Everything is little-endian, as are all supported machines.
 */
#ifndef EGRESS_CAPNP_BUILDER_H
#define EGRESS_CAPNP_BUILDER_H

#include "bmp/wire.h"
#include "egress/capnp/reader.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "words are stored as they are");

#define EGRESS_HEAD_WORDS 2

/* Set a field of schema/layout.h in words[] to @value. */
#define EGRESS_PUT(words, field, value) \
	((words)[field##_AT / 64] |= (uint64_t)(value) << (field##_AT % 64))

/*
 * A message under construction: its pointer section, and the address at which
 * the next object is written.
 */
struct capnp_builder {
	uint64_t *ptrs;
	uint64_t *next;
};

static inline uint64_t egress_tag(uint32_t offset, size_t data_words,
				  size_t ptrs)
{
	return (uint64_t)offset << 2 | (uint64_t)data_words << 32 |
	       (uint64_t)ptrs << 48;
}

/* Make pointer @n refer to a list, which the caller writes next. */
static inline void capnp_build_list(struct capnp_builder *b, unsigned n,
				    enum capnp_list_size size, size_t count)
{
	uint64_t bytes =
		(uint64_t)((uint8_t *)b->next - (uint8_t *)&b->ptrs[n]);

	/*
	 * The offset of a pointer is in words, counted from the word after the
	 * pointer, and begins at bit 2.
	 */
	b->ptrs[n] = bytes / 2 - 4 + 1 + ((uint64_t)size << 32) +
		     ((uint64_t)count << 35);
}

/*
 * Write the first words of a message. The segment table is written last, when
 * the length is known.
 */
static inline void capnp_build_head(uint64_t *message, size_t data_words,
				    size_t ptrs)
{
	message[1] = egress_tag(0, data_words, ptrs);
}

static inline size_t capnp_build_end(uint64_t *message,
				     const struct capnp_builder *b)
{
	size_t words = (size_t)(b->next - message);

	message[0] = (uint64_t)(words - 1) << 32;
	return 8 * words;
}

/* The number of words for @len bytes. */
static inline size_t egress_words(size_t len)
{
	return (len + 7) / 8;
}

static inline void capnp_build_address(struct capnp_builder *b, unsigned n,
				       const uint8_t address[16])
{
	capnp_build_list(b, n, EGRESS_LIST_BYTES, 16);
	memcpy(b->next, address, 16);
	b->next += 2;
}

/* Write a list of bytes for pointer @n; nothing if @v is empty. */
static inline void capnp_build_data(struct capnp_builder *b, unsigned n,
				    struct wire_view v)
{
	if (v.len == 0)
		return;
	capnp_build_list(b, n, EGRESS_LIST_BYTES, v.len);
	b->next[egress_words(v.len) - 1] = 0;
	memcpy(b->next, v.p, v.len);
	b->next += egress_words(v.len);
}

/*
 * Write a text for pointer @n: the bytes of @v and a NUL. Bytes that are not
 * valid UTF-8 become question marks.
 */
void capnp_build_text(struct capnp_builder *b, unsigned n, struct wire_view v);

/*
 * Write a list of 4-byte numbers for pointer @n. @p has @count of them, at
 * least one, big-endian as in BGP.
 */
static inline void capnp_build_numbers(struct capnp_builder *b, unsigned n,
				       const uint8_t *p, size_t count)
{
	capnp_build_list(b, n, EGRESS_LIST_U32, count);
	for (; count >= 2; count -= 2, p += 8) {
		uint64_t two = wire_get_u64(p);

		*b->next++ = two << 32 | two >> 32;
	}
	if (count != 0)
		*b->next++ = wire_get_u32(p);
}

/* The number of words to send: up to the last non-zero word of @words. */
static inline size_t capnp_build_used(const uint64_t *words, size_t count)
{
	while (count > 0 && words[count - 1] == 0)
		count--;
	return count;
}

/*
 * The number of pointers to send: up to the last one that is present; @present
 * has a bit for each pointer.
 */
static inline size_t capnp_build_ptrs(uint32_t present)
{
	return present == 0 ? 0 : 32 - (size_t)__builtin_clz(present);
}

#endif
