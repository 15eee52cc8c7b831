/*
 * rib/snapshot_reader.h - restore a snapshot into the rib, in slices
 *
 *	rib_snapshot_reader_new(rib, &r)
 *	while there are bytes
 *		status = rib_snapshot_reader_feed(r, bytes, &used)
 *	status = rib_snapshot_reader_end(r)		OK: it was whole
 *	facts = rib_snapshot_reader_facts(r)		who, and the marks
 *
 * Afterwards the log is replayed from the start mark on: rib_restore_seen() for
 * each update. Every route that may be missing from the snapshot or outdated in
 * it was published after the start mark, so the log decides; replaying what the
 * snapshot already has does no harm.
 *
 * Without a rib the bytes are only checked (arancini snapshot verify). Blocks
 * are checked one by one: routes restored before the first invalid block are
 * correct, and consumers have them. The missing routes are not known, so a
 * damaged snapshot must be followed by a resync.
 *
 * Memory	One block, and the attribute sets in the slots of
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
	bool has_router;	   /* the fields below are set */
	struct rib_router *router; /* NULL if only checked */
	uint8_t address[16];
	uint16_t port;
	const char *name; /* NULL if identified by its address */
	uint64_t taken_s; /* since 1970 */
	bool mode_known;  /* false for versions before 3 */
	enum rib_mode mode;
	uint64_t tables;
	uint64_t routes;
	/* bytes before the first damaged or missing one */
	uint64_t whole_bytes;
	struct wire_view start_mark;
	struct wire_view end_mark; /* once it was read to its end */
};

/* @rib may be NULL. -ENOMEM. */
int rib_snapshot_reader_new(struct rib *rib, struct rib_snapshot_reader **out);
void rib_snapshot_reader_free(struct rib_snapshot_reader *r);

/*
 * Before the first bytes: RIB_SNAPSHOT_ROUTER if they are of another router,
 * of which then nothing is restored.
 */
void rib_snapshot_reader_expect(struct rib_snapshot_reader *r,
				const struct rib_identity *router);

/*
 * Take bytes up to the end of one block and restore what is in it. *@used says
 * how many were taken. RIB_SNAPSHOT_MORE as long as nothing is wrong.
 */
enum rib_snapshot_status rib_snapshot_reader_feed(struct rib_snapshot_reader *r,
						  struct wire_view bytes,
						  size_t *used);

/* There are no more bytes. RIB_SNAPSHOT_OK, or what is wrong. */
enum rib_snapshot_status rib_snapshot_reader_end(struct rib_snapshot_reader *r);

const struct rib_snapshot_facts *rib_snapshot_reader_facts(
	const struct rib_snapshot_reader *r);

#endif
