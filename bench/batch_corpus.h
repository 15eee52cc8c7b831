/*
 * sample.h - batches of the Internet's table, to publish again and again
 *
 * Announcements of a full-table peer (fulltable.h), encoded as a worker does
 * it: real attributes, and as much alike inside a batch as they really are.
 *
 *	dump		in the order of the table, those of one set together
 *	churn		from anywhere in the table, each with a set of its own
 *
 * Without $ARANCINI_DATA they are announcements
 * without attributes, which are shorter and compress better than real ones.
 */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include "egress/codec.h"

#include <stdbool.h>

#define SAMPLE_BATCHES 64

enum sample_order {
	SAMPLE_DUMP,
	SAMPLE_CHURN,
};

struct sample {
	struct egress_batch *plain[SAMPLE_BATCHES];
	struct egress_batch
		*sent[SAMPLE_BATCHES]; /* compressed, if asked for */
	uint64_t updates;	       /* in all of them */
	uint64_t plain_bytes;
	uint64_t bytes; /* of what is sent */
	bool real;
};

/* Batches of about @bytes before compression. Ends the program if it cannot. */
void sample_make(struct sample *s, uint32_t bytes, enum sample_order order,
		 enum egress_encoding encoding);
void sample_free(struct sample *s);

#endif
