/*
 * egress/message_id.h - the names of messages, and their order
 *
 *	ams1.1763251200123.42			made in this epoch
 *	ams1.1763251300456.1763251200123.43	of an older one, from the spool
 *	ams1.1763251200123.44-15360		a piece of one, and not its last
 *	<collector>.<epoch>[.<epoch it was made in>].<sequence>[-<bytes>]
 *
 * An epoch is one run of a collector as the stream's writer; later ones have
 * higher numbers. Within an epoch messages are numbered from 1; 0 is the event
 * that opens it. What an older run left behind is published under the new
 * epoch, so that late bytes of the old run have nothing to chain to, and still
 * says what it is, so that it can be found again in the spool.
 *
 * What is longer than the server takes is published in pieces. A piece says
 * with how many plain bytes of the whole it ends, so that the next one begins
 * there, however long it may be; the last one has the name of the whole.
 */
#ifndef EGRESS_MESSAGE_ID_H
#define EGRESS_MESSAGE_ID_H

#include <stdbool.h>
#include <stdint.h>

#define COLLECTOR_ID_MAX 64 /* with its NUL */
#define MESSAGE_ID_MAX	 (COLLECTOR_ID_MAX + 80)

/* What was made, wherever it goes: its place in the order of one collector. */
struct record_id {
	uint64_t epoch;
	uint64_t seq;
	uint32_t upto; /* plain bytes, of what is not all of it; 0: all of it */
};

struct message_id {
	uint64_t epoch; /* it was published in */
	struct record_id record;
};

/* Letters, digits, '-' and '_', and not too long: it is part of subjects. */
bool collector_id_valid(const char *id);

void message_id_format(const char *collector, const struct message_id *id,
		       char out[MESSAGE_ID_MAX]);

/* False, with nothing written, if @text is not the name of a message. */
bool message_id_parse(const char *text, char collector[COLLECTOR_ID_MAX],
		      struct message_id *out);

/* "1763251200123.42", "1763251200123.44-15360" */
void record_id_format(struct record_id id, char out[MESSAGE_ID_MAX]);
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
 * Negative, zero or positive, as a is before, the same as or after b. All of a
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
