/*
 * Calling what blocks: a library without an asynchronous form, a name lookup,
 * a long computation. A thread of the pool does it; the shard goes on.
 */
#include <spargio/fiber.h>
#include <spargio/pool.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct lookup {
	const char *name;
	struct addrinfo *found;
};

static int lookup_blocking(void *arg)
{
	struct lookup *lookup = arg;
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST };

	return getaddrinfo(lookup->name, "80", &hints, &lookup->found);
}

/* Without a deadline or cancel the argument may be on the stack. */
static int resolve(const char *name)
{
	struct lookup lookup = { .name = name };
	int err, ret;

	sp_shield_begin();
	err = sp_block(lookup_blocking, &lookup, &ret); /* yields */
	sp_shield_end();
	if (err < 0)
		return err; /* -EAGAIN: the pool is full */
	if (ret == 0)
		freeaddrinfo(lookup.found);
	printf("lookup of %s: %s\n", name, ret == 0 ? "found" : "not found");
	return 0;
}

static int sleep_blocking(void *arg)
{
	usleep(*(useconds_t *)arg);
	return 0;
}

/*
 * A thread cannot be stopped from outside: after a timeout the call runs on,
 * so what it works on must not be on this stack.
 */
static int with_deadline(void)
{
	static useconds_t how_long = 30000;
	int err = sp_block_until(sleep_blocking, &how_long, sp_in(5 * SP_MS),
				 NULL);

	printf("slow call: %s\n", err == -ETIMEDOUT ? "given up" : "?");
	return 0;
}

static int count_turns(void *arg)
{
	int *turns = arg;

	while (sp_sleep(SP_MS) == 0)
		*turns += 1;
	return 0;
}

/* Other fibers of this shard run while the pool works for one. */
static int meanwhile(void)
{
	useconds_t how_long = 20000;
	struct sp_task task;
	int turns = 0;
	int err = sp_go_on(NULL, sp_shard(), count_turns, &turns, &task);

	if (err < 0)
		return err;
	sp_shield_begin();
	err = sp_block(sleep_blocking, &how_long, NULL);
	sp_shield_end();
	sp_cancel(task);
	sp_join(task, NULL);
	printf("meanwhile: %s\n", turns > 0 ? "others ran" : "?");
	return err;
}

static int body(void *arg)
{
	int err;

	(void)arg;
	err = resolve("127.0.0.1");
	if (err == 0)
		err = with_deadline();
	if (err == 0)
		err = meanwhile();
	return err;
}

int main(void)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 1;
	opts.pool_threads = 2;
	return sp_run(&opts, body, NULL) == 0 ? 0 : 1;
}
