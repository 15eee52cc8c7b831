#include "egress/capnp/reader.h"

#include <errno.h>

struct egress_decoder egress_decode_start(struct wire_view batch)
{
	return (struct egress_decoder){ .c = wire_start(batch) };
}

int egress_decode_next(struct egress_decoder *r, struct egress_message *out)
{
	struct wire_cursor c = r->c;
	struct wire_view head;
	uint64_t table;

	if (c.left == 0)
		return 0;
	if (!wire_take(&c, 8, &head))
		return -EBADMSG;
	/*
	 * Parse the segment table: the number of segments minus one, then the
	 * length of the first in words.
	 */
	table = capnp_word(head.p);
	if ((uint32_t)table != 0 || table >> 32 > c.left / 8)
		return -EBADMSG;
	(void)wire_take(&c, 8 * (size_t)(table >> 32), &out->words);
	r->c = c;
	return 1;
}

enum {
	KIND_STRUCT,
	KIND_LIST,
};

/*
 * Bits of an element by the size code in a list pointer; 0 = code not used
 * here.
 */
static const uint8_t element_bits[8] = {
	[EGRESS_LIST_BYTES] = 8,
	[EGRESS_LIST_U32] = 32,
	[EGRESS_LIST_POINTERS] = 64,
	[EGRESS_LIST_STRUCTS] = 64,
};

static unsigned ptr_kind(uint64_t word)
{
	return word & 3;
}

/* The offset of a pointer, in words from the word after the pointer. */
static int64_t ptr_offset(uint64_t word)
{
	return (int32_t)(uint32_t)word >> 2;
}

static unsigned list_size(uint64_t word)
{
	return word >> 32 & 7;
}

static uint32_t list_count(uint64_t word)
{
	return (uint32_t)(word >> 35);
}

static uint32_t tag_count(uint64_t tag)
{
	return (uint32_t)tag >> 2;
}

static uint16_t tag_data_words(uint64_t word)
{
	return (uint16_t)(word >> 32);
}

static uint16_t tag_ptrs(uint64_t word)
{
	return (uint16_t)(word >> 48);
}

/* The number of words that the elements of a list use, without a tag. */
static uint64_t list_words(uint64_t word)
{
	return ((uint64_t)list_count(word) * element_bits[list_size(word)] +
		63) /
	       64;
}

/*
 * The target of @ptr, which has @words words; they are charged to the budget.
 * If the target is outside the message, returns NULL and sets b->bad.
 */
static const uint8_t *pointer_resolve(struct capnp_bounds *b,
				      const uint8_t *ptr, uint64_t words)
{
	int64_t from = (ptr - b->words.p) / 8;
	int64_t at = from + 1 + ptr_offset(capnp_word(ptr));
	int64_t size = (int64_t)(b->words.len / 8);

	if (at < 0 || at > size || words > (uint64_t)(size - at) ||
	    words > b->budget) {
		b->bad = true;
		return NULL;
	}
	b->budget -= words;
	return b->words.p + 8 * at;
}

const uint8_t *capnp_struct_ptr(const struct capnp_struct *s, unsigned n)
{
	const uint8_t *ptr;

	if (n >= s->ptrs)
		return NULL;
	ptr = s->data + 8 * ((size_t)s->data_words + n);
	return capnp_word(ptr) == 0 ? NULL : ptr;
}

struct capnp_struct capnp_struct_root(struct capnp_bounds *b,
				      const struct egress_message *m)
{
	struct capnp_struct s = { 0 };
	uint64_t word;

	*b = (struct capnp_bounds){ .words = m->words,
				    .budget = m->words.len / 8 };
	if (m->words.len < 8) {
		b->bad = true;
		return s;
	}
	b->budget--; /* charge the pointer itself */
	word = capnp_word(m->words.p);
	if (word == 0)
		return s; /* all fields have their defaults */
	if (ptr_kind(word) != KIND_STRUCT) {
		b->bad = true;
		return s;
	}
	s.data = pointer_resolve(b, m->words.p,
				 (uint64_t)tag_data_words(word) +
					 tag_ptrs(word));
	if (s.data != NULL) {
		s.data_words = tag_data_words(word);
		s.ptrs = tag_ptrs(word);
	}
	return s;
}

