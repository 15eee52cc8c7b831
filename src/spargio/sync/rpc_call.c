#include "spargio/sched/current.h"
#include "spargio/sched/spin.h"
#include "spargio/sched/time.h"
#include "spargio/sync/rpc.h"

#include <spargio/time.h>

#include <errno.h>

/*
 * True in a fiber or outside the runtime. The thread of a shard must not
 * block.
 */
static bool may_wait(void)
{
	return sp__fiber_self() != NULL || sp__shard_self() == NULL;
}

/* Get a free call: 0, -EAGAIN or -EPIPE. The lock is held. */
static int try_get(struct sp_rpc *rpc, struct sp_call **out)
{
	if (rpc->closed)
		return -EPIPE;
	if (rpc->free == NULL)
		return -EAGAIN;
	*out = rpc->free;
	rpc->free = rpc->free->next;
	rpc->holds++;
	return 0;
}

/* As try_get(), but wait for a free call. */
static int get_call(struct sp_rpc *rpc, int64_t deadline, struct sp_call **out)
{
	struct sp__sleeper sleeper;
	int err = try_get(rpc, out);

	if (err != -EAGAIN)
		return err;
	err = sp__rpc_sleep(rpc, &rpc->clients, &sleeper, deadline, "rpc call");
	if (err < 0) {
		rpc->stats.refused_calls++;
		return err;
	}
	if (sleeper.call == NULL)
		return -EPIPE;
	if (rpc->closed) {
		/* The queue was closed after we got a call. */
		sp__call_put(sleeper.call);
		return -EPIPE;
	}
	*out = sleeper.call;
	return 0;
}

/* The arguments of a call. */
struct order {
	void *request;
	int64_t deadline;
	void (*done)(void *arg);
	void *arg;
};

/*
 * Give @call to a waiting server, or queue it. True if the queue was empty:
 * on_request must then be called. The lock is held.
 */
static bool post_call(struct sp_rpc *rpc, struct sp_call *call,
		      const struct order *order)
{
	bool first = rpc->queue.next == &rpc->queue;

	call->id = ++rpc->stats.calls;
	call->request = order->request;
	call->deadline = order->deadline;
	call->client = call->server = true;
	call->has_reply = false;
	call->done = order->done;
	call->arg = order->arg;
	call->waiter = NULL;
	call->state = SP__CALL_TAKEN;
	if (sp__rpc_wake_one(&rpc->servers, call)) {
		rpc->stats.serving++;
		return false;
	}
	call->state = SP__CALL_QUEUED;
	rpc->stats.queued++;
	call->next = &rpc->queue;
	call->prev = rpc->queue.prev;
	call->prev->next = call;
	rpc->queue.prev = call;
	return first;
}

/* Called with the lock held; releases it. */
static void post_and_unlock(struct sp_rpc *rpc, struct sp_call *call,
			    const struct order *order)
{
	bool tell = post_call(rpc, call, order);
	void (*fn)(void *) = rpc->on_request;
	void *fn_arg = rpc->on_request_arg;

	sp__rpc_unlock(rpc);
	if (tell && fn != NULL)
		fn(fn_arg);
}

/*
 * The earlier of @deadline and the deadline of sp_deadline_push(), if the
 * caller is a fiber.
 */
static int64_t client_deadline(int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();

	return self == NULL ? deadline : sp__deadline_of(self, deadline);
}

static int submit_order(struct sp_rpc *rpc, const struct order *order,
			struct sp_call **out)
{
	struct sp_call *call;
	int err;

	sp__spin_lock(&rpc->lock);
	err = try_get(rpc, &call);
	if (err < 0) {
		rpc->stats.refused_calls += err == -EAGAIN;
		sp__spin_unlock(&rpc->lock);
		return err;
	}
	/* Set *@out first: a fast server may call @done immediately. */
	*out = call;
	post_and_unlock(rpc, call, order);
	return 0;
}

int sp_rpc_submit(struct sp_rpc *rpc, void *request, void (*done)(void *arg),
		  void *arg, struct sp_call **out)
{
	return sp_rpc_submit_until(rpc, request, SP_NEVER, done, arg, out);
}

int sp_rpc_submit_until(struct sp_rpc *rpc, void *request, int64_t deadline,
			void (*done)(void *arg), void *arg,
			struct sp_call **out)
{
	struct order order = { request, deadline, done, arg };

	return submit_order(rpc, &order, out);
}

/* The result of the call, or -EAGAIN. The lock is held. */
static int result_of(struct sp_call *call, void **reply)
{
	if (call->state != SP__CALL_DONE)
		return -EAGAIN;
	if (call->result == 0 && reply != NULL) {
		call->has_reply = false;
		*reply = call->reply;
	}
	return call->result;
}

