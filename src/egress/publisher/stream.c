/*
 * Sends messages to the stream, takes acknowledgements, and settles after a
 * failure.
 *
 * Each message names its predecessor, so the entries that the stream holds are
 * always the first ones of the send queue. If the stream refuses a message, it
 * refuses all later ones. Every failure is handled the same way: stop sending,
 * wait for the answers to what is in flight (SETTLING), and let the link fiber
 * read the last message of the stream. publisher_stream_resume() then continues
 * after that message.
 */
#include "egress/publisher/acked_tail.h"
#include "egress/publisher/publisher_internal.h"

#include "egress/bridge.h"
#include "egress/codec.h"

#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Error codes of JetStream. */
#define ERROR_NO_RESOURCES	  10023
#define ERROR_NO_MEMORY		  10028
#define ERROR_NO_STORAGE	  10047
#define ERROR_TOO_BIG		  10054
#define ERROR_WRONG_LAST_ID	  10070
#define ERROR_WRONG_LAST_SEQUENCE 10071
#define ERROR_STORE_FAILED	  10077 /* "maximum bytes exceeded" */

/* A token has the generation in the bits above the number of the entry. */
#define GENERATION_SHIFT 48
#define NUMBER_MASK	 ((UINT64_C(1) << GENERATION_SHIFT) - 1)

/*
 * Set the cause for error code @error of the broker. A wrong predecessor or
 * size does not count as a failure of the broker: the next attempt corrects
 * both immediately.
 */
static void blame_error(struct publisher *p, uint32_t error, const char *text)
{
	enum output_cause cause = OUTPUT_CAUSE_NOT_STORED;

	switch (error) {
	case ERROR_WRONG_LAST_ID:
	case ERROR_WRONG_LAST_SEQUENCE:
	/* the next attempt reads the limit again */
	case ERROR_TOO_BIG:
	case NATS_ACK_NO_RESPONDERS: /* the next attempt looks for the stream */
		return;
	case ERROR_STORE_FAILED:
	case ERROR_NO_STORAGE:
	case ERROR_NO_MEMORY:
	case ERROR_NO_RESOURCES:
		cause = OUTPUT_CAUSE_STREAM_FULL;
		break;
	default:
		break;
	}
	/*
	 * Only the first error of the messages in flight is shown as the cause.
	 */
	if (p->state == PUBLISHER_READY)
		publisher_blame(p, PART_BROKER, cause, text);
}

static void answer_apply(struct publisher *p, const struct nats_answer *a)
{
	uint64_t number = a->token & NUMBER_MASK;
	char text[NATS_WORDS_MAX];
	struct send_entry *f;

	if (a->has_token &&
	    a->token >> GENERATION_SHIFT !=
		    (p->chain.generation & (UINT64_MAX >> GENERATION_SHIFT)))
		return;
	if (p->chain.unanswered > 0)
		p->chain.unanswered--;
	if (a->ack.error != 0) {
		p->stats.refused++;
		snprintf(text, sizeof(text), "not stored: %u %s", a->ack.error,
			 a->ack.text);
		blame_error(p, a->ack.error, text);
		publisher_handle(p, PUBLISHER_EV_STREAM_FAILED, text);
		return;
	}
	publisher_note_stored(p);
	/*
	 * The message was a duplicate, so it got no new sequence. So the
	 * sequences that were assumed for later messages are wrong.
	 */
	if (a->ack.duplicate) {
		p->chain.sent_seq = 0;
		acked_tail_skip(p->tail.acked);
	} else {
		acked_tail_ack(p->tail.acked, a->ack.seq);
	}
	if (a->ack.seq > p->chain.acked_seq)
		p->chain.acked_seq = a->ack.seq;
	if (p->chain.unanswered == 0 && p->state == PUBLISHER_READY)
		p->chain.last_seq = p->chain.acked_seq;
	if (number < p->wire.head || number >= p->wire.next_to_send)
		return;
	f = send_queue_at(&p->wire, number);
	if (f->unanswered == 0)
		return;
	if (a->ack.seq > f->seq)
		f->seq = a->ack.seq;
	p->stats.duplicates += a->ack.duplicate;
	if (--f->unanswered > 0)
		return;
	f->state = SEND_ACKED;
	publisher_note_time(&p->stats.acks, f->sent_ns);
}

