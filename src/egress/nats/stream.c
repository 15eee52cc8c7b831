#include "egress/nats/stream.h"

#include "egress/nats/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS	    5000
#define MAX_AGE_S   (24 * 3600)
#define MAX_BYTES   (INT64_C(32) << 30)
#define DUPLICATE_S 120
#define NS	    INT64_C(1000000000)

/*
 * How far to look back for a message of ours. Only somebody else's messages
 * in our stream, or deleted ones, make it more than one.
 */
#define LOOK_BACK 1000

#define AFTER_HEADER "Arancini-After"

static int64_t or_default(int64_t value, int64_t fallback)
{
	return value != 0 ? value : fallback;
}

static int fail(int err, struct nats_words *why, const char *doing,
		natsStatus s, jsErrCode code)
{
	const char *detail = nats_GetLastError(NULL);

	snprintf(why->text, sizeof(why->text), "%s: %s (%d)%s%s", doing,
		 natsStatus_GetText(s), (int)code, detail != NULL ? ": " : "",
		 detail != NULL ? detail : "");
	return err;
}

/* What a failed request means for the publisher. */
static int errno_of(natsStatus s, jsErrCode code)
{
	if (s == NATS_TIMEOUT)
		return -ETIMEDOUT;
	if (s == NATS_NO_RESPONDERS)
		return -EAGAIN; /* no JetStream, or not yet */
	if (code == JSStreamNotFoundErr)
		return -ENOENT;
	if (s == NATS_NOT_PERMITTED)
		return -EACCES;
	if (code != 0)
		return -EAGAIN;
	return -ENOTCONN;
}

bool nats_subject_covers(const char *filter, const char *subject)
{
	for (;;) {
		size_t f = strcspn(filter, ".");
		size_t s = strcspn(subject, ".");

		if (f == 1 && *filter == '>')
			return true;
		if (s == 1 && *subject == '>')
			return false;
		if (!(f == 1 && *filter == '*') &&
		    (f != s || memcmp(filter, subject, f) != 0))
			return false;
		filter += f;
		subject += s;
		if (*filter == '\0' || *subject == '\0')
			return *filter == *subject;
		filter++;
		subject++;
	}
}

static bool takes(const jsStreamConfig *config, const char *subject)
{
	for (int i = 0; i < config->SubjectsLen; i++)
		if (nats_subject_covers(config->Subjects[i], subject))
			return true;
	return false;
}

/* A stream that is there is the operator's; it only must be usable. */
static int verify(const jsStreamConfig *config,
		  const struct nats_stream_options *options,
		  struct nats_words *why)
{
	for (size_t i = 0; i < options->subject_count; i++) {
		if (takes(config, options->subjects[i]))
			continue;
		snprintf(why->text, sizeof(why->text),
			 "stream %s does not take %s", options->name,
			 options->subjects[i]);
		return -EINVAL;
	}
	if (config->Retention != js_LimitsPolicy || config->NoAck ||
	    config->Sealed || config->Mirror != NULL) {
		snprintf(why->text, sizeof(why->text),
			 "stream %s must keep messages by limits, acknowledge "
			 "them, and be neither sealed nor a mirror",
			 options->name);
		return -EINVAL;
	}
	return 0;
}

static void set_wait(jsOptions *o, const struct nats_stream_options *options)
{
	jsOptions_Init(o);
	o->Wait = or_default(options->wait_ms, WAIT_MS);
}

static natsStatus create(jsCtx *js, const struct nats_stream_options *options,
			 jsStreamInfo **info, jsErrCode *code)
{
	int64_t age = or_default(options->max_age_s, MAX_AGE_S);
	jsStreamConfig config;
	jsOptions wait;

	set_wait(&wait, options);
	jsStreamConfig_Init(&config);
	config.Name = options->name;
	config.Subjects = (const char **)options->subjects;
	config.SubjectsLen = (int)options->subject_count;
	config.Storage = options->memory ? js_MemoryStorage : js_FileStorage;
	config.Discard = options->discard_new ? js_DiscardNew : js_DiscardOld;
	config.Replicas = or_default(options->replicas, 1);
	config.MaxAge = age < 0 ? 0 : age * NS;
	config.MaxBytes = or_default(options->max_bytes, MAX_BYTES);
	config.Duplicates = or_default(options->duplicate_s, DUPLICATE_S) * NS;
	/* The window of duplicates cannot be longer than messages live. */
	if (config.MaxAge > 0 && config.Duplicates > config.MaxAge)
		config.Duplicates = config.MaxAge;
	return js_AddStream(info, js, &config, &wait, code);
}

static int find(jsCtx *js, const struct nats_stream_options *options,
		struct nats_words *why, jsStreamInfo **out)
{
	jsErrCode code = 0;
	jsOptions wait;
	natsStatus s;
	int err;

