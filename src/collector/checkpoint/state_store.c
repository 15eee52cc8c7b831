#include "collector/checkpoint/state_store_ops.h"

#include <errno.h>
#include <stdlib.h>

void shelf_close(struct shelf *shelf)
{
	if (shelf != NULL)
		shelf->ops->close(shelf);
}

const char *shelf_where(const struct shelf *shelf)
{
	return shelf->where;
}

bool shelf_elsewhere(const struct shelf *shelf)
{
	return shelf->elsewhere;
}

int shelf_begin(struct shelf *shelf, const char *name,
		struct shelf_writer **out)
{
	return shelf->ops->begin(shelf, name, out);
}

int shelf_write(struct shelf_writer *w, const void *bytes, size_t len)
{
	return w->shelf->ops->write(w, bytes, len);
}

int shelf_commit(struct shelf_writer *w)
{
	return w->shelf->ops->commit(w);
}

void shelf_abandon(struct shelf_writer *w)
{
	w->shelf->ops->abandon(w);
}

int shelf_put(struct shelf *shelf, const char *name, const void *bytes,
	      size_t len)
{
	struct shelf_writer *w;
	int err = shelf_begin(shelf, name, &w);

	if (err < 0)
		return err;
	err = shelf_write(w, bytes, len);
	if (err == 0)
		return shelf_commit(w);
	shelf_abandon(w);
	return err;
}

int shelf_open(struct shelf *shelf, const char *name, struct shelf_reader **out)
{
	return shelf->ops->open(shelf, name, out);
}

ssize_t shelf_read(struct shelf_reader *r, void *bytes, size_t cap)
{
	return r->shelf->ops->read(r, bytes, cap);
}

void shelf_done(struct shelf_reader *r)
{
	r->shelf->ops->done(r);
}

/* Read on until the end. *@bytes grows as needed, up to @max and one more. */
static ssize_t read_all(struct shelf_reader *r, size_t max, void **bytes)
{
	size_t cap = 0, len = 0;

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
		n = shelf_read(r, (char *)*bytes + len, cap - len);
		if (n < 0)
			return n;
		if (n == 0)
			return len > max ? -EFBIG : (ssize_t)len;
		len += (size_t)n;
	}
}

int shelf_get(struct shelf *shelf, const char *name, size_t max, void **bytes,
	      size_t *len)
{
	struct shelf_reader *r;
	void *all = NULL;
	ssize_t n;
	int err = shelf_open(shelf, name, &r);

	if (err < 0)
		return err;
	n = read_all(r, max, &all);
	shelf_done(r);
	if (n < 0) {
		free(all);
		return (int)n;
	}
	*bytes = all;
	*len = (size_t)n;
	return 0;
}

int shelf_list(struct shelf *shelf, int (*each)(void *arg, const char *name),
	       void *arg)
{
	return shelf->ops->list(shelf, each, arg);
}

int shelf_set_aside(struct shelf *shelf, const char *name)
{
	return shelf->ops->set_aside(shelf, name);
}
