#include "collector/collector_env.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>

#include <errno.h>
#include <stdlib.h>

static int run_serial(const struct collector_env *env, int (*fn)(void *arg),
		      char *args, size_t size)
{
	int err = 0;

	for (uint32_t i = 0; i < env->worker_count && err == 0; i++) {
		int ret = 0;

		err = sp_call_on(env->rt, i, fn, args + i * size, &ret);
		if (err == 0)
			err = ret;
	}
	return err;
}

static int run_parallel(const struct collector_env *env, int (*fn)(void *arg),
			char *args, size_t size)
{
	struct sp_task *tasks = calloc(env->worker_count + 1, sizeof(*tasks));
	uint32_t started = 0;
	int err = tasks == NULL ? -ENOMEM : 0;

	while (err == 0 && started < env->worker_count) {
		err = sp_go_on(env->rt, started, fn, args + started * size,
			       &tasks[started]);
		started += err == 0;
	}
	for (uint32_t i = 0; i < started; i++) {
		int ret = 0;

		sp_join_thread(env->rt, tasks[i], &ret);
		if (err == 0)
			err = ret;
	}
	free(tasks);
	return err;
}

int collector_env_each(const struct collector_env *env,
		       enum collector_env_order order, int (*fn)(void *arg),
		       void *args, size_t size)
{
	return order == COLLECTOR_ENV_SERIAL
		       ? run_serial(env, fn, args, size)
		       : run_parallel(env, fn, args, size);
}
