/*
 * egress/publisher/publisher_parts.h - the parts of struct publisher
 *
 * Private to this folder. The publisher has these fibers:
 *
 *	main	takes batches from the bridge, sends them, takes
 *		acknowledgements, appends to the journal
 *	link	connects, prepares the stream, opens epochs, backs off
 *	reader	reads from the socket, while there is a connection
 *	writer	writes the bytes that the socket did not take at once
 *	sync	syncs the journal
 *	retain	removes old segments of the journal
 *	tail	writes the acked tail
 *
 * struct publisher consists of parts. Each part is used by these fibers:
 *
 *	part		main	link	others
 *	run		yes	yes
 *	chain		yes	yes
 *	rollback		yes
 *	conn		yes	yes	reader, writer
 *	wire, disk	yes
 *	spool		yes		sync, retain
 *	tail		yes	yes	tail
 *	progress	yes	yes
 *	stop		yes		any thread: stop.order, stop.at
 *	wakeup		yes		any thread
 *	shared		yes	yes	any thread, under its lock
 *
 * All fibers run on one shard, so another fiber can change a part only where a
 * function yields. If both main and link use a part, publisher.state says which
 * of them may use it: main while the stream is up or SETTLING, otherwise link.
 */
#ifndef EGRESS_PUBLISHER_PUBLISHER_PARTS_H
#define EGRESS_PUBLISHER_PUBLISHER_PARTS_H

#include "egress/journal/segment.h"
#include "egress/publisher/publisher.h"
#include "egress/publisher/send_queue.h"
#include "egress/publisher/stream_watch.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/sync.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

struct acked_tail;
struct egress_codec;
struct journal;
struct journal_cursor;
struct journal_gap;

/*
 * Steps of the next attempt; each value includes the steps of those above it.
 */
enum publisher_repair {
	REPAIR_NONE,
	REPAIR_STREAM, /* ask the stream for its last message */
	REPAIR_LINK,   /* open a new connection */
	REPAIR_EPOCH,  /* open a new epoch */
};

/* Where batches from the bridge go. */
enum publisher_path {
	PATH_DIRECT,  /* directly to the stream */
	PATH_SPOOL,   /* to the spool, and from there to the stream */
	PATH_JOURNAL, /* to the journal; there is no broker */
	PATH_DISCARD,
};

/* The part of the system whose failure is the cause. */
enum publisher_part {
	PART_BROKER,
	PART_DISK,  /* the disk, while writing the journal or spool */
	PART_SPOOL, /* the disk, while reading the spool */
	PUBLISHER_PARTS
};

/* Epochs of older runs, read from a file in the folder of the journal. */
struct publisher_epochs {
	uint64_t used;	 /* highest epoch with which a run began */
	uint64_t opened; /* highest epoch that was opened in a stream */
};

/* The epochs and record numbers of this run. */
struct publisher_run {
	uint64_t epoch;
	uint64_t next_seq;
	/* records of this run have this epoch or a later one */
	uint64_t first_epoch;
	uint64_t open_epoch;  /* last epoch opened in the log; 0 = none yet */
	uint64_t tried_epoch; /* highest epoch that was sent to the stream */
	/* start of the run, before its first epoch was opened */
	int64_t began_ns;

	/* Epochs of runs with this folder; 0 = there was no such run. */
	uint64_t older_epoch;  /* highest of older runs; set at the start */
	uint64_t known_epoch;  /* highest of older runs and of this run */
	uint64_t opened_epoch; /* highest that an older run opened */
	/* last record in the spool that older runs left; epoch 0 = none */
	struct record_id inherited;

	/*
	 * last record taken from the bridge, or inherited if none was taken;
	 * epoch 0 = no record
	 */
	struct record_id taken;
};

/*
 * The messages of this collector in the stream; each one names its predecessor.
 * In a record_id, epoch 0 means that there is no record.
 */
