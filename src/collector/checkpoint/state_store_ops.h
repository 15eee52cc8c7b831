/*
 * collector/checkpoint/state_store_ops.h - the operations of each kind of state
 * store
 *
 * For state_store*.c only. The store, writer and reader of each kind begin with
 * the structs here. state_store.h describes each function.
 */
#ifndef COLLECTOR_CHECKPOINT_STATE_STORE_OPS_H
#define COLLECTOR_CHECKPOINT_STATE_STORE_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct nats_error;
struct state_store;
struct state_store_writer;
struct state_store_reader;

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
	/* frees the reader for state_store_close_reader() */
	void (*done)(struct state_store_reader *r);
	int (*list)(struct state_store *store,
		    int (*each)(void *arg, const char *name), void *arg);
	int (*remove)(struct state_store *store, const char *name);
	int (*set_aside)(struct state_store *store, const char *name);
	/* NULL if the errno has all the information */
	void (*last_error)(struct state_store *store, struct nats_error *out);
};

struct state_store {
	const struct state_store_ops *ops;
	char *where;
	bool elsewhere; /* result of state_store_is_remote() */
};

struct state_store_writer {
	struct state_store *store;
};

struct state_store_reader {
	struct state_store *store;
	uint64_t size; /* of the file when it was opened; 0 = not known */
};

#endif
