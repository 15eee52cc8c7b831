/*
 * collector/query/worker_query.h - questions to a worker, from outside of its shard
 *
 *	any thread or fiber			the worker's shard
 *	desk_ask() ------- question ------> a clerk: question->answer()
 *	           <------ the same -------        desk_rest() between slices
 *
 * What a worker knows is touched by its shard alone. So who wants to know
 * writes a question on the heap, with a function that answers it there, and
 * waits. A few clerks (fibers) serve the desk; what takes long is answered in
 * slices, and all slow questions together take at most a fiftieth of the
 * shard's time while routers have something to say.
 *
 * Ownership	A question belongs to the asker, then to the desk, then to the
 *		asker again. If the asker gives up in between, the desk drops
 *		it when it is done; so it must not point to anybody's stack.
 * Blocking	desk_ask() yields in a fiber and blocks another thread.
 *		desk_rest() yields. The rest: see there.
 * Errors	0 or a negative errno.
 */
#ifndef COLLECTOR_QUERY_WORKER_QUERY_H
#define COLLECTOR_QUERY_WORKER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

struct desk;
struct sp_request;
struct worker;

/* The head of every question; begin with what is not the desk's all zero. */
struct desk_question {
	/* On the shard. What it returns is what desk_ask() returns. */
	int (*answer)(struct desk_question *q, struct worker *w);
	/* Free it. On any thread. */
	void (*drop)(struct desk_question *q);
	int64_t until; /* when the answer should be there: sp_now() */

	/* The desk's own */
	struct desk *desk;
	const struct sp_request *request;
	int64_t began; /* this slice */
	bool slow;     /* it rested once */
	int result;
};

/* On the worker's shard. -ENOMEM, or what the runtime says. */
int desk_open(struct worker *w, struct desk **out);

/*
 * No more questions; those who wait get -EPIPE. On the worker's shard, yields
 * until no clerk is busy. May be repeated.
 */
void desk_close(struct desk *d);
void desk_free(struct desk *d); /* closed; NULL is fine */

/*
 * Ask and wait, a second longer than *@q wants at most. What its answer
 * returned, and *@q is yours again; or -ETIMEDOUT, -EPIPE (closed),
 * -ECANCELED, -EAGAIN, and *@q is NULL: it will be dropped.
 */
int desk_ask(struct desk *d, struct desk_question **q);

/*
 * In an answer, between two slices: let others have their turn. False: it is
 * late, or nobody waits any more; answer with what there is. Yields, so
 * nothing of the rib that was looked at before is good any more.
 */
bool desk_rest(struct desk_question *q);

#endif
