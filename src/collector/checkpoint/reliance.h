/*
 * collector/checkpoint/reliance.h - what a snapshot relies on, and is it there
 *
 * A snapshot says what consumers have, or will have: it counts when all records
 * that were made before its end are safe, in the stream or in the spool. The
 * last of them, by epoch and sequence, stands behind the end mark of the file:
 *
 *	stream 1763251200123456789 4711 1763251200123.42
 *
 * A spool can be lost, and a stream put back. So a start looks whether they
 * still hold that record: the stream, by its last record, or the spool, by a
 * chain of records without a gap from the stream's last one on.
 *
 * Pure: nothing here waits or does I/O.
 */
#ifndef COLLECTOR_CHECKPOINT_RELIANCE_H
#define COLLECTOR_CHECKPOINT_RELIANCE_H

#include "egress/log_position.h"
#include "egress/message_id.h"

#include <stddef.h>

#define RELIANCE_END_MAX (LOG_POSITION_MAX + MESSAGE_ID_MAX)

/* The end mark of a file, terminated. @record of epoch 0 is left out. */
size_t reliance_end_mark(const struct log_position *mark,
			 struct record_id record, char out[RELIANCE_END_MAX]);

/* The record behind an end mark. Epoch 0: none, or it cannot be read. */
struct record_id reliance_of_end_mark(struct wire_view text);

/* What log and spool hold. */
struct reliance {
	bool has_last;
	struct record_id last; /* of the stream, or of the journal */
	/* The spool behind it: the last record of each epoch. */
	struct record_id *ends;
	size_t count;
	bool gap; /* what comes now is no longer without a gap */
};

/* Of a zeroed struct, then the records of the spool in order. -ENOMEM. */
int reliance_add_spooled(struct reliance *r, struct record_id record);
void reliance_release(struct reliance *r);

/* Whether what relies on @record has what it needs. Of epoch 0: true. */
bool reliance_is_held(const struct reliance *r, struct record_id record);

#endif
