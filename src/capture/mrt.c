#include "capture/mrt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define HEADER_LEN 12
#define FIRST_SIZE (64 * 1024)

void capture_mrt_init(struct capture_mrt *mrt, struct capture_source *source)
{
	*mrt = (struct capture_mrt){ .source = source };
}

void capture_mrt_fini(struct capture_mrt *mrt)
{
	free(mrt->bytes);
	mrt->bytes = NULL;
}

static enum capture_mrt_status mrt_damaged(struct capture_mrt *mrt,
					   const char *what)
{
	snprintf(mrt->error, sizeof(mrt->error), "at byte %" PRIu64 ": %s",
		 mrt->offset, what);
	return CAPTURE_MRT_DAMAGED;
}

/*
 * Read @len bytes; *@got is less than @len if the source ended before or has an
 * error, which is returned.
 */
static enum capture_source_status read_exactly(struct capture_mrt *mrt,
					       uint8_t *to, size_t len,
					       size_t *got)
{
	enum capture_source_status status = CAPTURE_SOURCE_OK;
	size_t n = 0;

	*got = 0;
	while (*got < len) {
		status = capture_source_read(mrt->source, to + *got, len - *got,
					     &n);
		if (status != CAPTURE_SOURCE_OK)
			break;
		*got += n;
	}
	return status;
}

/*
 * Read the body of a record. The buffer grows with the bytes that arrive, not
 * with the length in the header, so a length of 64 MiB in a short file costs
 * nothing.
 */
static enum capture_source_status read_body(struct capture_mrt *mrt, size_t len,
					    bool *out_of_memory)
{
	enum capture_source_status status = CAPTURE_SOURCE_OK;
	size_t have = 0, got;

	*out_of_memory = false;
	while (have < len && status == CAPTURE_SOURCE_OK) {
		size_t want = len - have;

		if (have == mrt->size) {
			size_t size = mrt->size ? mrt->size * 2 : FIRST_SIZE;
			uint8_t *bytes = realloc(mrt->bytes, size);

			if (bytes == NULL) {
				*out_of_memory = true;
				return CAPTURE_SOURCE_OK;
			}
			mrt->bytes = bytes;
			mrt->size = size;
		}
		if (want > mrt->size - have)
			want = mrt->size - have;
		status = read_exactly(mrt, mrt->bytes + have, want, &got);
		have += got;
	}
	return status;
}

static enum capture_mrt_status record_cut(struct capture_mrt *mrt,
					  enum capture_source_status status)
{
	if (status == CAPTURE_SOURCE_END)
		return mrt_damaged(mrt, "the last record is cut");
	return mrt_damaged(mrt, capture_source_text(status));
}

/*
 * Take the field with the microseconds of an "_ET" record from the start of its
 * body, and add it to the time. The length of the record includes the field.
 */
static bool take_microseconds(struct capture_mrt_record *record)
{
	struct wire_cursor c = wire_start(record->body);
	uint32_t us;

	if (!wire_u32(&c, &us))
		return false;
	record->time_ns += us * UINT64_C(1000);
	record->body = wire_rest(&c);
	return true;
}

enum capture_mrt_status capture_mrt_next(struct capture_mrt *mrt,
					 struct capture_mrt_record *out)
{
	uint8_t header[HEADER_LEN];
	enum capture_source_status status;
	bool out_of_memory;
	size_t got, len;

	status = read_exactly(mrt, header, sizeof(header), &got);
	if (got == 0 && status == CAPTURE_SOURCE_END)
		return CAPTURE_MRT_END;
	if (status != CAPTURE_SOURCE_OK)
		return record_cut(mrt, status);
	len = wire_get_u32(header + 8);
	if (len > CAPTURE_MRT_MAX_RECORD)
		return mrt_damaged(mrt,
				   "no MRT record: it would be over 64 MiB");
	status = read_body(mrt, len, &out_of_memory);
	if (out_of_memory)
		return mrt_damaged(mrt, "out of memory");
	if (status != CAPTURE_SOURCE_OK)
		return record_cut(mrt, status);

	*out = (struct capture_mrt_record){
		.offset = mrt->offset,
		.time_ns = wire_get_u32(header) * UINT64_C(1000000000),
		.type = wire_get_u16(header + 4),
		.subtype = wire_get_u16(header + 6),
		.body = { mrt->bytes, len },
	};
	if (out->type == CAPTURE_MRT_BGP4MP_ET && !take_microseconds(out))
		return mrt_damaged(mrt, "a record without its microseconds");
	mrt->offset += HEADER_LEN + len;
	return CAPTURE_MRT_RECORD;
}
