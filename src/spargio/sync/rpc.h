/*
 * spargio/sync/rpc.h - an RPC queue and its calls
 *
 * A call is held by its client and its server, either may let go first, and
 * whoever is last puts it back:
 *
 *	FREE -- submit --> QUEUED -- recv --> TAKEN -- reply --> DONE
 *	                     |                  |
 *	                     +- cancel, close --+------------> DONE
 *
 * Everything is guarded by the queue's one lock: its sections are short, and
 * an event on either side concerns both.
 */
#ifndef SPARGIO_SYNC_RPC_H
#define SPARGIO_SYNC_RPC_H

#include "spargio/sched/fiber.h"
#include "spargio/sched/spin.h"

#include <spargio/rpc.h>

/* A fiber or a thread that waits in an RPC queue; on its own stack. */
struct sp__sleeper {
	struct sp__waiter w;	/* first; .fiber is NULL for a thread */
	_Atomic uint32_t woken; /* a thread's: it sleeps on this futex */
	struct sp_call *call;	/* what it was given; NULL: closed */
};

enum sp__call_state {
	SP__CALL_FREE,
	SP__CALL_QUEUED,
	SP__CALL_TAKEN,
	SP__CALL_DONE,
};

struct sp_call {
	struct sp_rpc *rpc;
	struct sp_call *next, *prev; /* in the queue or the free list */
	uint64_t id;
	enum sp__call_state state;
	bool client, server; /* who holds it */
	bool has_reply;	     /* and nobody has taken it */
	int result;
	void *request, *reply;
	void (*done)(void *arg);
	void *arg;
	struct sp__sleeper *waiter;
};

struct sp_rpc {
	/* Set before first use. */
	void (*drop_request)(void *);
	void (*drop_reply)(void *);
	void (*on_request)(void *);
	void *on_request_arg;
	uint32_t capacity;

	struct sp__spin lock;
	bool closed;
	uint32_t holds; /* the owner, calls in use, those who sleep in it */
	uint64_t last_id;
	struct sp_call queue; /* head of a ring; only its links are used */
	struct sp_call *free;
	struct sp__waitlist servers; /* for a request */
	struct sp__waitlist clients; /* for a free call */
	struct sp_call calls[];
};

/* Unlock, and free the queue if that was the last hold on it. */
void sp__rpc_unlock(struct sp_rpc *rpc);

/*
 * Sleep in @list (or none, NULL) until woken. The lock is held before and
 * after, not meanwhile. 0, -ETIMEDOUT or -ECANCELED. Waits.
 */
int sp__rpc_sleep(struct sp_rpc *rpc, struct sp__waitlist *list,
		  struct sp__sleeper *sleeper, int64_t deadline,
		  const char *why);

/*
 * Give @call to @sleeper and wake it. False if it has given up. Everything
 * from here on: the lock is held.
 */
bool sp__rpc_wake(struct sp__sleeper *sleeper, struct sp_call *call);

/* The same for the first in @list that has not given up. */
bool sp__rpc_wake_one(struct sp__waitlist *list, struct sp_call *call);

/* End @call; the caller of this then owes sp__call_tell(), unlocked. */
void sp__call_finish(struct sp_call *call, int result, void *reply);

/* If neither side holds @call any more, make it free. */
void sp__call_put(struct sp_call *call);

/* Take @call, which is QUEUED, out of the queue. */
void sp__call_unqueue(struct sp_call *call);

#endif
