#include "spargio/io/offload.h"
#include "spargio/io/sync_ops.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/runtime.h"

#include <errno.h>
#include <stddef.h>

/*
 * Any thread: add @op, whose result is set, to the list of finished
 * operations. From then on the fiber of @op may free it.
 */
static void push_finished(struct sp_shard *shard, struct sp__op *op)
{
	struct sp__offload *o = &shard->offload;
	struct sp__op *first =
		atomic_load_explicit(&o->finished, memory_order_relaxed);

	do {
		op->next = first;
		/* Pairs with the acquire in sp__offload_poll(). */
	} while (!atomic_compare_exchange_weak_explicit(&o->finished, &first,
							op,
							memory_order_release,
							memory_order_relaxed));
}

static void offload_run(struct sp__job *job)
{
	struct sp__op *op =
		(struct sp__op *)(void *)((char *)job -
					  offsetof(struct sp__op, job));
	struct sp_shard *shard = op->shard;

	op->res = sp__sqe_block(&op->sqe);
	push_finished(shard, op);
	/*
	 * The shard may have taken the operation already, but its memory stays
	 * valid: the pool is stopped before the shards are freed.
	 */
	sp__shard_notify(shard);
}

void sp__offload_start(struct sp_shard *shard, struct sp__op *op)
{
	int err;

	op->offloaded = true;
	op->link = NULL;
	op->job.run = offload_run;
	shard->offload.running++;
	err = sp__pool_push(shard->rt->pool, &op->job);
	if (err < 0) {
		op->res = err;
		push_finished(shard, op);
	}
}

void sp__offload_cancel(struct sp_shard *shard, struct sp__op *op)
{
	if (!sp__pool_withdraw(shard->rt->pool, &op->job))
		return;
	op->res = -ECANCELED;
	push_finished(shard, op);
}

void sp__offload_poll(struct sp_shard *shard)
{
	struct sp__op *op;

	if (!sp__offload_ready(shard))
		return;
	/* Pairs with the release in push_finished(). */
	op = atomic_exchange_explicit(&shard->offload.finished, NULL,
				      memory_order_acquire);
	while (op != NULL) {
		struct sp__op *next = op->next;

		shard->offload.running--;
		sp__op_complete(shard, op, op->res, 0);
		op = next;
	}
}