struct publisher_chain {
	struct nats_tail tail;	      /* the end of the stream, as last read */
	int64_t created_ns;	      /* when the stream was created */
	char last_id[MESSAGE_ID_MAX]; /* id of the last message sent, or "" */
	/*
	 * Sequence of the stream's last message. It is known if that message
	 * was read from the stream or acknowledged, and no message was sent
	 * since; else 0.
	 */
	uint64_t last_seq;
	/* highest sequence acknowledged in this generation */
	uint64_t acked_seq;
	/*
	 * sequence that the stream will give to the last message sent; 0 = not
	 * known
	 */
	uint64_t sent_seq;
	struct record_id stored; /* last record known to be in the stream */
	/*
	 * last record acknowledged; a record that is too long to send is not
	 * counted
	 */
	struct record_id acked;

	/* number of the chain; acks of older ones are ignored */
	uint64_t generation;
	uint64_t unanswered; /* messages of this generation without an ack */

	uint32_t limit;		/* maximum bytes of a payload */
	const char *limit_name; /* name of the setting that causes this limit */

	/*
	 * failed attempts to open the epoch because another writer stored a
	 * message first
	 */
	unsigned overtaken;
	struct stream_watch watch;
};

enum publisher_rollback_phase {
	ROLLBACK_NONE,
	ROLLBACK_RESENDING, /* the lost messages are being sent again */
	/* some lost messages cannot be sent: send a resync */
	ROLLBACK_LOST,
};

/*
 * State of a rollback: the stream lost messages that it had acknowledged; see
 * rollback.c.
 */
struct publisher_rollback {
	enum publisher_rollback_phase phase;
	uint64_t lost_from; /* last sequence that the stream still had */
	/* last sequence of the stream at the last attempt */
	uint64_t stream_end;
	uint64_t resent; /* value of stats.resent before the rollback */
	/* attempts without progress since the last progress */
	unsigned failures;
};

enum publisher_socket {
	SOCKET_WRITABLE,
	SOCKET_BLOCKED, /* the socket is full; the writer fiber has to write */
};

/* The connection. */
struct publisher_conn {
	struct sp_task task;	/* the link fiber */
	struct nats_conn *link; /* main may use it in READY and SETTLING */
	enum publisher_socket socket;
	struct sp_task reader;
	struct sp_task writer;
	struct sp_sem wake;	  /* wakes the link fiber */
	struct sp_sem write_wake; /* wakes the writer fiber; from any thread */
	enum publisher_repair repair;
	int64_t settle_until;
	int64_t down_since; /* start of the outage; 0 = the stream is up */
};

enum publisher_sync {
	SYNC_IDLE,
	SYNC_BUSY,   /* the sync fiber has to sync, or is syncing */
	SYNC_FAILED, /* a sync failed; the unsynced bytes are not cut off yet */
};

enum publisher_retain {
	RETAIN_IDLE,
	RETAIN_BUSY, /* the retain fiber has segments to remove, or removes */
};

/* The journal, which is the output or the spool. */
struct publisher_spool {
	struct journal *journal;
	struct journal_gap *gaps; /* gaps that journal_open() found */
	size_t gap_count;

	/* Writing */
	int append_error;     /* error of the last append; 0 = none */
	int64_t append_again; /* when to retry after an error; 0 = now */
	struct sp_task task;  /* the sync fiber */
	struct sp_sem sync_wake;
	enum publisher_sync sync;
	int sync_error; /* error of the sync, while SYNC_FAILED */
	int64_t last_sync;
	struct sp_task retain_task; /* the retain fiber */
	struct sp_sem retain_wake;
	enum publisher_retain retain;
	int64_t last_retain;
	/*
	 * time since when the broker is slow, see decide_spool(); 0 = not slow
	 */
	int64_t slow_since;

	/* Reading back */
	struct journal_cursor *cursor;
	/* last record read from the spool; epoch 0 = none */
	struct record_id fed;
	/* the stream holds all records before this position */
	uint64_t released;
	int64_t feed_again; /* when to retry after an error; 0 = now */
	/* name of the last segment skipped because it is damaged */
	char skipped[JOURNAL_NAME_MAX];

	int told_error; /* the last disk error reported in a notice */
	/* do not report told_error again before this time */
	int64_t told_until;
};

enum publisher_tail_phase {
	TAIL_IDLE,
	TAIL_WRITING, /* the tail fiber has chunks to write */
};

