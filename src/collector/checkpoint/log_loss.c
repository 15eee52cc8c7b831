#include "collector/checkpoint/log_loss.h"

#include "collector/base/router_identity.h"
#include "collector/checkpoint/checkpoint.h"
#include "collector/checkpoint/snapshotter.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "egress/encode/encode_update.h"
#include "egress/publisher/publisher.h"
#include "egress/subject.h"
#include "rib/rib.h"

#include <errno.h>
#include <stdlib.h>

#define EVENT_MAX 2048

struct loss_job {
	struct worker *worker;
	const char *prefix;
	struct publisher_events *events;
};

static int event_add(const struct loss_job *job,
		     const struct rib_router_info *router)
{
	struct rib_time when = worker_now();
	struct rib_event event = {
		.kind = RIB_EVENT_RESYNC,
		.received_ns = when.wall_ns,
		.router = router,
	};
	const struct egress_origin origin = {
		.collector = job->worker->config->identity.collector,
	};
	char token[SUBJECT_ROUTER_MAX];
	char subject[SUBJECT_MAX];
	uint8_t bytes[EVENT_MAX] __attribute__((aligned(8)));
	size_t len = egress_encode_event(&event, &origin, bytes, sizeof(bytes));

	if (router->name == NULL ||
	    subject_router_named(router->name, token) == 0)
		(void)subject_router(router->address, token);
	if (len > sizeof(bytes) ||
	    subject_event(job->prefix, token, RIB_EVENT_RESYNC, subject) < 0)
		return -EMSGSIZE;
	return publisher_events_add(job->events, subject, bytes, len);
}

/*
 * Add a resync event for each router of the worker to job->events. Runs on the
 * worker's shard.
 */
static int worker_resync(void *arg)
{
	const struct loss_job *job = arg;
	struct worker *w = job->worker;
	int err = 0;

	/*
	 * With --curation off no tables could follow a resync, so do not send
	 * one.
	 */
	if (w->snapshotter == NULL)
		return 0;
	for (struct router *s = w->routers; s != NULL && err == 0; s = s->next)
		err = event_add(job, rib_router_info(s->rib_router));
	snapshotter_check_log(w->snapshotter);
	return err;
}

static int workers_resync(const struct collector_env *env, const char *prefix,
			  struct publisher_events *events)
{
	struct loss_job *jobs = calloc(env->worker_count, sizeof(*jobs));
	int err;

	if (jobs == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < env->worker_count; i++)
		jobs[i] = (struct loss_job){ env->workers[i], prefix, events };
	err = collector_env_each(env, COLLECTOR_ENV_SERIAL, worker_resync, jobs,
				 sizeof(*jobs));
	free(jobs);
	return err;
}

int log_loss_resync(void *arg, struct publisher_events *events)
{
	const struct collector_env *env = arg;
	enum collector_phase phase = collector_env_phase(env);
	char prefix[SUBJECT_PREFIX_MAX + 1];
	int err = 0;

	if (phase == COLLECTOR_RESTORING)
		return 0;
	if (phase != COLLECTOR_STOPPING) {
		err = subject_prefix(env->config->egress.events,
				     env->config->identity.collector, prefix);
		if (err == 0)
			err = workers_resync(env, prefix, events);
	}
	/*
	 * What is published now gets sequences that lost messages had. So the
	 * log positions in the manifest would soon be those of other messages.
	 */
	if (err == 0 && env->checkpoint != NULL &&
	    (phase != COLLECTOR_STOPPING ||
	     checkpoint_has_manifest(env->checkpoint)))
		checkpoint_write_manifest(env->checkpoint, true);
	return err;
}
