/*
 * collector/query/worker_query.h - run a query on a worker's shard
 *
 *	any thread or fiber			the worker's shard
 *	worker_query_run() ---- query ----> a query fiber: query->run()
 *	                   <--- query -----        worker_query_yield() between
 *						   slices
 *
 * Only the shard of a worker uses its state. A caller allocates a query, which
 * has a function that computes the result, and waits while the function runs on
 * the shard. Each worker has eight query fibers for its queue. A query that
 * takes long runs in slices; all slow queries together take at most a fiftieth
 * of the shard's time while routers have unread input.
 *
 * Ownership	A query belongs to the caller, then to the queue, then to the
 *		caller again. If the caller stops waiting before the result
 *		is there, the queue frees the query at its end; so a query
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

/*
 * The first member of every query. A query may be run again after its result
 * was returned.
 */
struct worker_query {
	/* Runs on the worker's shard. worker_query_run() returns its result. */
	int (*run)(struct worker_query *q, struct worker *w);
	/* Frees the query; called on any thread. */
	void (*free)(struct worker_query *q);
	/* time (of sp_now()) at which the result should be ready */
	int64_t deadline;

	/* Private to the queue */
	struct worker_query_queue *query_queue;
	const struct sp_request *request;
	int64_t began; /* start of the current slice */
	bool slow;     /* the query has yielded at least once */
	int result;
};

/*
 * Open the queue; call it on the worker's shard. -ENOMEM, or an error of the
 * runtime.
 */
int worker_query_queue_open(struct worker *w, struct worker_query_queue **out);

/*
 * Refuse new queries; callers that wait get -EPIPE. Call it on the worker's
 * shard; it yields until no query fiber is busy. May be called again.
 */
void worker_query_queue_close(struct worker_query_queue *queue);
/* Free a queue, which must be closed; @queue may be NULL. */
void worker_query_queue_free(struct worker_query_queue *queue);

/*
 * Run a query and wait for its result, at most until one second after its
 * deadline. Returns the query's result; the caller then owns *@q again. Or
 * returns -ETIMEDOUT, -EPIPE (closed), -ECANCELED or -EAGAIN, and *@q is NULL:
 * the queue frees the query.
 */
int worker_query_run(struct worker_query_queue *queue, struct worker_query **q);

/*
 * A query calls this between two slices, to let other fibers run. Returns false
 * if the deadline of the query has passed or its caller has stopped waiting:
 * the query must then return with a partial result. Yields, so pointers into
 * the rib are no longer valid afterwards.
 */
bool worker_query_yield(struct worker_query *q);

#endif
