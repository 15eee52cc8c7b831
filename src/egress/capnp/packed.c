#include "egress/capnp/packed.h"

#include "egress/capnp/reader.h"

#include <errno.h>

#define EVERY_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* Maximum words in a run, not counting the first. */
#define RUN_MAX 255

/*
 * A mask with one bit for each non-zero byte of @word; the lowest bit is for
 * the first byte.
 */
static unsigned nonzero_bytes(uint64_t word)
{
	uint64_t low = (word & EVERY_BYTE(0x7f)) + EVERY_BYTE(0x7f);
	uint64_t high = ((low | word) & EVERY_BYTE(0x80)) >> 7;

	/* The multiplication moves bit 8i to bit i of the last byte. */
	return (unsigned)(high * UINT64_C(0x0102040810204080) >> 56);
}

/* The number of zero words from @p on, at most @n. */
static size_t zero_run(const uint8_t *p, size_t n)
{
	size_t run = 0;

	while (run < n && run < RUN_MAX && capnp_word(p + 8 * run) == 0)
		run++;
	return run;
}

/*
 * The number of words from @p on that have at most one zero byte; tags for
 * these would not save space.
 */
static size_t dense_run(const uint8_t *p, size_t n)
{
	size_t run = 0;

	while (run < n && run < RUN_MAX &&
	       __builtin_popcount(nonzero_bytes(capnp_word(p + 8 * run))) >= 7)
		run++;
	return run;
}

/* Copy the bytes that @tag selects, without a branch for each byte. */
static uint8_t *put_bytes(uint8_t *out, const uint8_t *p, unsigned tag)
{
	for (unsigned i = 0; i < 8; i++) {
		*out = p[i];
		out += tag >> i & 1;
	}
	return out;
}

/*
 * Pack @words words. Runs of zero words or of unpacked words end at the last
 * word.
 */
static uint8_t *pack_words(const uint8_t *p, size_t words, uint8_t *out)
{
	const uint8_t *end = p + 8 * words;

	while (p < end) {
		unsigned tag = nonzero_bytes(capnp_word(p));
		size_t run;

		*out++ = (uint8_t)tag;
		out = put_bytes(out, p, tag);
		p += 8;
		if (tag == 0) {
			run = zero_run(p, (size_t)(end - p) / 8);
			*out++ = (uint8_t)run;
			p += 8 * run;
		} else if (tag == 0xff) {
			run = dense_run(p, (size_t)(end - p) / 8);
			*out++ = (uint8_t)run;
			memcpy(out, p, 8 * run);
			out += 8 * run;
			p += 8 * run;
		}
	}
	return out;
}

size_t capnp_pack(struct wire_view in, uint8_t *out)
{
	struct egress_decoder r = egress_decode_start(in);
	struct egress_message m;
	uint8_t *p = out;
	int err;

	while ((err = egress_decode_next(&r, &m)) > 0) {
		p = pack_words(m.words.p - 8, 1, p);
		p = pack_words(m.words.p, m.words.len / 8, p);
	}
	return err < 0 ? 0 : (size_t)(p - out);
}

int64_t capnp_unpack_length(struct wire_view in)
{
	struct wire_cursor c = wire_start(in);
	int64_t len = 0;
	uint8_t tag, run;

	while (wire_u8(&c, &tag)) {
		run = 0;
		if (!wire_skip(&c, (size_t)__builtin_popcount(tag)))
			return -EBADMSG;
		if ((tag == 0 || tag == 0xff) && !wire_u8(&c, &run))
			return -EBADMSG;
		if (tag == 0xff && !wire_skip(&c, 8 * (size_t)run))
			return -EBADMSG;
		len += 8 + 8 * (int64_t)run;
	}
	return len;
}

/* Read the packed bytes of one word and set the other bytes to zero. */
static bool take_word(struct wire_cursor *c, unsigned tag, uint8_t *out)
{
	struct wire_view bytes;
	size_t used = 0;

	if (!wire_take(c, (size_t)__builtin_popcount(tag), &bytes))
		return false;
	for (unsigned i = 0; i < 8; i++)
		out[i] = tag >> i & 1 ? bytes.p[used++] : 0;
	return true;
}

int64_t capnp_unpack(struct wire_view in, uint8_t *out, size_t cap)
{
	struct wire_cursor c = wire_start(in);
	size_t len = 0;
	uint8_t tag, run = 0;
	struct wire_view dense;

	while (wire_u8(&c, &tag)) {
		bool has_run = tag == 0 || tag == 0xff;

		if (cap - len < 8)
			return -E2BIG;
		if (!take_word(&c, tag, out + len) ||
		    (has_run && !wire_u8(&c, &run)))
			return -EBADMSG;
		len += 8;
		if (!has_run)
			continue;
		if (cap - len < 8 * (size_t)run)
			return -E2BIG;
		if (tag == 0) {
			memset(out + len, 0, 8 * (size_t)run);
		} else {
			if (!wire_take(&c, 8 * (size_t)run, &dense))
				return -EBADMSG;
			memcpy(out + len, dense.p, dense.len);
		}
		len += 8 * (size_t)run;
	}
	return (int64_t)len;
}
