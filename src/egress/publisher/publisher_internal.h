/*
 * egress/publisher/publisher_internal.h - what the files of the publisher share
 *
 * Private to this folder. All fields but those in the last block belong to
 * the publisher's shard. Its fibers work on them:
 *
 *	main	takes from the bridge, sends, settles, appends to the journal
 *	link	connects, prepares the stream, opens epochs, backs off
 *	reader	reads from the link's socket, as long as there is one
 *	writer	writes what the socket did not take at once
 *	sync	makes the journal safe
 *	tail	writes what was acknowledged
 */
#ifndef EGRESS_PUBLISHER_PUBLISHER_INTERNAL_H
#define EGRESS_PUBLISHER_PUBLISHER_INTERNAL_H

#include "egress/publisher/send_queue.h"
#include "egress/journal/cursor.h"
#include "egress/publisher/publisher.h"
#include "egress/publisher/stream_watch.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/sync.h>

#include <pthread.h>
#include <stdatomic.h>

struct acked_tail;
struct egress_codec;

/* What the next attempt has to do; each includes the one before. */
enum publisher_repair {
	REPAIR_NONE,
	REPAIR_STREAM, /* ask the stream for its end */
	REPAIR_LINK,   /* connect again */
	REPAIR_EPOCH,  /* open a new epoch */
};

/* What can be to blame, and works again by itself. */
enum publisher_part {
	PART_BROKER,
	PART_DISK,  /* that the journal is written to */
	PART_SPOOL, /* that is read back */
	PUBLISHER_PARTS
};

/* Sending again what a stream lost; see rollback.c. */
struct publisher_mending {
	bool active;
	uint64_t lost_from;  /* the stream's last sequence, when it was found */
	uint64_t stream_end; /* the same, at the last attempt */
	uint64_t resent;     /* stats.resent before */
	unsigned failures;   /* attempts without progress */
};

/* What the folder of the journal or spool knows of runs before. */
struct publisher_epochs {
	uint64_t used;	 /* the highest that a run began with */
	uint64_t opened; /* the highest that was opened in a stream */
};

struct publisher {
	struct publisher_options options;
	enum publisher_state state; /* changed by publisher_handle() only */
	struct egress_bridge *bridge;
	struct sp_rt *rt;
	struct sp_task main;
	struct sp_task linker;
	struct sp_task syncer;

	/* Numbers */
	uint64_t epoch;
	uint64_t next_seq;
	uint64_t known_epoch;  /* the highest this folder was used in before */
	uint64_t opened_epoch; /* the highest that it opened in a stream */
	uint64_t first_epoch;  /* of this run: its records are not older */
	char last_id[MESSAGE_ID_MAX]; /* of the stream's last message */
	/*
	 * Sequence of the stream's last message, if it is known: it was read
	 * from the stream or acknowledged, and nothing was sent since. Else 0.
	 */
	uint64_t last_seq;
	uint64_t acked_seq;	/* the highest of this generation */
	bool has_history;	/* set before the first fiber runs */
	struct record_id taken; /* the last one made; epoch 0: none */
	bool has_stored;
	struct record_id stored; /* the last one the stream surely holds */
	bool has_acked;
	struct record_id acked; /* the last one it took: not left out */
	uint64_t sent_seq; /* of the last message sent, once it is stored; 0 */
	uint64_t tried_epoch; /* the highest that was sent to the stream */

	/* To the stream */
	struct send_queue wire;
	uint64_t generation;	/* of answers that count */
	uint64_t unanswered;	/* messages of this generation */
	uint32_t limit;		/* of a payload */
	const char *limit_name; /* the setting that makes it */
	struct egress_codec *codec;
	int64_t settle_until;
	enum publisher_repair repair;
	int64_t down_since; /* 0: it is up */
	int64_t slow_since; /* 0: it is not slow */

	/* The link: main may use it while READY or SETTLING. */
	struct nats_conn *link;
	struct sp_task reader;
	struct sp_task writer;
	bool stalled; /* the socket did not take all; the writer has it */
	struct nats_tail tail;
	struct sp_sem link_wake;
	bool epoch_open; /* once at least */
	bool held_back;	 /* publisher_go() was not called yet */
	int64_t created_ns;
	unsigned overtaken; /* while opening the epoch */
	int64_t began_ns;   /* before the first epoch was opened */
	struct stream_watch watch;
	bool lost; /* what was acknowledged; resync is to be sent */
	struct publisher_mending mending;

