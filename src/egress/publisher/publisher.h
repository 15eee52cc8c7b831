/*
 * egress/publisher/publisher.h - batches out of the bridge into the stream, once, in order
 *
 *	bridge ---> direct -------------------------> JetStream
 *	       \--> spool (journal) ---> cursor ---/
 *	       \--> journal, if there is no broker
 *	       \--> nowhere, if all is to be discarded
 *
 * A thread of its own with a runtime of one shard. Every message names itself
 * and the message before it (message_id.h), so the server refuses a gap, a
 * repeat and anything late. After any error the publisher waits for the answers
 * to the messages in flight, asks the stream for its last message and goes on
 * after that one; correctness rests on that and not on the server's window of
 * duplicates.
 *
 * While the broker is away, or slower than what comes in, batches go to the
 * spool and are read back from there in order; when the spool is empty the
 * direct way opens again. A full spool stops taking from the bridge, which
 * fills, which stops the workers from reading. Nothing is thrown away.
 *
 * A batch that is longer than the server's limit is published in pieces. A
 * single update or event that is longer is left out, counted and reported,
 * because it would block all later ones for ever. To a server whose limit is
 * below PUBLISHER_PAYLOAD_MIN nothing is written at all.
 *
 * A batch goes back to its worker when it is safe: acknowledged by the stream,
 * or synced to the disk. So does a fence, with the place of the last message
 * that the stream acknowledged before it (or, in the journal, its end).
 *
 * Threads	Any, for everything here.
 * Blocking	start, stop and wait_epoch block their thread.
 * Errors	A negative errno. Nothing here logs; publisher_options.notice
 *		tells what a person should read.
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
	const char *text;     /* a sentence, or NULL */
	uint64_t max_payload; /* of server and stream; 0: not known yet */
};

/* Events that tell consumers to forget routers; of publisher_options.resync. */
struct publisher_events;

/* Add an event; its subject and bytes are copied. -ENOMEM. */
int publisher_events_add(struct publisher_events *events, const char *subject,
			 const void *bytes, size_t len);

struct publisher_options {
	const char *collector;	   /* its id; see collector_id_valid() */
	const char *schema;	   /* its version; default "1" */
	const char *epoch_subject; /* default PUBLISHER_EPOCH_SUBJECT */

	/* The broker. Without servers the journal is the output. */
	struct nats_options nats;
	struct nats_stream_options stream;
	bool take_over;		/* write to another collector's stream */
	uint32_t window;	/* messages under way; default 1024 */
	uint32_t batch_bytes;	/* average size of a batch; default 32 KiB */
	int64_t ack_timeout_ns; /* default 5 s */
	int64_t backoff_min_ns; /* between attempts; default 100 ms */
	int64_t backoff_max_ns; /* default 2 s */
	int64_t spool_after_ns; /* of outage or lag; default 1 s */
	int64_t look_ns;	/* between looks for a purge; default 5 s */
	/* output that waits longer for an ack is degraded; default 5 s */
	int64_t waited_ns;
	int64_t stuck_ns; /* without progress: start over; default 60 s */

	/* The spool or the journal. NULL, with servers: no spool. */
	const char *journal_dir;
	uint64_t segment_bytes;
	uint64_t spool_max;	/* default 10 GiB */
	uint64_t journal_max;	/* as output; default 10 GiB */
	int64_t journal_age_ns; /* as output; default: no limit */
	int64_t sync_ns;	/* sync at least so often; default 100 ms */
	uint64_t sync_bytes;	/* or at so many unsynced; default 8 MiB */

	/*
	 * Keep what the broker acknowledged, up to so many bytes on disk, and
	 * send it again to a stream that has lost it. 0: keep nothing.
	 */
	uint64_t acked_tail;

	/*
	 * Called if the stream has lost messages that it acknowledged and that
	 * cannot be sent again. Adds a resync event for each router that
	 * consumers must forget before the next update, and starts to publish
	 * the tables of these routers again. Runs on a thread of its own and
	 * may block; may be called again for the same loss. May be NULL.
	 */
	int (*resync)(void *arg, struct publisher_events *events);
	void *resync_arg;

	/*
	 * Publish nothing: every batch goes back at once, every fence as a safe
	 * one. Then there must be neither servers nor a journal.
	 */
	bool discard;

	/* Open the epoch, but publish nothing before publisher_go(). */
	bool hold;

