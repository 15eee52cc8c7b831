#include "collector/query/worker_query.h"

#include "collector/worker_state.h"

#include <spargio/fiber.h>
#include <spargio/rpc.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

/*
 * Maximum number of calls, each from its request until its reply is received
 * and the call is freed: calls that wait for a fiber and calls whose query
 * runs. Then the maximum number of queries that run at the same time.
 */
#define CAPACITY     64
#define QUERY_FIBERS 8

/* Slow queries get 1 / SHARE of the shard's time while sessions have input. */
#define SHARE 50

/* Time that a caller waits after the deadline of the query. */
#define GRACE SP_S

struct worker_query_queue {
	struct worker *worker;
	struct sp_rpc *rpc;
	struct sp_task query_fibers[QUERY_FIBERS];
	uint32_t fiber_count;
	uint32_t slow; /* number of queries that run in slices now */
};

static void query_drop(void *query)
{
	struct worker_query *q = query;

	q->free(q);
}

static void query_serve(struct worker_query_queue *queue,
			const struct sp_request *request)
{
	struct worker_query *q = request->value;

	q->query_queue = queue;
	q->request = request;
	q->began = sp_now();
	q->result = q->run(q, queue->worker);
	if (q->slow)
		queue->slow--;
	/* The caller has stopped waiting, so free the query here. */
	if (sp_rpc_reply(request, q) < 0)
		query_drop(q);
}

static int query_fiber_main(void *query_queue)
{
	struct worker_query_queue *queue = query_queue;
	struct sp_request request;

	while (sp_rpc_recv(queue->rpc, &request) == 0)
		query_serve(queue, &request);
	return 0;
}

int worker_query_queue_open(struct worker *w, struct worker_query_queue **out)
{
	struct worker_query_queue *queue = calloc(1, sizeof(*queue));
	int err;

	if (queue == NULL)
		return -ENOMEM;
	queue->worker = w;
	err = sp_rpc_new(CAPACITY, &queue->rpc);
	if (err < 0)
		goto fail;
	sp_rpc_on_drop(queue->rpc, query_drop, query_drop);
	while (queue->fiber_count < QUERY_FIBERS) {
		err = sp_go_on(NULL, sp_shard(), query_fiber_main, queue,
			       &queue->query_fibers[queue->fiber_count]);
		if (err < 0)
			goto fail;
		queue->fiber_count++;
	}
	*out = queue;
	return 0;

fail:
	worker_query_queue_close(queue);
	worker_query_queue_free(queue);
	return err;
}

void worker_query_queue_close(struct worker_query_queue *queue)
{
	if (queue->rpc != NULL)
		sp_rpc_close(queue->rpc);
	sp_shield_begin();
	while (queue->fiber_count > 0)
		sp_join(queue->query_fibers[--queue->fiber_count], NULL);
	sp_shield_end();
}

void worker_query_queue_free(struct worker_query_queue *queue)
{
	if (queue == NULL)
		return;
	sp_rpc_free(queue->rpc);
	free(queue);
}

int worker_query_run(struct worker_query_queue *queue, struct worker_query **q)
{
	struct worker_query *asked = *q;
	void *answer;
	int err;

	asked->slow = false;
	asked->result = 0;
	err = sp_rpc_call_until(queue->rpc, asked, asked->deadline + GRACE,
				&answer);

	if (err == 0)
		return asked->result;
	/* With these errors the queue did not get the query. */
	if (err == -EAGAIN || err == -EPERM)
		query_drop(asked);
	*q = NULL;
	return err;
}

/* Wait so that routers with unread input get most of the shard's time. */
static void wait_turn(struct worker_query *q, int64_t now)
{
	struct worker_query_queue *queue = q->query_queue;
	int64_t rest = (now - q->began) * (SHARE * (int64_t)queue->slow - 1);

	if (queue->worker->sessions_with_input == 0)
		sp_yield();
	else
		sp_sleep_until(now + rest < q->deadline ? now + rest
							: q->deadline);
}

bool worker_query_yield(struct worker_query *q)
{
	int64_t now = sp_now();

	if (!q->slow) {
		q->slow = true;
		q->query_queue->slow++;
	}
	if (now >= q->deadline || sp_request_cancelled(q->request))
		return false;
	wait_turn(q, now);
	q->began = sp_now();
	return q->began < q->deadline && !sp_request_cancelled(q->request);
}
