/*
 * egress/publisher/publisher_parts.h - the parts of struct publisher
 *
 * Private to this folder. struct publisher consists of parts, and each part has
 * fibers that use it:
 *
 *	part		main	link	others
 *	run		yes	yes
 *	chain		yes	yes
 *	rollback		yes
 *	conn		yes	yes	reader, writer
 *	wire, disk	yes
 *	spool		yes		sync
 *	tail		yes	yes	tail
 *	progress	yes	yes
 *	stop		yes		any thread: order, at
 *	wakeup		yes		any thread
 *	shared		yes	yes	any thread, under its lock
 *
 *	main	takes batches from the bridge, sends them, takes
 *		acknowledgements, appends to the journal
 *	link	connects, prepares the stream, opens epochs, backs off
 *	reader	reads from the socket, while there is a connection
 *	writer	writes what the socket did not take at once
 *	sync	syncs the journal
 *	tail	writes the acked tail
 *
 * All fibers run on one shard, so another fiber can change a part only where a
 * function yields. If both main and link use a part, publisher.state says which
 * of them may: main while the stream is up or SETTLING, otherwise link.
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

/* Steps of the next attempt; each value includes the values above it. */
enum publisher_repair {
	REPAIR_NONE,
	REPAIR_STREAM, /* ask the stream for its end */
	REPAIR_LINK,   /* connect again */
	REPAIR_EPOCH,  /* open a new epoch */
};

/* Where batches from the bridge go. */
enum publisher_path {
	PATH_DIRECT,  /* to the stream */
	PATH_SPOOL,   /* to the disk, and from there to the stream */
	PATH_JOURNAL, /* to the disk; there is no broker */
	PATH_DISCARD,
};

/* The part of the system that a failure is blamed on. */
enum publisher_part {
	PART_BROKER,
	PART_DISK,  /* writing the journal or spool */
	PART_SPOOL, /* reading the spool back */
	PUBLISHER_PARTS
};

/* The epochs of older runs, from a file in the folder of the journal. */
struct publisher_epochs {
	uint64_t used;	 /* the highest epoch that a run began with */
	uint64_t opened; /* the highest epoch opened in a stream */
};

/* The numbers of this run. */
struct publisher_run {
	uint64_t epoch;
	uint64_t next_seq;
	uint64_t first_epoch; /* records of this run are not older */
	uint64_t open_epoch;  /* epoch in force in the log; 0 = none yet */
	uint64_t tried_epoch; /* the highest epoch sent to the stream */
	int64_t began_ns;     /* before the first epoch was opened */

	/* Epochs of runs with this folder; 0 = there was no such run. */
	uint64_t older_epoch;  /* highest of older runs; set at the start */
	uint64_t known_epoch;  /* highest of older runs and of this run */
	uint64_t opened_epoch; /* highest that an older run opened */
	/* last record of older runs in the spool; epoch 0 = none */
	struct record_id inherited;

	/* last record taken from the bridge, or inherited; epoch 0 = none */
	struct record_id taken;
};

/*
 * The messages of this collector in the stream: each names its predecessor.
 * A record with epoch 0 means that there is no record.
 */
struct publisher_chain {
	struct nats_tail tail;	      /* the end of the stream, as last read */
	int64_t created_ns;	      /* when the stream was created */
	char last_id[MESSAGE_ID_MAX]; /* id of the last message, or "" */
	/*
	 * Sequence of the stream's last message, if that message was read from
	 * the stream or acknowledged, and none was sent since. Else 0.
	 */
	uint64_t last_seq;
	uint64_t acked_seq; /* highest sequence acked in this generation */
	/* sequence that the last message sent gets; 0 = not known */
	uint64_t sent_seq;
	struct record_id stored; /* last record known to be in the stream */
	/* last record acknowledged; records too long to send do not count */
	struct record_id acked;

	uint64_t generation; /* acks of an older generation are ignored */
	uint64_t unanswered; /* messages of this generation without an ack */

	uint32_t limit;		/* bytes of a payload at most */
	const char *limit_name; /* name of the setting that limits it */

	/* attempts to open the epoch that failed: another writer was faster */
	unsigned overtaken;
	struct stream_watch watch;
};

enum publisher_rollback_phase {
	ROLLBACK_NONE,
	ROLLBACK_RESENDING, /* the lost messages can be sent again */
	ROLLBACK_LOST,	    /* some messages cannot: send a resync */
};

/* The stream lost messages that it had acknowledged; see rollback.c. */
struct publisher_rollback {
	enum publisher_rollback_phase phase;
	uint64_t lost_from;  /* last sequence that the stream did not lose */
	uint64_t stream_end; /* last sequence at the last attempt to resend */
	uint64_t resent;     /* stats.resent before the rollback */
	unsigned failures;   /* attempts to resend without progress */
};

