#include "egress/journal/record.h"

#include "egress/message_id.h"
#include "egress/subject.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define MAGIC	"ARAJRNL1"
#define VERSION 2

/* Both structs have the layout on disk: little-endian, without padding. */
struct disk_header {
	char magic[8];
	uint32_t version;
	uint32_t size;
	uint64_t base;
	uint64_t created_ns;
	uint64_t journal;
	uint64_t previous; /* reserved in version 1 */
	uint64_t reserved;
	uint64_t checksum; /* checksum of the members above */
};

struct disk_record {
	uint64_t checksum; /* checksum of all following bytes of the record */
	uint32_t size;	   /* length of the record */
	uint32_t len;	   /* length of the payload */
	uint16_t subject_len;
	uint8_t kind;
	uint8_t encoding;
	uint32_t updates;
	uint64_t time_ns;
	uint64_t epoch;
	uint64_t seq;
	uint64_t synced;
	uint64_t reserved;
};

_Static_assert(sizeof(struct disk_header) == JOURNAL_HEADER, "no holes");
_Static_assert(sizeof(struct disk_record) == JOURNAL_RECORD_HEADER, "no holes");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "the journal is written as it stands in memory");

void journal_header_encode(const struct journal_header *header,
			   uint8_t out[JOURNAL_HEADER])
{
	struct disk_header h = {
		.version = VERSION,
		.size = JOURNAL_HEADER,
		.base = header->base,
		.created_ns = header->created_ns,
		.journal = header->journal,
		.previous = header->previous,
	};

	memcpy(h.magic, MAGIC, sizeof(h.magic));
	h.checksum = XXH3_64bits(&h, offsetof(struct disk_header, checksum));
	memcpy(out, &h, sizeof(h));
}

enum journal_verdict journal_header_decode(const uint8_t *bytes, size_t len,
					   struct journal_header *out)
{
	struct disk_header h;

	if (len < sizeof(h))
		return JOURNAL_SHORT;
	memcpy(&h, bytes, sizeof(h));
	if (memcmp(h.magic, MAGIC, sizeof(h.magic)) != 0 ||
	    h.checksum !=
		    XXH3_64bits(&h, offsetof(struct disk_header, checksum)))
		return JOURNAL_BAD;
	if (h.version > VERSION)
		return JOURNAL_NEWER;
	if (h.version == 0 || h.size != JOURNAL_HEADER ||
	    (h.version > 1 && h.previous > h.base))
		return JOURNAL_BAD;
	*out = (struct journal_header){
		.base = h.base,
		.created_ns = h.created_ns,
		.journal = h.journal,
		.previous = h.version == 1 ? h.base : h.previous,
	};
	return JOURNAL_OK;
}

static size_t size_padded(size_t n)
{
	return (n + JOURNAL_ALIGN - 1) & ~(size_t)(JOURNAL_ALIGN - 1);
}

size_t journal_record_size(const struct journal_record *record)
{
	return size_padded(sizeof(struct disk_record) + record->subject_len +
			   record->len);
}

void journal_record_encode(const struct journal_record *record,
			   uint8_t out[JOURNAL_RECORD_HEADER])
{
	static const uint8_t zeroes[JOURNAL_ALIGN];
	struct disk_record r = {
		.size = (uint32_t)journal_record_size(record),
		.len = record->len,
		.subject_len = record->subject_len,
		.kind = record->kind,
		.encoding = record->encoding,
		.updates = record->updates,
		.time_ns = record->time_ns,
		.epoch = record->epoch,
		.seq = record->seq,
		.synced = record->synced,
	};
	XXH3_state_t state;

	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, &r.size, sizeof(r) - sizeof(r.checksum));
	XXH3_64bits_update(&state, record->subject, record->subject_len);
	XXH3_64bits_update(&state, record->payload, record->len);
	XXH3_64bits_update(&state, zeroes,
			   r.size - sizeof(r) - record->subject_len -
				   record->len);
	r.checksum = XXH3_64bits_digest(&state);
	memcpy(out, &r, sizeof(r));
}

static bool disk_record_valid(const struct disk_record *r)
{
	return r->subject_len > 0 && r->subject_len < SUBJECT_MAX &&
	       r->epoch <= EPOCH_MAX && r->len <= JOURNAL_PAYLOAD_MAX &&
	       r->size == size_padded(sizeof(*r) + r->subject_len + r->len);
}

enum journal_verdict journal_record_decode(const uint8_t *bytes, size_t len,
					   struct journal_record *out,
					   size_t *size)
{
	struct disk_record r;

	*size = 0;
	if (len < sizeof(r))
		return JOURNAL_SHORT;
	memcpy(&r, bytes, sizeof(r));
	if (!disk_record_valid(&r))
		return JOURNAL_BAD;
	*size = r.size;
	if (len < r.size)
		return JOURNAL_SHORT;
	if (r.checksum != XXH3_64bits(bytes + sizeof(r.checksum),
				      r.size - sizeof(r.checksum)))
		return JOURNAL_BAD;
	*out = (struct journal_record){
		.time_ns = r.time_ns,
		.epoch = r.epoch,
		.seq = r.seq,
		.synced = r.synced,
		.updates = r.updates,
		.kind = r.kind,
		.encoding = r.encoding,
		.subject_len = r.subject_len,
		.len = r.len,
		.subject = (const char *)bytes + sizeof(r),
		.payload = bytes + sizeof(r) + r.subject_len,
	};
	return JOURNAL_OK;
}

/*
 * True if a record after @at says, by its synced position, that bytes after @at
 * were safe.
 */
static bool was_safe(const uint8_t *bytes, size_t len, uint64_t base, size_t at)
{
	struct journal_record record;
	size_t size;

	for (size_t p = at + JOURNAL_ALIGN; p < len; p += JOURNAL_ALIGN)
		if (journal_record_decode(bytes + p, len - p, &record, &size) ==
			    JOURNAL_OK &&
		    record.synced > base + at)
			return true;
	return false;
}

void journal_scan(const uint8_t *bytes, size_t len, uint64_t base,
		  struct journal_scan *out)
{
	struct journal_record record;
	size_t at = JOURNAL_HEADER;
	size_t size;

	*out = (struct journal_scan){ .end = JOURNAL_HEADER };
	while (at < len && journal_record_decode(bytes + at, len - at, &record,
						 &size) == JOURNAL_OK) {
		record.position = base + at;
		out->last = record;
		out->records++;
		at += size;
	}
	out->end = at;
	if (at < len)
		out->damaged = was_safe(bytes, len, base, at);
}