int sp_call_poll(struct sp_call *call, void **reply)
{
	struct sp_rpc *rpc = call->rpc;
	int err;

	sp__spin_lock(&rpc->lock);
	err = result_of(call, reply);
	sp__spin_unlock(&rpc->lock);
	return err;
}

int sp_call_wait(struct sp_call *call, void **reply)
{
	return sp_call_wait_until(call, SP_NEVER, reply);
}

int sp_call_wait_until(struct sp_call *call, int64_t deadline, void **reply)
{
	struct sp_rpc *rpc = call->rpc;
	struct sp__sleeper sleeper;
	int err;

	if (!may_wait())
		return -EPERM;
	sp__spin_lock(&rpc->lock);
	err = result_of(call, reply);
	if (err == -EAGAIN && call->waiter != NULL) {
		err = -EBUSY;
	} else if (err == -EAGAIN) {
		call->waiter = &sleeper;
		err = sp__rpc_sleep(rpc, NULL, &sleeper, deadline, "rpc reply");
		call->waiter = NULL;
		/* A reply is returned even if another event woke us. */
		if (call->state == SP__CALL_DONE)
			err = result_of(call, reply);
	}
	sp__rpc_unlock(rpc);
	return err;
}

/*
 * End @call for its client; false if it has ended. *@dropped is true if the
 * request was still queued. The lock is held.
 */
static bool give_up(struct sp_call *call, bool *dropped)
{
	*dropped = false;
	if (call->state == SP__CALL_DONE)
		return false;
	if (call->state == SP__CALL_QUEUED) {
		sp__call_unqueue(call);
		call->server = false;
		*dropped = true;
	}
	call->rpc->stats.cancels++;
	sp__call_finish(call, -ECANCELED, NULL);
	return true;
}

int sp_call_cancel(struct sp_call *call)
{
	struct sp_rpc *rpc = call->rpc;
	void (*drop)(void *) = rpc->drop_request;
	void *request = call->request;
	bool cancelled, dropped;

	sp__spin_lock(&rpc->lock);
	cancelled = give_up(call, &dropped);
	sp__spin_unlock(&rpc->lock);
	if (dropped && drop != NULL)
		drop(request);
	return cancelled ? 0 : -EALREADY;
}

void sp_call_free(struct sp_call *call)
{
	void (*drop)(void *) = NULL;
	struct sp_rpc *rpc;
	void *value = NULL;
	bool dropped;

	if (call == NULL)
		return;
	rpc = call->rpc;
	sp__spin_lock(&rpc->lock);
	(void)give_up(call, &dropped);
	if (dropped) {
		drop = rpc->drop_request;
		value = call->request;
	} else if (call->has_reply) {
		drop = rpc->drop_reply;
		value = call->reply;
	}
	call->client = false;
	sp__call_put(call);
	/*
	 * This may free the queue with all its calls: do not use @call or @rpc
	 * after it.
	 */
	sp__rpc_unlock(rpc);
	if (drop != NULL)
		drop(value);
}

/* Calls that wait for the reply */

static int wait_and_free(struct sp_call *call, int64_t deadline, void **reply)
{
	int err = sp_call_wait_until(call, deadline, reply);

	/*
	 * The call may have ended just before we cancelled it: return its
	 * result.
	 */
	if ((err == -ETIMEDOUT || err == -ECANCELED) &&
	    sp_call_cancel(call) == -EALREADY)
		err = sp_call_poll(call, reply);
	sp_call_free(call);
	return err;
}

int sp_rpc_call(struct sp_rpc *rpc, void *request, void **reply)
{
	return sp_rpc_call_until(rpc, request, SP_NEVER, reply);
}

int sp_rpc_call_until(struct sp_rpc *rpc, void *request, int64_t deadline,
		      void **reply)
{
	struct order order = { request, client_deadline(deadline), NULL, NULL };
	void (*drop)(void *) = rpc->drop_request;
	struct sp_call *call;
	int err;

	if (!may_wait())
		return -EPERM;
	sp__spin_lock(&rpc->lock);
	err = get_call(rpc, deadline, &call);
	if (err < 0) {
		sp__rpc_unlock(rpc);
		/*
		 * The queue owns the request after any error except -EAGAIN
		 * and -EPERM, see "Ownership" in <spargio/rpc.h>.
		 */
		if (drop != NULL)
			drop(request);
		return err;
	}
	post_and_unlock(rpc, call, &order);
	return wait_and_free(call, deadline, reply);
}

int sp_rpc_try_call(struct sp_rpc *rpc, void *request, int64_t deadline,
		    void **reply)
{
	struct order order = { request, client_deadline(deadline), NULL, NULL };
	struct sp_call *call;
	int err;

	if (!may_wait())
		return -EPERM;
	err = submit_order(rpc, &order, &call);
	if (err == -EPIPE && rpc->drop_request != NULL)
		rpc->drop_request(request);
	return err < 0 ? err : wait_and_free(call, deadline, reply);
}
