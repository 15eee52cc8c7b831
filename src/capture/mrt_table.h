/*
 * capture/mrt_table.h - TABLE_DUMP and TABLE_DUMP_V2 records: routes of a RIB
 *
 *	PEER_INDEX_TABLE	-> struct capture_mrt_peers, kept
 *	RIB_...			-> one NLRI, an entry per peer and path
 *	TABLE_DUMP		-> one NLRI, one entry, its peer in the record
 *	BGP4MP_ENTRY		-> the same, deprecated
 *	GEO_PEER_TABLE		-> where the collector and its peers are
 *
 * RFC 6396 4.2 and 4.3, with the add-path subtypes of RFC 8050; RFC 6397. The
 * subtypes without path identifiers and those with them differ in the entries
 * only.
 */
#ifndef CAPTURE_MRT_TABLE_H
#define CAPTURE_MRT_TABLE_H

#include "capture/mrt_message.h"

struct capture_mrt_peer {
	uint32_t bgp_id; /* 0 in a TABLE_DUMP, which does not say */
	uint32_t as;
	bool ipv6;
	uint8_t address[16]; /* IPv4 mapped to IPv6 */
};

/* All zero = no table seen yet. */
struct capture_mrt_peers {
	bool seen;
	uint32_t collector_id;
	struct capture_mrt_peer *peers;
	size_t count;
};

void capture_mrt_peers_fini(struct capture_mrt_peers *peers);

/* True if @record is a PEER_INDEX_TABLE, and so not a RIB. */
static inline bool capture_mrt_is_peers(const struct capture_mrt_record *record)
{
	return record->type == CAPTURE_MRT_TABLE_DUMP_V2 &&
	       record->subtype == 1;
}

/*
 * Replace *@peers by the table in @record. A truncated table keeps the peers
 * that could be parsed: their indices are correct. If out of memory, the same.
 */
enum capture_mrt_verdict capture_mrt_peers_decode(
	struct capture_mrt_peers *peers,
	const struct capture_mrt_record *record);

/* True if @record is a RIB, whose routes capture_mrt_rib_decode() finds. */
static inline bool capture_mrt_is_rib(const struct capture_mrt_record *record)
{
	switch (record->type) {
	case CAPTURE_MRT_TABLE_DUMP:
	case CAPTURE_MRT_TABLE_DUMP_V2:
		return true;
	case CAPTURE_MRT_BGP4MP:
	case CAPTURE_MRT_BGP4MP_ET:
		return record->subtype == 2;
	default:
		return false;
	}
}

/* True if @record is a GEO_PEER_TABLE, RFC 6397 3. */
static inline bool capture_mrt_is_geo(const struct capture_mrt_record *record)
{
	return record->type == CAPTURE_MRT_TABLE_DUMP_V2 &&
	       record->subtype == 7;
}

/* In degrees; a number that is not finite = private or not known. */
struct capture_mrt_position {
	float latitude;
	float longitude;
};

struct capture_mrt_geo {
	uint32_t collector_id;
	struct capture_mrt_position position; /* of the collector */
	uint16_t peers_left;
	struct wire_cursor peers;
};

struct capture_mrt_geo_peer {
	struct capture_mrt_peer peer;
	struct capture_mrt_position position;
};

enum capture_mrt_verdict capture_mrt_geo_decode(
	const struct capture_mrt_record *record, struct capture_mrt_geo *out);

/* The next peer; false after the last, or where the record ends too early. */
bool capture_mrt_geo_next(struct capture_mrt_geo *geo,
			  struct capture_mrt_geo_peer *out);

struct capture_mrt_rib {
	uint16_t afi;
	uint8_t safi;
	bool add_path;	   /* entries have path identifiers */
	bool nlri_path_id; /* the NLRI had one, for all entries */
	uint32_t path_id;
	uint8_t as_width; /* of AS_PATH: 4 in TABLE_DUMP_V2 whatever the peer */
	bool is_v2;	  /* MP_REACH may be only a next hop, RFC 6396 4.3.4 */
	bool is_entry;	  /* BGP4MP_ENTRY: only attributes are left */
	struct wire_view next_hop; /* BGP4MP_ENTRY: beside the attributes */
	uint32_t originated;	   /* BGP4MP_ENTRY */
	struct wire_view nlri;	   /* one, without path identifier or padding */

	uint16_t entries_left;
	struct wire_cursor entries;
	const struct capture_mrt_peers *peers;

	/* TABLE_DUMP has length and prefix apart; nlri needs them joined. */
	uint8_t joined[17];
	struct capture_mrt_peer own_peer;
};

struct capture_mrt_entry {
	const struct capture_mrt_peer *peer; /* NULL with BAD_PEER */
	uint32_t originated;		     /* seconds since 1970 */
	bool has_path_id;
	uint32_t path_id;
	struct wire_view attributes;
};

/*
 * Begin the RIB in @record. Views in *@out point into the record, @peers and
 * *@out itself, so it must not be copied.
 */
enum capture_mrt_verdict capture_mrt_rib_decode(
	const struct capture_mrt_record *record,
	const struct capture_mrt_peers *peers, struct capture_mrt_rib *out);

/*
 * The next entry; false after the last. CAPTURE_MRT_SHORT in *@verdict ends
 * the walk, CAPTURE_MRT_BAD_PEER does not.
 */
bool capture_mrt_rib_next(struct capture_mrt_rib *rib,
			  struct capture_mrt_entry *out,
			  enum capture_mrt_verdict *verdict);

#endif
