/*
 * egress/publisher/publisher_parts.h - what a publisher consists of
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
 * All fibers run on one shard, so a part changes only where a function yields.
 * Where both main and link use a part, the state says whose it is: main's while
 * the stream is up or SETTLING, link's otherwise.
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

/* What the next attempt has to do; each includes the one before. */
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
	PART_DISK,  /* that the journal is written to */
	PART_SPOOL, /* that is read back */
	PUBLISHER_PARTS
};

/* What a file in the folder of the journal knows of older runs. */
struct publisher_epochs {
	uint64_t used;	 /* the highest that a run began with */
	uint64_t opened; /* the highest that was opened in a stream */
};

/* The numbers of this run. */
struct publisher_run {
	uint64_t epoch;
	uint64_t next_seq;
	uint64_t first_epoch; /* records of this run are not older */
	uint64_t open_epoch;  /* the one in force in the log; 0: none yet */
	uint64_t tried_epoch; /* the highest that was sent to the stream */
	int64_t began_ns;     /* before the first epoch was opened */

	/* Of older runs with this folder; an epoch of 0: there were none. */
	uint64_t older_epoch;	    /* does not change after the start */
	uint64_t known_epoch;	    /* the highest, this run's included */
	uint64_t opened_epoch;	    /* the highest that they opened */
	struct record_id inherited; /* the last one in the spool */

	struct record_id taken; /* the last record; an epoch of 0: none */
};

/*
 * The messages of this collector in the stream: each names the one before it.
 * Of records an epoch of 0 means none.
 */
struct publisher_chain {
	struct nats_tail tail;	      /* the end of the stream, as last read */
	int64_t created_ns;	      /* when the stream was created */
	char last_id[MESSAGE_ID_MAX]; /* of its last message */
	/*
	 * Sequence of the stream's last message, if it is known: it was read
	 * from the stream or acknowledged, and nothing was sent since. Else 0.
	 */
	uint64_t last_seq;
	uint64_t acked_seq; /* the highest of this generation */
	uint64_t sent_seq;  /* of the last message sent, once it is stored; 0 */
	struct record_id stored; /* the last one the stream surely holds */
	struct record_id acked;	 /* the last one it took: not left out */

	uint64_t generation; /* answers to an older one are ignored */
	uint64_t unanswered; /* messages of this generation */

	uint32_t limit;		/* of a payload */
	const char *limit_name; /* the setting that makes it */

	unsigned overtaken; /* while opening the epoch */
	struct stream_watch watch;
};

enum publisher_rollback_phase {
	ROLLBACK_NONE,
	ROLLBACK_RESENDING, /* the stream lost what can be sent again */
	ROLLBACK_LOST,	    /* or what cannot: a resync is to be sent */
};

/* A stream that lost what it had acknowledged; see rollback.c. */
struct publisher_rollback {
	enum publisher_rollback_phase phase;
	uint64_t lost_from;  /* the stream's last sequence, when it was found */
	uint64_t stream_end; /* the same, at the last attempt */
	uint64_t resent;     /* stats.resent before */
	unsigned failures;   /* attempts without progress */
};

enum publisher_socket {
	SOCKET_WRITABLE,
	SOCKET_BLOCKED, /* it did not take all; the writer has the rest */
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
	int64_t down_since; /* 0: the stream is up */
};

enum publisher_sync {
	SYNC_IDLE,
	SYNC_BUSY,   /* the sync fiber has a sync to do */
	SYNC_FAILED, /* and what it left was not cut off yet */
};

/* The journal, which is the output or the spool. */
struct publisher_spool {
	struct journal *journal;
	struct journal_gap *gaps; /* found at the start */
	size_t gap_count;

	/* Writing */
	int append_error;     /* of the last append; 0: it worked */
	int64_t append_again; /* after an error; 0: now */
	struct sp_task task;  /* of the sync fiber */
	struct sp_sem sync_wake;
	enum publisher_sync sync;
	int sync_error; /* while SYNC_FAILED */
	int64_t last_sync;
	int64_t last_retain;
	int64_t slow_since; /* the stream takes less than comes in; 0 */

	/* Reading back */
	struct journal_cursor *cursor;
	struct record_id fed; /* the last one read; an epoch of 0: none */
	uint64_t released;    /* position up to which the stream holds all */
	int64_t feed_again;   /* after an error; 0: now */
	/* The last segment that was passed over because it is damaged. */
	char skipped[JOURNAL_NAME_MAX];

	int told_error;	    /* of the disk */
	int64_t told_until; /* it is not told again until then */
};

enum publisher_tail_phase {
	TAIL_IDLE,
	TAIL_WRITING, /* the tail fiber has something to write */
};

/* What the stream acknowledged, to be sent again after a rollback. */
struct publisher_tail {
	struct acked_tail *acked;
	struct sp_task task;
	struct sp_sem wake;
	enum publisher_tail_phase phase;
	int error;
	int64_t quiet_until; /* errors before are not told */
};

/* Whether updates get out; see progress.c. */
struct publisher_progress {
	struct output_state causes[PUBLISHER_PARTS];
	int64_t waiting_since; /* of the oldest that is not safe; 0: none */
	int64_t spool_since;   /* the spool came in use; 0: it is not */
	int64_t stored_ns;     /* the stream last took something */
	int64_t stuck_since;   /* it takes nothing, but answers; 0 */
};

/* What the owner of the publisher wants. */
enum publisher_order {
	ORDER_PUBLISH,
	ORDER_HOLD, /* open the epoch, and wait for publisher_go() */
	ORDER_STOP, /* publisher_drain(): until stop.at */
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
 * Wakes main, from any thread. Main looks at the count, does a turn, says that
 * it waits and sleeps only if the count is still the same.
 */
struct publisher_wakeup {
	_Atomic uint64_t count; /* wake-ups so far */
	atomic_int waiters;	/* 1: main sleeps, or is about to */
	struct sp_sem sem;
};

/* The log when the first epoch of this run was opened. */
struct publisher_opened {
	uint64_t epoch; /* 0: none was opened yet */
	struct log_position position;
	bool superseded;	 /* see publisher_spool_superseded() */
	struct record_id last;	 /* of the log, whoever made it */
	struct record_id stored; /* of older runs */
	struct stream_look look;
};

/* Copies for other threads, under the lock. */
struct publisher_shared {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct publisher_stats stats;
	struct log_position log_position;
	struct publisher_opened opened;
	struct stream_extent extent; /* as of the last look */
};

struct publisher {
	struct publisher_options options;
	struct egress_bridge *bridge;
	struct sp_rt *rt;
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

/* Whether @err of a write says that the disk has no room. */
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