void publisher_stream_answers(struct publisher *p)
{
	struct nats_answer a;

	while ((p->state == PUBLISHER_READY ||
		p->state == PUBLISHER_SETTLING) &&
	       nats_conn_take(p->conn.link, &a))
		answer_apply(p, &a);
}

/*
 * Mark all entries that are not known to be stored to be sent again, in order.
 */
static void rewind_wire(struct publisher *p)
{
	bool spooled = p->path == PATH_SPOOL;

	publisher_stream_settle(p);
	for (uint64_t n = p->wire.head; n != p->wire.tail; n++)
		spooled |= send_queue_at(&p->wire, n)->batch == NULL;
	/*
	 * The bytes of an entry without a batch are only in the spool: read
	 * them again.
	 */
	if (spooled)
		publisher_spool_rewind(p);
	else
		send_queue_rewind(&p->wire);
}

static void check_ready(struct publisher *p)
{
	const struct send_entry *f = send_queue_first(&p->wire);
	struct nats_error refusal;

	if (nats_conn_refused(p->conn.link, &refusal)) {
		publisher_blame(p, PART_BROKER, OUTPUT_CAUSE_NO_RIGHTS,
				refusal.text);
		publisher_handle(p, PUBLISHER_EV_LINK_FAILED, refusal.text);
	} else if (nats_conn_lost(p->conn.link)) {
		publisher_handle(p, PUBLISHER_EV_LINK_FAILED,
				 "connection lost");
	} else if (f != NULL && f->state == SEND_SENT &&
		   sp_now() - f->sent_ns > p->options.ack_timeout_ns) {
		p->stats.timeouts++;
		publisher_handle(p, PUBLISHER_EV_LINK_FAILED,
				 "no acknowledgement in time");
	}
}

static void check_settling(struct publisher *p)
{
	struct nats_error refusal;

	/*
	 * A message that the user may not publish is not answered. Later
	 * messages are, because they name a predecessor that is missing. Their
	 * answers may arrive before the refusal.
	 */
	if (p->conn.repair < REPAIR_LINK &&
	    nats_conn_refused(p->conn.link, &refusal)) {
		publisher_blame(p, PART_BROKER, OUTPUT_CAUSE_NO_RIGHTS,
				refusal.text);
		publisher_handle(p, PUBLISHER_EV_LINK_FAILED, NULL);
		publisher_tell(p, refusal.text);
	}
	/*
	 * After a missing ack use a new connection: a late ack cannot arrive on
	 * it.
	 */
	if (nats_conn_lost(p->conn.link) ||
	    (p->chain.unanswered > 0 && sp_now() >= p->conn.settle_until))
		publisher_handle(p, PUBLISHER_EV_LINK_FAILED, NULL);
	if (p->conn.repair < REPAIR_LINK && p->chain.unanswered > 0)
		return;
	rewind_wire(p);
	publisher_handle(p, PUBLISHER_EV_SETTLED, NULL);
}

void publisher_stream_check(struct publisher *p)
{
	if (p->state == PUBLISHER_READY)
		check_ready(p);
	if (p->state == PUBLISHER_SETTLING)
		check_settling(p);
}

/*
 * Raise chain.stored to @record. It may already be higher, because entries are
 * settled later than records are read from the stream.
 */
static void raise_stored(struct publisher *p, struct record_id record)
{
	if (record_id_compare(record, p->chain.stored) > 0)
		p->chain.stored = record;
}

