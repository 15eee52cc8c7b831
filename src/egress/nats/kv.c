#include "egress/nats/kv.h"

#include "egress/nats/options.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS	   5000
#define BUCKET_MAX 64

struct nats_kv {
	struct nats_options options;
	char bucket[BUCKET_MAX];
	int replicas;
	pthread_mutex_t lock; /* of what follows */
	natsConnection *nc;
	jsCtx *js;
	kvStore *store;
	size_t max;
};

static void disconnect(struct nats_kv *kv)
{
	kvStore_Destroy(kv->store);
	jsCtx_Destroy(kv->js);
	natsConnection_Destroy(kv->nc);
	kv->store = NULL;
	kv->js = NULL;
	kv->nc = NULL;
}

static natsStatus bind_bucket(struct nats_kv *kv)
{
	kvConfig config;
	natsStatus s = js_KeyValue(&kv->store, kv->js, kv->bucket);

	if (s != NATS_NOT_FOUND || kv->replicas == 0)
		return s;
	kvConfig_Init(&config);
	config.Bucket = kv->bucket;
	config.Description = "state of arancini collectors";
	config.History = 1;
	config.StorageType = js_FileStorage;
	config.Replicas = kv->replicas;
	return js_CreateKeyValue(&kv->store, kv->js, &config);
}

static int connect_kv(struct nats_kv *kv, struct nats_words *why)
{
	jsOptions js;
	natsStatus s;
	int err = nats_connect(&kv->options, why, &kv->nc);

	if (err < 0)
		return err;
	kv->max = (size_t)natsConnection_GetMaxPayload(kv->nc);
	jsOptions_Init(&js);
	js.Wait = WAIT_MS;
	s = natsConnection_JetStream(&kv->js, kv->nc, &js);
	if (s == NATS_OK)
		s = bind_bucket(kv);
	if (s == NATS_NOT_FOUND) {
		snprintf(why->text, sizeof(why->text), "there is no bucket %s",
			 kv->bucket);
		return -ENOENT;
	}
	return s == NATS_OK ? 0 : nats_failed(s, kv->bucket, why);
}

/* Begin a call: it is ours, and connected. Ended by leave(), also if not. */
static int enter(struct nats_kv *kv, struct nats_words *why)
{
	int err;

	pthread_mutex_lock(&kv->lock);
	if (kv->store != NULL &&
	    natsConnection_Status(kv->nc) == NATS_CONN_STATUS_CONNECTED)
		return 0;
	disconnect(kv);
	err = connect_kv(kv, why);
	if (err < 0)
		disconnect(kv);
	return err;
}

/* The end of a call. What came of it, with words. */
static int leave(struct nats_kv *kv, natsStatus s, const char *doing,
		 struct nats_words *why)
{
	int err = 0;

	if (s == NATS_NOT_FOUND)
		err = -ENOENT;
	else if (s != NATS_OK)
		err = nats_failed(s, doing, why);
	/* An answer may still come; not to whom asks next. */
	if (s == NATS_TIMEOUT)
		disconnect(kv);
	pthread_mutex_unlock(&kv->lock);
	return err;
}

static int leave_failed(struct nats_kv *kv, int err)
{
	pthread_mutex_unlock(&kv->lock);
	return err;
}

int nats_kv_open(const struct nats_options *options, const char *bucket,
		 int replicas, struct nats_words *why, struct nats_kv **out)
{
	struct nats_kv *kv = calloc(1, sizeof(*kv));
	int err;

	if (kv == NULL)
		return -ENOMEM;
	kv->options = *options;
	kv->replicas = replicas;
	snprintf(kv->bucket, sizeof(kv->bucket), "%s", bucket);
	pthread_mutex_init(&kv->lock, NULL);
	err = enter(kv, why);
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
	disconnect(kv);
	pthread_mutex_destroy(&kv->lock);
	free(kv);
}

size_t nats_kv_max(const struct nats_kv *kv)
{
	return kv->max;
}

int nats_kv_get(struct nats_kv *kv, const char *key, struct nats_words *why,
		void **bytes, size_t *len, uint64_t *revision)
{
	kvEntry *e = NULL;
	void *copy = NULL;
	natsStatus s;
	int err = enter(kv, why);

	if (err < 0)
		return leave_failed(kv, err);
	s = kvStore_Get(&e, kv->store, key);
	if (s == NATS_OK) {
		*len = (size_t)kvEntry_ValueLen(e);
		*revision = kvEntry_Revision(e);
		copy = malloc(*len + 1);
		if (copy == NULL)
			s = NATS_NO_MEMORY;
		else if (*len > 0)
			memcpy(copy, kvEntry_Value(e), *len);
	}
	kvEntry_Destroy(e);
	err = leave(kv, s, "get", why);
	if (err == 0)
		*bytes = copy;
	return err;
}

int nats_kv_put(struct nats_kv *kv, const char *key, const void *bytes,
		size_t len, struct nats_words *why)
{
	int err = enter(kv, why);

	if (err < 0)
		return leave_failed(kv, err);
	return leave(kv, kvStore_Put(NULL, kv->store, key, bytes, (int)len),
		     "put", why);
}

int nats_kv_replace(struct nats_kv *kv, const char *key, const void *bytes,
		    size_t len, uint64_t revision, struct nats_words *why)
{
	natsStatus s;
	int err = enter(kv, why);

	if (err < 0)
		return leave_failed(kv, err);
	s = revision == 0
		    ? kvStore_Create(NULL, kv->store, key, bytes, (int)len)
		    : kvStore_Update(NULL, kv->store, key, bytes, (int)len,
				     revision);
	return leave(kv, s, "replace", why);
}

int nats_kv_purge(struct nats_kv *kv, const char *pattern,
		  struct nats_words *why)
{
	char stream[BUCKET_MAX + 8], subject[512];
	jsOptions options;
	int err = enter(kv, why);

	if (err < 0)
		return leave_failed(kv, err);
	/* Deleting a key would leave a marker for each, for ever. */
	snprintf(stream, sizeof(stream), "KV_%s", kv->bucket);
	snprintf(subject, sizeof(subject), "$KV.%s.%s", kv->bucket, pattern);
	jsOptions_Init(&options);
	options.Wait = WAIT_MS;
	options.Stream.Purge.Subject = subject;
	return leave(kv, js_PurgeStream(kv->js, stream, &options, NULL),
		     "purge", why);
}

int nats_kv_keys(struct nats_kv *kv, int (*each)(void *arg, const char *key),
		 void *arg, struct nats_words *why)
{
	kvKeysList list = { 0 };
	natsStatus s;
	int err = enter(kv, why);

	if (err < 0)
		return leave_failed(kv, err);
	s = kvStore_Keys(&list, kv->store, NULL);
	err = leave(kv, s == NATS_NOT_FOUND ? NATS_OK : s, "keys", why);
	for (int i = 0; i < list.Count && err == 0; i++)
		err = each(arg, list.Keys[i]);
	kvKeysList_Destroy(&list);
	return err < 0 ? err : 0;
}
