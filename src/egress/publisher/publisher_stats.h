/*
 * egress/publisher/publisher_stats.h - the counters of a publisher
 */
#ifndef EGRESS_PUBLISHER_PUBLISHER_STATS_H
#define EGRESS_PUBLISHER_PUBLISHER_STATS_H

#include "egress/publisher/output_state.h"
#include "egress/publisher/publisher_fsm.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A histogram of times: bucket n counts times of more than 2^(n-1) and at most
 * 2^n microseconds.
 */
#define PUBLISHER_LATENCIES 32

struct publisher_times {
	uint64_t of[PUBLISHER_LATENCIES];
	uint64_t sum_us;
};

struct publisher_stats {
	enum publisher_state state;
	/* whether updates reach consumers, and if not, the cause */
	struct output_state output;
	bool spooling;
	bool disk_full;
	/* known from the start; may rise when the stream is read */
	uint64_t epoch;
	/* limit of server and stream; 0 = not known yet */
	uint64_t max_payload;
	uint64_t messages; /* acknowledged by the stream, or discarded */
	uint64_t updates;
	uint64_t bytes;
	uint64_t journal_messages; /* synced to the journal or spool */
	uint64_t journal_updates;
	uint64_t journal_written; /* bytes of journal_messages */
	uint64_t journal_size;	  /* bytes of the journal or spool on disk */
	uint64_t spool_left;	  /* bytes not yet in the stream */
	/* segments set aside at the start, or skipped while reading */
	uint64_t damaged_segments;
	/* entries of the send queue that were sent and are not safe yet */
	uint64_t in_flight;
	uint64_t waiting; /* batches in memory, neither in flight nor on disk */
	uint64_t connects;
	uint64_t recoveries; /* times that the end of the stream was read */
	uint64_t duplicates; /* messages that the stream acked as duplicates */
	uint64_t timeouts;
	uint64_t refused;   /* messages the server did not store */
	uint64_t too_long;  /* updates and events too long to publish */
	uint64_t rollbacks; /* times that the stream had lost acked messages */
	/* times that the publisher started over: no progress */
	uint64_t restarts;
	/* times that somebody removed messages of the stream */
	uint64_t purges;
	uint64_t resent; /* messages that a stream had lost, sent again */
	uint64_t acked_tail_size; /* bytes of the acked tail on disk */
	/* times from sending to the acknowledgement */
	struct publisher_times acks;
	/* times from a batch's first update until it is safe */
	struct publisher_times safe;
	struct nats_error last_error;
};

#endif
