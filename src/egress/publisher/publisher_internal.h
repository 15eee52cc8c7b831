/*
 * egress/publisher/publisher_internal.h - shared functions of the publisher
 *
 * Private to this folder. publisher_parts.h lists the fibers and the parts that
 * each of them uses.
 */
#ifndef EGRESS_PUBLISHER_PUBLISHER_INTERNAL_H
#define EGRESS_PUBLISHER_PUBLISHER_INTERNAL_H

#include "egress/publisher/publisher_parts.h"

/*
 * Whether the bytes in a send queue have reached their limit, whatever room it
 * has: a batch with one huge update is many times larger than others. The limit
 * of the disk queue is half of it, as every batch waits for the syncs of those
 * before it.
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

/* The message of an entry. */
struct publisher_payload {
	const char *subject;
	struct wire_view bytes;
	enum egress_encoding encoding;
};

/* lifecycle.c */
void publisher_wake(void *arg); /* wake main, from any thread */
/* Go to the state after @event. @text is for the notice, if there is one. */
void publisher_handle(struct publisher *p, enum publisher_event event,
		      const char *text);
/* Call options.notice with @text, which may be NULL, and the state. */
void publisher_tell(struct publisher *p, const char *text);
void publisher_share(struct publisher *p);
void publisher_set_log_position(struct publisher *p, uint64_t position);
uint64_t publisher_wall_ns(void);
/*
 * Where the journal is the output: append the event that opens the epoch.
 * Yields.
 */
int publisher_journal_epoch(struct publisher *p);
/* Add the time since @began, of the monotonic clock, to @times. */
void publisher_note_time(struct publisher_times *times, int64_t began);

/* progress.c: whether updates reach the log, and the cause if they do not */
void publisher_blame(struct publisher *p, enum publisher_part part,
		     enum output_cause cause, const char *detail);
void publisher_absolve(struct publisher *p, enum publisher_part part);
void publisher_absolve_link(struct publisher *p);
void publisher_note_stored(struct publisher *p);
void publisher_judge(struct publisher *p);
int64_t publisher_judge_deadline(const struct publisher *p);

/* epoch.c: the epochs of runs, kept in a file. Yields. */
int publisher_epoch_load(const char *dir, struct publisher_epochs *out);
int publisher_epoch_save(const char *dir,
			 const struct publisher_epochs *epochs);
/* Write to *@why that load or save failed with @err. */
void publisher_epoch_explain(const char *dir, int err, struct nats_error *why);
size_t publisher_epoch_event(const struct publisher *p, uint64_t epoch,
			     uint8_t *out, size_t cap);

/* connect.c: the link fiber */
int publisher_connect_main(void *arg);

/*
 * stream_look.c: notice that somebody removed messages of the stream, or changed
 * its settings. Fill *@out with the range of messages that the stream holds;
 * blocks.
 */
int publisher_look(const struct publisher *p, struct nats_conn *link,
		   struct nats_error *why, struct stream_look *out);
uint64_t publisher_look_max_message(const struct publisher *p);
/* Compare @look with the one before, also of an earlier connection. */
void publisher_look_judge(struct publisher *p, const struct stream_look *look);
/* Look every look_ns, until the link fiber is woken or cancelled. Yields. */
int publisher_look_watch(struct publisher *p);

/*
 * Run @fn on a thread of the pool. @arg may be on the caller's stack, as a
 * cancellation does not end the wait. Yields.
 */
int publisher_block(int (*fn)(void *), void *arg);

/* rollback.c: the stream lost messages that it had acknowledged */
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
 * Compare @tail with the acknowledged messages, and send missing ones again. If
 * *@resent is then true, the caller has to look at the stream once more. The
 * phase is ROLLBACK_LOST if messages are missing that cannot be sent. Yields.
 */
int publisher_rollback_mend(struct publisher *p, const struct nats_tail *tail,
			    struct nats_error *why, bool *resent);

/* If ROLLBACK_LOST: fill @events by options.resync. Yields. */
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

/* socket_io.c: the socket of the connection, while there is one */
void publisher_task_end(struct sp_task *task); /* if it was started; yields */
int publisher_socket_io_start(struct publisher *p);
void publisher_socket_io_stop(struct publisher *p); /* yields */
void publisher_socket_io_wake(void *arg);	    /* the writer; any thread */

/* stream.c: send entries to the stream, and take acknowledgements */
void publisher_stream_answers(struct publisher *p);
void publisher_stream_resume(struct publisher *p);
void publisher_stream_settle(struct publisher *p);
void publisher_stream_send(struct publisher *p);
int publisher_stream_publish(struct publisher *p, uint64_t number,
			     const struct publisher_payload *payload);
int publisher_stream_put(struct publisher *p, uint64_t number,
			 struct record_id record,
			 const struct publisher_payload *payload);
/* Whether another entry may be sent; if not, main is woken when it may. */
bool publisher_stream_has_room(struct publisher *p);
void publisher_stream_check(struct publisher *p);
bool publisher_stream_idle(const struct publisher *p);

/* split.c: batches that are longer than the limit of the server */
#define PUBLISHER_PIECES_MAX \
	(2 * EGRESS_PLAIN_MAX / (PUBLISHER_PAYLOAD_MIN - NATS_HEADERS_MAX) + 1)
bool publisher_split_needed(const struct publisher *p,
			    const struct send_entry *entry);
int publisher_split_put(struct publisher *p, uint64_t number,
			const struct publisher_payload *payload);

/*
 * spool.c: write batches to the journal or spool, and read the spool. Yields.
 */
int publisher_sync_main(void *arg); /* fiber: syncs the journal */
void publisher_sync_failed(struct publisher *p, int err);
int publisher_spool_open(struct publisher *p, struct nats_error *why);
void publisher_spool_enter(struct publisher *p);
void publisher_spool_write(struct publisher *p);
void publisher_spool_settle(struct publisher *p);
/* Give the batches that are synced back to their workers. */
void publisher_spool_give_back(struct publisher *p);
void publisher_spool_feed(struct publisher *p);
void publisher_spool_rewind(struct publisher *p);
int64_t publisher_spool_deadline(const struct publisher *p);

/* loop.c: the main fiber */
int publisher_main(void *arg);

#endif