/*
 * The acked tail: messages that the stream acknowledged, kept to be sent again
 * after a rollback.
 */
struct publisher_tail {
	struct acked_tail *acked;
	struct sp_task task;
	struct sp_sem wake;
	enum publisher_tail_phase phase;
	int error;
	int64_t quiet_until; /* do not report errors before this time */
};

/* Whether updates reach the log; see progress.c. */
struct publisher_progress {
	struct output_state causes[PUBLISHER_PARTS];
	/*
	 * start of the wait of the oldest batch that is not safe; 0 = none
	 * waits
	 */
	int64_t waiting_since;
	/* when the use of the spool began; 0 = not in use */
	int64_t spool_since;
	int64_t stored_ns; /* when the stream last stored a message */
	/*
	 * time since when the broker answers but stores nothing; 0 = it stores,
	 * or no batch waits for it
	 */
	int64_t stuck_since;
};

/* Orders from the owner of the publisher, which calls publisher.h. */
enum publisher_order {
	ORDER_PUBLISH,
	ORDER_HOLD, /* open the epoch, then wait for publisher_go() */
	ORDER_STOP, /* publisher_drain(): publish until stop.at, then end */
};

enum publisher_input {
	INPUT_OPEN,
	/* all workers have closed their rings, and these are empty */
	INPUT_ENDED,
};

struct publisher_stop {
	atomic_int order; /* an enum publisher_order */
	_Atomic int64_t at;
	enum publisher_input input;
};

/*
 * Wakes main, from any thread. Main reads count, does a turn and sets waiters.
 * It sleeps only if count has not changed since.
 */
struct publisher_wakeup {
	_Atomic uint64_t count; /* number of wake-ups so far */
	atomic_int waiters;	/* 1 = main sleeps, or is about to sleep */
	struct sp_sem sem;
};

/* State of the log when this run opened its first epoch. */
struct publisher_opened {
	uint64_t epoch; /* 0 = no epoch was opened yet */
	struct log_position position;
	bool superseded;	 /* see publisher_spool_superseded() */
	struct record_id last;	 /* see publisher_last_record() */
	struct record_id stored; /* see publisher_stored() */
	struct stream_look look;
};

/* Copies of values for other threads, protected by the lock. */
struct publisher_shared {
	pthread_mutex_t lock;
	/* for fibers of the publisher's shard: state or opened has changed */
	struct sp_cond changed;
	struct sp_mutex changing;
	struct publisher_stats stats;
	struct log_position log_position;
	struct publisher_opened opened;
	struct stream_extent extent; /* see publisher_extent() */
};

struct publisher {
	struct publisher_options options;
	struct egress_bridge *bridge;
	struct sp_rt *rt;
	uint32_t shard;
	struct sp_task main;
	struct egress_codec *codec;

	enum publisher_state state; /* changed only by publisher_handle() */
	enum publisher_path path;
	struct send_queue wire; /* the send queue to the stream */
	struct send_queue disk; /* the send queue to the spool or journal */
	struct publisher_run run;
	struct publisher_chain chain;
	struct publisher_rollback rollback;
	struct publisher_conn conn;
	struct publisher_spool spool;
	struct publisher_tail tail;
	struct publisher_progress progress;
	struct publisher_stop stop;
	struct publisher_wakeup wakeup;
	struct publisher_stats stats;
	struct publisher_shared shared;
};

static inline bool publisher_has_broker(const struct publisher *p)
{
	return p->path == PATH_DIRECT || p->path == PATH_SPOOL;
}

static inline bool publisher_held(const struct publisher *p)
{
	return atomic_load(&p->stop.order) == ORDER_HOLD;
}

static inline bool publisher_stopping(const struct publisher *p)
{
	return atomic_load(&p->stop.order) == ORDER_STOP;
}

/* True if @err, the error of a write, means that the disk is full. */
static inline bool publisher_disk_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}

static inline enum output_cause publisher_disk_cause(int err)
{
	return publisher_disk_full(err) ? OUTPUT_CAUSE_DISK_FULL
					: OUTPUT_CAUSE_DISK_FAILED;
}

#endif
