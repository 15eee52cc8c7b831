/*
 * egress/publisher/publisher.h - publish the batches of the bridge to the
 * stream, once and in order
 *
 *	bridge ---> direct -------------------------> JetStream
 *	       \--> spool (journal) ---> cursor ---/
 *	       \--> journal, if there is no broker
 *	       \--> discarded, if options.discard is set
 *
 * The publisher is a thread of its own with a runtime of one shard. Every
 * message names itself and the message before it (message_id.h), so the server
 * refuses a message that leaves a gap, is a repetition or comes late. After any
 * error the publisher waits for the answers to the messages in flight, asks the
 * stream for its last message and goes on after that message; correctness
 * depends on this, and not on the server's duplicate window.
 *
 * While the broker cannot be reached, or is slower than the workers, batches go
 * to the spool and are read back from it in order. When the spool is empty,
 * batches go to the stream directly again. When the spool is full, the
 * publisher takes no more batches from the bridge; the bridge fills up, and the
 * workers stop reading. No batch is dropped.
 *
 * A batch that is longer than the server's limit is published in pieces. A
 * single update or event that is longer is left out, counted and reported,
 * because it would block all later ones for ever. To a server whose limit is
 * below PUBLISHER_PAYLOAD_MIN nothing is written at all.
 *
 * A batch goes back to its worker when it is safe: acknowledged by the stream,
 * or synced to the disk. A fence goes back likewise, with the log position of
 * the last message before it: its stream sequence, or its end in the journal.
 *
 * Threads	Any, for everything here.
 * Blocking	start, stop and wait_epoch block their thread.
 * Errors	A negative errno. This code does not log; it passes texts for
 *		people to publisher_options.notice.
 */
#ifndef EGRESS_PUBLISHER_PUBLISHER_H
#define EGRESS_PUBLISHER_PUBLISHER_H

#include "egress/log_position.h"
#include "egress/message_id.h"
#include "egress/nats/stream.h"
#include "egress/publisher/publisher_stats.h"

struct egress_bridge;
struct publisher;
struct sp_rt;

struct publisher_notice {
	enum publisher_state state;
	bool spooling;
	const char *text; /* a sentence, or NULL */
	/* limit of server and stream; 0 = not known yet */
	uint64_t max_payload;
};

/*
 * Events that tell consumers to forget routers. publisher_options.resync adds
 * them.
 */
struct publisher_events;

/* Add an event; its subject and bytes are copied. -ENOMEM. */
int publisher_events_add(struct publisher_events *events, const char *subject,
			 const void *bytes, size_t len);

struct publisher_options {
	/* id of the collector; see collector_id_valid() */
	const char *collector;
	const char *schema;	   /* version of the schema; default "1" */
	const char *epoch_subject; /* default PUBLISHER_EPOCH_SUBJECT */

	/* The broker. Without servers the journal is the output. */
	struct nats_options nats;
	struct nats_stream_options stream;
	/* allow writing to the stream of another collector */
	bool take_over;
	uint32_t window;	/* maximum messages in flight; default 1024 */
	uint32_t batch_bytes;	/* average size of a batch; default 32 KiB */
	int64_t ack_timeout_ns; /* default 5 s */
	int64_t backoff_min_ns; /* wait between attempts; default 100 ms */
	int64_t backoff_max_ns; /* default 2 s */
	/* outage or lag before the spool is used; default 1 s */
	int64_t spool_after_ns;
	/* interval of checks for a purge; default 5 s */
	int64_t look_ns;
	/*
	 * a batch that waits longer for an ack degrades the output; default 5 s
	 */
	int64_t waited_ns;
	/*
	 * after this time without progress, start over with a new connection
	 * and a new epoch; default 60 s
	 */
	int64_t stuck_ns;

	/* Folder of the spool or the journal. NULL, with servers: no spool. */
	const char *journal_dir;
	uint64_t segment_bytes;
	uint64_t spool_max;	/* default 10 GiB */
	uint64_t journal_max;	/* as output: maximum bytes; default 10 GiB */
	int64_t journal_age_ns; /* as output: maximum age; default no limit */
	int64_t sync_ns;	/* maximum time between syncs; default 100 ms */
	uint64_t sync_bytes;	/* or maximum unsynced bytes; default 8 MiB */

	/*
	 * Keep up to so many bytes of acknowledged messages on disk, and send
	 * them again to a stream that has lost them. 0 = keep none.
	 */
	uint64_t acked_tail;

	/*
	 * Called if the stream has lost messages that it acknowledged and that
	 * cannot be sent again. Adds a resync event for each router that
	 * consumers must forget before the next update, and starts to publish
	 * the tables of these routers again. Runs on a thread of its own, or in
	 * a fiber if @rt is set, and may block. May be called again for the
	 * same loss. May be NULL.
	 */
	int (*resync)(void *arg, struct publisher_events *events);
	void *resync_arg;

