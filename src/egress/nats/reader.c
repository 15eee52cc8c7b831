#include "egress/nats/reader.h"

#include "egress/codec.h"
#include "egress/nats/api.h"
#include "egress/nats/inbox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEARTBEAT_MS 2000
/* without a heartbeat for so long, the consumer counts as gone */
#define SILENCE_MS (5 * HEARTBEAT_MS)
#define WAIT_MS	   5000
#define NS	   INT64_C(1000000000)
#define STEP_MS	   250 /* interval for checking the connection */
#define AGAIN_MS   200 /* pause between attempts to subscribe */

struct nats_reader {
	struct nats_reader_options options;
	char *filter;
	struct nats_api api; /* api.client is NULL if not connected */
	struct nats_subscription *sub;
	char consumer[NATS_CONSUMER_NAME_MAX]; /* name; "" if not created */
	/* the message returned last, owned by the reader */
	struct nats_received *msg;
	/* stream sequence of the last message; 0 = none yet */
	uint64_t last_seq;
	/* consumer sequence of the next delivery */
	uint64_t next_delivery;
	int64_t heard_ms; /* time of the last message from this consumer */
};

/*
 * Request the deletion and do not wait for the answer: a consumer that remains
 * expires.
 */
static void delete_consumer(struct nats_reader *r)
{
	char subject[NATS_API_SUBJECT_MAX], root[NATS_API_ROOT_MAX];
	struct nats_send m = { 0 };

	if (r->consumer[0] == '\0')
		return;
	nats_api_root(&r->api, root);
	snprintf(subject, sizeof(subject), "%s.CONSUMER.DELETE.%s.%s", root,
		 r->options.stream, r->consumer);
	m.subject = subject;
	(void)nats_client_publish(r->api.client, &m);
	r->consumer[0] = '\0';
}

static void reader_unsubscribe(struct nats_reader *r)
{
	if (r->sub == NULL)
		return;
	delete_consumer(r);
	nats_client_unsubscribe(r->sub);
	r->sub = NULL;
}

/* Write a time as RFC 3339 in nanoseconds. */
static void format_time(uint64_t ns, char *out, size_t size)
{
	time_t seconds = (time_t)(ns / (uint64_t)NS);
	struct tm tm;
	char text[32];

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out, size, "%s.%09" PRIu64 "Z", text, ns % (uint64_t)NS);
}

/* Write the start position as members of a consumer's configuration. */
static void format_start(const struct nats_reader *r, char *out, size_t size)
{
	static const char by_seq[] = "\"deliver_policy\":\"by_start_sequence\","
				     "\"opt_start_seq\":%" PRIu64;
	char when[64];

	if (r->last_seq != 0) {
		snprintf(out, size, by_seq, r->last_seq + 1);
		return;
	}
	switch (r->options.from) {
	case NATS_FROM_ALL:
		snprintf(out, size, "\"deliver_policy\":\"all\"");
		break;
	case NATS_FROM_NEW:
		snprintf(out, size, "\"deliver_policy\":\"new\"");
		break;
	case NATS_FROM_TIME:
		format_time(r->options.at, when, sizeof(when));
		snprintf(out, size,
			 "\"deliver_policy\":\"by_start_time\","
			 "\"opt_start_time\":\"%s\"",
			 when);
		break;
	case NATS_FROM_SEQ:
		snprintf(out, size, by_seq,
			 r->options.at > 0 ? r->options.at : 1);
		break;
	}
}

/* Create a consumer that delivers messages to @inbox. */
static int create_consumer(struct nats_reader *r, const char *inbox,
			   struct nats_error *why)
{
	char body[NATS_API_BODY_MAX], start[256];
	struct nats_received *reply = NULL;
	int err;

