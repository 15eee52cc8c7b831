/*
 * Fibers: start them, choose where they run, take their results.
 */
#include <spargio/fiber.h>
#include <spargio/runtime.h>

#include <stdio.h>

static int square(void *arg)
{
	int n = (int)(intptr_t)arg;

	return n * n;
}

static int which_shard(void *arg)
{
	(void)arg;
	return (int)sp_shard();
}

struct order {
	char what[16];
	int count;
};

static int print_order(void *arg)
{
	const struct order *order = arg;

	printf("%d x %s\n", order->count, order->what);
	return 0;
}

/* Wherever there is room: an idle shard may take it. The usual choice. */
static int start_anywhere(void)
{
	struct sp_task task;
	int err, ret;

	err = sp_go(square, (void *)7, &task);
	if (err < 0)
		return err; /* -EAGAIN: more are waiting than the queue holds */
	err = sp_join(task, &ret);
	if (err < 0)
		return err;
	printf("7 squared is %d\n", ret);
	return 0;
}

/*
 * On one shard for ever: what the fibers of a shard share among themselves
 * needs no lock.
 */
static int start_pinned(void)
{
	struct sp_task task;
	int err, ret;

	err = sp_go_on(NULL, 1, which_shard, NULL, &task);
	if (err < 0)
		return err;
	err = sp_join(task, &ret);
	if (err < 0)
		return err;
	printf("pinned to shard %d\n", ret);
	return 0;
}

/* By key: whatever belongs to one router, user or file meets on one shard. */
static int start_by_key(void)
{
	struct sp_attr attr = { .place = SP_BY_KEY, .key = 42, .name = "42" };
	int first = -1, second = -2;
	struct sp_task task;
	int err;

	err = sp_go_attr(NULL, &attr, which_shard, NULL, &task);
	if (err == 0)
		err = sp_join(task, &first);
	if (err == 0)
		err = sp_go_attr(NULL, &attr, which_shard, NULL, &task);
	if (err == 0)
		err = sp_join(task, &second);
	if (err == 0)
		printf("the same shard for the same key: %s\n",
		       first == second ? "yes" : "no");
	return err;
}

/*
 * An argument on the spawner's stack is gone when the spawner goes on. Small
 * ones can be copied into the fiber.
 */
static int start_with_copy(void)
{
	struct sp_attr attr = { .place = SP_ROUND_ROBIN };
	struct order order = { "arancini", 3 };
	struct sp_task task;
	int err;

	err = sp_go_copy(NULL, &attr, print_order, &order, sizeof(order),
			 &task);
	order.count = 0;
	return err < 0 ? err : sp_join(task, NULL);
}

/* Run something elsewhere and wait for it, in one call. */
static int call_elsewhere(void)
{
	int ret;
	int err = sp_call_on(NULL, 1, which_shard, NULL, &ret);

	if (err == 0)
		printf("called on shard %d\n", ret);
	return err;
}

static int body(void *arg)
{
	int err;

	(void)arg;
	err = start_anywhere();
	if (err == 0)
		err = start_pinned();
	if (err == 0)
		err = start_by_key();
	if (err == 0)
		err = start_with_copy();
	if (err == 0)
		err = call_elsewhere();
	return err;
}

int main(void)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	return sp_run(&opts, body, NULL) == 0 ? 0 : 1;
}
