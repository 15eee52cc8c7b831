/*
 * egress/message_id.h - message ids and their order
 *
 * An epoch is a number under which a run of a collector writes to the stream. A
 * run opens another epoch if its chain of messages was broken; later epochs
 * have higher numbers. Messages of an epoch are numbered from 1; 0 is the event
 * that opens it. Records that an older run left in the spool are published
 * under the new epoch, so that late messages of the old run are refused; their
 * id also has the old epoch, so that they can be found in the spool.
 *
 * A record larger than the server's limit is published in pieces. The id of a
 * piece has the offset (in uncompressed bytes) at which it ends, so that the
 * next piece begins there, whatever its length; the last piece has the id of
 * the whole record.
 *
 *	<collector>.<epoch>[.<epoch of the record>].<sequence>[-<end of piece>]
 *	ams1.1763251200123.42			a record of this epoch
 *	ams1.1763251300456.1763251200123.43	a record of an older epoch
 *	ams1.1763251200123.44-15360		a piece, not the last one
 */
#ifndef EGRESS_MESSAGE_ID_H
#define EGRESS_MESSAGE_ID_H

#include <stdbool.h>
#include <stdint.h>

/*
 * An epoch is a time in milliseconds, or the number after another epoch. A
 * number above EPOCH_MAX is forged or damaged: sequence numbers of tables begin
 * at epoch << 12, and the shift would overflow.
 */
#define EPOCH_MAX ((UINT64_C(1) << 48) - 1)

/*
 * The least distance between the epochs of two runs. Within it the earlier run
 * has 67 million sequence numbers for each of its tables.
 */
#define EPOCH_STEP (UINT64_C(1) << 14)

#define COLLECTOR_ID_MAX 64 /* with the NUL */
#define MESSAGE_ID_MAX	 (COLLECTOR_ID_MAX + 80)

/*
 * The identity of a record: its position in the order of the records of one
 * collector.
 */
struct record_id {
	uint64_t epoch;
	uint64_t seq;
	/*
	 * offset in the record, in uncompressed bytes, at which this piece
	 * ends; 0 = the whole record
	 */
	uint32_t upto;
};

struct message_id {
	uint64_t epoch; /* the epoch in which the message was published */
	struct record_id record;
};

/*
 * True if @id consists of letters, digits, '-' and '_' and is not too long. The
 * id becomes part of subjects.
 */
bool collector_id_valid(const char *id);

void message_id_format(const char *collector, const struct message_id *id,
		       char out[MESSAGE_ID_MAX]);

/*
 * Parse @text. False, without writing, if it is not a message id. Epochs above
 * EPOCH_MAX are accepted here, so that nats_stream_prepare() can refuse the
 * message and name it.
 */
bool message_id_parse(const char *text, char collector[COLLECTOR_ID_MAX],
		      struct message_id *out);

/* Write the text of @id: "1763251200123.42", "1763251200123.44-15360" */
void record_id_format(struct record_id id, char out[MESSAGE_ID_MAX]);
/*
 * Parse @text. False, without writing, if it is not a record id or its epoch is
 * above EPOCH_MAX.
 */
bool record_id_parse(const char *text, struct record_id *out);

static inline bool record_id_same_record(struct record_id a, struct record_id b)
{
	return a.epoch == b.epoch && a.seq == b.seq;
}

static inline uint64_t record_id_end(struct record_id id)
{
	return id.upto == 0 ? UINT64_MAX : id.upto;
}

/*
 * Negative, zero or positive if @a is before, the same as or after @b. A whole
 * record is after each of its pieces.
 */
static inline int record_id_compare(struct record_id a, struct record_id b)
{
	if (a.epoch != b.epoch)
		return a.epoch < b.epoch ? -1 : 1;
	if (a.seq != b.seq)
		return a.seq < b.seq ? -1 : 1;
	return (record_id_end(a) > record_id_end(b)) -
	       (record_id_end(a) < record_id_end(b));
}

#endif
