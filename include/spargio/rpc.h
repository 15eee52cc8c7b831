/*
 * spargio/rpc.h - requests and replies between fibers and any thread
 *
 *	clients					servers
 *	sp_rpc_call() --- request ---> sp_rpc_recv()
 *	               <--- reply ----- sp_rpc_reply()
 *
 * Both sides may be fibers, of this or another runtime, or plain threads, in
 * any mix; either may be an event loop that must not block. An RPC queue holds
 * at most @capacity calls, from submission until the reply was taken and the
 * server has let go; that many are allocated once and used again.
 *
 * Threads	Everything here may be called from any thread.
 * Blocking	Calls marked "waits" yield in a fiber and block elsewhere.
 * Ownership	Values are pointers (or integers cast to one) that the queue
 *		only passes on. A request belongs to the queue when
 *		sp_rpc_submit() has returned 0, or sp_rpc_call() anything but
 *		-EAGAIN or -EPERM; to the server once received. A reply belongs
 *		to the caller when sp_rpc_reply() has returned 0. What the
 *		queue has left over, because somebody gave up, it drops: it
 *		calls what sp_rpc_on_drop() set, or forgets it. So a request
 *		must not point to the stack of a caller that can give up.
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

/* A request as the server holds it; harmless after the reply. */
struct sp_request {
	void *value;
	struct sp_call *call;
	uint64_t id;
};

/* Life cycle */

/* -EINVAL if @capacity is 0, -ENOMEM. */
int sp_rpc_new(uint32_t capacity, struct sp_rpc **out);

/*
 * Close it, and free it once the last call has been freed and replied to.
 * Those who wait in it get -EPIPE first. NULL is fine.
 */
void sp_rpc_free(struct sp_rpc *rpc);

/* No more requests; every call without a reply ends with -EPIPE. */
void sp_rpc_close(struct sp_rpc *rpc);

/* Before first use. Either may be NULL. Called with no lock held. */
void sp_rpc_on_drop(struct sp_rpc *rpc, void (*request)(void *value),
		    void (*reply)(void *value));

/*
 * Before first use: call @fn(@arg) when a request comes and none was queued.
 * It runs in the client, must not wait, and typically tells an event loop to
 * sp_rpc_try_recv() until -EAGAIN.
 */
void sp_rpc_on_request(struct sp_rpc *rpc, void (*fn)(void *arg), void *arg);

/* Client, all in one */

/*
 * Send a request and wait for the reply, before that for a free call. @reply
 * may be NULL. Waits.
 */
int sp_rpc_call(struct sp_rpc *rpc, void *request, void **reply);
int sp_rpc_call_until(struct sp_rpc *rpc, void *request, int64_t deadline,
		      void **reply);

/* The same, but -EAGAIN if no call is free. Waits for the reply. */
int sp_rpc_try_call(struct sp_rpc *rpc, void *request, int64_t deadline,
		    void **reply);

/* Client, in steps */

/*
 * Send a request. The call is yours until sp_call_free(). @done, unless NULL,
 * is called with @arg once when the call has ended, but for sp_call_cancel():
 * by whoever ended it, with no lock held. It must not wait.
 */
int sp_rpc_submit(struct sp_rpc *rpc, void *request, void (*done)(void *arg),
		  void *arg, struct sp_call **out);

/*
 * The reply, 0, or what the call ended with: the server's error, -EPIPE,
 * -ECANCELED. -ETIMEDOUT, or -ECANCELED of the waiting fiber, leave the call
 * as it is. -EBUSY if another one waits for it. Waits.
 */
int sp_call_wait(struct sp_call *call, void **reply);
int sp_call_wait_until(struct sp_call *call, int64_t deadline, void **reply);
int sp_call_poll(struct sp_call *call, void **reply); /* -EAGAIN: not yet */

/* End it with -ECANCELED; -EALREADY if it has ended. */
int sp_call_cancel(struct sp_call *call);

/* Give it up, ended or not. Nobody may be waiting for it. NULL is fine. */
void sp_call_free(struct sp_call *call);

/* Server */

/* The oldest request. It must be replied to or refused, once. Waits. */
int sp_rpc_recv(struct sp_rpc *rpc, struct sp_request *out);
int sp_rpc_recv_until(struct sp_rpc *rpc, int64_t deadline,
		      struct sp_request *out);
int sp_rpc_try_recv(struct sp_rpc *rpc, struct sp_request *out);

/*
 * End the call with @value, or with @error, a negative errno. If the caller
 * has given up it is refused: -ECANCELED, or -EPIPE if the queue was closed.
 * The second time: -EALREADY, or -ESRCH once the call serves another request;
 * for as long as there is an RPC queue to ask.
 */
int sp_rpc_reply(const struct sp_request *request, void *value);
int sp_rpc_refuse(const struct sp_request *request, int error);

/* The caller does not wait any more: work on it is in vain. */
bool sp_request_cancelled(const struct sp_request *request);

#ifdef __cplusplus
}
#endif

#endif
