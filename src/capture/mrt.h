/*
 * capture/mrt.h - the records of an MRT file (RFC 6396)
 *
 *	0          4      6         8        12 [16]
 *	+----------+------+---------+--------+------+---------
 *	|   time   | type | subtype | length |  us  | body ...
 *	+----------+------+---------+--------+------+---------
 *
 * Only the "_ET" types have microseconds. This file splits records;
 * capture/mrt_table.h and capture/mrt_message.h decode them.
 */
#ifndef CAPTURE_MRT_H
#define CAPTURE_MRT_H

#include "capture/source.h"

enum capture_mrt_type {
	CAPTURE_MRT_BGP = 5, /* used in 1999 and 2000; deprecated */
	CAPTURE_MRT_TABLE_DUMP = 12,
	CAPTURE_MRT_TABLE_DUMP_V2 = 13,
	CAPTURE_MRT_BGP4MP = 16,
	CAPTURE_MRT_BGP4MP_ET = 17,
};

/*
 * Our limit for the body of a record, in bytes. The length field allows about 4
 * GiB; a longer record is treated as damage.
 */
#define CAPTURE_MRT_MAX_RECORD (64 * 1024 * 1024)

enum capture_mrt_status {
	CAPTURE_MRT_RECORD,
	CAPTURE_MRT_END,
	CAPTURE_MRT_DAMAGED, /* the rest is unreadable; see error */
};

struct capture_mrt_record {
	uint64_t offset; /* offset in the uncompressed file */
	uint64_t time_ns;
	uint16_t type;
	uint16_t subtype;
	struct wire_view body; /* valid until the next call */
};

struct capture_mrt {
	struct capture_source *source; /* borrowed */
	uint8_t *bytes;
	size_t size;
	uint64_t offset; /* offset of the next record */
	char error[128];
};

void capture_mrt_init(struct capture_mrt *mrt, struct capture_source *source);

void capture_mrt_fini(struct capture_mrt *mrt);

enum capture_mrt_status capture_mrt_next(struct capture_mrt *mrt,
					 struct capture_mrt_record *out);

#endif