	if (!nats_api_is_plain(r->filter) ||
	    !nats_api_is_token(r->options.stream))
		return -EINVAL;
	format_start(r, start, sizeof(start));
	if (snprintf(body, sizeof(body),
		     "{\"stream_name\":\"%s\",\"config\":{%s,"
		     "\"deliver_subject\":\"%s\",\"filter_subject\":\"%s\","
		     "\"ack_policy\":\"none\",\"replay_policy\":\"instant\","
		     "\"flow_control\":true,\"idle_heartbeat\":%" PRId64
		     ",\"num_replicas\":1,\"mem_storage\":true}}",
		     r->options.stream, start, inbox, r->filter,
		     HEARTBEAT_MS * INT64_C(1000000)) >= (int)sizeof(body))
		return -EINVAL;
	err = nats_api_request(&r->api, "CONSUMER.CREATE", r->options.stream,
			       body, why, &reply);
	if (err < 0)
		return err;
	if (!nats_reply_consumer(nats_received_data(reply), r->consumer)) {
		snprintf(why->text, sizeof(why->text),
			 "CONSUMER.CREATE: the answer lacks a name");
		err = -EPROTO;
	}
	nats_received_free(reply);
	return err;
}

static int reader_subscribe(struct nats_reader *r, struct nats_error *why)
{
	char inbox[NATS_INBOX_MAX];
	int err;

	reader_unsubscribe(r);
	err = nats_inbox_make(&r->options.nats, inbox);
	if (err < 0)
		return err;
	r->next_delivery = 1;
	r->heard_ms = nats_client_now_ms();
	err = nats_client_subscribe(r->api.client, inbox, why, &r->sub);
	if (err < 0)
		return err;
	err = create_consumer(r, inbox, why);
	if (err < 0)
		reader_unsubscribe(r);
	return err;
}

static int connect_reader(struct nats_reader *r, struct nats_error *why)
{
	return nats_client_open(&r->options.nats, why, &r->api.client);
}

/*
 * Stop the connection before the subscription is destroyed. Otherwise a message
 * may arrive in between, and libnats 3.4 may deliver it to freed memory. A
 * stopped connection reads no messages.
 */
static void reader_disconnect(struct nats_reader *r)
{
	if (r->api.client != NULL) {
		delete_consumer(r);
		nats_client_stop(r->api.client);
	}
	reader_unsubscribe(r);
	nats_client_close(r->api.client);
	r->api.client = NULL;
}

int nats_reader_open(const struct nats_reader_options *options,
		     struct nats_error *why, struct nats_reader **out)
{
	struct nats_reader *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (r == NULL)
		return -ENOMEM;
	r->options = *options;
	r->api.wait_ms = WAIT_MS;
	r->filter = strdup(options->filter != NULL ? options->filter : ">");
	if (r->filter == NULL)
		goto fail;
	err = connect_reader(r, why);
	if (err < 0)
		goto fail;
	err = reader_subscribe(r, why);
	if (err < 0)
		goto fail;
	*out = r;
	return 0;

fail:
	nats_reader_close(r);
	return err;
}

void nats_reader_close(struct nats_reader *r)
{
	if (r == NULL)
		return;
	nats_received_free(r->msg);
	reader_disconnect(r);
	free(r->filter);
	free(r);
}

/*
 * Drop the consumer. The next attempt creates another one, if necessary on a
 * new connection.
 */
static void reader_resubscribe(struct nats_reader *r)
{
	struct nats_error why;

	if (r->api.client != NULL && !nats_client_connected(r->api.client))
		reader_disconnect(r);
	if ((r->api.client != NULL || connect_reader(r, &why) == 0) &&
	    reader_subscribe(r, &why) == 0)
		return;
	reader_disconnect(r);
	nats_client_sleep_ms(AGAIN_MS);
}

/*
 * Answer a flow control request: the server sends no more messages until it
 * knows that earlier ones were taken.
 */
static void answer_flow_control(struct nats_reader *r, const char *subject)
{
	static const char prefix[] = "$JS.FC.";

	if (subject != NULL &&
	    strncmp(subject, prefix, sizeof(prefix) - 1) == 0 &&
	    nats_api_is_plain(subject) && strpbrk(subject, "*>") == NULL)
		(void)nats_client_publish(r->api.client,
					  &(struct nats_send){
						  .subject = subject });
}

