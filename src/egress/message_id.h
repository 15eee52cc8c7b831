/*
 * egress/message_id.h - the names of messages, and their order
 *
 *	ams1.1763251200123.42			made in this epoch
 *	ams1.1763251300456.1763251200123.43	of an older one, from the spool
 *	<collector>.<epoch>[.<epoch it was made in>].<sequence>
 *
 * An epoch is one run of a collector as the stream's writer; later ones have
 * higher numbers. Within an epoch messages are numbered from 1; 0 is the event
 * that opens it. What an older run left behind is published under the new
 * epoch, so that late bytes of the old run have nothing to chain to, and still
 * says what it is, so that it can be found again in the spool.
 */
#ifndef EGRESS_MESSAGE_ID_H
#define EGRESS_MESSAGE_ID_H

#include <stdbool.h>
#include <stdint.h>

#define COLLECTOR_ID_MAX 64 /* with its NUL */
#define MESSAGE_ID_MAX	 (COLLECTOR_ID_MAX + 64)

/* What was made, wherever it goes: its place in the order of one collector. */
struct record_id {
	uint64_t epoch;
	uint64_t seq;
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

/* "1763251200123.42" */
void record_id_format(struct record_id id, char out[MESSAGE_ID_MAX]);
bool record_id_parse(const char *text, struct record_id *out);

/* Negative, zero or positive, as a is before, the same as or after b. */
static inline int record_id_compare(struct record_id a, struct record_id b)
{
	if (a.epoch != b.epoch)
		return a.epoch < b.epoch ? -1 : 1;
	return (a.seq > b.seq) - (a.seq < b.seq);
}

#endif
