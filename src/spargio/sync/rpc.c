#include "spargio/sync/rpc.h"
#include "spargio/sched/shard.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

/* Life cycle */

int sp_port_new(uint32_t capacity, struct sp_port **out)
{
	struct sp_port *port;
	size_t size;

	if (capacity == 0)
		return -EINVAL;
	if (__builtin_mul_overflow(capacity, sizeof(port->calls[0]), &size) ||
	    __builtin_add_overflow(size, sizeof(*port), &size))
		return -ENOMEM;
	port = calloc(1, size);
	if (port == NULL)
		return -ENOMEM;
	port->capacity = capacity;
	port->holds = 1;
	port->queue.next = port->queue.prev = &port->queue;
	sp__waitlist_init(&port->servers);
	sp__waitlist_init(&port->clients);
	for (uint32_t i = capacity; i-- > 0;) {
		port->calls[i].port = port;
		port->calls[i].next = port->free;
		port->free = &port->calls[i];
	}
	*out = port;
	return 0;
}

void sp__port_unlock(struct sp_port *port)
{
	bool last = port->holds == 0;

	sp__spin_unlock(&port->lock);
	if (last)
		free(port);
}

void sp_port_free(struct sp_port *port)
{
	if (port == NULL)
		return;
	sp_port_close(port);
	sp__spin_lock(&port->lock);
	port->holds--;
	sp__port_unlock(port);
}

void sp_port_on_drop(struct sp_port *port, void (*request)(void *value),
		     void (*reply)(void *value))
{
	port->drop_request = request;
	port->drop_reply = reply;
}

void sp_port_on_request(struct sp_port *port, void (*fn)(void *arg), void *arg)
{
	port->on_request = fn;
	port->on_request_arg = arg;
}

/* Calls; the lock is held. */

void sp__call_unqueue(struct sp_call *call)
{
	call->prev->next = call->next;
	call->next->prev = call->prev;
}

void sp__call_finish(struct sp_call *call, int result, void *reply)
{
	call->state = SP__CALL_DONE;
	call->result = result;
	call->reply = reply;
	call->has_reply = result == 0;
	if (call->waiter != NULL)
		(void)sp__port_wake(call->waiter, call);
}

void sp__call_put(struct sp_call *call)
{
	struct sp_port *port = call->port;

	if (call->client || call->server)
		return;
	call->state = SP__CALL_FREE;
	/* It stays in use if somebody waits for one. */
	if (sp__port_wake_one(&port->clients, call))
		return;
	call->next = port->free;
	port->free = call;
	port->holds--;
}

/* End one call without a reply; false if @call needs no such end. */
static bool cut_off(struct sp_call *call)
{
	struct sp_port *port = call->port;
	void (*done)(void *) = call->done;
	void *arg = call->arg, *request = call->request;
	bool queued = call->state == SP__CALL_QUEUED;

	if (!queued && call->state != SP__CALL_TAKEN)
		return false;
	if (queued) {
		sp__call_unqueue(call);
		call->server = false;
	}
	sp__call_finish(call, -EPIPE, NULL);
	sp__call_put(call);
	sp__spin_unlock(&port->lock);
	if (queued && port->drop_request != NULL)
		port->drop_request(request);
	if (done != NULL)
		done(arg);
	sp__spin_lock(&port->lock);
	return true;
}

void sp_port_close(struct sp_port *port)
{
	sp__spin_lock(&port->lock);
	port->closed = true;
	while (sp__port_wake_one(&port->servers, NULL))
		;
	while (sp__port_wake_one(&port->clients, NULL))
		;
	for (uint32_t i = 0; i < port->capacity; i++)
		(void)cut_off(&port->calls[i]);
	sp__spin_unlock(&port->lock);
}

/* Server */

static void take(struct sp_call *call, struct sp_request *out)
{
	*out = (struct sp_request){
		.value = call->request,
		.call = call,
		.id = call->id,
	};
}

/* The lock is held. 0, -EPIPE or -EAGAIN. */
static int try_recv(struct sp_port *port, struct sp_request *out)
{
	struct sp_call *call = port->queue.next;

	if (port->closed)
		return -EPIPE;
	if (call == &port->queue)
		return -EAGAIN;
	sp__call_unqueue(call);
	call->state = SP__CALL_TAKEN;
	take(call, out);
	return 0;
}

int sp_port_recv(struct sp_port *port, struct sp_request *out)
{
	return sp_port_recv_until(port, SP_NEVER, out);
}

int sp_port_recv_until(struct sp_port *port, int64_t deadline,
		       struct sp_request *out)
{
	struct sp__sleeper sleeper;
	int err;

	if (sp__fiber_self() == NULL && sp__shard_self() != NULL)
		return -EPERM; /* it would block the shard */
	sp__spin_lock(&port->lock);
	err = try_recv(port, out);
	if (err == -EAGAIN) {
		err = sp__port_sleep(port, &port->servers, &sleeper, deadline,
				     "port receive");
		/* A client has put its call into our hands. */
		if (err == 0 && sleeper.call != NULL)
			take(sleeper.call, out);
		else if (err == 0)
			err = -EPIPE;
	}
	sp__port_unlock(port);
	return err;
}

int sp_port_try_recv(struct sp_port *port, struct sp_request *out)
{
	int err;

	sp__spin_lock(&port->lock);
	err = try_recv(port, out);
	sp__spin_unlock(&port->lock);
	return err;
}

/* The server ends the call, if that is still to be done. The lock is held. */
static int answer(struct sp_call *call, uint64_t id, int result, void *value)
{
	int err = 0;

	if (call->id != id)
		return -ESRCH;
	if (!call->server)
		return -EALREADY;
	call->server = false;
	if (call->state == SP__CALL_DONE)
		err = call->result == -EPIPE ? -EPIPE : -ECANCELED;
	else
		sp__call_finish(call, result, value);
	return err;
}

static int end_request(const struct sp_request *request, int result,
		       void *value)
{
	struct sp_call *call = request->call;
	struct sp_port *port = call->port;
	void (*done)(void *);
	void *arg;
	int err;

	sp__spin_lock(&port->lock);
	done = call->done;
	arg = call->arg;
	err = answer(call, request->id, result, value);
	if (err != -ESRCH && err != -EALREADY)
		sp__call_put(call);
	/* From here on the call and the port may be gone. */
	sp__port_unlock(port);
	if (err == 0 && done != NULL)
		done(arg);
	return err;
}

int sp_port_reply(const struct sp_request *request, void *value)
{
	return end_request(request, 0, value);
}

int sp_port_refuse(const struct sp_request *request, int error)
{
	return error < 0 ? end_request(request, error, NULL) : -EINVAL;
}

bool sp_request_cancelled(const struct sp_request *request)
{
	struct sp_call *call = request->call;
	bool cancelled;

	sp__spin_lock(&call->port->lock);
	cancelled = call->id != request->id || call->state == SP__CALL_DONE;
	sp__spin_unlock(&call->port->lock);
	return cancelled;
}
