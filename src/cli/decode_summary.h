/*
 * cli/decode_summary.h - counts of messages, families and peers
 *
 * A peer is identified by its whole header except flags and time, so a peer
 * that came back with another AS or BGP identifier is counted as two.
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

/* Messages of unknown types are counted as one more type. */
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
	struct bmp_peer header; /* header of the first message of the peer */
	uint64_t messages[SUMMARY_TYPES];
	struct summary_families families;
};

/* All zero = an empty summary. */
struct summary {
	uint64_t messages[SUMMARY_TYPES];
	uint64_t records; /* number of records of an MRT file */
	uint64_t errors;
	unsigned sessions; /* number of sessions in a packet capture */
	struct summary_families families;
	struct summary_peer **peers; /* in the order of appearance */
	size_t peer_count;
	/* hash table with open addressing: index in peers + 1; 0 = empty */
	size_t *slots;
	size_t slot_count;
};

void summary_fini(struct summary *summary);

/* The counters of the peer of @header, which are created if necessary. */
struct summary_peer *summary_peer(struct summary *summary,
				  const struct bmp_peer *header);

/* Count a message of type @type; @peer is NULL if the message has no peer. */
void summary_message(struct summary *summary, struct summary_peer *peer,
		     uint8_t type);

/* Count @n routes, or End-of-RIB markers. */
void summary_routes(struct summary *summary, struct summary_peer *peer,
		    enum summary_count what, uint16_t afi, uint8_t safi,
		    uint64_t n);

/* Write the summary as members of a JSON object, or print it as a table. */
void summary_json(const struct summary *summary, struct json *j);
void summary_print(const struct summary *summary, const char *file,
		   const char *format);

#endif
