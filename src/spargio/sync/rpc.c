#include "spargio/sync/rpc.h"
#include "spargio/sched/current.h"
#include "spargio/sched/wake.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

/* Life cycle */

int sp_rpc_new(uint32_t capacity, struct sp_rpc **out)
{
	struct sp_rpc *rpc;
	size_t size;

	if (capacity == 0)
		return -EINVAL;
	if (__builtin_mul_overflow(capacity, sizeof(rpc->calls[0]), &size) ||
	    __builtin_add_overflow(size, sizeof(*rpc), &size))
		return -ENOMEM;
	rpc = calloc(1, size);
	if (rpc == NULL)
		return -ENOMEM;
	rpc->capacity = capacity;
	rpc->holds = 1;
	rpc->queue.next = rpc->queue.prev = &rpc->queue;
	sp__waitlist_init(&rpc->servers);
	sp__waitlist_init(&rpc->clients);
	for (uint32_t i = capacity; i-- > 0;) {
		rpc->calls[i].rpc = rpc;
		rpc->calls[i].next = rpc->free;
		rpc->free = &rpc->calls[i];
	}
	*out = rpc;
	return 0;
}

void sp__rpc_unlock(struct sp_rpc *rpc)
{
	bool last = rpc->holds == 0;

	sp__spin_unlock(&rpc->lock);
	if (last)
		free(rpc);
}

void sp_rpc_free(struct sp_rpc *rpc)
{
	if (rpc == NULL)
		return;
	sp_rpc_close(rpc);
	sp__spin_lock(&rpc->lock);
	rpc->holds--;
	sp__rpc_unlock(rpc);
}

void sp_rpc_on_drop(struct sp_rpc *rpc, void (*request)(void *value),
		    void (*reply)(void *value))
{
	rpc->drop_request = request;
	rpc->drop_reply = reply;
}

void sp_rpc_on_request(struct sp_rpc *rpc, void (*fn)(void *arg), void *arg)
{
	rpc->on_request = fn;
	rpc->on_request_arg = arg;
}

void sp_rpc_stats_get(struct sp_rpc *rpc, struct sp_rpc_stats *out)
{
	sp__spin_lock(&rpc->lock);
	*out = rpc->stats;
	sp__spin_unlock(&rpc->lock);
	out->capacity = rpc->capacity;
}

/* Calls; the lock is held. */

void sp__call_unqueue(struct sp_call *call)
{
	call->rpc->stats.queued--;
	call->prev->next = call->next;
	call->next->prev = call->prev;
}

void sp__call_finish(struct sp_call *call, int result, void *reply)
{
	if (call->state == SP__CALL_TAKEN)
		call->rpc->stats.serving--;
	call->state = SP__CALL_DONE;
	call->result = result;
	call->reply = reply;
	call->has_reply = result == 0;
	if (call->waiter != NULL)
		(void)sp__rpc_wake(call->waiter, call);
}

void sp__call_put(struct sp_call *call)
{
	struct sp_rpc *rpc = call->rpc;

	if (call->client || call->server)
		return;
	call->state = SP__CALL_FREE;
	/* If a client waits for a free call, it gets this call. */
	if (sp__rpc_wake_one(&rpc->clients, call))
		return;
	call->next = rpc->free;
	rpc->free = call;
	rpc->holds--;
}

/* End @call with -EPIPE; false if @call is free or has already ended. */
static bool abort_call(struct sp_call *call)
{
	struct sp_rpc *rpc = call->rpc;
	void (*done)(void *) = call->done;
	void *arg = call->arg, *request = call->request;
	bool queued = call->state == SP__CALL_QUEUED;

	if (!queued && call->state != SP__CALL_TAKEN)
		return false;
	if (queued) {
		sp__call_unqueue(call);
		call->server = false;
	}
	rpc->stats.aborts++;
	sp__call_finish(call, -EPIPE, NULL);
	sp__call_put(call);
	sp__spin_unlock(&rpc->lock);
	if (queued && rpc->drop_request != NULL)
		rpc->drop_request(request);
	if (done != NULL)
		done(arg);
	sp__spin_lock(&rpc->lock);
	return true;
}