	/*
	 * Publish nothing: every batch is returned immediately, and every fence
	 * as if it were safe. Then there must be neither servers nor a journal.
	 */
	bool discard;

	/* Open the epoch, but publish nothing before publisher_go(). */
	bool hold;

	/*
	 * Run on @shard of this runtime, which is then reserved for the
	 * publisher. NULL = start a runtime for the publisher.
	 */
	struct sp_rt *rt;
	uint32_t shard;

	/* Called on the publisher's thread; must not wait. May be NULL. */
	void (*notice)(void *arg, const struct publisher_notice *notice);
	/*
	 * Called on the publisher's thread when the cause of stats.output has
	 * changed; must not wait. May be NULL.
	 */
	void (*output_changed)(void *arg, const struct output_state *state);
	void *notice_arg;
};

#define PUBLISHER_EPOCH_SUBJECT "arancini.events.collector.epoch"
#define PUBLISHER_WINDOW	1024
#define PUBLISHER_WINDOW_MAX	65536
#define PUBLISHER_BATCH_BYTES	32768u

/*
 * The smallest limit that is accepted for a message: any update or event made
 * from a BGP message of the usual 4096 bytes fits.
 */
#define PUBLISHER_PAYLOAD_MIN 16384u

/*
 * Start to publish the batches from @bridge, which must outlive the publisher.
 * -EINVAL for options that are invalid or contradict each other,
 * -EPROTONOSUPPORT if a later version wrote the spool (@why names the file),
 * -EBUSY if another process uses the spool, or an error of the disk. Damaged
 * segments are set aside and counted in publisher_stats.damaged_segments.
 */
int publisher_start(const struct publisher_options *options,
		    struct egress_bridge *bridge, struct nats_error *why,
		    struct publisher **out);

/*
 * Publish the batches in the bridge and wait until they are safe, at most until
 * @deadline; the workers must have closed their rings. At the deadline the
 * remaining batches go to the spool. Returns 0 if all are safe, -ETIMEDOUT if
 * not. Call it once, before publisher_free(); until then all other functions
 * may be called.
 */
int publisher_drain(struct publisher *p, int64_t deadline);

/* Free a drained publisher. @p may be NULL. */
void publisher_free(struct publisher *p);

/*
 * Wait until the epoch is open. *@out is the log position of the event that
 * opened it. -ETIMEDOUT; -EPERM if the publisher refuses to write to the
 * stream.
 */
int publisher_wait_epoch(struct publisher *p, int64_t deadline,
			 struct log_position *out);

/*
 * Valid once the epoch is open: get the last record of older runs that the
 * stream holds. Later records in the spool are still to be published. False if
 * the stream holds no record of a run with this folder.
 */
bool publisher_stored(struct publisher *p, struct record_id *out);

/*
 * Valid once the epoch is open: true if the records that older runs left in the
 * spool are not published, because another process of this collector, with
 * another folder, has written to the stream since. Consumers have the updates
 * of that process, and not those in the spool (docs/decisions/0122).
 */
bool publisher_spool_superseded(struct publisher *p);

/*
 * True if publisher_start() found that the journal at @position was cut off or
 * set aside. A snapshot made at that position relies on records that are lost.
 */
bool publisher_position_lost(const struct publisher *p, uint64_t position);

/*
 * Valid once the epoch is open: get the last record of older runs that the log,
 * stream or journal, held at that time. Unlike publisher_stored(), this
 * includes records of runs that the folder of the spool does not know. False if
 * there is none.
 */
bool publisher_last_record(struct publisher *p, struct record_id *out);

/*
 * True if an earlier run of the collector has used this folder. Known as soon
 * as the publisher has started, without the broker.
 */
bool publisher_has_history(const struct publisher *p);

/*
 * The range of messages that the stream held when the publisher last looked at
 * it, to be saved for the next run; created_ns is 0 if it has not looked.
 * Removals before that look are counted in publisher_stats.purges.
 */
void publisher_extent(struct publisher *p, struct stream_extent *out);

/*
 * Valid once the epoch is open: true if somebody removed messages of the stream
 * after an earlier run got @before from publisher_extent().
 */
bool publisher_removed_since(struct publisher *p,
			     const struct stream_extent *before);

/* Start to publish, if publisher_options.hold was set. */
void publisher_go(struct publisher *p);

/* The highest log position up to which every message is acknowledged. */
void publisher_log_position(struct publisher *p, struct log_position *out);

/*
 * The log position of the first epoch event of this run: all messages that this
 * run publishes come after it, unless that log is lost. Not known until the
 * epoch is open.
 */
void publisher_first_position(struct publisher *p, struct log_position *out);

void publisher_stats(struct publisher *p, struct publisher_stats *out);

/*
 * The runtime on which the publisher runs, so that a watchdog can check its
 * progress.
 */
struct sp_rt *publisher_runtime(const struct publisher *p);

#endif
