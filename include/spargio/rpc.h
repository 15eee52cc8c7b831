/*
 * spargio/rpc.h - requests and replies between fibers and any thread
 *
 *	clients					servers
 *	sp_rpc_call() --- request ---> sp_rpc_recv()
 *	               <--- reply ----- sp_rpc_reply()
 *
 * Both sides may be fibers, of this or another runtime, or plain threads;
 * either may be an event loop that must not block. An RPC queue has @capacity
 * call structures, allocated once and reused. A call occupies its structure
 * from the request until the client has freed the call and the server has
 * replied.
 *
 * Threads	All functions may be called from any thread.
 * Blocking	Calls marked "waits" yield in a fiber and block elsewhere.
 * Ownership	Values are pointers (or integers cast to one) that the queue
 *		only passes on. A request belongs to the queue when
 *		sp_rpc_submit() has returned 0, or sp_rpc_call() anything except
 *		-EAGAIN or -EPERM; to the server when it was received. A reply
 *		belongs to the client when sp_rpc_reply() has returned 0. If a
 *		side gives up, values may remain in the queue: the queue passes
 *		them to the functions of sp_rpc_on_drop(), if set. So a request
 *		must not point to the stack of a client that can give up.
 * Errors	0, -EAGAIN (overload: no call is free), -EPIPE (closed),
 *		-ECANCELED, -ETIMEDOUT.
 */
#ifndef SPARGIO_RPC_H
#define SPARGIO_RPC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_rpc;
struct sp_call;

/*
 * A request that a server has received. A second reply to it returns -EALREADY
 * or -ESRCH, see sp_rpc_reply().
 */
struct sp_request {
	void *value;
	/*
	 * The deadline of the client's call, or SP_NEVER. A server need not
	 * begin work that it cannot finish before the deadline, and it can pass
	 * the deadline on.
	 */
	int64_t deadline;
	struct sp_call *call;
	uint64_t id;
};

/*
 * Counters of an RPC queue. All accepted calls are counted once:
 *
 *	calls = queued + serving + replies + refusals + cancels + aborts
 */
struct sp_rpc_stats {
	uint32_t capacity;
	uint32_t queued;  /* requests that no server has taken */
	uint32_t serving; /* requests that were taken, without a reply yet */
	uint64_t calls;	  /* accepted requests */
	/*
	 * Requests that found no free call: refused with -EAGAIN, or given up
	 * while they waited for one.
	 */
	uint64_t refused_calls;
	uint64_t replies;
	uint64_t refusals; /* ended by sp_rpc_refuse() */
	uint64_t cancels;  /* ended by the client: deadline, cancel, free */
	uint64_t aborts;   /* ended with -EPIPE because the queue was closed */
	/* replies and refusals that came after the call had ended */
	uint64_t late_replies;
};

/* Life cycle */

/* -EINVAL if @capacity is 0, -ENOMEM. */
int sp_rpc_new(uint32_t capacity, struct sp_rpc **out);

/*
 * Close @rpc; waiting calls return -EPIPE. @rpc is freed when every call has
 * been freed and every received request replied to. NULL is fine.
 */
void sp_rpc_free(struct sp_rpc *rpc);

/* Refuse further requests and end every call without a reply with -EPIPE. */
void sp_rpc_close(struct sp_rpc *rpc);

/*
 * Set the functions that free dropped requests and replies, before first use.
 * Either may be NULL. They are called with no lock held.
 */
void sp_rpc_on_drop(struct sp_rpc *rpc, void (*request)(void *value),
		    void (*reply)(void *value));

/*
 * Set, before first use, a function @fn(@arg) that is called when a request is
 * added to an empty queue. It runs in the client's thread and must not wait.
 * Typically it tells an event loop to call sp_rpc_try_recv() until -EAGAIN.
 */
void sp_rpc_on_request(struct sp_rpc *rpc, void (*fn)(void *arg), void *arg);

/* Read the counters, all of the same moment. */
void sp_rpc_stats_get(struct sp_rpc *rpc, struct sp_rpc_stats *out);

/* Client: one call for request and reply */

/*
 * Wait for a free call, send a request and wait for the reply. @reply may be
 * NULL. Waits.
 */
int sp_rpc_call(struct sp_rpc *rpc, void *request, void **reply);
int sp_rpc_call_until(struct sp_rpc *rpc, void *request, int64_t deadline,
		      void **reply);

/*
 * As sp_rpc_call(), but -EAGAIN if no call is free. Waits for the reply only.
 */
int sp_rpc_try_call(struct sp_rpc *rpc, void *request, int64_t deadline,
		    void **reply);

/* Client, in steps */

/*
 * Send a request. The caller owns *@out until sp_call_free(). @done, unless
 * NULL, is called once with @arg when the call ends other than by
 * sp_call_cancel(). It runs in the thread that ended the call, with no lock
 * held, and must not wait.
 *
 * sp_rpc_submit_until() tells the server that the client gives up at @deadline,
 * see struct sp_request. It does not end the call then.
 */
int sp_rpc_submit(struct sp_rpc *rpc, void *request, void (*done)(void *arg),
		  void *arg, struct sp_call **out);
int sp_rpc_submit_until(struct sp_rpc *rpc, void *request, int64_t deadline,
			void (*done)(void *arg), void *arg,
			struct sp_call **out);

/*
 * Wait for the reply. Returns 0 or the error with which the call ended: the
 * error of sp_rpc_refuse(), -EPIPE, or -ECANCELED. If the wait ends early
 * because of the deadline (-ETIMEDOUT) or because the fiber is cancelled
 * (-ECANCELED), the call continues. -EBUSY if another fiber or thread waits
 * for the same call. Waits.
 */
int sp_call_wait(struct sp_call *call, void **reply);
int sp_call_wait_until(struct sp_call *call, int64_t deadline, void **reply);
/* As sp_call_wait(), but returns -EAGAIN if there is no reply yet. */
int sp_call_poll(struct sp_call *call, void **reply);

/* End the call with -ECANCELED; -EALREADY if it has ended. */
int sp_call_cancel(struct sp_call *call);

/* Free the call, ended or not. Nobody may be waiting for it. NULL is fine. */
void sp_call_free(struct sp_call *call);

/* Server */

/*
 * Take the oldest request. The server replies to it or refuses it, once. Waits.
 */
int sp_rpc_recv(struct sp_rpc *rpc, struct sp_request *out);
int sp_rpc_recv_until(struct sp_rpc *rpc, int64_t deadline,
		      struct sp_request *out);
int sp_rpc_try_recv(struct sp_rpc *rpc, struct sp_request *out);

/*
 * End the call with @value, or with @error, a negative errno. Returns
 * -ECANCELED if the client has cancelled or freed the call, -EPIPE if the
 * queue was closed. A second reply returns -EALREADY, or -ESRCH if the call
 * structure is already used for another request; it is not allowed after the
 * queue was freed.
 */
int sp_rpc_reply(const struct sp_request *request, void *value);
int sp_rpc_refuse(const struct sp_request *request, int error);

/* True if the client no longer waits for a reply. */
bool sp_request_cancelled(const struct sp_request *request);

#ifdef __cplusplus
}
#endif

#endif
