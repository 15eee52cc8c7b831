/*
 * collector/output.h - start the publisher as configured
 *
 * The publisher writes to JetStream if servers are configured, and uses the
 * journal as a spool; otherwise it writes to the journal. Notices of the
 * publisher go to the log.
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
 * Start the publisher, on hold: it publishes nothing before publisher_go().
 * Errors are logged. @rt and @shard as in struct publisher_options.
 */
int output_start(const struct config *config, struct log *log,
		 struct egress_bridge *bridge, struct sp_rt *rt, uint32_t shard,
		 struct output **out);

/*
 * Set publisher_options.resync: the function to call when the stream has lost
 * messages.
 */
void output_on_loss(struct output *o,
		    int (*resync)(void *arg, struct publisher_events *events),
		    void *arg);

/*
 * Publish what is left and wait until it is safe, at most until @deadline: see
 * publisher_drain().
 */
int output_drain(struct output *o, int64_t deadline);

/* Free a drained output; @o may be NULL. */
void output_free(struct output *o);

/*
 * Call @fn on the publisher's thread whenever the publisher gives a notice or
 * its output state changes. @fn must not wait. Call this once; @fn stays set
 * until @o is freed.
 */
void output_listen(struct output *o, void (*fn)(void *arg), void *arg);

struct publisher *output_publisher(struct output *o);

/*
 * Maximum bytes of a batch, without headers, that the broker accepts;
 * UINT32_MAX until it is known. Any thread.
 */
const _Atomic uint32_t *output_max_batch(const struct output *o);

/*
 * Set *@out to the options for reading what the collector has published. They
 * are valid as long as @o.
 */
void output_reader(const struct output *o, struct nats_reader_options *out);

/* The folder of the journal or spool. */
const char *output_journal_dir(const struct output *o);

/* The path of the journal; the caller frees it. NULL if out of memory. */
char *output_journal(const struct config *config);

#endif