/* True if the heartbeat @msg names a message that did not arrive. */
static bool tells_of_gap(const struct nats_reader *r, struct nats_received *msg)
{
	const char *last = nats_received_header(msg, "Nats-Last-Consumer");
	uint64_t delivery;

	return last != NULL &&
	       nats_json_uint((struct wire_view){ (const uint8_t *)last,
						  strlen(last) },
			      &delivery) &&
	       delivery != r->next_delivery - 1;
}

/*
 * True if @msg is a message of the stream. This does not depend on its headers,
 * because the publisher of the message wrote them.
 */
static bool msg_is_delivery(const struct nats_received *msg)
{
	const char *reply = nats_received_reply(msg);
	struct nats_reply_place place;

	return reply != NULL && nats_reply_place(reply, &place);
}

/*
 * Handle a status message of the consumer. False if a new consumer has to be
 * created.
 */
static bool take_status(struct nats_reader *r)
{
	const char *status = nats_received_header(r->msg, "Status");
	const char *stalled =
		nats_received_header(r->msg, "Nats-Consumer-Stalled");
	const char *reply = nats_received_reply(r->msg);

	if (status == NULL || strcmp(status, "100") != 0 ||
	    tells_of_gap(r, r->msg))
		return false;
	answer_flow_control(r, stalled != NULL ? stalled : reply);
	return true;
}

/*
 * Read the metadata of r->msg. False if its reply subject is missing or is not
 * that of an acknowledgement, if a message before it is missing, or if its
 * stream sequence is not above the last one.
 */
static bool msg_examine(struct nats_reader *r, struct nats_read *out)
{
	const char *reply = nats_received_reply(r->msg);
	struct wire_view data = nats_received_data(r->msg);
	struct nats_reply_place place;

	if (reply == NULL || !nats_reply_place(reply, &place) ||
	    place.delivery != r->next_delivery ||
	    place.stream_seq <= r->last_seq)
		return false;
	*out = (struct nats_read){
		.seq = place.stream_seq,
		.time_ns = place.time_ns,
		.pending = place.pending,
		.subject = nats_received_subject(r->msg),
		.bytes = data.p,
		.len = data.len,
	};
	return true;
}

static int read_headers(struct nats_received *msg, struct nats_read *out)
{
	const char *encoding = nats_received_header(msg, "Content-Encoding");

	out->id = nats_received_header(msg, "Nats-Msg-Id");
	if (encoding == NULL)
		return 0;
	return egress_encoding_find(encoding, strlen(encoding),
				    &out->encoding) < 0
		       ? -EBADMSG
		       : 0;
}

/* Make one attempt of at most @ms. Returns 1 with a message, 0 without. */
static int reader_attempt(struct nats_reader *r, int64_t ms,
			  struct nats_read *out)
{
	int err;

	nats_received_free(r->msg);
	r->msg = NULL;
	if (r->sub == NULL || !nats_client_connected(r->api.client)) {
		reader_resubscribe(r);
		return 0;
	}
	err = nats_client_next(r->sub, ms, &r->msg);
	if (err == -ETIMEDOUT &&
	    nats_client_now_ms() - r->heard_ms < SILENCE_MS)
		return 0;
	if (err < 0) {
		reader_unsubscribe(r);
		return 0;
	}
	r->heard_ms = nats_client_now_ms();
	if (!msg_is_delivery(r->msg)) {
		if (!take_status(r))
			reader_unsubscribe(r);
		return 0;
	}
	if (!msg_examine(r, out)) {
		reader_unsubscribe(r);
		return 0;
	}
	r->next_delivery++;
	r->last_seq = out->seq;
	return 1;
}

int nats_reader_next(struct nats_reader *r, int64_t timeout_ms,
		     struct nats_read *out)
{
	int64_t until = nats_client_now_ms() + timeout_ms;
	struct nats_read read;

	for (;;) {
		int64_t left = until - nats_client_now_ms();

		if (left < 1)
			left = 1;
		if (reader_attempt(r, left < STEP_MS ? left : STEP_MS, &read) ==
		    1)
			break;
		if (nats_client_now_ms() >= until)
			return 0;
	}
	if (read_headers(r->msg, &read) < 0)
		return -EBADMSG;
	*out = read;
	return 1;
}
