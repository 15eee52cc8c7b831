/*
 * collector/checkpoint/state_store_ops.h - what a kind of state store must be able to do
 *
 * For state store*.c only. A state store, a writer and a reader of a kind begin with the
 * structs here.
 */
#ifndef COLLECTOR_CHECKPOINT_STATE_STORE_OPS_H
#define COLLECTOR_CHECKPOINT_STATE_STORE_OPS_H

#include "collector/checkpoint/state_store.h"

struct state_store_ops {
	void (*close)(struct state_store *store);
	int (*begin)(struct state_store *store, const char *name,
		     struct state_store_writer **out);
	int (*write)(struct state_store_writer *w, const void *bytes,
		     size_t len);
	int (*commit)(struct state_store_writer *w);
	void (*abandon)(struct state_store_writer *w);
	int (*open)(struct state_store *store, const char *name,
		    struct state_store_reader **out);
	ssize_t (*read)(struct state_store_reader *r, void *bytes, size_t cap);
	void (*done)(struct state_store_reader *r);
	int (*list)(struct state_store *store,
		    int (*each)(void *arg, const char *name), void *arg);
	int (*set_aside)(struct state_store *store, const char *name);
};

struct state_store {
	const struct state_store_ops *ops;
	char *where;
	bool elsewhere; /* see state_store_is_remote() */
};

struct state_store_writer {
	struct state_store *store;
};

struct state_store_reader {
	struct state_store *store;
};

#endif
