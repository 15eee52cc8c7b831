/*
 * egress/publisher/publisher_stats.h - what a publisher counts
 */
#ifndef EGRESS_PUBLISHER_PUBLISHER_STATS_H
#define EGRESS_PUBLISHER_PUBLISHER_STATS_H

#include "egress/publisher/output_state.h"
#include "egress/publisher/publisher_fsm.h"

#include <stdbool.h>
#include <stdint.h>

/* Times: bucket n counts those up to 2^n microseconds, beyond n - 1. */
#define PUBLISHER_LATENCIES 32

struct publisher_times {
	uint64_t of[PUBLISHER_LATENCIES];
	uint64_t sum_us;
};

struct publisher_stats {
	enum publisher_state state;
	struct output_state output; /* whether updates get out */
	bool spooling;
	bool disk_full;
	uint64_t epoch; /* known from the start; the stream may want a later */
	uint64_t max_payload; /* of server and stream; 0: not known yet */
	uint64_t messages;    /* acknowledged by the stream, or discarded */
	uint64_t updates;
	uint64_t bytes;
	uint64_t journal_messages; /* synced to the journal or spool */
	uint64_t journal_updates;
	uint64_t journal_written;  /* bytes of these messages */
	uint64_t journal_size;	   /* on disk, of what is kept */
	uint64_t spool_left;	   /* bytes not yet in the stream */
	uint64_t damaged_segments; /* set aside, or passed over when read */
	uint64_t in_flight;
	uint64_t waiting; /* in memory, neither in flight nor on disk */
	uint64_t connects;
	uint64_t recoveries; /* times the stream was asked where to go on */
	uint64_t duplicates; /* acknowledged as stored before */
	uint64_t timeouts;
	uint64_t refused;   /* messages the server did not store */
	uint64_t too_long;  /* updates and events left out */
	uint64_t rollbacks; /* times the stream had lost what it once took */
	uint64_t restarts;  /* times it started over for want of progress */
	uint64_t purges;    /* times somebody removed messages of the stream */
	uint64_t resent;    /* messages that a stream had lost, sent again */
	uint64_t acked_tail_size;    /* on disk, of what is kept for that */
	struct publisher_times acks; /* from sending to the acknowledgement */
	struct publisher_times safe; /* of batches, from the first update in */
	struct nats_error last_error;
};

#endif
