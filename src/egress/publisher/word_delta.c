#include "egress/publisher/word_delta.h"

#include <string.h>

#define WORD	8
#define MASK_OF 64 /* words of a block, which has one mask */

static uint64_t word_at(const uint8_t *p, size_t i)
{
	uint64_t word;

	memcpy(&word, p + WORD * i, WORD);
	return word;
}

/*
 * The number of words of a message, from its first word; 0 if it has more than
 * one segment.
 */
static size_t message_words(uint64_t first)
{
	return (uint32_t)first == 0 ? 1 + (size_t)(first >> 32) : 0;
}

size_t word_delta_bound(size_t len)
{
	/* The worst case: messages of one word, each with a mask. */
	return 2 * len + WORD;
}

/*
 * Encode a block of @count words, at most MASK_OF: the mask, and the words of
 * @now that differ from those of @before. Only the first @common words have a
 * counterpart in @before. Returns the end of the output.
 */
static uint8_t *block_encode(const uint8_t *now, size_t count,
			     const uint8_t *before, size_t common, uint8_t *out)
{
	uint8_t *to = out + WORD;
	uint64_t mask = 0;
	size_t i = 0;

	for (; i < common; i++) {
		uint64_t word = word_at(now, i);
		uint64_t differs = word != word_at(before, i);

		/*
		 * Copy the word even if it is equal, to avoid a branch that
		 * depends on the data.
		 */
		memcpy(to, &word, WORD);
		to += WORD * differs;
		mask |= differs << i;
	}
	if (i < count) {
		memcpy(to, now + WORD * i, WORD * (count - i));
		to += WORD * (count - i);
		mask |= ~UINT64_C(0) << i;
	}
	memcpy(out, &mask, WORD);
	return to;
}

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t word_delta_encode(struct wire_view in, uint8_t *out)
{
	const uint8_t *before = in.p;
	const uint8_t *p = in.p;
	size_t before_words = 0;
	size_t left = in.len / WORD;
	uint8_t *to = out;

	if (in.len % WORD != 0)
		return 0;
	while (left > 0) {
		size_t words = message_words(word_at(p, 0));

		if (words == 0 || words > left)
			return 0;
		for (size_t at = 0; at < words; at += MASK_OF) {
			size_t count = least_of(words - at, MASK_OF);
			size_t common =
				at < before_words ? before_words - at : 0;

			to = block_encode(p + WORD * at, count,
					  before + WORD * at,
					  least_of(common, count), to);
		}
		before = p;
		before_words = words;
		p += WORD * words;
		left -= words;
	}
	return (size_t)(to - out);
}

/* The state of a decoder. */
struct decoding {
	const uint8_t *from;
	size_t from_left; /* words left to read */
	uint8_t *to;	  /* output: the current message */
	size_t to_left;	  /* words of space from the current message on */
	const uint8_t *before;
	size_t before_words;
};

static bool word_take(struct decoding *d, uint64_t *out)
{
	if (d->from_left == 0)
		return false;
	*out = word_at(d->from, 0);
	d->from += WORD;
	d->from_left--;
	return true;
}

/*
 * Decode word @i of the message: it is read if it differs, else copied from the
 * message before.
 */
static bool word_decode(struct decoding *d, size_t i, bool differs)
{
	uint64_t word;

	if (i >= d->to_left)
		return false;
	if (differs) {
		if (!word_take(d, &word))
			return false;
	} else {
		if (i >= d->before_words)
			return false;
		word = word_at(d->before, i);
	}
	memcpy(d->to + WORD * i, &word, WORD);
	return true;
}

/* Decode the next message. */
static bool message_decode(struct decoding *d)
{
	size_t words = 1;
	uint64_t mask = 0;

	for (size_t i = 0; i < words; i++) {
		if (i % MASK_OF == 0 && !word_take(d, &mask))
			return false;
		if (!word_decode(d, i, mask >> (i % MASK_OF) & 1))
			return false;
		if (i == 0)
			words = message_words(word_at(d->to, 0));
	}
	if (words == 0 || words > d->to_left)
		return false;
	d->before = d->to;
	d->before_words = words;
	d->to += WORD * words;
	d->to_left -= words;
	return true;
}

bool word_delta_decode(struct wire_view in, uint8_t *out, size_t len)
{
	struct decoding d = {
		.from = in.p,
		.from_left = in.len / WORD,
		.to = out,
		.to_left = len / WORD,
	};

	if (in.len % WORD != 0 || len % WORD != 0)
		return false;
	while (d.to_left > 0)
		if (!message_decode(&d))
			return false;
	return d.from_left == 0;
}