	/*
	 * The shard of a runtime to run on, and no other does; NULL: a runtime
	 * of its own.
	 */
	struct sp_rt *rt;
	uint32_t shard;

	/* Called on the publisher's thread; must not wait. May be NULL. */
	void (*notice)(void *arg, const struct publisher_notice *notice);
	/* Called likewise when the cause of stats.output has changed. */
	void (*output_changed)(void *arg, const struct output_state *state);
	void *notice_arg;
};

#define PUBLISHER_EPOCH_SUBJECT "arancini.events.collector.epoch"
#define PUBLISHER_WINDOW	1024
#define PUBLISHER_WINDOW_MAX	65536
#define PUBLISHER_BATCH_BYTES	32768u

/* Any update or event from a BGP message of the usual 4096 bytes fits. */
#define PUBLISHER_PAYLOAD_MIN 16384u

/*
 * Start to publish the batches from @bridge, which must outlive the publisher.
 * -EINVAL for options that make no sense, -EPROTONOSUPPORT for a spool of a
 * later version (@why names the file), -EBUSY if another process has the spool,
 * or an error of the disk. Damaged segments are set aside and counted in
 * publisher_stats.damaged_segments.
 */
int publisher_start(const struct publisher_options *options,
		    struct egress_bridge *bridge, struct nats_error *why,
		    struct publisher **out);

/*
 * Publish the batches in the bridge and wait until they are safe, at most until
 * @deadline; the workers must have closed their sides. Batches that are left
 * then go to the spool. 0 if all are safe, -ETIMEDOUT if not. Call it once,
 * before publisher_free(); until then all other functions may be called.
 */
int publisher_drain(struct publisher *p, int64_t deadline);

/* Free a drained publisher. NULL is fine. */
void publisher_free(struct publisher *p);

/*
 * Wait until the epoch is open: *@out is the place of its event in the log.
 * -ETIMEDOUT; -EPERM if the stream is refused.
 */
int publisher_wait_epoch(struct publisher *p, int64_t deadline,
			 struct log_position *out);

/*
 * Once the epoch is open: the last record of older runs that the stream
 * holds. Later records in the spool are still to be published. False if the
 * stream holds no record of a run with this folder.
 */
bool publisher_stored(struct publisher *p, struct record_id *out);

/*
 * Once the epoch is open: whether the spool of older runs is left out, because
 * another process of this collector, with another folder, has written to the
 * stream since. Consumers have the updates of that process, and not those in
 * the spool (docs/decisions/0122).
 */
bool publisher_spool_superseded(struct publisher *p);

/*
 * Whether the start found that the journal at @position was cut off or set
 * aside. A snapshot made at that position relies on records that are gone.
 */
bool publisher_position_lost(const struct publisher *p, uint64_t position);

/*
 * Once the epoch is open: the last record of older runs that the log, stream
 * or journal, held then. Unlike publisher_stored() also if the folder of the
 * spool does not know the run that made it. False if there is none.
 */
bool publisher_last_record(struct publisher *p, struct record_id *out);

/*
 * Whether an earlier run of the collector has used this folder: known as soon
 * as the publisher has started, without the broker.
 */
bool publisher_has_history(const struct publisher *p);

/*
 * The range of messages that the stream held at the publisher's last look, to
 * be saved for the next run; created_ns is 0 if there was no look. Removals
 * before that look are counted in publisher_stats.purges.
 */
void publisher_extent(struct publisher *p, struct stream_extent *out);

/*
 * Once the epoch is open: whether somebody removed messages of the stream since
 * an earlier run took @before with publisher_extent().
 */
bool publisher_removed_since(struct publisher *p,
			     const struct stream_extent *before);

/* Start to publish, if publisher_options.hold was set. */
void publisher_go(struct publisher *p);

/* The last place in the log before which everything is acknowledged. */
void publisher_log_position(struct publisher *p, struct log_position *out);

/*
 * The place of the first epoch of this run: all that this run publishes goes
 * behind it, unless that log is lost. Not known until the epoch is open.
 */
void publisher_first_position(struct publisher *p, struct log_position *out);

void publisher_stats(struct publisher *p, struct publisher_stats *out);

/* The publisher's own runtime, so that a watchdog can check its progress. */
struct sp_rt *publisher_runtime(const struct publisher *p);

#endif
