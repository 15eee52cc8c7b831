/*
 * collector/checkpoint/state_store.h - where the state is kept: named files, whole or not at all
 *
 *	shelf_begin(shelf, "v4_192_0_2_1.snap", &w)
 *	shelf_write(w, bytes, len)			as often as needed
 *	shelf_commit(w)		it is there, under its name, and safe
 *
 * Until the commit a reader finds what was under the name before; a crash
 * leaves the one or the other. A shelf is a folder on a disk or, with a
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
struct nats_words;
struct shelf;
struct shelf_writer;
struct shelf_reader;

/*
 * Open the folder @path, which is made if it is not there, and have it to
 * ourselves until the shelf is closed or the process ends. -EBUSY: another
 * process has it.
 */
int shelf_open_folder(const char *path, struct shelf **out);

/* Open one that is there, only to read. */
int shelf_look_into_folder(const char *path, struct shelf **out);
void shelf_close(struct shelf *shelf);

/*
 * Open the bucket of @options' server for @collector, made if it is not there
 * with @replicas. Tried until @deadline. The strings of @options must outlive
 * the shelf.
 */
int shelf_open_kv(const struct nats_options *options, int replicas,
		  const char *collector, int64_t deadline, struct shelf **out);

/*
 * Open what @collector has in the bucket, only to read: nothing is made, and
 * nothing is removed, so that the collector may be running. NULL: of the only
 * one that has something there. -ENOENT if there is no bucket, -ENODATA if
 * nothing of it is there, -ENOTUNIQ if it must be said of which one; each with
 * words in *@why.
 */
int shelf_look_into_kv(const struct nats_options *options,
		       const char *collector, struct nats_words *why,
		       struct shelf **out);

/* Where it is, for people. */
const char *shelf_where(const struct shelf *shelf);

/*
 * Whether it is there for a collector on another host, which does not have
 * this one's spool.
 */
bool shelf_elsewhere(const struct shelf *shelf);

/* Writing */

int shelf_begin(struct shelf *shelf, const char *name,
		struct shelf_writer **out);
int shelf_write(struct shelf_writer *w, const void *bytes, size_t len);

/* Either ends the writer, whatever it returns. */
int shelf_commit(struct shelf_writer *w);
void shelf_abandon(struct shelf_writer *w);

/* A small file in one piece. */
int shelf_put(struct shelf *shelf, const char *name, const void *bytes,
	      size_t len);

/* Reading */

/* -ENOENT if there is none. */
int shelf_open(struct shelf *shelf, const char *name,
	       struct shelf_reader **out);

/*
 * The next bytes: how many, 0 at the end. -EIO if they are not there. -ESTALE
 * if the file was replaced meanwhile, which only one who is not its collector
 * can see, and not in a folder: to be opened again.
 */
ssize_t shelf_read(struct shelf_reader *r, void *bytes, size_t cap);
void shelf_done(struct shelf_reader *r);

/* A small file in one piece, to free(). -EFBIG beyond @max. */
int shelf_get(struct shelf *shelf, const char *name, size_t max, void **bytes,
	      size_t *len);

/*
 * Call @each for every name, in no order. It may yield; if it returns less
 * than 0 that is the end.
 */
int shelf_list(struct shelf *shelf, int (*each)(void *arg, const char *name),
	       void *arg);

/* Not to be read again, but kept for whoever wants to look at it. */
int shelf_set_aside(struct shelf *shelf, const char *name);

#endif
