/*
 * collector/checkpoint/state_store_ops.h - what a kind of shelf must be able to do
 *
 * For shelf*.c only. A shelf, a writer and a reader of a kind begin with the
 * structs here.
 */
#ifndef COLLECTOR_CHECKPOINT_STATE_STORE_OPS_H
#define COLLECTOR_CHECKPOINT_STATE_STORE_OPS_H

#include "collector/checkpoint/state_store.h"

struct shelf_ops {
	void (*close)(struct shelf *shelf);
	int (*begin)(struct shelf *shelf, const char *name,
		     struct shelf_writer **out);
	int (*write)(struct shelf_writer *w, const void *bytes, size_t len);
	int (*commit)(struct shelf_writer *w);
	void (*abandon)(struct shelf_writer *w);
	int (*open)(struct shelf *shelf, const char *name,
		    struct shelf_reader **out);
	ssize_t (*read)(struct shelf_reader *r, void *bytes, size_t cap);
	void (*done)(struct shelf_reader *r);
	int (*list)(struct shelf *shelf,
		    int (*each)(void *arg, const char *name), void *arg);
	int (*set_aside)(struct shelf *shelf, const char *name);
};

struct shelf {
	const struct shelf_ops *ops;
	char *where;
	bool elsewhere; /* see shelf_elsewhere() */
};

struct shelf_writer {
	struct shelf *shelf;
};

struct shelf_reader {
	struct shelf *shelf;
};

#endif