void publisher_stream_resume(struct publisher *p)
{
	const struct nats_tail *tail = &p->chain.tail;

	p->chain.generation++;
	p->chain.unanswered = 0;
	p->chain.acked_seq = 0;
	p->conn.down_since = 0;
	/* Entries up to the last record of the stream are safe. */
	for (uint64_t n = p->wire.head; tail->has_record && n != p->wire.tail;
	     n++) {
		struct send_entry *f = send_queue_at(&p->wire, n);

		if (send_entry_is_fence(f) || f->state == SEND_ACKED)
			continue;
		if (record_id_compare(f->record, tail->record) > 0)
			break;
		f->state = SEND_ACKED;
		f->seq = tail->id_seq;
	}
	if (tail->has_record)
		raise_stored(p, tail->record);
	publisher_stream_settle(p);
	send_pace_reset(&p->wire.pace, p->wire.pace.floor);
	send_queue_rewind(&p->wire);
	if (p->path == PATH_SPOOL)
		publisher_spool_rewind(p);
	publisher_set_log_position(p, p->chain.tail.id_seq);
	publisher_handle(p, PUBLISHER_EV_RESUMED, NULL);
}

static void settle_one(struct publisher *p, struct send_entry *f)
{
	if (send_entry_is_fence(f)) {
		f->batch->position = p->shared.log_position.position;
		f->batch->spooled = false;
		egress_bridge_give_back(p->bridge, f->batch);
		return;
	}
	if (send_entry_was_fence(f))
		return; /* the disk queue has the batch */
	raise_stored(p, f->record);
	p->stats.messages += f->pieces;
	p->stats.updates += f->updates;
	p->stats.bytes += f->len;
	if (f->end > p->spool.released)
		p->spool.released = f->end;
	/* seq is 0 if all its messages were too long to send */
	if (f->seq != 0) {
		publisher_set_log_position(p, f->seq);
		p->chain.acked = f->record;
	}
	if (f->batch == NULL)
		return;
	publisher_note_time(&p->stats.safe, (int64_t)f->batch->opened_ns);
	egress_bridge_give_back(p->bridge, f->batch);
}

void publisher_stream_settle(struct publisher *p)
{
	struct send_entry *f = send_queue_first(&p->wire);
	int64_t now = f != NULL && f->state == SEND_ACKED ? sp_now() : 0;

	while ((f = send_queue_first(&p->wire)) != NULL &&
	       f->state == SEND_ACKED) {
		send_queue_note_safe(&p->wire, now);
		settle_one(p, f);
		send_queue_drop_first(&p->wire);
	}
}

/*
 * Set the message that @m must follow (its predecessor), by its sequence or by
 * its id. A server that was restarted, or that became the leader, knows the id
 * of the stream's last message only if that message is younger than the
 * duplicate window; it always knows its sequence. So name the sequence if it is
 * known: the predecessor was read from the stream, or it is acknowledged. Name
 * the id if the predecessor is not acknowledged yet.
 *
 * Each replica of a stream checks the predecessor for itself. If a replica was
 * restarted while nothing was published, it would refuse a message that names
 * an id, but still report that it is current. If it then becomes the leader,
 * the stream lacks that message and all later ones (nats-server 2.9.10).
 */
static void set_predecessor(const struct publisher *p, struct nats_message *m)
{
	if (p->chain.last_seq != 0)
		m->after_seq = p->chain.last_seq;
	else if (p->chain.last_id[0] != '\0')
		m->after = p->chain.last_id;
}

/*
 * Add a sent message to the acked tail, at the sequence that the stream will
 * give to it.
 */
static void keep_message(struct publisher *p, const struct message_id *id,
			 const struct publisher_payload *payload)
{
	struct acked_message m = {
		.id = *id,
		.encoding = payload->encoding,
		.subject = payload->subject,
		.subject_len = strlen(payload->subject),
		.bytes = payload->bytes,
	};

	if (p->chain.last_seq != 0)
		p->chain.sent_seq = p->chain.last_seq;
	if (p->chain.sent_seq == 0)
		return;
	acked_tail_add(p->tail.acked, ++p->chain.sent_seq, &m);
}

