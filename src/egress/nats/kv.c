#include "egress/nats/kv.h"

#include "egress/nats/ack.h"
#include "egress/nats/api.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS	   5000
#define BUCKET_MAX 64
#define STREAM_MAX (BUCKET_MAX + 8)
#define KEY_MAX	   512

/* Maximum bytes of a value: it is copied, and its length must fit an int. */
#define VALUE_MAX ((int64_t)64 << 20)

/* A writer refuses a server or bucket with a lower limit. */
#define VALUE_MIN 4096

struct nats_kv {
	struct nats_options options;
	char bucket[BUCKET_MAX];
	char stream[STREAM_MAX]; /* name of the stream that holds the bucket */
	int replicas;
	pthread_mutex_t lock; /* protects the fields below */
	struct nats_api api;  /* client is NULL if not connected */
	bool direct;	      /* messages can be read without the leader */
	_Atomic size_t max;   /* read without the lock */
};

static void kv_disconnect(struct nats_kv *kv)
{
	nats_client_close(kv->api.client);
	kv->api.client = NULL;
}

static int create_bucket(struct nats_kv *kv, struct nats_error *why,
			 struct nats_received **reply,
			 struct nats_reply_stream *out)
{
	char body[NATS_API_BODY_MAX];

	/*
	 * The configuration is the one that other NATS clients use, so that
	 * they can use the bucket.
	 */
	snprintf(body, sizeof(body),
		 "{\"name\":\"%s\",\"description\":\"state of arancini "
		 "collectors\",\"subjects\":[\"$KV.%s.>\"],"
		 "\"retention\":\"limits\",\"max_consumers\":-1,"
		 "\"max_msgs\":-1,\"max_bytes\":-1,\"max_age\":0,"
		 "\"max_msgs_per_subject\":1,\"max_msg_size\":-1,"
		 "\"storage\":\"file\",\"discard\":\"new\","
		 "\"num_replicas\":%d,\"deny_delete\":true,"
		 "\"allow_rollup_hdrs\":true,\"allow_direct\":true}",
		 kv->stream, kv->bucket, kv->replicas);
	return nats_api_stream(&kv->api, "STREAM.CREATE", kv->stream, body, why,
			       reply, out);
}

/*
 * True if nats_kv_open() got replicas, that is, for a writer. For a reader
 * fewer settings are checked, and no bucket is created.
 */
static bool kv_is_written(const struct nats_kv *kv)
{
	return kv->replicas != 0;
}

/* Refuse a bucket whose settings would lose stored values. */
static int verify_bucket(const struct nats_kv *kv,
			 const struct nats_reply_stream *info,
			 struct nats_error *why)
{
	if (info->max_per_subject < 1 || info->mirror) {
		snprintf(why->text, sizeof(why->text),
			 "stream %s is not a bucket to write to", kv->stream);
		return -EPERM;
	}
	if (!kv_is_written(kv))
		return 0;
	if (!info->discard_new && (info->max_bytes > 0 || info->max_msgs > 0)) {
		snprintf(why->text, sizeof(why->text),
			 "bucket %s has discard old: when it is full it drops "
			 "what is needed; set it to new",
			 kv->bucket);
		return -EPERM;
	}
	if (info->max_age_ns > 0) {
		snprintf(why->text, sizeof(why->text),
			 "bucket %s has a ttl (max_age): files that are needed "
			 "would vanish; set it to 0",
			 kv->bucket);
		return -EPERM;
	}
	if (info->max_msg_size > 0 && info->max_msg_size < VALUE_MIN) {
		snprintf(why->text, sizeof(why->text),
			 "bucket %s has max_value_size (max_msg_size) %" PRId64
			 ": raise it to %d at least",
			 kv->bucket, info->max_msg_size, VALUE_MIN);
		return -EPERM;
	}
	return 0;
}

/*
 * Set kv->max to the smallest of VALUE_MAX and the limits of the server and of
 * the bucket. For a writer -EMSGSIZE if it is below VALUE_MIN.
 */
