/* Questions to a worker: asked, given up, refused, in slices. */
#include "runtime.h"

#include "collector/query/worker_query.h"
#include "collector/worker_state.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

struct query {
	struct worker_query head;
	int slices; /* to take */
	int taken;
	uint32_t shard; /* where it was answered */
	atomic_int *dropped;
	atomic_bool *hold; /* NULL: answer at once */
};

static void drop(struct worker_query *q)
{
	atomic_fetch_add(((struct query *)q)->dropped, 1);
	free(q);
}

static int answer(struct worker_query *q, struct worker *w)
{
	struct query *query = (struct query *)q;

	(void)w;
	query->shard = sp_shard();
	while (query->hold != NULL && atomic_load(query->hold))
		sp_sleep(SP_MS);
	while (query->taken < query->slices && worker_query_yield(q))
		query->taken++;
	return 17;
}

static struct query *ask_for(int slices, atomic_int *dropped)
{
	struct query *q = calloc(1, sizeof(*q));

	q->head.run = answer;
	q->head.free = drop;
	q->head.deadline = sp_in(10 * SP_S);
	q->slices = slices;
	q->dropped = dropped;
	return q;
}

/* A worker with nothing but a query queue, on shard 1 of a runtime. */
struct office {
	struct sp_rt *rt;
	struct worker worker;
	struct worker_query_queue *query_queue;
	atomic_int dropped;
	atomic_bool hold;
};

static int open_desk(void *office)
{
	struct office *o = office;

	return worker_query_queue_open(&o->worker, &o->query_queue);
}

static int close_desk(void *office)
{
	worker_query_queue_close(((struct office *)office)->query_queue);
	return 0;
}

static struct office *office_new(void)
{
	struct office *o = calloc(1, sizeof(*o));
	struct sp_opts opts = SP_OPTS_INIT;
	int ret = -1;

	opts.shards = 2;
	assert_int_equal(sp_start(&opts, &o->rt), 0);
	assert_int_equal(sp_call_on(o->rt, 1, open_desk, o, &ret), 0);
	assert_int_equal(ret, 0);
	return o;
}

static void office_free(struct office *o)
{
	int ret;

	atomic_store(&o->hold, false);
	assert_int_equal(sp_call_on(o->rt, 1, close_desk, o, &ret), 0);
	worker_query_queue_free(o->query_queue);
	assert_int_equal(sp_stop(o->rt, sp_in(5 * SP_S)), 0);
	free(o);
}

static void test_answered_on_the_shard(void **state)
{
	struct office *o = office_new();
	struct query *query = ask_for(0, &o->dropped);
	struct worker_query *q = &query->head;

	(void)state;
	assert_int_equal(worker_query_run(o->query_queue, &q), 17);
	assert_ptr_equal(q, &query->head);
	assert_int_equal(query->shard, 1);
	assert_int_equal(atomic_load(&o->dropped), 0);
	free(query);
	office_free(o);
}

static void test_slices(void **state)
{
	struct office *o = office_new();
	struct query *query = ask_for(1000, &o->dropped);
	struct worker_query *q = &query->head;

	(void)state;
	assert_int_equal(worker_query_run(o->query_queue, &q), 17);
	assert_int_equal(query->taken, 1000);
	free(query);
	office_free(o);
}

/* Whoever asks for an answer by now gets what there is. */
static void test_late_is_answered_with_what_there_is(void **state)
{
	struct office *o = office_new();
	struct query *query = ask_for(1000000000, &o->dropped);
	struct worker_query *q = &query->head;

	(void)state;
	query->head.deadline = sp_in(20 * SP_MS);
	/* With input waiting it rests most of the time. */
	o->worker.sessions_with_input = 1;
	assert_int_equal(worker_query_run(o->query_queue, &q), 17);
	assert_true(query->taken < 1000000000);
	free(query);
	office_free(o);
}

/* A question nobody waits for any more is dropped, once, by the query queue. */
static void test_given_up_is_dropped(void **state)
{
	struct office *o = office_new();
	struct query *query = ask_for(0, &o->dropped);
	struct worker_query *q = &query->head;

	(void)state;
	atomic_store(&o->hold, true);
	query->hold = &o->hold;
	/* It waits a second longer than this. */
	query->head.deadline = sp_now();
	assert_int_equal(worker_query_run(o->query_queue, &q), -ETIMEDOUT);
	assert_null(q);
	assert_int_equal(atomic_load(&o->dropped), 0);
	atomic_store(&o->hold, false);
	for (int i = 0; i < 5000 && atomic_load(&o->dropped) == 0; i++)
		usleep(1000);
	assert_int_equal(atomic_load(&o->dropped), 1);
	office_free(o);
}

struct asker {
	struct office *office;
	pthread_t thread;
	int result;
};

static void *ask_held(void *asker)
{
	struct asker *a = asker;
	struct query *query = ask_for(0, &a->office->dropped);
	struct worker_query *q = &query->head;

	query->hold = &a->office->hold;
	a->result = worker_query_run(a->office->query_queue, &q);
	if (q != NULL)
		free(query);
	return NULL;
}

#define ASKERS 100

/* More than there are query fibers and places; closing ends all of it. */
static void test_closing_with_a_crowd_outside(void **state)
{
	struct office *o = office_new();
	static struct asker askers[ASKERS];
	struct query *query = ask_for(0, &o->dropped);
	struct worker_query *q = &query->head;
	int answered = 0, closed = 0, ret;

	(void)state;
	atomic_store(&o->hold, true);
	for (int i = 0; i < ASKERS; i++) {
		askers[i].office = o;
		assert_int_equal(pthread_create(&askers[i].thread, NULL,
						ask_held, &askers[i]),
				 0);
	}
	atomic_store(&o->hold, false);
	assert_int_equal(sp_call_on(o->rt, 1, close_desk, o, &ret), 0);
	for (int i = 0; i < ASKERS; i++) {
		assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
		answered += askers[i].result == 17;
		closed += askers[i].result == -EPIPE;
	}
	assert_int_equal(answered + closed, ASKERS);
	assert_int_equal(atomic_load(&o->dropped), closed);
	assert_int_equal(worker_query_run(o->query_queue, &q), -EPIPE);
	assert_null(q);
	office_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answered_on_the_shard),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_late_is_answered_with_what_there_is),
		cmocka_unit_test(test_given_up_is_dropped),
		cmocka_unit_test(test_closing_with_a_crowd_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
