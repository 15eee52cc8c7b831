/*
 * A state store in a key-value bucket of JetStream, so that a collector can be
 * restarted on another host.
 *
 *	ams1.v4_192_0_2_1.snap.head		"1 GENERATION CHUNKS BYTES"
 *	ams1.v4_192_0_2_1.snap.GENERATION.0	the first bytes
 *	ams1.v4_192_0_2_1.snap.GENERATION.1	the next ones
 *
 * Each write is a new generation with a random number. Its head is written
 * last, and only if the previous head is unchanged since the write began: so a
 * file is complete or unchanged, and delayed writes of a collector that was
 * replaced are refused. Then the chunks of the previous generation are removed;
 * chunks left by a crash are removed when the store is opened. Only one
 * collector uses an id.
 *
 * libnats blocks, so all calls run on threads of the pool.
 */
#include "collector/checkpoint/state_store_kv.h"

#include "egress/nats/client.h"

#include <spargio/fiber.h>
#include <spargio/pool.h>
#include <spargio/runtime.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK	     ((size_t)256 * 1024)
#define HEAD_MAX     128
#define HEAD_VERSION 1

struct kv_writer {
	struct state_store_writer writer;
	struct kv_head before;
	struct kv_head now;
	size_t chunk; /* maximum bytes of a value */
	size_t held;
	char *name;
	uint8_t *gathered;
};

struct kv_reader {
	struct state_store_reader reader;
	struct kv_head head;
	uint64_t next;
	uint64_t left; /* bytes of the chunks that were not read yet */
	size_t at, len;
	uint8_t *bytes; /* bytes of the current chunk */
	char *name;
};

/* On the pool */

static int run_call(void *arg)
{
	struct kv_call *c = arg;
	struct nats_kv *kv = c->store->kv;
	struct nats_error why = { "" };
	int err = -EINVAL;

	switch (c->kind) {
	case KV_GET:
		err = nats_kv_get(kv, c->key, &why, &c->out, &c->out_len,
				  &c->revision);
		break;
	case KV_PUT:
		err = nats_kv_put(kv, c->key, c->in, c->in_len, &why);
		break;
	case KV_REPLACE:
		err = nats_kv_replace(kv, c->key, c->in, c->in_len, c->revision,
				      &why);
		break;
	case KV_PURGE:
		err = nats_kv_purge(kv, c->key, &why);
		break;
	}
	if (err < 0 && err != -ENOENT) {
		pthread_mutex_lock(&c->store->why_lock);
		c->store->why = why;
		pthread_mutex_unlock(&c->store->why_lock);
	}
	nats_thread_done();
	return err;
}

/*
 * Call @fn with @arg on a thread of the pool and wait until it returns. This
 * wait cannot be cancelled, because @arg is on the stack of the caller.
 * Returns the result of @fn, or an error of sp_block(). Yields.
 */
int state_store_kv_block(int (*fn)(void *), void *arg)
{
	int ret = 0;
	int err;

	sp_shield_begin();
	do {
		err = sp_block(fn, arg, &ret);
		if (err == -EAGAIN)
			sp_yield();
	} while (err == -EAGAIN);
	sp_shield_end();
	return err < 0 ? err : ret;
}

/*
 * Run the call on the pool. If the fiber was cancelled, return -ECANCELED
 * instead.
 */
int state_store_kv_call(struct state_store *store, struct kv_call *c)
{
	c->store = kv_store_of(store);
	return sp_cancelled() ? -ECANCELED : state_store_kv_block(run_call, c);
}

/* Keys */

int state_store_kv_key(struct state_store *store, const char *name,
		       const char *rest, char out[STATE_STORE_KV_KEY_MAX])
{
	int n = snprintf(out, STATE_STORE_KV_KEY_MAX, "%s.%s.%s",
			 kv_store_of(store)->collector, name, rest);

	return n < STATE_STORE_KV_KEY_MAX ? 0 : -ENAMETOOLONG;
}

static int chunk_key(struct state_store *store, const char *name,
		     uint64_t generation, const char *number,
		     char out[STATE_STORE_KV_KEY_MAX])
{
	char rest[64];

	snprintf(rest, sizeof(rest), "%016" PRIx64 ".%s", generation, number);
	return state_store_kv_key(store, name, rest, out);
}

/* Parse the number at *@text, and advance *@text to the end of the number. */
static bool take_number(const char **text, int base, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(*text, &end, base);
	if (end == *text || errno != 0)
		return false;
	*text = end;
	return true;
}

/*
 * Parse the text of a head. Returns 0, -EBADMSG, or -EPROTONOSUPPORT if a later
 * version has written the head.
 */
static int parse_head(const char *text, struct kv_head *out)
{
	uint64_t version;

	if (!take_number(&text, 10, &version) || version == 0)
		return -EBADMSG;
	if (version > HEAD_VERSION)
		return -EPROTONOSUPPORT;
	return take_number(&text, 16, &out->generation) &&
			       take_number(&text, 10, &out->chunks) &&
			       take_number(&text, 10, &out->bytes)
		       ? 0
		       : -EBADMSG;
}

