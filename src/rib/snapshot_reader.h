/*
 * rib/snapshot_reader.h - restore a snapshot into the rib, in slices
 *
 *	rib_snapshot_reader_new(rib, &r)
 *	while there are bytes
 *		status = rib_snapshot_reader_feed(r, bytes, &used)
 *	status = rib_snapshot_reader_end(r)		OK: complete
 *	facts = rib_snapshot_reader_facts(r)		the router and the marks
 *
 * Afterwards replay the log from the start mark on, with rib_restore_seen() for
 * each update. If a route is missing in the snapshot or outdated, its change
 * was published after the start mark and is in that part of the log. Updates
 * that the snapshot already contains do no harm.
 *
 * If the rib is NULL, the bytes are only checked (arancini snapshot verify).
 * Blocks are checked one by one, so routes that were restored before an invalid
 * block are correct, and consumers have them. It is not known which routes are
 * missing, so after a damaged snapshot a resync is necessary.
 *
 * Memory	One block, and the attribute sets of the slots, see
 *		rib/snapshot_record.h.
 * Errors	enum rib_snapshot_status; the first error is kept.
 */
#ifndef RIB_SNAPSHOT_READER_H
#define RIB_SNAPSHOT_READER_H

#include "rib/snapshot_block.h"
#include "rib/restore.h"

struct rib_identity;
struct rib_snapshot_reader;

/* The metadata of a snapshot. Views are valid as long as the reader. */
struct rib_snapshot_facts {
	bool has_router;	   /* the members below are set */
	struct rib_router *router; /* NULL if there is no rib */
	uint8_t address[16];
	uint16_t port;
	const char *name; /* NULL if the router is identified by address */
	uint64_t taken_s; /* when the snapshot was begun: wall clock in s */
	bool mode_known;  /* false if the version is below 3 */
	enum rib_mode mode;
	uint64_t tables;
	uint64_t routes;
	/* bytes before the first damaged or missing block */
	uint64_t whole_bytes;
	struct wire_view start_mark;
	struct wire_view end_mark; /* set when the END record was read */
};

/* Make a reader; @rib may be NULL. -ENOMEM. */
int rib_snapshot_reader_new(struct rib *rib, struct rib_snapshot_reader **out);
void rib_snapshot_reader_free(struct rib_snapshot_reader *r);

/*
 * Expect a snapshot of @router. Call it before the first bytes. If they are of
 * another router, the status is RIB_SNAPSHOT_ROUTER and nothing is restored.
 */
void rib_snapshot_reader_expect(struct rib_snapshot_reader *r,
				const struct rib_identity *router);

/*
 * Take bytes up to the end of one block and restore its records. *@used is the
 * number of bytes taken. Returns RIB_SNAPSHOT_MORE if there is no error.
 */
enum rib_snapshot_status rib_snapshot_reader_feed(struct rib_snapshot_reader *r,
						  struct wire_view bytes,
						  size_t *used);

/* End the input. Returns RIB_SNAPSHOT_OK or the error. */
enum rib_snapshot_status rib_snapshot_reader_end(struct rib_snapshot_reader *r);

const struct rib_snapshot_facts *rib_snapshot_reader_facts(
	const struct rib_snapshot_reader *r);

#endif
