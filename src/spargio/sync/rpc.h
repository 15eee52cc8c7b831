/*
 * spargio/sync/rpc.h - an RPC queue and its calls
 *
 * A client and a server hold a call. Either of them may release the call
 * first; when the other releases it, too, the call is free again:
 *
 *	FREE -- submit --> QUEUED -- recv --> TAKEN -- reply --> DONE
 *	                     |                  |
 *	                     +- cancel, close --+------------> DONE
 *
 * One lock protects the queue and all its calls: the critical sections are
 * short, and an event on either side concerns both sides.
 */
#ifndef SPARGIO_SYNC_RPC_H
#define SPARGIO_SYNC_RPC_H

#include "spargio/sched/fiber.h"
#include "spargio/sched/spin.h"

#include <spargio/rpc.h>

/* A fiber or a thread that waits in an RPC queue; on its stack. */
struct sp__sleeper {
	struct sp__waiter w;	/* must be first; .fiber is NULL for a thread */
	_Atomic uint32_t woken; /* futex that a thread sleeps on */
	struct sp_call *call;	/* set by the waker; NULL = queue was closed */
};

enum sp__call_state {
	SP__CALL_FREE,
	SP__CALL_QUEUED,
	SP__CALL_TAKEN,
	SP__CALL_DONE,
};

struct sp_call {
	struct sp_rpc *rpc;
	struct sp_call *next, *prev; /* links of the queue or the free list */
	uint64_t id;
	int64_t deadline; /* when the client gives up; for the server */
	enum sp__call_state state;
	bool client, server; /* which sides hold the call */
	bool has_reply;	     /* reply is set, and the client has not taken it */
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
	uint32_t holds; /* references: owner, calls in use, sleepers */
	struct sp_rpc_stats stats; /* without the capacity */
	struct sp_call queue;	   /* head of a ring; only its links are used */
	struct sp_call *free;
	struct sp__waitlist servers; /* servers that wait for a request */
	struct sp__waitlist clients; /* clients that wait for a free call */
	struct sp_call calls[];
};

/* Unlock @rpc, and free it if no reference is left (holds is 0). */
void sp__rpc_unlock(struct sp_rpc *rpc);

/*
 * Sleep in @list (or in no list, NULL) until woken. The lock is held before and
 * after, but not during the sleep. 0, -ETIMEDOUT or -ECANCELED. Waits.
 */
int sp__rpc_sleep(struct sp_rpc *rpc, struct sp__waitlist *list,
		  struct sp__sleeper *sleeper, int64_t deadline,
		  const char *why);

/*
 * Give @call to @sleeper and wake it. False if @sleeper no longer waits. The
 * lock is held during this function and the functions below.
 */
bool sp__rpc_wake(struct sp__sleeper *sleeper, struct sp_call *call);

/* Give @call to the first sleeper in @list that still waits, and wake it. */
bool sp__rpc_wake_one(struct sp__waitlist *list, struct sp_call *call);

/*
 * End @call and wake the client. The caller must then call the done function
 * of @call without the lock.
 */
void sp__call_finish(struct sp_call *call, int result, void *reply);

/* Free @call if neither side holds it. */
void sp__call_put(struct sp_call *call);

/* Take @call, which is QUEUED, out of the queue. */
void sp__call_unqueue(struct sp_call *call);

#endif