int state_store_kv_head(struct state_store *store, const char *name,
			const char *rest, struct kv_head *out)
{
	struct kv_call c = { .kind = KV_GET };
	int err = state_store_kv_key(store, name, rest, c.key);

	*out = (struct kv_head){ 0 };
	if (err == 0)
		err = state_store_kv_call(store, &c);
	if (err < 0)
		return err;
	((char *)c.out)[c.out_len] = '\0';
	err = parse_head(c.out, out);
	out->revision = c.revision;
	free(c.out);
	return err;
}

int state_store_kv_purge(struct state_store *store, const char *name,
			 uint64_t generation)
{
	struct kv_call c = { .kind = KV_PURGE };
	int err = chunk_key(store, name, generation, "*", c.key);

	return err < 0 ? err : state_store_kv_call(store, &c);
}

/* Writing */

static void free_writer(struct kv_writer *w)
{
	free(w->name);
	free(w->gathered);
	free(w);
}

/*
 * Maximum bytes of a chunk: half of the server's limit, because a message also
 * contains its subject and headers.
 */
static size_t chunk_size(struct state_store *store)
{
	size_t half = nats_kv_max(kv_store_of(store)->kv) / 2;

	return half < CHUNK ? half : CHUNK;
}

static int kv_writer_begin(struct state_store *store, const char *name,
			   struct state_store_writer **out)
{
	struct kv_writer *w = calloc(1, sizeof(*w));
	int err;

	if (w == NULL)
		return -ENOMEM;
	w->writer.store = store;
	w->name = strdup(name);
	err = w->name == NULL
		      ? -ENOMEM
		      : state_store_kv_head(store, name, "head", &w->before);
	/* A head that cannot be parsed is replaced like any other. */
	if (err == -ENOENT || err == -EBADMSG)
		err = 0;
	/*
	 * The call for the head has connected if necessary, so the limits are
	 * known.
	 */
	w->chunk = chunk_size(store);
	w->gathered = malloc(w->chunk);
	if (err == 0 && w->gathered == NULL)
		err = -ENOMEM;
	if (err == 0)
		err = sp_random(&w->now.generation, sizeof(w->now.generation));
	if (err < 0) {
		free_writer(w);
		return err;
	}
	*out = &w->writer;
	return 0;
}

static int put_gathered(struct kv_writer *w)
{
	struct kv_call c = {
		.kind = KV_PUT,
		.in = w->gathered,
		.in_len = w->held,
	};
	char number[24];
	int err;

	if (w->held == 0)
		return 0;
	snprintf(number, sizeof(number), "%" PRIu64, w->now.chunks);
	err = chunk_key(w->writer.store, w->name, w->now.generation, number,
			c.key);
	if (err == 0)
		err = state_store_kv_call(w->writer.store, &c);
	if (err == 0) {
		w->now.chunks++;
		w->now.bytes += w->held;
		w->held = 0;
	}
	return err;
}

static int write_some(struct state_store_writer *writer, const void *bytes,
		      size_t len)
{
	struct kv_writer *w = (struct kv_writer *)writer;
	const uint8_t *p = bytes;
	int err = 0;

	while (len > 0 && err == 0) {
		size_t n = len < w->chunk - w->held ? len : w->chunk - w->held;

		memcpy(w->gathered + w->held, p, n);
		w->held += n;
		p += n;
		len -= n;
		if (w->held == w->chunk)
			err = put_gathered(w);
	}
	return err;
}

static void kv_writer_abandon(struct state_store_writer *writer)
{
	struct kv_writer *w = (struct kv_writer *)writer;

	/*
	 * If chunks remain, they are removed when the store is opened the next
	 * time.
	 */
	if (w->now.chunks > 0)
		(void)state_store_kv_purge(writer->store, w->name,
					   w->now.generation);
	free_writer(w);
}

static int put_head(struct kv_writer *w)
{
	char text[HEAD_MAX];
	struct kv_call c = {
		.kind = KV_REPLACE,
		.in = text,
		.revision = w->before.revision,
	};
	int err = state_store_kv_key(w->writer.store, w->name, "head", c.key);

	c.in_len =
		(size_t)snprintf(text, sizeof(text),
				 "%d %016" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
				 HEAD_VERSION, w->now.generation, w->now.chunks,
				 w->now.bytes);
	return err < 0 ? err : state_store_kv_call(w->writer.store, &c);
}

static int kv_writer_commit(struct state_store_writer *writer)
{
	struct kv_writer *w = (struct kv_writer *)writer;
	int err = put_gathered(w);

	if (err < 0) {
		kv_writer_abandon(writer);
		return err;
	}
	/*
	 * If put_head() fails, the head may have been written nevertheless: do
	 * not remove its chunks.
	 */
	err = put_head(w);
	if (err == 0 && w->before.revision != 0)
		(void)state_store_kv_purge(writer->store, w->name,
					   w->before.generation);
	free_writer(w);
	return err;
}

