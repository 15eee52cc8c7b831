#include "spargio/sched/visit.h"
#include "spargio/sched/current.h"

#include <errno.h>
#include <sched.h>

/*
 * Protects the list, and rt->visitors of all runtimes that are or were in it.
 */
static struct sp__spin visits_lock;
static struct sp_rt *open_runtimes;

void sp__visits_open(struct sp_rt *rt)
{
	sp__spin_lock(&visits_lock);
	rt->next_open = open_runtimes;
	open_runtimes = rt;
	sp__spin_unlock(&visits_lock);
}

void sp__visits_close(struct sp_rt *rt)
{
	struct sp_rt **link = &open_runtimes;
	uint32_t visitors;

	sp__spin_lock(&visits_lock);
	while (*link != NULL && *link != rt)
		link = &(*link)->next_open;
	if (*link != NULL)
		*link = rt->next_open;
	visitors = rt->visitors;
	sp__spin_unlock(&visits_lock);
	/* Calls do not wait, so this takes microseconds. */
	while (visitors != 0) {
		sched_yield();
		sp__spin_lock(&visits_lock);
		visitors = rt->visitors;
		sp__spin_unlock(&visits_lock);
	}
}

static bool is_own(const struct sp_rt *rt)
{
	const struct sp_shard *here = sp__shard_self();

	return here != NULL && here->rt == rt;
}

int sp__visit_begin(struct sp_rt *rt)
{
	const struct sp_rt *found;

	if (is_own(rt))
		return 0;
	sp__spin_lock(&visits_lock);
	for (found = open_runtimes; found != NULL; found = found->next_open)
		if (found == rt)
			break;
	if (found != NULL)
		rt->visitors++;
	sp__spin_unlock(&visits_lock);
	return found == NULL ? -ESHUTDOWN : 0;
}

void sp__visit_end(struct sp_rt *rt)
{
	if (is_own(rt))
		return;
	sp__spin_lock(&visits_lock);
	rt->visitors--;
	sp__spin_unlock(&visits_lock);
}