static int set_max(struct nats_kv *kv, const struct nats_reply_stream *info,
		   struct nats_error *why)
{
	int64_t max = nats_client_max_payload(kv->api.client);

	if (max < 0 || max > VALUE_MAX)
		max = VALUE_MAX;
	if (info->max_msg_size > 0 && info->max_msg_size < max)
		max = info->max_msg_size;
	if (max < VALUE_MIN && kv_is_written(kv)) {
		snprintf(why->text, sizeof(why->text),
			 "the server's max_payload is %" PRId64
			 " bytes: raise it to %d at least",
			 max, VALUE_MIN);
		return -EMSGSIZE;
	}
	atomic_store(&kv->max, (size_t)max);
	return 0;
}

static int bind_bucket(struct nats_kv *kv, struct nats_error *why)
{
	struct nats_reply_stream info;
	struct nats_received *reply = NULL;
	int err = nats_api_stream(&kv->api, "STREAM.INFO", kv->stream, NULL,
				  why, &reply, &info);

	if (err == -ENOENT && kv_is_written(kv))
		err = create_bucket(kv, why, &reply, &info);
	if (err == -ENOENT)
		snprintf(why->text, sizeof(why->text), "there is no bucket %s",
			 kv->bucket);
	if (err < 0)
		return err;
	nats_received_free(reply);
	err = verify_bucket(kv, &info, why);
	if (err < 0)
		return err;
	kv->direct = info.allow_direct;
	return set_max(kv, &info, why);
}

static int connect_kv(struct nats_kv *kv, struct nats_error *why)
{
	int err = nats_client_open(&kv->options, why, &kv->api.client);

	return err < 0 ? err : bind_bucket(kv, why);
}

/*
 * Begin a call: lock and connect. kv_call_end() must follow, also after an
 * error.
 */
static int kv_call_begin(struct nats_kv *kv, struct nats_error *why)
{
	int err;

	pthread_mutex_lock(&kv->lock);
	if (kv->api.client != NULL && nats_client_connected(kv->api.client))
		return 0;
	kv_disconnect(kv);
	err = connect_kv(kv, why);
	if (err < 0)
		kv_disconnect(kv);
	return err;
}

/* End a call with result @err, and return @err. */
static int kv_call_end(struct nats_kv *kv, int err)
{
	/*
	 * A late answer must not reach the next call, and a limit that was
	 * changed has to be read again, so close the connection.
	 */
	if (err == -ETIMEDOUT || err == -EACCES || err == -EMSGSIZE)
		kv_disconnect(kv);
	pthread_mutex_unlock(&kv->lock);
	return err;
}

int nats_kv_open(const struct nats_options *options, const char *bucket,
		 int replicas, struct nats_error *why, struct nats_kv **out)
{
	struct nats_kv *kv = calloc(1, sizeof(*kv));
	int err;

	if (kv == NULL)
		return -ENOMEM;
	kv->options = *options;
	kv->replicas = replicas;
	kv->api.wait_ms = WAIT_MS;
	snprintf(kv->bucket, sizeof(kv->bucket), "%s", bucket);
	snprintf(kv->stream, sizeof(kv->stream), "KV_%s", kv->bucket);
	pthread_mutex_init(&kv->lock, NULL);
	err = kv_call_begin(kv, why);
	pthread_mutex_unlock(&kv->lock);
	if (err < 0) {
		nats_kv_close(kv);
		return err;
	}
	*out = kv;
	return 0;
}

void nats_kv_close(struct nats_kv *kv)
{
	if (kv == NULL)
		return;
	kv_disconnect(kv);
	pthread_mutex_destroy(&kv->lock);
	free(kv);
}

size_t nats_kv_max(const struct nats_kv *kv)
{
	return atomic_load(&kv->max);
}

/*
 * The subject of a key. -EINVAL if @key is not a valid key or, if @pattern is
 * true, not a valid pattern.
 */
