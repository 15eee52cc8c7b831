/*
 * egress/nats/durability.h - what an acknowledgement of a server is worth
 *
 * A nats-server syncs its store every two minutes by default and acknowledges
 * before. How often is a setting of the server (jetstream { sync_interval }, from
 * 2.10 on), which it tells neither in INFO nor in any answer of $JS.API; only
 * its monitoring port and the system account know. What a client can see is
 * whether the stream has more than one copy.
 *
 * Blocking	It belongs on a thread that may wait.
 */
#ifndef EGRESS_NATS_DURABILITY_H
#define EGRESS_NATS_DURABILITY_H

#include "egress/nats/auth.h"

/* Words for people, of the start of a collector and of doctor. */
#define NATS_SYNC_MEANING                                                  \
	"acknowledgements come before the server's disk has the message, " \
	"by up to its sync_interval (default 2m), which it tells no client"

/* Measured by tests/system/sync_cost.py; docs/benchmarks.md has the numbers. */
#define NATS_SYNC_PRICE                                                   \
	"sync_interval: always stores 7 to 32 times fewer messages/s as " \
	"measured by tests/system/sync_cost.py"

struct nats_durability {
	int64_t replicas;
	bool memory; /* storage */
};

/*
 * On a connection of its own. -ENOENT if there is no such stream, else as
 * nats_stream_span().
 */
int nats_durability(const struct nats_options *options, const char *stream,
		    struct nats_error *why, struct nats_durability *out);

#endif
