#include "collector/query/worker_query.h"

#include "collector/worker.h"

#include <spargio/fiber.h>
#include <spargio/rpc.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

/* Questions under way, and how many are answered at the same time. */
#define CAPACITY 64
#define CLERKS	 8

/* Slow questions have 1/SHARE of the shard while there is input. */
#define SHARE 50

/* How much longer than it asked for an asker waits. */
#define GRACE SP_S

struct desk {
	struct worker *worker;
	struct sp_rpc *rpc;
	struct sp_task clerks[CLERKS];
	uint32_t clerk_count;
	uint32_t slow; /* questions that are answered in slices right now */
};

static void drop(void *question)
{
	struct desk_question *q = question;

	q->drop(q);
}

static void serve(struct desk *d, const struct sp_request *request)
{
	struct desk_question *q = request->value;

	q->desk = d;
	q->request = request;
	q->began = sp_now();
	q->result = q->answer(q, d->worker);
	if (q->slow)
		d->slow--;
	/* Whoever gave up left it to us. */
	if (sp_rpc_reply(request, q) < 0)
		drop(q);
}

static int clerk_main(void *desk)
{
	struct desk *d = desk;
	struct sp_request request;

	while (sp_rpc_recv(d->rpc, &request) == 0)
		serve(d, &request);
	return 0;
}

int desk_open(struct worker *w, struct desk **out)
{
	struct desk *d = calloc(1, sizeof(*d));
	int err;

	if (d == NULL)
		return -ENOMEM;
	d->worker = w;
	err = sp_rpc_new(CAPACITY, &d->rpc);
	if (err < 0)
		goto fail;
	sp_rpc_on_drop(d->rpc, drop, drop);
	while (d->clerk_count < CLERKS) {
		err = sp_go_on(NULL, sp_shard(), clerk_main, d,
			       &d->clerks[d->clerk_count]);
		if (err < 0)
			goto fail;
		d->clerk_count++;
	}
	*out = d;
	return 0;

fail:
	desk_close(d);
	desk_free(d);
	return err;
}

void desk_close(struct desk *d)
{
	if (d->rpc != NULL)
		sp_rpc_close(d->rpc);
	sp_shield_begin();
	while (d->clerk_count > 0)
		sp_join(d->clerks[--d->clerk_count], NULL);
	sp_shield_end();
}

void desk_free(struct desk *d)
{
	if (d == NULL)
		return;
	sp_rpc_free(d->rpc);
	free(d);
}

int desk_ask(struct desk *d, struct desk_question **q)
{
	struct desk_question *asked = *q;
	void *answer;
	int err =
		sp_rpc_call_until(d->rpc, asked, asked->until + GRACE, &answer);

	if (err == 0)
		return asked->result;
	/* In these cases the port never had it. */
	if (err == -EAGAIN || err == -EPERM)
		drop(asked);
	*q = NULL;
	return err;
}

/* While routers have something to say, most of the time is theirs. */
static void wait_turn(struct desk_question *q, int64_t now)
{
	struct desk *d = q->desk;
	int64_t rest = (now - q->began) * (SHARE * (int64_t)d->slow - 1);

	if (d->worker->wet == 0)
		sp_yield();
	else
		sp_sleep_until(now + rest < q->until ? now + rest : q->until);
}

bool desk_rest(struct desk_question *q)
{
	int64_t now = sp_now();

	if (!q->slow) {
		q->slow = true;
		q->desk->slow++;
	}
	if (now >= q->until || sp_request_cancelled(q->request))
		return false;
	wait_turn(q, now);
	q->began = sp_now();
	return q->began < q->until && !sp_request_cancelled(q->request);
}
