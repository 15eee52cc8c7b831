/*
 * Any bytes, taken for the newest segment of a journal, must be mended: what
 * is kept reads back whole, and cutting it there is the end of the repair.
 */
#include "egress/journal/record.h"

#include <stdlib.h>
#include <string.h>

/* Every record that was kept decodes inside the kept bytes. */
static void check_kept(const uint8_t *bytes, const struct journal_scan *scan)
{
	struct journal_record record;
	size_t at = JOURNAL_HEADER;
	uint64_t n = 0;
	size_t size;

	while (at < scan->end) {
		if (journal_record_decode(bytes + at, scan->end - at, &record,
					  &size) != JOURNAL_OK)
			abort();
		if ((const uint8_t *)record.subject < bytes + at ||
		    record.payload + record.len > bytes + at + size)
			abort();
		at += size;
		n++;
	}
	if (at != scan->end && scan->records != 0)
		abort();
	if (n != scan->records)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct journal_header header;
	struct journal_scan scan;
	struct journal_scan again;

	if (journal_header_decode(data, len, &header) != JOURNAL_OK)
		header.base = 0;
	journal_scan(data, len, header.base, &scan);
	if (scan.end < JOURNAL_HEADER)
		abort();
	if (scan.end > len && scan.records > 0)
		abort();
	check_kept(data, &scan);
	if (scan.end <= len) {
		journal_scan(data, (size_t)scan.end, header.base, &again);
		if (again.end != scan.end || again.records != scan.records ||
		    again.damaged)
			abort();
	}
	return 0;
}
