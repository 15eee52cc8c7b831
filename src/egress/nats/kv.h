/*
 * egress/nats/kv.h - a key-value bucket of JetStream
 *
 * For state that survives a restart on another host. If the connection is lost,
 * the next call opens another one, so no bytes from a buffer of libnats are
 * sent after a reconnect.
 *
 * Threads	Any; a call waits until the calls of other threads return.
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
 * Connect, and create the bucket with @replicas if it does not exist. With
 * @replicas 0 the bucket must exist, else -ENOENT. @options are copied.
 */
int nats_kv_open(const struct nats_options *options, const char *bucket,
		 int replicas, struct nats_error *why, struct nats_kv **out);

/* @kv may be NULL. */
void nats_kv_close(struct nats_kv *kv);

/*
 * Maximum bytes of one value: the smaller limit of server and bucket, as of the
 * last connection. Does not block.
 */
size_t nats_kv_max(const struct nats_kv *kv);

/*
 * Get a copy of the value, which the caller frees, and its revision. -ENOENT if
 * the key does not exist.
 */
int nats_kv_get(struct nats_kv *kv, const char *key, struct nats_error *why,
		void **bytes, size_t *len, uint64_t *revision);

int nats_kv_put(struct nats_kv *kv, const char *key, const void *bytes,
		size_t len, struct nats_error *why);

/*
 * Write the value if the key is still at @revision; with 0, if the key does not
 * exist. If a write arrives late, the server refuses it by this rule. After an
 * error the value may be stored nevertheless.
 */
int nats_kv_replace(struct nats_kv *kv, const char *key, const void *bytes,
		    size_t len, uint64_t revision, struct nats_error *why);

/*
 * Remove all keys that match @pattern, which may have wildcards as in subjects.
 */
int nats_kv_purge(struct nats_kv *kv, const char *pattern,
		  struct nats_error *why);

/*
 * Call @each for every key. A negative result of @each ends the loop and is
 * returned.
 */
int nats_kv_keys(struct nats_kv *kv, int (*each)(void *arg, const char *key),
		 void *arg, struct nats_error *why);

#endif