/*
 * True if the tag of a list of structs agrees with the number of words of the
 * list.
 */
static bool tag_fits(uint64_t tag, uint64_t words)
{
	uint64_t each = (uint64_t)tag_data_words(tag) + tag_ptrs(tag);

	return ptr_kind(tag) == KIND_STRUCT && tag_count(tag) * each <= words;
}

struct egress_list capnp_follow(const uint8_t *ptr)
{
	uint64_t word, tag;
	struct egress_list l = { 0 };

	if (ptr == NULL)
		return l;
	word = capnp_word(ptr);
	l.p = ptr + 8 + 8 * ptr_offset(word);
	l.count = list_count(word);
	if (list_size(word) == EGRESS_LIST_STRUCTS) {
		tag = capnp_word(l.p);
		l.p += 8;
		l.count = tag_count(tag);
		l.data_words = tag_data_words(tag);
		l.ptrs = tag_ptrs(tag);
	}
	return l;
}

struct egress_list capnp_struct_list(struct capnp_bounds *b,
				     const struct capnp_struct *s, unsigned n,
				     enum capnp_list_size size)
{
	const uint8_t *ptr = capnp_struct_ptr(s, n);
	bool tagged = size == EGRESS_LIST_STRUCTS;
	struct egress_list l = { 0 };
	uint64_t word, words;
	const uint8_t *p;

	if (ptr == NULL || b->bad)
		return l;
	word = capnp_word(ptr);
	words = list_words(word);
	b->bad = ptr_kind(word) != KIND_LIST || list_size(word) != size;
	p = b->bad ? NULL : pointer_resolve(b, ptr, words + tagged);
	if (p == NULL || (tagged && !tag_fits(capnp_word(p), words)))
		b->bad = true;
	else
		l = capnp_follow(ptr);
	/*
	 * Structs of size zero use no words, so the budget does not limit their
	 * number.
	 */
	if (size != EGRESS_LIST_BYTES && l.count > EGRESS_LIST_MAX)
		b->bad = true;
	if (b->bad)
		l = (struct egress_list){ 0 };
	return l;
}

struct wire_view capnp_struct_data(struct capnp_bounds *b,
				   const struct capnp_struct *s, unsigned n)
{
	struct egress_list l = capnp_struct_list(b, s, n, EGRESS_LIST_BYTES);

	return (struct wire_view){ l.p, l.count };
}

struct wire_view capnp_struct_text(struct capnp_bounds *b,
				   const struct capnp_struct *s, unsigned n)
{
	struct wire_view v = capnp_struct_data(b, s, n);

	if (v.p == NULL)
		return v;
	if (v.len == 0 || v.p[v.len - 1] != '\0') {
		b->bad = true;
		return (struct wire_view){ 0 };
	}
	v.len--;
	return v;
}

const uint8_t *capnp_struct_address(struct capnp_bounds *b,
				    const struct capnp_struct *s, unsigned n)
{
	struct wire_view v = capnp_struct_data(b, s, n);

	/* Some encoders send an empty list instead of a null pointer. */
	if (v.len == 0)
		return NULL;
	if (v.len != 16) {
		b->bad = true;
		return NULL;
	}
	return v.p;
}

struct capnp_struct capnp_list_struct(const struct egress_list *l, uint32_t i)
{
	size_t words = (size_t)l->data_words + l->ptrs;

	return (struct capnp_struct){
		.data = l->p + 8 * words * i,
		.data_words = l->data_words,
		.ptrs = l->ptrs,
	};
}