	/* What was acknowledged. Main has it while READY, else the link. */
	struct acked_tail *acked_tail;
	struct sp_task tail_writer;
	struct sp_sem tail_wake;
	bool tail_writing;
	int tail_error;
	int64_t tail_quiet; /* say nothing about errors before */

	/* To the disk */
	struct journal *journal;
	struct journal_gap *gaps; /* as found at the start */
	size_t gap_count;
	/* The last segment that was passed over because it is damaged. */
	char skipped[JOURNAL_NAME_MAX];
	bool inherited; /* older runs left records in the spool */
	bool spooling;
	bool told_spooling; /* as the last notice said */
	struct send_queue disk;
	struct journal_cursor *cursor;
	bool has_fed;
	struct record_id fed; /* the last one read from the spool */
	uint64_t released;    /* position */
	int64_t append_again; /* after an error; 0: now */
	int64_t feed_again;   /* the same */
	int64_t last_sync;
	int64_t last_retain;
	bool syncing;
	int sync_error;	    /* of a sync; 0 once what it left was cut off */
	int told_error;	    /* of the disk */
	int64_t told_until; /* it counts as the same trouble */
	struct sp_sem sync_wake;

	/* Progress */
	struct output_state causes[PUBLISHER_PARTS];
	int64_t waiting_since; /* of the oldest that is not safe; 0: none */
	int64_t spool_since;   /* the spool came in use; 0: it is not */
	int64_t stored_ns;     /* the stream last took something */
	int64_t stuck_since;   /* it takes nothing, but answers; 0 */

	/* Ending */
	bool bridge_done; /* every worker has closed and it is empty */
	int result;

	struct publisher_stats stats;

	/* Any thread */
	_Atomic uint64_t rings; /* of the wake-up, so far */
	atomic_bool asleep;	/* main sleeps, or is about to */
	struct sp_sem wakeup;
	struct sp_sem write_wake;
	atomic_bool stopping;
	_Atomic int64_t stop_at;
	atomic_bool go;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct publisher_stats shared;
	struct log_position log_position;
	struct log_position epoch_position;
	bool epoch_has_last;
	struct record_id epoch_last; /* of the log, whoever made it */
	bool epoch_superseded;	     /* see publisher_spool_superseded() */
	bool epoch_has_stored;
	struct record_id epoch_stored; /* of older runs */
	struct stream_look epoch_look; /* of the stream then */
	struct stream_extent extent;   /* as of the last look */
	bool shared_epoch_open;
};

/*
 * Whether as much is on its way as should be, whatever room there is in the
 * rings. A batch may be many times larger than it should, if a single update
 * is. What the disk has to sync is waited for by all that comes behind it, so
 * it is less.
 */
static inline bool publisher_stream_heavy(const struct publisher *p)
{
	return p->wire.weight >=
	       (uint64_t)p->options.window * p->options.batch_bytes;
}

static inline bool publisher_disk_heavy(const struct publisher *p)
{
	return p->disk.weight >=
	       (uint64_t)p->options.window * p->options.batch_bytes / 2;
}

/* What an entry carries. */
struct publisher_payload {
	const char *subject;
	struct wire_view bytes;
	enum egress_encoding encoding;
};

/* lifecycle.c */
void publisher_wake(void *arg); /* wake main, from any thread */
/* Go to the state that follows @event; @text is told if the step tells. */
void publisher_handle(struct publisher *p, enum publisher_event event,
		      const char *text);
/* Tell people @text, or NULL, with the state as it is. */
void publisher_tell(struct publisher *p, const char *text);
void publisher_share(struct publisher *p);
void publisher_set_log_position(struct publisher *p, uint64_t position);
uint64_t publisher_wall_ns(void);
/*
 * Where the journal is the output: append the event that opens the epoch.
 * Yields.
 */
int publisher_journal_epoch(struct publisher *p);
/* How long it is since @began, of the monotonic clock. */
void publisher_note_time(struct publisher_times *times, int64_t began);

/* progress.c: whether updates get out, and why not */
void publisher_blame(struct publisher *p, enum publisher_part part,
		     enum output_cause cause, const char *detail);
void publisher_absolve(struct publisher *p, enum publisher_part part);
void publisher_absolve_link(struct publisher *p);
void publisher_note_stored(struct publisher *p);
void publisher_judge(struct publisher *p);
int64_t publisher_judge_deadline(const struct publisher *p);

