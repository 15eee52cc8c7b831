#include "rib/snapshot_block.h"

#include "rib/checksum.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#define LEVEL 1

static const uint8_t magic[8] = { 'A', 'R', 'I', 'B', 'S', 'N', 'A', 'P' };

/* Offsets of the members in a block header. */
enum block_header {
	AT_NUMBER = 0,
	AT_KIND = 4,
	AT_RAW = 8,
	AT_STORED = 12,
	AT_SUM = 16,
};

const char *rib_snapshot_text(enum rib_snapshot_status status)
{
	static const char *const texts[RIB_SNAPSHOT_STATUSES] = {
		[RIB_SNAPSHOT_OK] = "whole",
		[RIB_SNAPSHOT_MORE] = "not read to its end",
		[RIB_SNAPSHOT_TRUNCATED] = "ends too early",
		[RIB_SNAPSHOT_NOT_ONE] = "is not a snapshot",
		[RIB_SNAPSHOT_VERSION_NEW] =
			"is of a later version than this program reads",
		[RIB_SNAPSHOT_CHECKSUM] = "has a wrong checksum",
		[RIB_SNAPSHOT_BLOCK_ORDER] = "lacks a block, or has one twice",
		[RIB_SNAPSHOT_BLOCK_SIZE] = "has a block that is too large",
		[RIB_SNAPSHOT_COMPRESSION] = "cannot be decompressed",
		[RIB_SNAPSHOT_RECORD] = "has a record that makes no sense",
		[RIB_SNAPSHOT_TOTALS] = "has not as many routes as it says",
		[RIB_SNAPSHOT_ROUTER] = "is of another router",
		[RIB_SNAPSHOT_TRAILING] = "goes on after its end",
		[RIB_SNAPSHOT_MEMORY] = "needs more memory than there is",
	};

	return status < RIB_SNAPSHOT_STATUSES ? texts[status] : "unknown";
}

/* Grow a buffer to at least @need bytes, in powers of two. */
static bool buffer_reserve(uint8_t **p, size_t *cap, size_t need)
{
	size_t want = *cap < 4096 ? 4096 : *cap;
	uint8_t *grown;

	if (need <= *cap)
		return true;
	while (want < need)
		want *= 2;
	grown = realloc(*p, want);
	if (grown == NULL)
		return false;
	*p = grown;
	*cap = want;
	return true;
}

/* Writing */

int rib_block_writer_init(struct rib_block_writer *w)
{
	*w = (struct rib_block_writer){ .zstd = ZSTD_createCCtx() };
	return w->zstd != NULL ? 0 : -ENOMEM;
}

void rib_block_writer_fini(struct rib_block_writer *w)
{
	ZSTD_freeCCtx(w->zstd);
	free(w->raw);
	free(w->out);
	*w = (struct rib_block_writer){ 0 };
}

uint8_t *rib_block_reserve(struct rib_block_writer *w, size_t n)
{
	uint8_t *at;

	if (!buffer_reserve(&w->raw, &w->raw_cap, w->raw_len + n))
		return NULL;
	at = w->raw + w->raw_len;
	w->raw_len += n;
	return at;
}

static size_t put_file_header(uint8_t *p)
{
	memcpy(p, magic, sizeof(magic));
	wire_put_u16(p + 8, RIB_SNAPSHOT_VERSION);
	wire_put_u16(p + 10, 0);
	wire_put_u32(p + 12, rib_checksum(0, p, 12));
	return RIB_FILE_HEADER_LEN;
}

static uint32_t block_sum(const uint8_t *header, size_t stored)
{
	return rib_checksum(rib_checksum(0, header, AT_SUM),
			    header + RIB_BLOCK_HEADER_LEN, stored);
}

int rib_block_seal(struct rib_block_writer *w, enum rib_block_kind kind)
{
	size_t bound = ZSTD_compressBound(w->raw_len);
	uint8_t *header;
	size_t stored;

	if (!buffer_reserve(&w->out, &w->out_cap,
			    RIB_FILE_HEADER_LEN + RIB_BLOCK_HEADER_LEN + bound))
		return -ENOMEM;
	w->out_len = w->number == 0 ? put_file_header(w->out) : 0;
	header = w->out + w->out_len;
	stored = ZSTD_compressCCtx(w->zstd, header + RIB_BLOCK_HEADER_LEN,
				   bound, w->raw, w->raw_len, LEVEL);
	/*
	 * The output has the maximum size that zstd can need, so out of memory
	 * is the only possible error.
	 */
	if (ZSTD_isError(stored))
		return -ENOMEM;
	wire_put_u32(header + AT_NUMBER, w->number++);
	wire_put_u32(header + AT_KIND, kind);
	wire_put_u32(header + AT_RAW, (uint32_t)w->raw_len);
	wire_put_u32(header + AT_STORED, (uint32_t)stored);
	wire_put_u32(header + AT_SUM, block_sum(header, stored));
	w->out_len += RIB_BLOCK_HEADER_LEN + stored;
	w->raw_len = 0;
	return 0;
}

/* Reading */