enum publisher_socket {
	SOCKET_WRITABLE,
	SOCKET_BLOCKED, /* the socket is full; the writer has the rest */
};

/* The connection. */
struct publisher_conn {
	struct sp_task task;	/* of the link fiber */
	struct nats_conn *link; /* main may use it while READY or SETTLING */
	enum publisher_socket socket;
	struct sp_task reader;
	struct sp_task writer;
	struct sp_sem wake;	  /* of the link fiber */
	struct sp_sem write_wake; /* of the writer; any thread */
	enum publisher_repair repair;
	int64_t settle_until;
	int64_t down_since; /* 0 = the stream is up */
};

enum publisher_sync {
	SYNC_IDLE,
	SYNC_BUSY,   /* the sync fiber has a sync to do */
	SYNC_FAILED, /* the sync failed; unsynced bytes are not cut off yet */
};

/* The journal, which is the output or the spool. */
struct publisher_spool {
	struct journal *journal;
	struct journal_gap *gaps; /* found at the start */
	size_t gap_count;

	/* Writing */
	int append_error;     /* error of the last append; 0 = none */
	int64_t append_again; /* after an error: when to retry; 0 = now */
	struct sp_task task;  /* of the sync fiber */
	struct sp_sem sync_wake;
	enum publisher_sync sync;
	int sync_error; /* while SYNC_FAILED */
	int64_t last_sync;
	int64_t last_retain;
	/* since when the broker is slow, see decide_spool(); 0 = it is not */
	int64_t slow_since;

	/* Reading back */
	struct journal_cursor *cursor;
	struct record_id fed; /* last record read; epoch 0 = none */
	uint64_t released;    /* position up to which the stream has all */
	int64_t feed_again;   /* after an error: when to retry; 0 = now */
	/* name of the last segment skipped because it is damaged */
	char skipped[JOURNAL_NAME_MAX];

	int told_error; /* the last disk error that was reported */
	/* told_error is not reported again before this time */
	int64_t told_until;
};

enum publisher_tail_phase {
	TAIL_IDLE,
	TAIL_WRITING, /* the tail fiber has something to write */
};

/* Messages that the stream acknowledged, to be sent again after a rollback. */
struct publisher_tail {
	struct acked_tail *acked;
	struct sp_task task;
	struct sp_sem wake;
	enum publisher_tail_phase phase;
	int error;
	int64_t quiet_until; /* errors are not reported before this time */
};

/* Whether updates reach the log; see progress.c. */
struct publisher_progress {
	struct output_state causes[PUBLISHER_PARTS];
	/* since when the oldest batch that is not safe waits; 0 = none waits */
	int64_t waiting_since;
	int64_t spool_since; /* since when the spool is in use; 0 = it is not */
	int64_t stored_ns;   /* when the stream last stored a message */
	/* since when the broker answers but stores nothing; 0 = not the case */
	int64_t stuck_since;
};

/* Orders of the owner of the publisher. */
enum publisher_order {
	ORDER_PUBLISH,
	ORDER_HOLD, /* open the epoch, and wait for publisher_go() */
	ORDER_STOP, /* publisher_drain(): publish the rest until stop.at */
};

enum publisher_input {
	INPUT_OPEN,
	INPUT_ENDED, /* all workers have closed, and the bridge is empty */
};

struct publisher_stop {
	atomic_int order; /* enum publisher_order */
	_Atomic int64_t at;
	enum publisher_input input;
};

/*
 * Wakes main, from any thread. Main reads count, does a turn, sets waiters, and
 * sleeps only if count has not changed since.
 */
struct publisher_wakeup {
	_Atomic uint64_t count; /* wake-ups so far */
	atomic_int waiters;	/* 1 = main sleeps, or is about to */
	struct sp_sem sem;
};

/* State of the log at the time when this run opened its first epoch. */
struct publisher_opened {
	uint64_t epoch; /* 0 = none was opened yet */
	struct log_position position;
	bool superseded;	 /* see publisher_spool_superseded() */
	struct record_id last;	 /* see publisher_last_record() */
	struct record_id stored; /* see publisher_stored() */
	struct stream_look look;
};

/* Copies for other threads, under the lock. */
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

	enum publisher_state state; /* changed by publisher_handle() only */
	enum publisher_path path;
	struct send_queue wire; /* to the stream */
	struct send_queue disk; /* to the spool or journal */
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

/* True if @err of a write means that the disk is full. */
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
