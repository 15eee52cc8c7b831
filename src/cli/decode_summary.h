/*
 * cli/decode_summary.h - how much of what there was
 *
 * Counts by message type, by AFI/SAFI and by peer. A peer is counted by all
 * that its header says but flags and time, so that one that came back with
 * another AS or BGP identifier shows as two.
 */
#ifndef CLI_DECODE_SUMMARY_H
#define CLI_DECODE_SUMMARY_H

#include "bmp/message.h"
#include "collector/base/json.h"

enum summary_count {
	SUMMARY_ANNOUNCED,
	SUMMARY_WITHDRAWN,
	SUMMARY_END_OF_RIB,
	SUMMARY_COUNTS
};

/* Messages of types beyond the known ones are counted as one more type. */
#define SUMMARY_TYPES (BMP_TYPES + 1)

struct summary_family {
	uint16_t afi;
	uint8_t safi;
	uint64_t counts[SUMMARY_COUNTS];
};

struct summary_families {
	struct summary_family *list;
	size_t count;
};

struct summary_peer {
	struct bmp_peer header; /* of its first message */
	uint64_t messages[SUMMARY_TYPES];
	struct summary_families families;
};

/* All zero is a summary of nothing. */
struct summary {
	uint64_t messages[SUMMARY_TYPES];
	uint64_t records; /* of an MRT file */
	uint64_t errors;
	unsigned sessions; /* in a packet capture */
	struct summary_families families;
	struct summary_peer **peers; /* in the order of appearance */
	size_t peer_count;
	size_t *slots; /* open addressing, index + 1 into peers */
	size_t slot_count;
};

void summary_fini(struct summary *summary);

/* The counts of the peer of @header. */
struct summary_peer *summary_peer(struct summary *summary,
				  const struct bmp_peer *header);

/* A message of type @type; @peer is NULL if it is about none. */
void summary_message(struct summary *summary, struct summary_peer *peer,
		     uint8_t type);

/* @n routes, or End-of-RIB markers. */
void summary_routes(struct summary *summary, struct summary_peer *peer,
		    enum summary_count what, uint16_t afi, uint8_t safi,
		    uint64_t n);

/* As the inside of a JSON object, and as a table for people. */
void summary_json(const struct summary *summary, struct json *j);
void summary_print(const struct summary *summary, const char *file,
		   const char *format);

#endif