int rib_block_reader_init(struct rib_block_reader *r)
{
	*r = (struct rib_block_reader){
		.zstd = ZSTD_createDCtx(),
		.in_need = RIB_FILE_HEADER_LEN,
		.status = RIB_SNAPSHOT_MORE,
	};
	if (r->zstd != NULL && buffer_reserve(&r->in, &r->in_cap, r->in_need))
		return 0;
	rib_block_reader_fini(r);
	return -ENOMEM;
}

void rib_block_reader_fini(struct rib_block_reader *r)
{
	ZSTD_freeDCtx(r->zstd);
	free(r->in);
	free(r->raw);
	*r = (struct rib_block_reader){ 0 };
}

static enum rib_snapshot_status read_file_header(struct rib_block_reader *r)
{
	const uint8_t *p = r->in;

	if (memcmp(p, magic, sizeof(magic)) != 0)
		return RIB_SNAPSHOT_NOT_ONE;
	if (wire_get_u32(p + 12) != rib_checksum(0, p, 12))
		return RIB_SNAPSHOT_CHECKSUM;
	if (wire_get_u16(p + 8) > RIB_SNAPSHOT_VERSION)
		return RIB_SNAPSHOT_VERSION_NEW;
	/* There was no version 0, and the next field must be zero. */
	if (wire_get_u16(p + 8) == 0 || wire_get_u16(p + 10) != 0)
		return RIB_SNAPSHOT_NOT_ONE;
	r->version = wire_get_u16(p + 8);
	r->started = true;
	r->whole = r->in_len;
	r->in_len = 0;
	r->in_need = RIB_BLOCK_HEADER_LEN;
	return RIB_SNAPSHOT_MORE;
}

/*
 * Read only the sizes, because the header is not trusted before its checksum is
 * verified.
 */
static enum rib_snapshot_status read_block_header(struct rib_block_reader *r)
{
	uint32_t raw = wire_get_u32(r->in + AT_RAW);
	uint32_t stored = wire_get_u32(r->in + AT_STORED);

	if (raw > RIB_BLOCK_MAX || stored > ZSTD_compressBound(RIB_BLOCK_MAX))
		return RIB_SNAPSHOT_BLOCK_SIZE;
	/* Even an empty block has a non-empty zstd frame. */
	if (stored == 0)
		return RIB_SNAPSHOT_COMPRESSION;
	r->in_need = RIB_BLOCK_HEADER_LEN + stored;
	if (!buffer_reserve(&r->in, &r->in_cap, r->in_need) ||
	    !buffer_reserve(&r->raw, &r->raw_cap, raw))
		return RIB_SNAPSHOT_MEMORY;
	return RIB_SNAPSHOT_MORE;
}

static enum rib_snapshot_status read_block(struct rib_block_reader *r)
{
	uint32_t raw = wire_get_u32(r->in + AT_RAW);
	uint32_t kind = wire_get_u32(r->in + AT_KIND);
	size_t stored = r->in_len - RIB_BLOCK_HEADER_LEN;

	if (wire_get_u32(r->in + AT_SUM) != block_sum(r->in, stored))
		return RIB_SNAPSHOT_CHECKSUM;
	if (wire_get_u32(r->in + AT_NUMBER) != r->number)
		return RIB_SNAPSHOT_BLOCK_ORDER;
	if (kind != RIB_BLOCK_DATA && kind != RIB_BLOCK_LAST)
		return RIB_SNAPSHOT_RECORD;
	if (ZSTD_decompressDCtx(r->zstd, r->raw, raw,
				r->in + RIB_BLOCK_HEADER_LEN, stored) != raw)
		return RIB_SNAPSHOT_COMPRESSION;
	r->raw_len = raw;
	r->ready = true;
	r->number++;
	r->ended = kind == RIB_BLOCK_LAST;
	r->whole += r->in_len;
	r->in_len = 0;
	r->in_need = RIB_BLOCK_HEADER_LEN;
	return RIB_SNAPSHOT_MORE;
}

/* Handle the bytes that were requested; all of them are there. */
static enum rib_snapshot_status reader_advance(struct rib_block_reader *r)
{
	if (!r->started)
		return read_file_header(r);
	if (r->in_need == RIB_BLOCK_HEADER_LEN)
		return read_block_header(r);
	return read_block(r);
}

size_t rib_block_feed(struct rib_block_reader *r, struct wire_view bytes)
{
	size_t used = 0;

	while (r->status == RIB_SNAPSHOT_MORE && !r->ready) {
		size_t n = r->in_need - r->in_len;

		if (r->ended && used < bytes.len)
			r->status = RIB_SNAPSHOT_TRAILING;
		if (r->ended || used == bytes.len)
			break;
		if (n > bytes.len - used)
			n = bytes.len - used;
		memcpy(r->in + r->in_len, bytes.p + used, n);
		r->in_len += n;
		used += n;
		if (r->in_len == r->in_need)
			r->status = reader_advance(r);
	}
	return used;
}

enum rib_snapshot_status rib_block_end(struct rib_block_reader *r)
{
	if (r->status == RIB_SNAPSHOT_MORE)
		r->status = r->ended ? RIB_SNAPSHOT_OK : RIB_SNAPSHOT_TRUNCATED;
	return r->status;
}
