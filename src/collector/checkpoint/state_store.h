/*
 * collector/checkpoint/state_store.h - named files that are written atomically
 *
 *	state_store_begin(store, "v4_192_0_2_1.snap", &w)
 *	state_store_write(w, bytes, len)	as often as needed
 *	state_store_commit(w)			the file has its name, is safe
 *
 * Until the commit a reader gets the previous file of that name; after a crash
 * the file is the old or the new one. A state store is a folder on a disk or,
 * with a nats:// address, a key-value bucket of JetStream (state_store_kv.c),
 * so that a collector can be restarted on another host.
 *
 * Threads	Fibers of any shard; one fiber owns a writer or reader.
 * Blocking	All functions yield.
 * Errors	Negative errno.
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
 * Open the folder @path, create it if necessary, and lock it until the store is
 * closed or the process ends. -EBUSY if another process has locked it.
 */
int state_store_open_dir(const char *path, struct state_store **out);

/* Open an existing folder for reading only. */
int state_store_open_dir_readonly(const char *path, struct state_store **out);
void state_store_close(struct state_store *store);

/*
 * Open the bucket of @options' server for @collector; create it with @replicas
 * if necessary. Retried until @deadline; *@why is the text of the last error.
 * The strings of @options must outlive the state store.
 */
int state_store_open_kv(const struct nats_options *options, int replicas,
			const char *collector, int64_t deadline,
			struct nats_error *why, struct state_store **out);

/*
 * Open the files of @collector in the bucket for reading only. Nothing is
 * created or removed, so the collector may be running. If @collector is NULL,
 * the bucket must have files of one collector only, which is used. -ENOENT if
 * there is no bucket, -ENODATA if the collector has no files, -ENOTUNIQ if
 * there are several collectors; *@why has the text.
 */
int state_store_open_kv_readonly(const struct nats_options *options,
				 const char *collector, struct nats_error *why,
				 struct state_store **out);

/* The folder or URL, for log lines and messages. */
const char *state_store_where(const struct state_store *store);

/*
 * True if a collector on another host could use the store; that host does not
 * have the spool of this host.
 */
bool state_store_is_remote(const struct state_store *store);

/*
 * Set *@out to the server's text for the last call that failed, or "". Several
 * fibers may use the store, so it may be the call of another fiber.
 */
void state_store_last_error(struct state_store *store, struct nats_error *out);

/* Writing */

int state_store_begin(struct state_store *store, const char *name,
		      struct state_store_writer **out);
int state_store_write(struct state_store_writer *w, const void *bytes,
		      size_t len);

/*
 * Commit or abandon the file. Both functions free the writer, with any result.
 */
int state_store_commit(struct state_store_writer *w);
void state_store_abandon(struct state_store_writer *w);

/* Write a small file in one call. */
int state_store_put(struct state_store *store, const char *name,
		    const void *bytes, size_t len);

/* Reading */

/* Attempts to read a file that another process replaces meanwhile. */
#define STATE_STORE_TRIES 10

/* Open a file. -ENOENT if it does not exist. */
int state_store_open(struct state_store *store, const char *name,
		     struct state_store_reader **out);

/*
 * Read the next bytes. Returns their number, 0 at the end. -EIO if bytes are
 * missing. -ESTALE if another process has replaced the file since it was
 * opened, which happens only in a bucket: open it again.
 */
ssize_t state_store_read(struct state_store_reader *r, void *bytes, size_t cap);
void state_store_close_reader(struct state_store_reader *r);

/*
 * Read a small file in one call; the caller frees *@bytes. -EFBIG if it is
 * longer than @max. -ESTALE if it was replaced in each of STATE_STORE_TRIES
 * attempts.
 */
int state_store_get(struct state_store *store, const char *name, size_t max,
		    void **bytes, size_t *len);

/*
 * Call @each for every name, in no particular order. @each may yield; a
 * negative result ends the list and is returned.
 */
int state_store_list(struct state_store *store,
		     int (*each)(void *arg, const char *name), void *arg);

/*
 * Remove a file. -ENOENT if it does not exist. After 0 it is gone, also if the
 * host loses power.
 */
int state_store_remove(struct state_store *store, const char *name);

/* Rename a file so that it is not read again but people can examine it. */
int state_store_set_aside(struct state_store *store, const char *name);

#endif
