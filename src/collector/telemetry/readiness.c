#include "collector/telemetry/readiness.h"

#include "collector/base/json.h"
#include "collector/collector_env.h"
#include "collector/worker_state.h"
#include "egress/publisher/publisher.h"

#include <stdio.h>

static const char *output_of(const struct publisher_stats *s)
{
	if (output_status(&s->output) == OUTPUT_STOPPED ||
	    s->state == PUBLISHER_STOPPED)
		return "blocked";
	return s->spooling ? "spooling" : "accepting";
}

/* Set "degraded" or "not ready" according to the state of the output. */
static void judge_output(const struct publisher_stats *stats,
			 struct readiness *readiness)
{
	const struct output_cause_row *row =
		output_cause_row(stats->output.cause);

	if (row->status == OUTPUT_OK)
		return;
	readiness->ready = row->status != OUTPUT_STOPPED;
	if (readiness->ready)
		readiness->degraded = row->name;
	output_state_why(&stats->output, readiness->why);
	readiness->action = row->action;
}

static bool some_listener_down(const struct collector_env *env)
{
	for (uint32_t i = 0; i < env->worker_count; i++)
		if (atomic_load(&env->workers[i]->listeners_down) > 0)
			return true;
	return false;
}

struct readiness readiness_of(const struct collector_env *env,
			      const struct publisher_stats *stats)
{
	enum collector_phase phase = collector_env_phase(env);
	bool shut = phase == COLLECTOR_SERVING && some_listener_down(env);
	struct readiness readiness = {
		.restored = phase != COLLECTOR_RESTORING,
		.listening = phase == COLLECTOR_SERVING && !shut,
		.output = output_of(stats),
	};
	const char *why = NULL;

	if (phase == COLLECTOR_RESTORING)
		why = "the state is being restored";
	else if (phase == COLLECTOR_OPENING)
		why = "it does not listen yet";
	else if (phase == COLLECTOR_STOPPING)
		why = "it is stopping";
	else if (shut)
		why = "it does not listen everywhere: see the log";
	readiness.ready = why == NULL;
	if (why != NULL)
		snprintf(readiness.why, sizeof(readiness.why), "%s", why);
	else
		judge_output(stats, &readiness);
	return readiness;
}

void readiness_json(struct json *j, const struct readiness *readiness)
{
	json_bool_at(j, "ready", readiness->ready);
	json_bool_at(j, "restored", readiness->restored);
	json_bool_at(j, "listening", readiness->listening);
	json_string_at(j, "output", readiness->output);
	json_string_at(j, "degraded", readiness->degraded);
	json_string_at(j, "why",
		       readiness->why[0] != '\0' ? readiness->why : NULL);
	json_string_at(j, "action", readiness->action);
}
