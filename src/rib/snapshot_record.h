/*
 * rib/snapshot_record.h - what the blocks of a snapshot say
 *
 *	ROUTER	once, first: who, when, and the start mark
 *	TABLE	of which peer, view and family the next routes are
 *	SET	keep these attributes in a slot, in place of what was there
 *	ROUTE	a key, and the slot of its attributes
 *	END	once, last: the end mark, and how many routes there were
 *
 * Attribute sets are named by slots of a small table that the writer and the
 * reader keep alike, so that neither has to remember all of them. A set that
 * was pushed out is simply said again. Sets too long for a slot stand in the
 * route itself.
 *
 * Numbers are varints (seven bits a byte, the low ones first) unless a width
 * is given. Views point into what they were read from.
 */
#ifndef RIB_SNAPSHOT_RECORD_H
#define RIB_SNAPSHOT_RECORD_H

#include "rib/snapshot_block.h"
#include "rib/read.h"

#define RIB_SNAPSHOT_SLOTS    8192
#define RIB_SNAPSHOT_SLOT_MAX 1024 /* bytes of a set that goes into one */
#define RIB_SNAPSHOT_MARK_MAX 4096
#define RIB_SNAPSHOT_NAME_MAX 1024 /* of a router; of a table: 65535 */

enum rib_record_type {
	RIB_RECORD_ROUTER = 1,
	RIB_RECORD_TABLE,
	RIB_RECORD_SET,
	RIB_RECORD_ROUTE,
	RIB_RECORD_END,
};

struct rib_record_router {
	uint8_t address[16];
	uint16_t port;
	bool named;	       /* by its name, not by its address */
	bool presence;	       /* RIB_MODE_PRESENCE; version 3 */
	struct wire_view name; /* not terminated, without a zero in it */
	uint64_t taken_s;      /* since 1970 */
	struct wire_view start_mark;
};

struct rib_record_table {
	uint8_t peer_type;
	uint8_t view;
	uint8_t safi;
	uint16_t afi;
	bool filtered;
	uint64_t distinguisher;
	uint8_t peer_address[16];
	uint32_t peer_as;
	uint32_t peer_bgp_id;
	uint64_t sequence;
	struct wire_view table_name;
};

struct rib_record_set {
	uint32_t slot;
	struct wire_view attrs;
};

struct rib_record_route {
	bool has_path_id;
	bool known;
	bool in_slot; /* else the attributes are here */
	uint32_t path_id;
	uint32_t slot;
	int64_t changed_by; /* seconds, against the route before */
	struct wire_view key;
	struct wire_view extra;
	struct wire_view attrs;
};

struct rib_record_end {
	uint64_t tables; /* TABLE records */
	uint64_t routes; /* ROUTE records */
	struct wire_view end_mark;
};

struct rib_record {
	enum rib_record_type type;
	union {
		struct rib_record_router router;
		struct rib_record_table table;
		struct rib_record_set set;
		struct rib_record_route route;
		struct rib_record_end end;
	};
};

/* 0 or -ENOMEM. A record never straddles blocks. */
int rib_record_write(struct rib_block_writer *w, const struct rib_record *r);

/*
 * Take the next record off @c. False if there is none that makes sense; at the
 * end of a block c->left is 0 before. Fields are in range, slots are not
 * looked up.
 */
bool rib_record_read(struct wire_cursor *c, struct rib_record *out);

#endif
