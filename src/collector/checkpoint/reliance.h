/*
 * collector/checkpoint/reliance.h - the record that a snapshot relies on, and
 * whether it still exists
 *
 * A snapshot records what consumers have or will have. It is valid if all
 * records made before its end are safe, in the stream or in the spool. The last
 * of them, by epoch and sequence, is written after the end mark of the file:
 *
 *	stream 1763251200123456789 4711 1763251200123.42
 *
 * A spool can be lost, and a stream rolled back. So a start checks whether they
 * still contain that record: in the stream, by its last record, or in the
 * spool, by a chain of records without a gap after the stream's last one.
 *
 * Pure functions: no waiting, no I/O.
 */
#ifndef COLLECTOR_CHECKPOINT_RELIANCE_H
#define COLLECTOR_CHECKPOINT_RELIANCE_H

#include "egress/log_position.h"
#include "egress/message_id.h"

#include <stddef.h>

#define RELIANCE_END_MAX (LOG_POSITION_MAX + MESSAGE_ID_MAX)

/*
 * Write the end mark of a file, NUL-terminated. A @record with epoch 0 is left
 * out.
 */
size_t reliance_end_mark(const struct log_position *mark,
			 struct record_id record, char out[RELIANCE_END_MAX]);

/*
 * Get the record from the text of an end mark; epoch 0 if there is none or it
 * cannot be parsed.
 */
struct record_id reliance_of_end_mark(struct wire_view text);

/* Which records the log and the spool contain. */
struct reliance {
	bool has_last;
	struct record_id last; /* last record of the stream or the journal */
	/*
	 * The last record of each epoch in the spool, after the log's last
	 * record.
	 */
	struct record_id *ends;
	size_t count;
	bool gap; /* the spool has a gap: the records after it do not count */
};

/*
 * Add @record, the next one of the spool. Call it for all records of the spool
 * in order; *@r is zeroed before the first one. -ENOMEM.
 */
int reliance_add_spooled(struct reliance *r, struct record_id record);
void reliance_release(struct reliance *r);

/* True if @record and all records before it exist; true for epoch 0. */
bool reliance_is_held(const struct reliance *r, struct record_id record);

#endif