static int subject_of(const struct nats_kv *kv, const char *key, bool pattern,
		      char out[KEY_MAX])
{
	if (!nats_api_is_plain(key) ||
	    (!pattern && strpbrk(key, "*>") != NULL) ||
	    snprintf(out, KEY_MAX, "$KV.%s.%s", kv->bucket, key) >= KEY_MAX)
		return -EINVAL;
	return 0;
}

/* Reading */

/* The value of a key; the caller frees bytes. */
struct entry {
	uint64_t revision;
	bool deleted; /* the entry is a marker that the key was removed */
	uint8_t *bytes;
	size_t len;
};

static bool is_removal(const char *operation)
{
	return strcmp(operation, "DEL") == 0 || strcmp(operation, "PURGE") == 0;
}

static const char *header_value(struct nats_received *msg, const char *name)
{
	const char *value = nats_received_header(msg, name);

	return value != NULL ? value : "";
}

static int take_direct(struct nats_received *msg, const char *subject,
		       struct entry *out)
{
	const char *seq = header_value(msg, "Nats-Sequence");
	struct wire_view data = nats_received_data(msg);
	struct entry e = { 0 };

	if (strcmp(header_value(msg, "Status"), "404") == 0)
		return -ENOENT;
	if (!nats_json_uint((struct wire_view){ (const uint8_t *)seq,
						strlen(seq) },
			    &e.revision) ||
	    strcmp(header_value(msg, "Nats-Subject"), subject) != 0)
		return -EPROTO;
	e.deleted = is_removal(header_value(msg, "KV-Operation"));
	e.len = data.len;
	e.bytes = malloc(data.len + 1);
	if (e.bytes == NULL)
		return -ENOMEM;
	if (data.len > 0)
		memcpy(e.bytes, data.p, data.len);
	*out = e;
	return 0;
}

/* Get the entry from any server that has the message. */
static int get_direct(struct nats_kv *kv, const char *subject,
		      struct nats_error *why, struct entry *out)
{
	char where[NATS_API_SUBJECT_MAX], root[NATS_API_ROOT_MAX];
	struct nats_send m = { .subject = where };
	struct nats_received *msg = NULL;
	int err;

	nats_api_root(&kv->api, root);
	snprintf(where, sizeof(where), "%s.DIRECT.GET.%s.%s", root, kv->stream,
		 subject);
	err = nats_client_request(kv->api.client, &m, kv->api.wait_ms, "get",
				  why, &msg);
	if (err < 0)
		return err;
	err = take_direct(msg, subject, out);
	if (err == -EPROTO)
		snprintf(why->text, sizeof(why->text),
			 "get: the answer cannot be read");
	nats_received_free(msg);
	return err;
}

/* Get the entry from the leader. */
static int get_message(struct nats_kv *kv, const char *subject,
		       struct nats_error *why, struct entry *out)
{
	struct nats_api_message m;
	char operation[16];
	int err = nats_api_message(&kv->api, kv->stream, 0, subject, why, &m);

	if (err < 0)
		return err == -ENODATA ? -ENOENT : err;
	*out = (struct entry){
		.revision = m.seq,
		.deleted = nats_reply_header(m.headers, "KV-Operation",
					     operation, sizeof(operation)) &&
			   is_removal(operation),
		.bytes = m.bytes,
		.len = m.data.len,
	};
	memmove(m.bytes, m.data.p, m.data.len);
	return 0;
}

static int get_entry(struct nats_kv *kv, const char *subject,
		     struct nats_error *why, struct entry *out)
{
	return kv->direct ? get_direct(kv, subject, why, out)
			  : get_message(kv, subject, why, out);
}

