/*
 * egress/publisher/publisher_internal.h - shared functions of the publisher
 *
 * Private to this folder. publisher_parts.h lists the fibers and which parts of
 * struct publisher each fiber uses.
 */
#ifndef EGRESS_PUBLISHER_PUBLISHER_INTERNAL_H
#define EGRESS_PUBLISHER_PUBLISHER_INTERNAL_H

#include "egress/publisher/publisher_parts.h"

/*
 * True if the bytes in the send queue to the stream have reached their limit,
 * even if the queue has free entries: a batch with one huge update is many
 * times larger than others. The limit of the disk queue is half of it, because
 * every batch waits for the syncs of the batches before it.
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

/* The message to send for an entry of a send queue. */
struct publisher_payload {
	const char *subject;
	struct wire_view bytes;
	enum egress_encoding encoding;
};

/* lifecycle.c */
void publisher_wake(void *arg); /* wake main, from any thread */
/*
 * Change the state as publisher_step() says for @event, and run the actions.
 * @text is for the notice, if the event causes one.
 */
void publisher_handle(struct publisher *p, enum publisher_event event,
		      const char *text);
/* Call options.notice with the state and @text, which may be NULL. */
void publisher_tell(struct publisher *p, const char *text);
void publisher_share(struct publisher *p);
void publisher_set_log_position(struct publisher *p, uint64_t position);
uint64_t publisher_wall_ns(void);
/*
 * If the journal is the output: append the event that opens the epoch. Yields.
 */
int publisher_journal_epoch(struct publisher *p);
/* Count the time from @began (monotonic clock) until now in @times. */
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
/*
 * Choose the epoch of this run: the clock in ms, but (unless EPOCH_MAX is near)
 * at least EPOCH_STEP above the known epochs, also if the clock was set back.
 * So no table of an earlier run has reached a sequence of this epoch.
 */
void publisher_epoch_choose(struct publisher *p);

/* Write to *@why that publisher_epoch_load() or _save() failed with @err. */
void publisher_epoch_explain(const char *dir, int err, struct nats_error *why);
size_t publisher_epoch_event(const struct publisher *p, uint64_t epoch,
			     uint8_t *out, size_t cap);

/* connect.c: the link fiber */
int publisher_connect_main(void *arg);

/*
 * stream_look.c: notice that somebody removed messages of the stream, or
 * changed its settings
 */
/* Fill *@out with the range of messages that the stream holds. Blocks. */
int publisher_look(const struct publisher *p, struct nats_conn *link,
		   struct nats_error *why, struct stream_look *out);
uint64_t publisher_look_max_message(const struct publisher *p);
/*
 * Compare @look with the look before it, which may be of an earlier connection.
 */
void publisher_look_judge(struct publisher *p, const struct stream_look *look);
/*
 * Look at the stream every look_ns, until the link fiber is woken or cancelled.
 * Yields.
 */
int publisher_look_watch(struct publisher *p);

/*
 * Run @fn on a thread of the pool. @arg may be on the caller's stack, because
 * the wait continues even if the caller is cancelled. Yields.
 */
int publisher_block(int (*fn)(void *), void *arg);

/* rollback.c: the stream has lost messages that it had acknowledged */
int publisher_tail_main(void *arg); /* main function of the tail fiber */
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
 * Compare @tail with the acknowledged messages, and send the missing ones
 * again. If it sets *@resent to true, the caller has to look at the stream
 * again. The phase becomes ROLLBACK_LOST if missing messages cannot be sent.
 * Yields.
 */
int publisher_rollback_mend(struct publisher *p, const struct nats_tail *tail,
			    struct nats_error *why, bool *resent);

/* If the phase is ROLLBACK_LOST: let options.resync fill @events. Yields. */
int publisher_rollback_events(struct publisher *p, const struct nats_tail *tail,
			      struct publisher_events *events);

/*
 * Store @events after @tail, when @epoch is opened; @tail becomes the new end
 * of the stream. Blocks.
 */
int publisher_rollback_send(const struct publisher *p, struct nats_conn *link,
			    uint64_t epoch,
			    const struct publisher_events *events,
			    struct nats_tail *tail, struct nats_error *why);

/* socket_io.c: reads and writes the socket of a connection */
/* yields if the task was started */
void publisher_task_end(struct sp_task *task);
int publisher_socket_io_start(struct publisher *p);
void publisher_socket_io_stop(struct publisher *p); /* yields */
/* wakes the writer; from any thread */
void publisher_socket_io_wake(void *arg);

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
/*
 * True if another entry may be sent. If false, main is woken when it becomes
 * true.
 */
bool publisher_stream_has_room(struct publisher *p);
void publisher_stream_check(struct publisher *p);
bool publisher_stream_idle(const struct publisher *p);

/* split.c: splits batches that are longer than the server's limit */
#define PUBLISHER_PIECES_MAX \
	(2 * EGRESS_PLAIN_MAX / (PUBLISHER_PAYLOAD_MIN - NATS_HEADERS_MAX) + 1)
bool publisher_split_needed(const struct publisher *p,
			    const struct send_entry *entry);
int publisher_split_put(struct publisher *p, uint64_t number,
			const struct publisher_payload *payload);

/* spool_fibers.c: main functions of the sync fiber and of the retain fiber */
int publisher_sync_main(void *arg);
int publisher_retain_main(void *arg);
void publisher_sync_failed(struct publisher *p, int err);
/* Wake the retain fiber, unless it is busy. */
void publisher_retain_begin(struct publisher *p);

/*
 * spool.c: writes batches to the journal or spool, and reads the spool. Yields.
 */
int publisher_spool_open(struct publisher *p, struct nats_error *why);
void publisher_spool_enter(struct publisher *p);
void publisher_spool_write(struct publisher *p);
void publisher_spool_settle(struct publisher *p);
/* Give the batches that are synced to disk back to their workers. */
void publisher_spool_give_back(struct publisher *p);
void publisher_spool_feed(struct publisher *p);
void publisher_spool_rewind(struct publisher *p);
int64_t publisher_spool_deadline(const struct publisher *p);

/* loop.c: main function of the main fiber */
int publisher_main(void *arg);

#endif
