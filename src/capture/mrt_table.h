/*
 * capture/mrt_table.h - TABLE_DUMP and TABLE_DUMP_V2 records: routes of a RIB
 *
 *	PEER_INDEX_TABLE	-> struct capture_mrt_peers, which the following
 *				   RIB records refer to
 *	RIB_...			-> one NLRI, an entry per peer and path
 *	TABLE_DUMP		-> one NLRI, one entry; has its own peer
 *	BGP4MP_ENTRY		-> as TABLE_DUMP; deprecated
 *	GEO_PEER_TABLE		-> positions of the MRT collector and its peers
 *
 * RFC 6396 4.2 and 4.3, with the add-path subtypes of RFC 8050; RFC 6397. The
 * subtypes without path identifiers and those with them differ in the entries
 * only.
 */
#ifndef CAPTURE_MRT_TABLE_H
#define CAPTURE_MRT_TABLE_H

#include "capture/mrt_message.h"

struct capture_mrt_peer {
	uint32_t bgp_id; /* 0 in a TABLE_DUMP, which does not contain it */
	uint32_t as;
	bool ipv6;
	uint8_t address[16]; /* IPv4 mapped to IPv6 */
};

/* All zero = no PEER_INDEX_TABLE was read yet. */
struct capture_mrt_peers {
	bool seen;
	uint32_t collector_id;
	struct capture_mrt_peer *peers;
	size_t count;
};

void capture_mrt_peers_fini(struct capture_mrt_peers *peers);

/* True if @record is a PEER_INDEX_TABLE, which is not a RIB. */
static inline bool capture_mrt_is_peers(const struct capture_mrt_record *record)
{
	return record->type == CAPTURE_MRT_TABLE_DUMP_V2 &&
	       record->subtype == 1;
}

/*
 * Replace *@peers by the table in @record. CAPTURE_MRT_SHORT if the table is
 * truncated: the peers that could be parsed are kept, with correct indices; or
 * if out of memory: no peer is kept.
 */
enum capture_mrt_verdict capture_mrt_peers_decode(
	struct capture_mrt_peers *peers,
	const struct capture_mrt_record *record);

/* True if @record is a RIB, for capture_mrt_rib_decode(). */
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

/*
 * A position in degrees. If the numbers are not finite, the position is private
 * or unknown.
 */
struct capture_mrt_position {
	float latitude;
	float longitude;
};

struct capture_mrt_geo {
	uint32_t collector_id;
	/* position of the MRT collector */
	struct capture_mrt_position position;
	uint16_t peers_left;
	struct wire_cursor peers;
};

struct capture_mrt_geo_peer {
	struct capture_mrt_peer peer;
	struct capture_mrt_position position;
};

enum capture_mrt_verdict capture_mrt_geo_decode(
	const struct capture_mrt_record *record, struct capture_mrt_geo *out);

/*
 * Set *@out to the next peer; false after the last, or if the record ends too
 * early.
 */
bool capture_mrt_geo_next(struct capture_mrt_geo *geo,
			  struct capture_mrt_geo_peer *out);

struct capture_mrt_rib {
	uint16_t afi;
	uint8_t safi;
	bool add_path;	   /* each entry has a path identifier */
	bool nlri_path_id; /* path_id is set and applies to all entries */
	uint32_t path_id;
	/*
	 * bytes of an AS number in AS_PATH; 4 in TABLE_DUMP_V2 for every peer
	 */
	uint8_t as_width;
	/* MP_REACH may consist of the next hop only, RFC 6396 4.3.4 */
	bool is_v2;
	/* BGP4MP_ENTRY: the entry consists only of its attributes */
	bool is_entry;
	/* BGP4MP_ENTRY: the next hop, which is not in the attributes */
	struct wire_view next_hop;
	uint32_t originated; /* BGP4MP_ENTRY: seconds since 1970 */
	/* one NLRI, without path identifier or padding */
	struct wire_view nlri;

	uint16_t entries_left;
	struct wire_cursor entries;
	const struct capture_mrt_peers *peers;

	/*
	 * For TABLE_DUMP, which has length and prefix in separate fields: both
	 * as one NLRI, to which nlri points.
	 */
	uint8_t joined[17];
	struct capture_mrt_peer own_peer;
};

struct capture_mrt_entry {
	/* NULL with CAPTURE_MRT_BAD_PEER */
	const struct capture_mrt_peer *peer;
	uint32_t originated; /* seconds since 1970 */
	bool has_path_id;
	uint32_t path_id;
	struct wire_view attributes;
};

/*
 * Begin the RIB in @record, and set *@out to iterate over its entries. Views in
 * *@out point into the record, @peers and *@out itself, so *@out must not be
 * copied.
 */
enum capture_mrt_verdict capture_mrt_rib_decode(
	const struct capture_mrt_record *record,
	const struct capture_mrt_peers *peers, struct capture_mrt_rib *out);

/*
 * Set *@out to the next entry; false after the last. If *@verdict is
 * CAPTURE_MRT_SHORT, *@out is not valid and no entry follows; if it is
 * CAPTURE_MRT_BAD_PEER, only the peer is missing.
 */
bool capture_mrt_rib_next(struct capture_mrt_rib *rib,
			  struct capture_mrt_entry *out,
			  enum capture_mrt_verdict *verdict);

#endif
