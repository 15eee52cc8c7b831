/*
 * egress/nats/durability.h - how durable an acknowledged message is
 *
 * By default a nats-server syncs its store every two minutes and acknowledges
 * before that. The interval is a setting of the server (jetstream {
 * sync_interval }, from 2.10 on), which neither INFO nor $JS.API shows; only
 * the monitoring port and the system account do. A client can only see whether
 * the stream has more than one replica.
 *
 * Blocking	Blocks; call it on a pool thread.
 */
#ifndef EGRESS_NATS_DURABILITY_H
#define EGRESS_NATS_DURABILITY_H

#include "egress/nats/auth.h"

/* Texts that a collector logs at its start and that doctor prints. */
#define NATS_SYNC_MEANING                                                  \
	"acknowledgements come before the server's disk has the message, " \
	"by up to its sync_interval (default 2m), which it tells no client"

/* Measured by tests/system/sync_cost.py; docs/benchmarks.md has the numbers. */
#define NATS_SYNC_PRICE                                                   \
	"sync_interval: always stores 7 to 32 times fewer messages/s as " \
	"measured by tests/system/sync_cost.py"

struct nats_durability {
	int64_t replicas;
	bool memory; /* true = storage in memory */
};

/*
 * Ask the server about @stream, on a connection of its own. -ENOENT if there is
 * no such stream, else as nats_stream_span().
 */
int nats_durability(const struct nats_options *options, const char *stream,
		    struct nats_error *why, struct nats_durability *out);

#endif
