/*
 * Any bytes, taken for an MRT file (or a compressed one), must be cut into
 * records that decode without reading outside them, and everything handed out
 * must lie inside the record it came from.
 */
#include "capture/mrt_table.h"

#include <stdlib.h>

static bool inside(struct wire_view v, struct wire_view whole)
{
	return v.len == 0 ||
	       (v.p >= whole.p && v.p + v.len <= whole.p + whole.len);
}

static void check_rib(const struct capture_mrt_record *record,
		      const struct capture_mrt_peers *peers)
{
	enum capture_mrt_verdict verdict;
	struct capture_mrt_entry entry;
	struct capture_mrt_rib rib;
	struct wire_view joined = { rib.joined, sizeof(rib.joined) };

	if (capture_mrt_rib_decode(record, peers, &rib) != CAPTURE_MRT_OK)
		return;
	if (rib.nlri.len == 0 ||
	    !(inside(rib.nlri, record->body) || inside(rib.nlri, joined)))
		abort();
	while (capture_mrt_rib_next(&rib, &entry, &verdict)) {
		if (verdict == CAPTURE_MRT_SHORT)
			continue;
		if (!inside(entry.attributes, record->body))
			abort();
		if ((entry.peer == NULL) != (verdict == CAPTURE_MRT_BAD_PEER))
			abort();
	}
}

static void check_message(const struct capture_mrt_record *record)
{
	struct capture_mrt_message message;

	if (capture_mrt_message_decode(record, &message) != CAPTURE_MRT_OK)
		return;
	if (!inside(message.pdu, record->body) ||
	    (message.as_width != 2 && message.as_width != 4) ||
	    (message.is_state_change && message.pdu.len != 0))
		abort();
}

static void check_geo(const struct capture_mrt_record *record)
{
	struct capture_mrt_geo_peer peer;
	struct capture_mrt_geo geo;
	size_t left = record->body.len;

	if (capture_mrt_geo_decode(record, &geo) != CAPTURE_MRT_OK)
		return;
	while (capture_mrt_geo_next(&geo, &peer)) {
		if (geo.peers.left >= left)
			abort();
		left = geo.peers.left;
	}
}

static void read_all(struct capture_source *source)
{
	struct capture_mrt_peers peers = { 0 };
	struct capture_mrt_record record;
	enum capture_mrt_status status;
	struct capture_mrt mrt;

	capture_mrt_init(&mrt, source);
	while ((status = capture_mrt_next(&mrt, &record)) ==
	       CAPTURE_MRT_RECORD) {
		if (capture_mrt_is_peers(&record))
			capture_mrt_peers_decode(&peers, &record);
		else if (capture_mrt_is_geo(&record))
			check_geo(&record);
		else if (capture_mrt_is_rib(&record))
			check_rib(&record, &peers);
		else
			check_message(&record);
	}
	if (status == CAPTURE_MRT_DAMAGED && mrt.error[0] == '\0')
		abort();
	capture_mrt_peers_fini(&peers);
	capture_mrt_fini(&mrt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct capture_source *source;

	if (capture_source_open_memory((struct wire_view){ data, len },
				       &source) < 0)
		return 0;
	read_all(source);
	capture_source_close(source);
	return 0;
}
