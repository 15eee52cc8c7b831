/*
 * egress/nats/kv.h - a key-value bucket of JetStream
 *
 * For state that survives a restart on another host. The next call replaces a
 * lost connection: nothing is sent from a libnats buffer after a reconnect.
 *
 * Threads	Any; one call at a time, the others wait.
 * Blocking	All functions block: for a pool thread, which calls
 *		nats_thread_done() at its end.
 * Errors	A negative errno, with a text in *@why. -EPERM: the bucket has a
 *		setting that is refused. -ENOSPC: it is full. -EMSGSIZE: it
 *		takes only shorter values now; nats_kv_max() after the next call
 *		is the new limit.
 */
#ifndef EGRESS_NATS_KV_H
#define EGRESS_NATS_KV_H

#include "egress/nats/auth.h"

struct nats_kv;

/*
 * Connect, and create the bucket with @replicas if it does not exist; with 0 it
 * must exist: -ENOENT. @options are copied.
 */
int nats_kv_open(const struct nats_options *options, const char *bucket,
		 int replicas, struct nats_error *why, struct nats_kv **out);

/* NULL is fine. */
void nats_kv_close(struct nats_kv *kv);

/*
 * Maximum bytes of one value: the smaller limit of server and bucket, as of the
 * last connection. Does not block.
 */
size_t nats_kv_max(const struct nats_kv *kv);

/*
 * A copy of the value, to free(), and its revision. -ENOENT if there is no such
 * key.
 */
int nats_kv_get(struct nats_kv *kv, const char *key, struct nats_error *why,
		void **bytes, size_t *len, uint64_t *revision);

int nats_kv_put(struct nats_kv *kv, const char *key, const void *bytes,
		size_t len, struct nats_error *why);

/*
 * Write the value if the key is still at @revision; 0 = if it does not exist.
 * The server refuses late writes. After an error the value may be stored
 * nevertheless.
 */
int nats_kv_replace(struct nats_kv *kv, const char *key, const void *bytes,
		    size_t len, uint64_t revision, struct nats_error *why);

/* Remove all keys that match @pattern, with the wildcards of subjects. */
int nats_kv_purge(struct nats_kv *kv, const char *pattern,
		  struct nats_error *why);

/* Call @each for every key. A negative result ends it. */
int nats_kv_keys(struct nats_kv *kv, int (*each)(void *arg, const char *key),
		 void *arg, struct nats_error *why);

#endif
