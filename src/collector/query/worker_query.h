/*
 * collector/query/worker_query.h - run a query on a worker's shard
 *
 *	any thread or fiber			the worker's shard
 *	worker_query_run() ---- query ----> a query fiber: query->run()
 *	                   <--- query -----        worker_query_yield() between
 *						   slices
 *
 * The state of a worker is touched by its shard alone. A caller allocates a
 * query with the function that fills in its result, and waits while it runs on
 * the shard. Eight fibers per worker serve the queue. A query that takes long
 * runs in slices; all slow queries together take at most a fiftieth of the
 * shard's time while routers have unread input.
 *
 * Ownership	A query belongs to the caller, then to the queue, then to the
 *		caller again. If the caller gives up before the result is
 *		there, the queue frees the query when it is done; so a query
 *		must not point to anybody's stack.
 * Blocking	worker_query_run() yields in a fiber and blocks another thread.
 *		worker_query_yield() yields.
 * Errors	0 or a negative errno.
 */
#ifndef COLLECTOR_QUERY_WORKER_QUERY_H
#define COLLECTOR_QUERY_WORKER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

struct worker_query_queue;
struct sp_request;
struct worker;

/* The head of every query. A query may be run again after its result. */
struct worker_query {
	/* Runs on the shard. worker_query_run() returns its result. */
	int (*run)(struct worker_query *q, struct worker *w);
	/* Frees the query; may be called on any thread. */
	void (*free)(struct worker_query *q);
	/* time at which the result should be ready, on the clock of sp_now() */
	int64_t deadline;

	/* Private to the queue */
	struct worker_query_queue *query_queue;
	const struct sp_request *request;
	int64_t began; /* start of the current slice */
	bool slow;     /* it has yielded at least once */
	int result;
};

/* On the worker's shard. -ENOMEM, or an error of the runtime. */
int worker_query_queue_open(struct worker *w, struct worker_query_queue **out);

/*
 * Refuse new queries; callers that wait get -EPIPE. On the worker's shard, yields
 * until no query fiber is busy. May be repeated.
 */
void worker_query_queue_close(struct worker_query_queue *queue);
/* @queue must be closed, or NULL. */
void worker_query_queue_free(struct worker_query_queue *queue);

/*
 * Run a query and wait for its result, at most a second longer than its
 * deadline. Returns the query's result, and the caller owns *@q again; or
 * -ETIMEDOUT, -EPIPE (closed), -ECANCELED, -EAGAIN, and *@q is NULL: the queue
 * frees the query.
 */
int worker_query_run(struct worker_query_queue *queue, struct worker_query **q);

/*
 * Called by a query between two slices, to let other fibers run. False if the
 * deadline of the query has passed or its caller has given up: the query must
 * then return with the partial result. Yields, so pointers into the rib are no
 * longer valid.
 */
bool worker_query_yield(struct worker_query *q);

#endif
