/*
 * collector/checkpoint/state_store.h - where the state is kept: named files, whole or not at all
 *
 *	state_store_begin(state store, "v4_192_0_2_1.snap", &w)
 *	state_store_write(w, bytes, len)			as often as needed
 *	state_store_commit(w)		it is there, under its name, and safe
 *
 * Until the commit a reader finds what was under the name before; a crash
 * leaves the one or the other. A state store is a folder on a disk or, with a
 * nats:// address, a key-value bucket of JetStream (state_store_kv.c), so that a
 * collector can come back on another host.
 *
 * Threads	Fibers of any shard; a writer or reader is one fiber's.
 * Blocking	Everything here yields.
 * Errors	A negative errno.
 */
#ifndef COLLECTOR_CHECKPOINT_STATE_STORE_H
#define COLLECTOR_CHECKPOINT_STATE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nats_options;
struct nats_error;
struct state_store;
struct state_store_writer;
struct state_store_reader;

/*
 * Open the folder @path, which is made if it is not there, and have it to
 * ourselves until the state store is closed or the process ends. -EBUSY: another
 * process has it.
 */
int state_store_open_dir(const char *path, struct state_store **out);

/* Open one that is there, only to read. */
int state_store_open_dir_readonly(const char *path, struct state_store **out);
void state_store_close(struct state_store *store);

/*
 * Open the bucket of @options' server for @collector, made if it is not there
 * with @replicas. Tried until @deadline; the last error has words in *@why. The
 * strings of @options must outlive the state store.
 */
int state_store_open_kv(const struct nats_options *options, int replicas,
			const char *collector, int64_t deadline,
			struct nats_error *why, struct state_store **out);

/*
 * Open what @collector has in the bucket, only to read: nothing is made, and
 * nothing is removed, so that the collector may be running. NULL: of the only
 * one that has something there. -ENOENT if there is no bucket, -ENODATA if
 * nothing of it is there, -ENOTUNIQ if it must be said of which one; each with
 * words in *@why.
 */
int state_store_open_kv_readonly(const struct nats_options *options,
				 const char *collector, struct nats_error *why,
				 struct state_store **out);

/* Where it is, for people. */
const char *state_store_where(const struct state_store *store);

/*
 * Whether it is there for a collector on another host, which does not have
 * this one's spool.
 */
bool state_store_is_remote(const struct state_store *store);

/* Writing */

int state_store_begin(struct state_store *store, const char *name,
		      struct state_store_writer **out);
int state_store_write(struct state_store_writer *w, const void *bytes,
		      size_t len);

/* Either ends the writer, whatever it returns. */
int state_store_commit(struct state_store_writer *w);
void state_store_abandon(struct state_store_writer *w);

/* A small file in one piece. */
int state_store_put(struct state_store *store, const char *name,
		    const void *bytes, size_t len);

/* Reading */

/* -ENOENT if there is none. */
int state_store_open(struct state_store *store, const char *name,
		     struct state_store_reader **out);

/*
 * The next bytes: how many, 0 at the end. -EIO if they are not there. -ESTALE
 * if the file was replaced meanwhile, which only one who is not its collector
 * can see, and not in a folder: to be opened again.
 */
ssize_t state_store_read(struct state_store_reader *r, void *bytes, size_t cap);
void state_store_close_reader(struct state_store_reader *r);

/* A small file in one piece, to free(). -EFBIG beyond @max. */
int state_store_get(struct state_store *store, const char *name, size_t max,
		    void **bytes, size_t *len);

/*
 * Call @each for every name, in no order. It may yield; if it returns less
 * than 0 that is the end.
 */
int state_store_list(struct state_store *store,
		     int (*each)(void *arg, const char *name), void *arg);

/* Not to be read again, but kept for whoever wants to look at it. */
int state_store_set_aside(struct state_store *store, const char *name);

#endif
