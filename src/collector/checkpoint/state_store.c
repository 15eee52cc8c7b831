#include "collector/checkpoint/state_store.h"

#include "collector/checkpoint/state_store_ops.h"
#include "egress/nats/auth.h"

#include <errno.h>
#include <stdlib.h>

void state_store_close(struct state_store *store)
{
	if (store != NULL)
		store->ops->close(store);
}

const char *state_store_where(const struct state_store *store)
{
	return store->where;
}

bool state_store_is_remote(const struct state_store *store)
{
	return store->elsewhere;
}

void state_store_last_error(struct state_store *store, struct nats_error *out)
{
	*out = (struct nats_error){ "" };
	if (store->ops->last_error != NULL)
		store->ops->last_error(store, out);
}

int state_store_begin(struct state_store *store, const char *name,
		      struct state_store_writer **out)
{
	return store->ops->begin(store, name, out);
}

int state_store_write(struct state_store_writer *w, const void *bytes,
		      size_t len)
{
	return w->store->ops->write(w, bytes, len);
}

int state_store_commit(struct state_store_writer *w)
{
	return w->store->ops->commit(w);
}

void state_store_abandon(struct state_store_writer *w)
{
	w->store->ops->abandon(w);
}

int state_store_put(struct state_store *store, const char *name,
		    const void *bytes, size_t len)
{
	struct state_store_writer *w;
	int err = state_store_begin(store, name, &w);

	if (err < 0)
		return err;
	err = state_store_write(w, bytes, len);
	if (err == 0)
		return state_store_commit(w);
	state_store_abandon(w);
	return err;
}

int state_store_open(struct state_store *store, const char *name,
		     struct state_store_reader **out)
{
	return store->ops->open(store, name, out);
}

ssize_t state_store_read(struct state_store_reader *r, void *bytes, size_t cap)
{
	return r->store->ops->read(r, bytes, cap);
}

void state_store_close_reader(struct state_store_reader *r)
{
	r->store->ops->done(r);
}

/*
 * Read a file to its end. *@bytes grows as needed, up to @max and one more
 * byte.
 */
static ssize_t read_all(struct state_store_reader *r, size_t max, void **bytes)
{
	size_t cap = 0, len = 0;

	if (r->size > max)
		return -EFBIG;
	for (;;) {
		ssize_t n;

		if (len == cap) {
			void *more;

			if (len > max)
				return -EFBIG;
			cap = cap == 0 ? 4096 : 2 * cap;
			more = realloc(*bytes, cap);
			if (more == NULL)
				return -ENOMEM;
			*bytes = more;
		}
		n = state_store_read(r, (char *)*bytes + len, cap - len);
		if (n < 0)
			return n;
		if (n == 0)
			return len > max ? -EFBIG : (ssize_t)len;
		len += (size_t)n;
	}
}

static int get_once(struct state_store *store, const char *name, size_t max,
		    void **bytes, size_t *len)
{
	struct state_store_reader *r;
	void *all = NULL;
	ssize_t n;
	int err = state_store_open(store, name, &r);

	if (err < 0)
		return err;
	n = read_all(r, max, &all);
	state_store_close_reader(r);
	if (n < 0) {
		free(all);
		return (int)n;
	}
	*bytes = all;
	*len = (size_t)n;
	return 0;
}

int state_store_get(struct state_store *store, const char *name, size_t max,
		    void **bytes, size_t *len)
{
	int err = get_once(store, name, max, bytes, len);

	for (int i = 1; err == -ESTALE && i < STATE_STORE_TRIES; i++)
		err = get_once(store, name, max, bytes, len);
	return err;
}

int state_store_list(struct state_store *store,
		     int (*each)(void *arg, const char *name), void *arg)
{
	return store->ops->list(store, each, arg);
}

int state_store_remove(struct state_store *store, const char *name)
{
	return store->ops->remove(store, name);
}

int state_store_set_aside(struct state_store *store, const char *name)
{
	return store->ops->set_aside(store, name);
}