int nats_kv_get(struct nats_kv *kv, const char *key, struct nats_error *why,
		void **bytes, size_t *len, uint64_t *revision)
{
	char subject[KEY_MAX];
	struct entry e = { 0 };
	int err = kv_call_begin(kv, why);

	if (err < 0)
		return kv_call_end(kv, err);
	err = subject_of(kv, key, false, subject);
	if (err == 0)
		err = get_entry(kv, subject, why, &e);
	if (err == 0 && e.deleted) {
		free(e.bytes);
		err = -ENOENT;
	}
	err = kv_call_end(kv, err);
	if (err < 0)
		return err;
	*bytes = e.bytes;
	*len = e.len;
	*revision = e.revision;
	return 0;
}

/* Writing */

static int ack_check(struct nats_received *reply, struct nats_error *why)
{
	const char *action = "";
	struct nats_ack ack;
	int err = -ENOTCONN;

	nats_ack_parse(nats_received_data(reply), &ack);
	switch (ack.error) {
	case 0:
		return 0;
	case NATS_JS_WRONG_LAST_SEQ:
		err = -ESTALE;
		break;
	case NATS_JS_MESSAGE_TOO_LONG:
		action = ": its max_value_size was lowered";
		err = -EMSGSIZE;
		break;
	case NATS_JS_STORE_FAILED:
	case NATS_JS_INSUFFICIENT_RESOURCES:
	case NATS_JS_STORAGE_EXCEEDED:
	case NATS_JS_MEMORY_EXCEEDED:
		action = ": raise its max_bytes, or give the server room";
		err = -ENOSPC;
		break;
	default:
		break;
	}
	snprintf(why->text, sizeof(why->text),
		 "not stored in the bucket: %u %.128s%s", ack.error, ack.text,
		 action);
	return err;
}

/* Store a value if the key is at *@revision; NULL = at any revision. */
static int value_store(struct nats_kv *kv, const char *subject,
		       struct wire_view v, const uint64_t *revision,
		       struct nats_error *why)
{
	char where[NATS_API_SUBJECT_MAX], root[NATS_API_ROOT_MAX];
	struct nats_send m = { .subject = subject, .data = v };
	struct nats_received *reply = NULL;
	char text[24];
	int err;

	if (v.len > (size_t)VALUE_MAX)
		return -EMSGSIZE;
	/* "$KV.>" is not imported from another domain, but its API is. */
	if (nats_client_domain(kv->api.client) != NULL) {
		nats_api_root(&kv->api, root);
		snprintf(where, sizeof(where), "%s.%s", root, subject);
		m.subject = where;
	}
	if (revision != NULL) {
		snprintf(text, sizeof(text), "%" PRIu64, *revision);
		nats_send_header(&m, "Nats-Expected-Last-Subject-Sequence",
				 text);
	}
	err = nats_client_request(kv->api.client, &m, kv->api.wait_ms, "put",
				  why, &reply);
	if (err < 0)
		return err;
	err = ack_check(reply, why);
	nats_received_free(reply);
	return err;
}

int nats_kv_put(struct nats_kv *kv, const char *key, const void *bytes,
		size_t len, struct nats_error *why)
{
	char subject[KEY_MAX];
	int err = kv_call_begin(kv, why);

	if (err < 0)
		return kv_call_end(kv, err);
	err = subject_of(kv, key, false, subject);
	if (err == 0)
		err = value_store(kv, subject, (struct wire_view){ bytes, len },
				  NULL, why);
	return kv_call_end(kv, err);
}

/*
 * If the key was removed, store over the marker of the removal, which has a
 * revision.
 */
static int store_over_removal(struct nats_kv *kv, const char *subject,
			      struct wire_view v, struct nats_error *why)
{
	struct nats_error other;
	struct entry e = { 0 };

	if (get_entry(kv, subject, &other, &e) < 0)
		return -ESTALE;
	free(e.bytes);
	return e.deleted ? value_store(kv, subject, v, &e.revision, why)
			 : -ESTALE;
}