/* epoch.c: numbers of runs. Blocks. */
int publisher_epoch_load(const char *dir, struct publisher_epochs *out);
int publisher_epoch_save(const char *dir,
			 const struct publisher_epochs *epochs);
/* Say in *@why that either failed with @err. */
void publisher_epoch_explain(const char *dir, int err, struct nats_error *why);
size_t publisher_epoch_event(const struct publisher *p, uint64_t epoch,
			     uint8_t *out, size_t cap);

/* connect.c: fiber */
int publisher_connect_main(void *arg);

/*
 * stream_look.c: messages that somebody removed from the stream. What it holds;
 * blocks.
 */
int publisher_look(const struct publisher *p, struct nats_conn *link,
		   struct stream_look *out);
uint64_t publisher_look_max_message(const struct publisher *p);
/* They may also have been removed while there was no link. */
void publisher_look_judge(struct publisher *p, const struct stream_look *look);
/* Look now and then, until main says that there is trouble. Yields. */
int publisher_look_watch(struct publisher *p);

/*
 * Run @fn on a thread of the pool; @arg may be on the caller's stack: nothing
 * ends the wait. Yields.
 */
int publisher_block(int (*fn)(void *), void *arg);

/* rollback.c: a stream that has lost what it acknowledged */
int publisher_tail_main(void *arg); /* fiber: writes the acked tail */
void publisher_tail_keep(struct publisher *p);
struct publisher_resync {
	char *subject;
	uint8_t *bytes;
	size_t len;
};

struct publisher_events {
	struct publisher_resync *at;
	size_t count;
	size_t size;
};

void publisher_events_free(struct publisher_events *events);

/*
 * Compare @tail with what was acknowledged, and send again what is missing.
 * *@resent: look at the stream once more. Sets lost if something is missing
 * all the same. Yields.
 */
int publisher_rollback_mend(struct publisher *p, const struct nats_tail *tail,
			    struct nats_error *why, bool *resent);

/* If lost: which routers consumers have to forget. Yields. */
int publisher_rollback_events(struct publisher *p, const struct nats_tail *tail,
			      struct publisher_events *events);

/*
 * Store @events behind @tail, as part of the opening of @epoch; @tail is then
 * the new end. Blocks.
 */
int publisher_rollback_send(const struct publisher *p, struct nats_conn *link,
			    uint64_t epoch,
			    const struct publisher_events *events,
			    struct nats_tail *tail, struct nats_error *why);

/* socket_io.c: the bytes of the link, while it is open */
int publisher_socket_io_start(struct publisher *p);
void publisher_socket_io_stop(struct publisher *p); /* yields */
void publisher_socket_io_wake(void *arg);	    /* the writer; any thread */

/* stream.c: to the stream */
void publisher_stream_answers(struct publisher *p);
void publisher_stream_resume(struct publisher *p);
void publisher_stream_settle(struct publisher *p);
void publisher_stream_send(struct publisher *p);
int publisher_stream_publish(struct publisher *p, uint64_t number,
			     const struct publisher_payload *payload);
int publisher_stream_put(struct publisher *p, uint64_t number,
			 struct record_id record,
			 const struct publisher_payload *payload);
/* Whether another entry may be sent; if not, main is rung when it may. */
bool publisher_stream_has_room(struct publisher *p);
void publisher_stream_check(struct publisher *p);
bool publisher_stream_idle(const struct publisher *p);

/* split.c: what is longer than the server takes */
#define PUBLISHER_PIECES_MAX \
	(2 * EGRESS_PLAIN_MAX / (PUBLISHER_PAYLOAD_MIN - NATS_HEADERS_MAX) + 1)
bool publisher_split_needed(const struct publisher *p,
			    const struct send_entry *entry);
int publisher_split_put(struct publisher *p, uint64_t number,
			const struct publisher_payload *payload);

/* spool.c: to the disk and back. Yields. */
int publisher_sync_main(void *arg); /* fiber */
int publisher_spool_open(struct publisher *p, struct nats_error *why);
void publisher_spool_enter(struct publisher *p);
void publisher_spool_write(struct publisher *p);
void publisher_spool_settle(struct publisher *p);
void publisher_spool_give_back(struct publisher *p); /* what is synced */
void publisher_spool_feed(struct publisher *p);
void publisher_spool_rewind(struct publisher *p);
int64_t publisher_spool_deadline(const struct publisher *p);

/* loop.c: fiber */
int publisher_main(void *arg);

#endif
