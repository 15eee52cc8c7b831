// A program in C++ that uses the runtime as one file; tools/check-amalgamation.sh
// compiles and runs it.
#include "spargio.h"

#include <atomic>
#include <cstdio>
#include <vector>

static std::atomic<int> sum;

static int add_number(void *arg)
{
	int number = *static_cast<int *>(arg);

	sp_yield();
	sum += number;
	return number;
}

static int use_runtime(void *)
{
	std::vector<sp_task> tasks(10);
	sp_mutex mutex = SP_MUTEX_INIT;
	int ret = 0;

	for (int i = 0; i < 10; i++)
		if (sp_go_copy(nullptr, nullptr, add_number, &i, sizeof(i),
			       &tasks[static_cast<size_t>(i)]) < 0)
			return 1;
	for (sp_task task : tasks)
		if (sp_join(task, &ret) < 0)
			return 1;
	if (sp_mutex_lock(&mutex) < 0 || sp_mutex_unlock(&mutex) < 0)
		return 1;
	return sp_sleep(SP_MS);
}

int main()
{
	sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	if (sp_run(&opts, use_runtime, nullptr) != 0 || sum != 45)
		return 1;
	std::puts("45");
	return 0;
}
