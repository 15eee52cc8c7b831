/*
 * Opening a bucket, and the keys in it.
 */
#include "collector/checkpoint/state_store_kv.h"

#include "egress/nats/client.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKET "arancini-state"
#define AGAIN  (500 * SP_MS)

/* A list of keys */

struct names {
	char **at;
	size_t count;
};

struct keys_job {
	struct kv_store *store;
	/* called on a thread of the pool */
	int (*each)(void *job, const char *key);
	struct names names;
	struct nats_error why;
};

static int add_name(struct names *names, const char *name, size_t len)
{
	char **more = realloc(names->at, (names->count + 1) * sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	names->at = more;
	more[names->count] = strndup(name, len);
	return more[names->count++] == NULL ? -ENOMEM : 0;
}

static int keep_key(void *arg, const char *key)
{
	struct keys_job *job = arg;
	size_t len = strlen(job->store->collector);

	if (strncmp(key, job->store->collector, len) != 0 || key[len] != '.')
		return 0;
	key += len + 1;
	return add_name(&job->names, key, strlen(key));
}

static int run_keys(void *arg)
{
	struct keys_job *job = arg;
	int err = nats_kv_keys(job->store->kv, job->each, job, &job->why);

	nats_thread_done();
	return err;
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->at[i]);
	free(names->at);
}

/* Remove @end from the end of @key; false if @key does not end with it. */
static bool suffix_cut(char *key, const char *end)
{
	size_t n = strlen(key), m = strlen(end);

	if (n <= m || strcmp(key + n - m, end) != 0)
		return false;
	key[n - m] = '\0';
	return true;
}

int state_store_kv_list(struct state_store *store,
			int (*each)(void *arg, const char *name), void *arg)
{
	struct keys_job job = { .store = kv_store_of(store), .each = keep_key };
	int err = state_store_kv_block(run_keys, &job);

	for (size_t i = 0; i < job.names.count && err == 0; i++)
		if (suffix_cut(job.names.at[i], ".head"))
			err = each(arg, job.names.at[i]); /* yields */
	free_names(&job.names);
	return err;
}

/* Opening */

/*
 * In a key "NAME.GENERATION.NUMBER", find where the generation begins, or
 * return NULL.
 */
static char *generation_in(char *key)
{
	char *number = strrchr(key, '.');
	char *at;

	if (number == NULL || strspn(number + 1, "0123456789") == 0 ||
	    number[1 + strspn(number + 1, "0123456789")] != '\0')
		return NULL;
	*number = '\0';
	at = strrchr(key, '.');
	*number = '.';
	return at != NULL && number - at == 17 ? at + 1 : NULL;
}

/*
 * True if the generation is in use: a head names it, or the head of a damaged
 * file that was set aside. Or a negative error.
 */
static int is_named(struct state_store *store, const char *name,
		    uint64_t generation)
{
	static const char *const heads[] = { "head", "damaged" };

	for (size_t i = 0; i < 2; i++) {
		struct kv_head head;
		int err = state_store_kv_head(store, name, heads[i], &head);

		/* The files belong to a later version: do not remove them. */
		if (err == -EPROTONOSUPPORT)
			return 1;
		if (err < 0 && err != -ENOENT && err != -EBADMSG)
			return err;
		if (err == 0 && head.generation == generation)
			return 1;
	}
	return 0;
}

int state_store_kv_tidy(struct state_store *store)
{
	struct keys_job job = { .store = kv_store_of(store), .each = keep_key };
	int err = state_store_kv_block(run_keys, &job);

	for (size_t i = 0; i < job.names.count && err >= 0; i++) {
		char *at = generation_in(job.names.at[i]);
		uint64_t generation;

		/*
		 * Check each generation once, at its first chunk, which was
		 * written first.
		 */
		if (at == NULL || strcmp(at + 16, ".0") != 0)
			continue;
		generation = strtoull(at, NULL, 16);
		at[-1] = '\0';
		err = is_named(store, job.names.at[i], generation);
		if (err == 0)
			err = state_store_kv_purge(store, job.names.at[i],
						   generation);
	}
	free_names(&job.names);
	return err < 0 ? err : 0;
}

struct open_job {
	const struct nats_options *options;
	int replicas;
	struct nats_error why;
	struct nats_kv *kv;
};

static int run_open(void *arg)
{
	struct open_job *job = arg;
	int err = nats_kv_open(job->options, BUCKET, job->replicas, &job->why,
			       &job->kv);

	nats_thread_done();
	return err;
}

static int run_close(void *arg)
{
	nats_kv_close(arg);
	nats_thread_done();
	return 0;
}

void state_store_kv_close(struct state_store *store)
{
	struct kv_store *s = kv_store_of(store);

	if (s->kv != NULL)
		state_store_kv_block(run_close, s->kv);
	pthread_mutex_destroy(&s->why_lock);
	free(s->collector);
	free(store->where);
	free(s);
}

static bool is_broken_connection(int err)
{
	return err == -ENOTCONN || err == -ETIMEDOUT || err == -ECONNRESET ||
	       err == -ECONNREFUSED;
}

/*
 * Open the bucket and remove the chunks of incomplete writes. *@opened is set
 * to true when the bucket was opened.
 */