void sp_rpc_close(struct sp_rpc *rpc)
{
	sp__spin_lock(&rpc->lock);
	rpc->closed = true;
	while (sp__rpc_wake_one(&rpc->servers, NULL))
		;
	while (sp__rpc_wake_one(&rpc->clients, NULL))
		;
	for (uint32_t i = 0; i < rpc->capacity; i++)
		(void)abort_call(&rpc->calls[i]);
	sp__spin_unlock(&rpc->lock);
}

/* Server */

static void fill_request(struct sp_call *call, struct sp_request *out)
{
	*out = (struct sp_request){
		.value = call->request,
		.deadline = call->deadline,
		.call = call,
		.id = call->id,
	};
}

/* The lock is held. 0, -EPIPE or -EAGAIN. */
static int try_recv(struct sp_rpc *rpc, struct sp_request *out)
{
	struct sp_call *call = rpc->queue.next;

	if (rpc->closed)
		return -EPIPE;
	if (call == &rpc->queue)
		return -EAGAIN;
	sp__call_unqueue(call);
	call->state = SP__CALL_TAKEN;
	rpc->stats.serving++;
	fill_request(call, out);
	return 0;
}

int sp_rpc_recv(struct sp_rpc *rpc, struct sp_request *out)
{
	return sp_rpc_recv_until(rpc, SP_NEVER, out);
}

int sp_rpc_recv_until(struct sp_rpc *rpc, int64_t deadline,
		      struct sp_request *out)
{
	struct sp__sleeper sleeper;
	int err;

	if (sp__fiber_self() == NULL && sp__shard_self() != NULL)
		return -EPERM; /* it would block the shard */
	sp__spin_lock(&rpc->lock);
	err = try_recv(rpc, out);
	if (err == -EAGAIN) {
		err = sp__rpc_sleep(rpc, &rpc->servers, &sleeper, deadline,
				    "rpc receive");
		/* A client has given its call directly to this server. */
		if (err == 0 && sleeper.call != NULL)
			fill_request(sleeper.call, out);
		else if (err == 0)
			err = -EPIPE;
	}
	sp__rpc_unlock(rpc);
	return err;
}

int sp_rpc_try_recv(struct sp_rpc *rpc, struct sp_request *out)
{
	int err;

	sp__spin_lock(&rpc->lock);
	err = try_recv(rpc, out);
	sp__spin_unlock(&rpc->lock);
	return err;
}

/* End the call for the server unless it has ended. The lock is held. */
static int finish_request(struct sp_call *call, uint64_t id, int result,
			  void *value)
{
	struct sp_rpc_stats *stats = &call->rpc->stats;

	if (call->id != id)
		return -ESRCH;
	if (!call->server)
		return -EALREADY;
	call->server = false;
	if (call->state == SP__CALL_DONE) {
		stats->late_replies++;
		return call->result == -EPIPE ? -EPIPE : -ECANCELED;
	}
	if (result == 0)
		stats->replies++;
	else
		stats->refusals++;
	sp__call_finish(call, result, value);
	return 0;
}

static int end_request(const struct sp_request *request, int result,
		       void *value)
{
	struct sp_call *call = request->call;
	struct sp_rpc *rpc = call->rpc;
	void (*done)(void *);
	void *arg;
	int err;

	sp__spin_lock(&rpc->lock);
	done = call->done;
	arg = call->arg;
	err = finish_request(call, request->id, result, value);
	if (err != -ESRCH && err != -EALREADY)
		sp__call_put(call);
	/* From here on the call and the queue may be freed. */
	sp__rpc_unlock(rpc);
	if (err == 0 && done != NULL)
		done(arg);
	return err;
}

int sp_rpc_reply(const struct sp_request *request, void *value)
{
	return end_request(request, 0, value);
}

int sp_rpc_refuse(const struct sp_request *request, int error)
{
	return error < 0 ? end_request(request, error, NULL) : -EINVAL;
}

bool sp_request_cancelled(const struct sp_request *request)
{
	struct sp_call *call = request->call;
	bool cancelled;

	sp__spin_lock(&call->rpc->lock);
	cancelled = call->id != request->id || call->state == SP__CALL_DONE;
	sp__spin_unlock(&call->rpc->lock);
	return cancelled;
}