int nats_kv_replace(struct nats_kv *kv, const char *key, const void *bytes,
		    size_t len, uint64_t revision, struct nats_error *why)
{
	struct wire_view v = { bytes, len };
	char subject[KEY_MAX];
	int err = kv_call_begin(kv, why);

	if (err < 0)
		return kv_call_end(kv, err);
	err = subject_of(kv, key, false, subject);
	if (err == 0)
		err = value_store(kv, subject, v, &revision, why);
	if (err == -ESTALE && revision == 0)
		err = store_over_removal(kv, subject, v, why);
	return kv_call_end(kv, err == -ESTALE ? -ENOTCONN : err);
}

int nats_kv_purge(struct nats_kv *kv, const char *pattern,
		  struct nats_error *why)
{
	char subject[KEY_MAX], body[NATS_API_BODY_MAX];
	struct nats_received *reply = NULL;
	int err = kv_call_begin(kv, why);

	if (err < 0)
		return kv_call_end(kv, err);
	err = subject_of(kv, pattern, true, subject);
	if (err < 0)
		return kv_call_end(kv, err);
	/*
	 * Purge the messages, because deleting a key would leave a marker
	 * forever.
	 */
	snprintf(body, sizeof(body), "{\"filter\":\"%s\"}", subject);
	err = nats_api_request(&kv->api, "STREAM.PURGE", kv->stream, body, why,
			       &reply);
	if (err == 0 && !nats_reply_success(nats_received_data(reply)))
		err = -EPROTO;
	nats_received_free(reply);
	return kv_call_end(kv, err);
}

/* Keys */

struct keys {
	char **at;
	size_t count;
};

static void free_keys(struct keys *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		free(keys->at[i]);
	free(keys->at);
}

static int add_key(struct keys *keys, const char *key)
{
	char **more = realloc(keys->at, (keys->count + 1) * sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	keys->at = more;
	more[keys->count] = strdup(key);
	if (more[keys->count] == NULL)
		return -ENOMEM;
	keys->count++;
	return 0;
}

static int add_page(const struct nats_kv *kv, struct wire_view subjects,
		    struct keys *keys)
{
	char prefix[STREAM_MAX], subject[KEY_MAX];
	size_t len =
		(size_t)snprintf(prefix, sizeof(prefix), "$KV.%s.", kv->bucket);
	struct wire_view key, value;
	int err = 0;

	while (err == 0 && nats_json_next(&subjects, &key, &value))
		if (nats_json_string(key, subject, sizeof(subject)) &&
		    strncmp(subject, prefix, len) == 0 &&
		    nats_api_is_plain(subject + len))
			err = add_key(keys, subject + len);
	return err;
}

/* Get one page of keys, starting after those already read. */
static int ask_keys(struct nats_kv *kv, struct keys *keys, uint64_t *total,
		    struct nats_error *why)
{
	char body[NATS_API_BODY_MAX];
	struct wire_view subjects;
	struct nats_received *reply = NULL;
	int err;

	snprintf(body, sizeof(body),
		 "{\"subjects_filter\":\"$KV.%s.>\",\"offset\":%zu}",
		 kv->bucket, keys->count);
	err = nats_api_request(&kv->api, "STREAM.INFO", kv->stream, body, why,
			       &reply);
	if (err < 0)
		return err;
	*total = 0;
	if (nats_reply_subjects(nats_received_data(reply), total, &subjects))
		err = add_page(kv, subjects, keys);
	nats_received_free(reply);
	return err;
}

int nats_kv_keys(struct nats_kv *kv, int (*each)(void *arg, const char *key),
		 void *arg, struct nats_error *why)
{
	struct keys keys = { NULL, 0 };
	uint64_t total = 0;
	size_t before;
	int err = kv_call_begin(kv, why);

	if (err < 0)
		return kv_call_end(kv, err);
	do {
		before = keys.count;
		err = ask_keys(kv, &keys, &total, why);
	} while (err == 0 && keys.count > before && keys.count < total);
	err = kv_call_end(kv, err);
	for (size_t i = 0; i < keys.count && err == 0; i++)
		err = each(arg, keys.at[i]);
	free_keys(&keys);
	return err < 0 ? err : 0;
}
