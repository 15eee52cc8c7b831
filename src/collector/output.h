/*
 * collector/output.h - start the publisher as configured
 *
 * It publishes to JetStream if servers are configured, with the journal as a
 * spool; else to the journal. Notices of the publisher go to the log.
 */
#ifndef COLLECTOR_OUTPUT_H
#define COLLECTOR_OUTPUT_H

#include <stdatomic.h>
#include <stdint.h>

struct config;
struct egress_bridge;
struct log;
struct nats_reader_options;
struct output;
struct publisher;
struct publisher_events;
struct sp_rt;

/*
 * Start on hold: nothing is published before publisher_go(). Errors are logged.
 * @rt and @shard as in struct publisher_options.
 */
int output_start(const struct config *config, struct log *log,
		 struct egress_bridge *bridge, struct sp_rt *rt, uint32_t shard,
		 struct output **out);

/*
 * Set the function to call when the stream lost messages:
 * publisher_options.resync.
 */
void output_on_loss(struct output *o,
		    int (*resync)(void *arg, struct publisher_events *events),
		    void *arg);

/* See publisher_drain(). */
int output_drain(struct output *o, int64_t deadline);

/* Free a drained output. NULL is fine. */
void output_free(struct output *o);

/*
 * Call @fn, on the publisher's thread, whenever the publisher has news; it must
 * not wait. Set once, until the end of @o.
 */
void output_listen(struct output *o, void (*fn)(void *arg), void *arg);

struct publisher *output_publisher(struct output *o);

/*
 * Maximum bytes of a batch for the server, without headers; UINT32_MAX until
 * known. Any thread.
 */
const _Atomic uint32_t *output_max_batch(const struct output *o);

/* Options to read what was published. Valid as long as @o. */
void output_reader(const struct output *o, struct nats_reader_options *out);

/* The folder of the journal or spool. */
const char *output_journal_dir(const struct output *o);

/* The folder of the journal; to free(). NULL if out of memory. */
char *output_journal(const struct config *config);

#endif