static int store_attempt(struct kv_store *s, struct open_job *job, bool *opened)
{
	int err = state_store_kv_block(run_open, job);

	*opened = err == 0;
	if (err < 0)
		return err;
	s->kv = job->kv;
	err = state_store_kv_tidy(&s->store);
	if (err < 0) {
		state_store_kv_block(run_close, s->kv);
		s->kv = NULL;
	}
	return err;
}

static int connect_store(struct kv_store *s, struct open_job *job,
			 int64_t deadline)
{
	bool opened;
	int err;

	while ((err = store_attempt(s, job, &opened)) < 0) {
		if (err == -ENOMEM || err == -EPERM || sp_now() >= deadline ||
		    (opened && !is_broken_connection(err)))
			return err;
		if (sp_sleep(AGAIN) < 0)
			return -ECANCELED;
	}
	return 0;
}

static struct kv_store *state_store_new(void)
{
	struct kv_store *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	pthread_mutex_init(&s->why_lock, NULL);
	s->store.ops = &state_store_kv_ops;
	s->store.elsewhere = true;
	return s;
}

int state_store_open_kv(const struct nats_options *options, int replicas,
			const char *collector, int64_t deadline,
			struct nats_error *why, struct state_store **out)
{
	struct open_job job = { .options = options, .replicas = replicas };
	struct kv_store *s = state_store_new();
	int err = -ENOMEM;

	if (s == NULL)
		return -ENOMEM;
	s->collector = strdup(collector);
	s->store.where = strdup(options->servers[0]);
	if (s->collector != NULL && s->store.where != NULL)
		err = connect_store(s, &job, deadline);
	if (err < 0) {
		*why = job.why;
		state_store_kv_close(&s->store);
		return err;
	}
	*out = &s->store;
	return 0;
}

/* Reading the bucket of another collector */

static bool has_name(const struct names *names, const char *name, size_t len)
{
	for (size_t i = 0; i < names->count; i++)
		if (strncmp(names->at[i], name, len) == 0 &&
		    names->at[i][len] == '\0')
			return true;
	return false;
}

/* Record the collector id of a head's key; an id has no dots. */
static int keep_owner(void *arg, const char *key)
{
	struct keys_job *job = arg;
	const char *end = strrchr(key, '.');
	size_t len = strcspn(key, ".");

	if (end == NULL || strcmp(end, ".head") != 0 ||
	    has_name(&job->names, key, len))
		return 0;
	return add_name(&job->names, key, len);
}

/* Join names, "ams1, fra1", as far as they fit. */
static void names_join(const struct names *names, char *out, size_t cap)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < names->count && n < cap; i++)
		n += (size_t)snprintf(out + n, cap - n, "%s%s",
				      i > 0 ? ", " : "", names->at[i]);
}

/* Choose the collector, or explain in @why why none can be chosen. */
static int owner_choose(const struct names *there, const char *wanted,
			struct nats_error *why, const char **out)
{
	char list[NATS_WORDS_MAX / 2];
	bool found = wanted == NULL ? there->count == 1
				    : has_name(there, wanted, strlen(wanted));

	if (found) {
		*out = wanted != NULL ? wanted : there->at[0];
		return 0;
	}
	names_join(there, list, sizeof(list));
	if (there->count == 0)
		snprintf(why->text, sizeof(why->text),
			 "there is nothing in the bucket " BUCKET);
	else if (wanted == NULL)
		snprintf(why->text, sizeof(why->text),
			 "there are several collectors: %s", list);
	else
		snprintf(why->text, sizeof(why->text),
			 "there is nothing of collector %s, but of %s", wanted,
			 list);
	return wanted == NULL && there->count > 0 ? -ENOTUNIQ : -ENODATA;
}

/*
 * Find the collector whose files are in the bucket, and set its name in the
 * store.
 */
static int find_owner(struct kv_store *s, const char *url, const char *wanted,
		      struct nats_error *why)
{
	struct keys_job job = { .store = s, .each = keep_owner };
	const char *owner;
	int err = state_store_kv_block(run_keys, &job);

	if (err < 0 && err != -ENOMEM)
		*why = job.why;
	if (err == 0)
		err = owner_choose(&job.names, wanted, why, &owner);
	if (err == 0) {
		s->collector = strdup(owner);
		if (s->collector == NULL ||
		    asprintf(&s->store.where, "%s/%s", url, owner) < 0) {
			s->store.where = NULL;
			err = -ENOMEM;
		}
	}
	free_names(&job.names);
	return err;
}

int state_store_open_kv_readonly(const struct nats_options *options,
				 const char *collector, struct nats_error *why,
				 struct state_store **out)
{
	struct open_job job = { .options = options };
	struct kv_store *s = state_store_new();
	int err;

	snprintf(why->text, sizeof(why->text), "out of memory");
	if (s == NULL)
		return -ENOMEM;
	err = state_store_kv_block(run_open, &job);
	if (err < 0 && err != -ENOMEM)
		*why = job.why;
	if (err == 0) {
		s->kv = job.kv;
		err = find_owner(s, options->servers[0], collector, why);
	}
	if (err < 0) {
		state_store_kv_close(&s->store);
		return err;
	}
	*out = &s->store;
	return 0;
}