/* Reading */

static void kv_reader_close(struct state_store_reader *reader)
{
	struct kv_reader *r = (struct kv_reader *)reader;

	free(r->name);
	free(r->bytes);
	free(r);
}

static int open_one(struct state_store *store, const char *name,
		    struct state_store_reader **out)
{
	struct kv_reader *r = calloc(1, sizeof(*r));
	int err;

	if (r == NULL)
		return -ENOMEM;
	r->reader.store = store;
	r->name = strdup(name);
	err = r->name == NULL
		      ? -ENOMEM
		      : state_store_kv_head(store, name, "head", &r->head);
	/*
	 * A head that exists but cannot be parsed is not an error here: reading
	 * the file returns the error.
	 */
	if (err == -EBADMSG)
		err = 0;
	if (err < 0) {
		kv_reader_close(&r->reader);
		return err;
	}
	r->left = r->head.bytes;
	*out = &r->reader;
	return 0;
}

/*
 * The error if a chunk that the head names is missing: -ESTALE if the file was
 * replaced since it was opened, else -EIO.
 */
static int miss_chunk(struct kv_reader *r)
{
	struct kv_head now;
	int err = state_store_kv_head(r->reader.store, r->name, "head", &now);

	if (err < 0 && err != -ENOENT && err != -EBADMSG)
		return err;
	return now.revision == r->head.revision ? -EIO : -ESTALE;
}

/* Read the next chunk. -EIO if it does not match the head. */
static int next_chunk(struct kv_reader *r)
{
	struct kv_call c = { .kind = KV_GET };
	char number[24];
	int err;

	snprintf(number, sizeof(number), "%" PRIu64, r->next);
	err = chunk_key(r->reader.store, r->name, r->head.generation, number,
			c.key);
	if (err == 0)
		err = state_store_kv_call(r->reader.store, &c);
	if (err == -ENOENT)
		return miss_chunk(r);
	if (err < 0)
		return err;
	free(r->bytes);
	r->bytes = c.out;
	r->len = c.out_len;
	r->at = 0;
	r->next++;
	if (r->len == 0 || r->len > r->left)
		return -EIO;
	r->left -= r->len;
	return 0;
}

static ssize_t read_some(struct state_store_reader *reader, void *bytes,
			 size_t cap)
{
	struct kv_reader *r = (struct kv_reader *)reader;
	size_t n;

	if (r->at == r->len) {
		int err;

		if (r->next == r->head.chunks)
			return r->left == 0 ? 0 : -EIO;
		err = next_chunk(r);
		if (err < 0)
			return err;
	}
	n = r->len - r->at < cap ? r->len - r->at : cap;
	memcpy(bytes, r->bytes + r->at, n);
	r->at += n;
	return (ssize_t)n;
}

/*
 * Remove the head first: without it the file does not exist, and the next start
 * removes the chunks.
 */
static int kv_remove(struct state_store *store, const char *name)
{
	struct kv_call drop = { .kind = KV_PURGE };
	struct kv_head head;
	int err = state_store_kv_head(store, name, "head", &head);
	bool readable = err == 0;

	if (err < 0 && err != -EBADMSG)
		return err;
	err = state_store_kv_key(store, name, "head", drop.key);
	if (err == 0)
		err = state_store_kv_call(store, &drop);
	return err == 0 && readable
		       ? state_store_kv_purge(store, name, head.generation)
		       : err;
}

/*
 * Move the head to another key. The chunks keep their keys, which the head
 * names.
 */
static int set_aside(struct state_store *store, const char *name)
{
	struct kv_call get = { .kind = KV_GET };
	struct kv_call put = { .kind = KV_PUT };
	struct kv_call drop = { .kind = KV_PURGE };
	int err = state_store_kv_key(store, name, "head", get.key);

	if (err == 0)
		err = state_store_kv_call(store, &get);
	if (err < 0)
		return err;
	put.in = get.out;
	put.in_len = get.out_len;
	err = state_store_kv_key(store, name, "damaged", put.key);
	if (err == 0)
		err = state_store_kv_call(store, &put);
	free(get.out);
	memcpy(drop.key, get.key, sizeof(drop.key));
	return err < 0 ? err : state_store_kv_call(store, &drop);
}

static void last_error(struct state_store *store, struct nats_error *out)
{
	struct kv_store *s = kv_store_of(store);

	pthread_mutex_lock(&s->why_lock);
	*out = s->why;
	pthread_mutex_unlock(&s->why_lock);
}

const struct state_store_ops state_store_kv_ops = {
	.close = state_store_kv_close,
	.begin = kv_writer_begin,
	.write = write_some,
	.commit = kv_writer_commit,
	.abandon = kv_writer_abandon,
	.open = open_one,
	.read = read_some,
	.done = kv_reader_close,
	.list = state_store_kv_list,
	.remove = kv_remove,
	.set_aside = set_aside,
	.last_error = last_error,
};