/*
 * Send @payload, which is the whole of entry @number or a piece of it. @record
 * becomes part of the message id.
 */
int publisher_stream_put(struct publisher *p, uint64_t number,
			 struct record_id record,
			 const struct publisher_payload *payload)
{
	struct send_entry *f = send_queue_at(&p->wire, number);
	struct message_id name = { p->run.epoch, record };
	char id[MESSAGE_ID_MAX];
	struct nats_message m = {
		.subject = payload->subject,
		.bytes = payload->bytes.p,
		.len = payload->bytes.len,
		.id = id,
		.encoding = payload->encoding == EGRESS_PLAIN
				    ? NULL
				    : egress_encoding_name(payload->encoding),
		.collector = p->options.collector,
		.schema = p->options.schema,
		.token = p->chain.generation << GENERATION_SHIFT |
			 (number & NUMBER_MASK),
	};
	int err;

	message_id_format(p->options.collector, &name, id);
	set_predecessor(p, &m);
	err = nats_conn_publish(p->conn.link, &m);
	if (err < 0) {
		publisher_handle(p, PUBLISHER_EV_LINK_FAILED, "cannot write");
		return err;
	}
	keep_message(p, &name, payload);
	memcpy(p->chain.last_id, id, sizeof(id));
	p->chain.last_seq = 0;
	f->pieces++;
	f->unanswered++;
	p->chain.unanswered++;
	return 0;
}

/* Send entry @number, which is the first one that was not sent yet. */
int publisher_stream_publish(struct publisher *p, uint64_t number,
			     const struct publisher_payload *payload)
{
	struct send_entry *f = send_queue_at(&p->wire, number);
	int err;

	/* Forget the sequence that an older stream of this name has given. */
	f->seq = 0;
	f->pieces = f->unanswered = 0;
	if (publisher_split_needed(p, f))
		err = publisher_split_put(p, number, payload);
	else
		err = publisher_stream_put(p, number, f->record, payload);
	if (err < 0)
		return err;
	f->state = f->unanswered > 0 ? SEND_SENT : SEND_ACKED;
	f->sent_ns = sp_now();
	p->wire.next_to_send = number + 1;
	return 0;
}

/*
 * Write to the socket. If the socket does not take all bytes, the writer fiber
 * writes the rest and then wakes main.
 */
static void socket_write(struct publisher *p)
{
	if (p->conn.socket == SOCKET_WRITABLE && !nats_conn_write(p->conn.link))
		p->conn.socket = SOCKET_BLOCKED;
}

bool publisher_stream_has_room(struct publisher *p)
{
	if (nats_conn_full(p->conn.link))
		socket_write(p);
	/* Pieces count in the window like whole batches. */
	return p->conn.socket == SOCKET_WRITABLE &&
	       p->chain.unanswered < p->options.window &&
	       !acked_tail_full(p->tail.acked);
}

void publisher_stream_send(struct publisher *p)
{
	while (p->state == PUBLISHER_READY && !publisher_held(p) &&
	       p->wire.next_to_send != p->wire.tail &&
	       publisher_stream_has_room(p)) {
		uint64_t number = p->wire.next_to_send;
		const struct send_entry *f = send_queue_at(&p->wire, number);
		struct publisher_payload payload;

		if (f->state == SEND_ACKED) {
			p->wire.next_to_send++; /* a fence is not sent */
			continue;
		}
		payload = (struct publisher_payload){
			f->batch->subject,
			{ f->batch->bytes, f->batch->len },
			f->batch->encoding,
		};
		if (publisher_stream_publish(p, number, &payload) < 0)
			break;
	}
	if (p->state == PUBLISHER_READY)
		socket_write(p);
}

bool publisher_stream_idle(const struct publisher *p)
{
	return send_queue_empty(&p->wire);
}