	set_wait(&wait, options);
	s = js_GetStreamInfo(out, js, options->name, &wait, &code);
	if (s == NATS_NOT_FOUND || code == JSStreamNotFoundErr) {
		if (options->no_create) {
			snprintf(why->text, sizeof(why->text),
				 "there is no stream %s", options->name);
			return -ENOENT;
		}
		code = 0;
		s = create(js, options, out, &code);
	}
	if (s != NATS_OK)
		return fail(errno_of(s, code), why, "stream", s, code);
	err = verify((*out)->Config, options, why);
	if (err < 0)
		jsStreamInfo_Destroy(*out);
	return err;
}

static const char *header(natsMsg *msg, const char *name)
{
	const char *value = NULL;

	if (natsMsgHeader_Get(msg, name, &value) != NATS_OK)
		return NULL;
	return value;
}

/* Take from a message what it says about itself. False: it is not ours. */
static bool read_id(natsMsg *msg, struct nats_tail *out)
{
	const char *id = header(msg, "Nats-Msg-Id");
	const char *after;

	if (id == NULL || strlen(id) >= sizeof(out->id_text) ||
	    !message_id_parse(id, out->collector, &out->id))
		return false;
	snprintf(out->id_text, sizeof(out->id_text), "%s", id);
	out->has_id = true;
	if (out->id.record.seq != 0) {
		out->record = out->id.record;
		out->has_record = true;
		return true;
	}
	after = header(msg, AFTER_HEADER);
	out->has_record = after != NULL && record_id_parse(after, &out->record);
	return true;
}

/*
 * Look at the message at @seq, going backwards. Whether there is more to find:
 * the name that ends the chain, and the last record.
 */
static bool look_at(natsMsg *msg, uint64_t seq, struct nats_tail *out)
{
	struct nats_tail one = { 0 };

	if (!read_id(msg, &one))
		return true;
	if (!out->has_id) {
		one.created_ns = out->created_ns;
		one.last_seq = out->last_seq;
		one.id_seq = seq;
		*out = one;
	} else if (strcmp(one.collector, out->collector) == 0) {
		out->has_record = one.has_record;
		out->record = one.record;
	} else {
		return false; /* of a time before ours */
	}
	return !out->has_record;
}

static int read_last(jsCtx *js, const struct nats_stream_options *options,
		     const jsStreamInfo *info, struct nats_words *why,
		     struct nats_tail *out)
{
	uint64_t seq = info->State.LastSeq;
	uint64_t stop = info->State.FirstSeq;
	jsOptions wait;

	set_wait(&wait, options);
	if (seq > LOOK_BACK && stop < seq - LOOK_BACK)
		stop = seq - LOOK_BACK;
	for (; seq >= stop && seq > 0 && info->State.Msgs > 0; seq--) {
		jsErrCode code = 0;
		natsMsg *msg = NULL;
		natsStatus s =
			js_GetMsg(&msg, js, options->name, seq, &wait, &code);
		bool more;

		if (s == NATS_NOT_FOUND || code == JSNoMessageFoundErr)
			continue;
		if (s != NATS_OK)
			return fail(errno_of(s, code), why, "last message", s,
				    code);
		more = look_at(msg, seq, out);
		natsMsg_Destroy(msg);
		if (!more)
			break;
	}
	return 0;
}

static int read_epoch(jsCtx *js, const struct nats_stream_options *options,
		      const char *subject, struct nats_words *why,
		      struct nats_tail *out)
{
	jsErrCode code = 0;
	natsMsg *msg = NULL;
	struct nats_tail event = { 0 };
	jsOptions wait;
	natsStatus s;

	set_wait(&wait, options);
	s = js_GetLastMsg(&msg, js, options->name, subject, &wait, &code);
	if (s == NATS_NOT_FOUND || code == JSNoMessageFoundErr)
		return 0;
	if (s != NATS_OK)
		return fail(errno_of(s, code), why, "last epoch", s, code);
	if (read_id(msg, &event)) {
		out->has_epoch = true;
		out->epoch = event.id.epoch;
		memcpy(out->epoch_collector, event.collector,
		       sizeof(event.collector));
	}
	natsMsg_Destroy(msg);
	return 0;
}

int nats_stream_prepare(struct nats_link *link,
			const struct nats_stream_options *options,
			const char *epoch_subject, struct nats_words *why,
			struct nats_tail *out)
{
	struct nats_tail tail = { 0 };
	jsStreamInfo *info = NULL;
	jsCtx *js = NULL;
	natsStatus s =
		natsConnection_JetStream(&js, nats_link_connection(link), NULL);
	int err;

