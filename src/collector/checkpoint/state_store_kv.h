/*
 * collector/checkpoint/state_store_kv.h - shared by the files of a state store
 * in a bucket
 *
 * Private to state_store_kv*.c. libnats blocks, so it is only called on threads
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
	struct nats_error why; /* error text of the last call that failed */
};

/* The content of a head, the entry that names the chunks of a file. */
struct kv_head {
	uint64_t generation;
	uint64_t chunks;
	uint64_t bytes;
	uint64_t revision; /* revision of the entry; 0 = no head */
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
	void *out; /* value, which the caller frees; has space for a NUL */
	size_t out_len;
};

static inline struct kv_store *kv_store_of(struct state_store *store)
{
	return (struct kv_store *)store;
}

/*
 * Run @call on the pool. Returns -ECANCELED without running it if the fiber was
 * cancelled.
 */
int state_store_kv_call(struct state_store *store, struct kv_call *call);

/* Run @fn on the pool; @arg may be on the stack of the caller. */
int state_store_kv_block(int (*fn)(void *), void *arg);

/* Write the key for the part @rest of the file @name. -ENAMETOOLONG. */
int state_store_kv_key(struct state_store *store, const char *name,
		       const char *rest, char out[STATE_STORE_KV_KEY_MAX]);

/*
 * Read the head of the file @name from the key with @rest, usually "head".
 * -ENOENT, -EBADMSG.
 */
int state_store_kv_head(struct state_store *store, const char *name,
			const char *rest, struct kv_head *out);

/* Remove the chunks of a generation of the file. */
int state_store_kv_purge(struct state_store *store, const char *name,
			 uint64_t generation);

/*
 * The operations of this kind of store, in state_store_kv.c. The next two
 * functions are in state_store_kv_keys.c.
 */
extern const struct state_store_ops state_store_kv_ops;

int state_store_kv_list(struct state_store *store,
			int (*each)(void *arg, const char *name), void *arg);

/* Remove the chunks that no head names, left by incomplete writes. */
int state_store_kv_tidy(struct state_store *store);

void state_store_kv_close(struct state_store *store);

#endif
