/*
 * collector/checkpoint/state_store_kv.h - what the files of a state store in a bucket share
 *
 * Private to state_store_kv*.c. libnats blocks, so every call of it runs on a thread
 * of the pool: state_store_kv_call() and state_store_kv_block() yield.
 */
#ifndef COLLECTOR_CHECKPOINT_STATE_STORE_KV_H
#define COLLECTOR_CHECKPOINT_STATE_STORE_KV_H

#include "collector/checkpoint/state_store.h"
#include "collector/checkpoint/state_store_ops.h"

#include "egress/nats/kv.h"

#include <pthread.h>
#include <stdint.h>

#define STATE_STORE_KV_KEY_MAX 384

struct kv_store {
	struct state_store store;
	struct nats_kv *kv;
	char *collector;
	pthread_mutex_t why_lock;
	struct nats_error why; /* of the last call that failed */
};

/* The content of a head. */
struct kv_head {
	uint64_t generation;
	uint64_t chunks;
	uint64_t bytes;
	uint64_t revision; /* 0 if there is no head */
};

enum kv_call_kind {
	KV_GET,
	KV_PUT,
	KV_REPLACE,
	KV_PURGE
};

struct kv_call {
	enum kv_call_kind kind;
	struct kv_store *store;
	char key[STATE_STORE_KV_KEY_MAX];
	const void *in;
	size_t in_len;
	uint64_t revision;
	void *out; /* to free(); has space for a NUL */
	size_t out_len;
};

static inline struct kv_store *kv_store_of(struct state_store *store)
{
	return (struct kv_store *)store;
}

/* Run @call. -ECANCELED without running it in a cancelled fiber. */
int state_store_kv_call(struct state_store *store, struct kv_call *call);

/* Run @fn on the pool; @arg may be on the stack. */
int state_store_kv_block(int (*fn)(void *), void *arg);

/* The key for @rest of the file @name. -ENAMETOOLONG. */
int state_store_kv_key(struct state_store *store, const char *name,
		       const char *rest, char out[STATE_STORE_KV_KEY_MAX]);

/* Read the key "head", or another one. -ENOENT, -EBADMSG. */
int state_store_kv_head(struct state_store *store, const char *name,
			const char *rest, struct kv_head *out);

/* Remove the chunks of a generation. */
int state_store_kv_purge(struct state_store *store, const char *name,
			 uint64_t generation);

/*
 * The operations of this kind of store are in state_store_kv.c;
 * state_store_kv_keys.c has the next two functions.
 */
extern const struct state_store_ops state_store_kv_ops;

int state_store_kv_list(struct state_store *store,
			int (*each)(void *arg, const char *name), void *arg);

/* Remove chunks that no head names: those of incomplete writes. */
int state_store_kv_tidy(struct state_store *store);

void state_store_kv_close(struct state_store *store);

#endif
