/*
 * rib/snapshot_record.h - the records in the blocks of a snapshot
 *
 *	ROUTER	first, once: the router, the time, and the start mark
 *	TABLE	peer, view and family of the following routes
 *	SET	attributes to keep in a slot instead of its old ones
 *	ROUTE	a key, and the slot of its attributes
 *	END	last, once: the end mark and the number of routes
 *
 * Attribute sets are named by slots of a small table. The writer and the reader
 * keep the same table, so that neither has to remember all sets. If the set of
 * a route was replaced in its slot, another SET record is written. Sets that
 * are too long for a slot are in the ROUTE record itself.
 *
 * Numbers are varints (seven bits per byte, the low ones first) unless a width
 * is given. Views refer to the bytes that were read.
 */
#ifndef RIB_SNAPSHOT_RECORD_H
#define RIB_SNAPSHOT_RECORD_H

#include "rib/snapshot_block.h"
#include "rib/read.h"

#define RIB_SNAPSHOT_SLOTS    8192
#define RIB_SNAPSHOT_SLOT_MAX 1024 /* maximum bytes of a set in a slot */
#define RIB_SNAPSHOT_MARK_MAX 4096
/* for a router's name; for a table's name 65535 */
#define RIB_SNAPSHOT_NAME_MAX 1024

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
	bool named; /* identified by its name, not by its address */
	/* the mode is RIB_MODE_PRESENCE; from version 3 on */
	bool presence;
	struct wire_view name; /* not NUL-terminated, contains no NUL */
	uint64_t taken_s;      /* wall clock in seconds */
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
	/* attributes are in a slot; false = they are in the record */
	bool in_slot;
	uint32_t path_id;
	uint32_t slot;
	/* change time minus that of the route before, in s */
	int64_t changed_by;
	struct wire_view key;
	struct wire_view extra;
	struct wire_view attrs;
};

struct rib_record_end {
	uint64_t tables; /* number of TABLE records */
	uint64_t routes; /* number of ROUTE records */
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

/*
 * Write a record. Returns 0 or -ENOMEM. A record is never split between two
 * blocks.
 */
int rib_record_write(struct rib_block_writer *w, const struct rib_record *r);

/*
 * Read the next record from @c. False if the bytes are not a valid record; at
 * the end of a block c->left is 0, so check that before. Members are checked to
 * be in range, but slots are not looked up.
 */
bool rib_record_read(struct wire_cursor *c, struct rib_record *out);

#endif
