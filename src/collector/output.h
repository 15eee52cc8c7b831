/*
 * collector/output.h - the publisher, as the configuration wants it
 *
 * To JetStream if there are servers, with the journal as a spool; else to the
 * journal. What the publisher has to say goes to the log.
 */
#ifndef COLLECTOR_OUTPUT_H
#define COLLECTOR_OUTPUT_H

#include "collector/config/config.h"
#include "collector/base/log.h"
#include "egress/bridge.h"
#include "egress/nats/reader.h"
#include "egress/publisher/publisher.h"

struct outlet;

/* On hold: nothing is published before publisher_go(). Errors are logged. */
int outlet_start(const struct config *config, struct log *log,
		 struct egress_bridge *bridge, struct outlet **out);

/* See publisher_drain(). */
int outlet_drain(struct outlet *o, int64_t deadline);

/* Free a drained one. NULL is fine. */
void outlet_free(struct outlet *o);

struct publisher *outlet_publisher(struct outlet *o);

/*
 * Bytes of a batch that the server takes, its headers left aside; UINT32_MAX
 * until that is known. Any thread.
 */
uint32_t outlet_max_batch(const struct outlet *o);

/* How to read what was published. Lives as long as the outlet. */
void outlet_reader(const struct outlet *o, struct nats_reader_options *out);

/* The folder of the journal or spool. */
const char *outlet_folder(const struct outlet *o);

/* The folder of the journal; to free(). NULL: no memory. */
char *outlet_journal(const struct config *config);

#endif
