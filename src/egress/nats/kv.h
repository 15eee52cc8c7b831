/*
 * egress/nats/kv.h - a key-value bucket of JetStream
 *
 * For what is kept over a restart on another host. A lost connection is
 * replaced as a whole by the next call: nothing ever leaves from libnats'
 * buffer of things to send once it is back.
 *
 * Threads	Any; one call at a time, the others wait.
 * Blocking	Everything here blocks: for a pool thread, which calls
 *		nats_thread_done() at its end.
 * Errors	A negative errno, with words in *@why.
 */
#ifndef EGRESS_NATS_KV_H
#define EGRESS_NATS_KV_H

#include "egress/nats/auth.h"

struct nats_kv;

/*
 * Connect, and make the bucket with @replicas if it is not there; with 0 it
 * must be there: -ENOENT. @options are copied.
 */
int nats_kv_open(const struct nats_options *options, const char *bucket,
		 int replicas, struct nats_error *why, struct nats_kv **out);

/* NULL is fine. */
void nats_kv_close(struct nats_kv *kv);

/* Bytes of one value at most. */
size_t nats_kv_max(const struct nats_kv *kv);

/* A copy of the value, to free(), and its revision. -ENOENT: no such key. */
int nats_kv_get(struct nats_kv *kv, const char *key, struct nats_error *why,
		void **bytes, size_t *len, uint64_t *revision);

int nats_kv_put(struct nats_kv *kv, const char *key, const void *bytes,
		size_t len, struct nats_error *why);

/*
 * Put it if the key is still at @revision; 0: if there is none. What arrives
 * late is refused by the server. After an error it may be there nevertheless.
 */
int nats_kv_replace(struct nats_kv *kv, const char *key, const void *bytes,
		    size_t len, uint64_t revision, struct nats_error *why);

/* Remove all keys that @pattern, with wildcards as of subjects, stands for. */
int nats_kv_purge(struct nats_kv *kv, const char *pattern,
		  struct nats_error *why);

/* Call @each for every key. A negative value ends it. */
int nats_kv_keys(struct nats_kv *kv, int (*each)(void *arg, const char *key),
		 void *arg, struct nats_error *why);

#endif