	if (s != NATS_OK)
		return fail(-ENOTCONN, why, "JetStream", s, 0);
	err = find(js, options, why, &info);
	if (err == 0) {
		tail.created_ns = info->Created;
		tail.last_seq = info->State.LastSeq;
		err = read_last(js, options, info, why, &tail);
		if (err == 0)
			err = read_epoch(js, options, epoch_subject, why,
					 &tail);
		jsStreamInfo_Destroy(info);
	}
	jsCtx_Destroy(js);
	if (err == 0)
		*out = tail;
	return err;
}

/* Opening an epoch */

static natsStatus set_number(natsMsg *msg, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return natsMsgHeader_Set(msg, name, text);
}

/*
 * By the sequence of the last message, not by its id: a restarted server has
 * forgotten an id older than the duplicate window, and refuses it.
 */
static natsStatus chain(natsMsg *msg, const struct nats_stream_options *options,
			const struct nats_epoch *epoch,
			const struct nats_tail *tail)
{
	char after[MESSAGE_ID_MAX];
	natsStatus s =
		natsMsgHeader_Set(msg, "Nats-Expected-Stream", options->name);

	if (tail == NULL)
		return s;
	if (s == NATS_OK && tail->last_seq > 0)
		s = set_number(msg, "Nats-Expected-Last-Sequence",
			       tail->last_seq);
	if (s == NATS_OK && epoch->has_record) {
		record_id_format(epoch->record, after);
		s = natsMsgHeader_Set(msg, AFTER_HEADER, after);
	}
	return s;
}

static natsStatus describe(natsMsg *msg, const struct nats_epoch *epoch,
			   const char *id)
{
	natsStatus s = natsMsgHeader_Set(msg, "Nats-Msg-Id", id);

	if (s == NATS_OK)
		s = natsMsgHeader_Set(msg, "Arancini-Collector",
				      epoch->collector);
	if (s == NATS_OK)
		s = natsMsgHeader_Set(msg, "Arancini-Schema", epoch->schema);
	return s;
}

static int judge(natsMsg *reply, struct nats_words *why, uint64_t *seq)
{
	struct nats_ack ack;

	nats_ack_parse(natsMsg_GetData(reply),
		       (size_t)natsMsg_GetDataLength(reply), &ack);
	if (ack.error == 0) {
		*seq = ack.seq;
		return 0;
	}
	snprintf(why->text, sizeof(why->text), "epoch refused: %u %s",
		 ack.error, ack.text);
	if (ack.error == JSStreamWrongLastMsgIDErr ||
	    ack.error == JSStreamWrongLastSequenceErr)
		return -ESTALE;
	return -EAGAIN;
}

int nats_stream_open_epoch(struct nats_link *link,
			   const struct nats_stream_options *options,
			   const struct nats_epoch *epoch,
			   const struct nats_tail *tail, struct nats_words *why,
			   uint64_t *seq, char id[MESSAGE_ID_MAX])
{
	struct message_id name = { epoch->epoch, { epoch->epoch, 0, 0 } };
	natsMsg *reply = NULL;
	natsMsg *msg = NULL;
	natsStatus s;
	int err;

	message_id_format(epoch->collector, &name, id);
	s = natsMsg_Create(&msg, epoch->subject, NULL, epoch->bytes,
			   (int)epoch->len);
	if (s == NATS_OK)
		s = describe(msg, epoch, id);
	if (s == NATS_OK)
		s = chain(msg, options, epoch, tail);
	if (s == NATS_OK)
		s = natsConnection_RequestMsg(&reply,
					      nats_link_connection(link), msg,
					      or_default(options->wait_ms,
							 WAIT_MS));
	if (s == NATS_OK)
		err = judge(reply, why, seq);
	else
		err = fail(errno_of(s, 0), why, "epoch", s, 0);
	natsMsg_Destroy(reply);
	natsMsg_Destroy(msg);
	return err;
}

int nats_stream_span(const struct nats_options *options, const char *stream,
		     struct nats_words *why, struct nats_span *out)
{
	jsStreamInfo *info = NULL;
	natsConnection *nc = NULL;
	jsErrCode code = 0;
	jsCtx *js = NULL;
	natsStatus s;
	int err = nats_connect(options, why, &nc);

	if (err < 0)
		return err;
	s = natsConnection_JetStream(&js, nc, NULL);
	if (s == NATS_OK)
		s = js_GetStreamInfo(&info, js, stream, NULL, &code);
	if (s == NATS_OK)
		*out = (struct nats_span){
			.created_ns = info->Created,
			.first_seq = info->State.FirstSeq,
			.last_seq = info->State.LastSeq,
		};
	else
		err = fail(s == NATS_NOT_FOUND ? -ENOENT : errno_of(s, code),
			   why, "stream", s, code);
	jsStreamInfo_Destroy(info);
	jsCtx_Destroy(js);
	natsConnection_Destroy(nc);
	return err;
}
