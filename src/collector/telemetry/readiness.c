#include "collector/telemetry/readiness.h"

#include "collector/base/json.h"
#include "collector/collector_env.h"
#include "collector/worker_state.h"
#include "egress/publisher/publisher.h"

static const char *output_of(const struct publisher_stats *s)
{
	if (s->disk_full || s->state == PUBLISHER_REFUSED ||
	    s->state == PUBLISHER_SUPERSEDED || s->state == PUBLISHER_STOPPED)
		return "blocked";
	return s->spooling ? "spooling" : "accepting";
}

static const char *why_blocked(const struct publisher_stats *s)
{
	if (s->disk_full)
		return "the disk of the journal is full";
	if (s->state == PUBLISHER_REFUSED)
		return "the server or the stream is refused; the log says why";
	if (s->state == PUBLISHER_SUPERSEDED)
		return "another collector writes to the stream";
	return NULL;
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

	if (phase == COLLECTOR_RESTORING)
		readiness.why = "the state is being restored";
	else if (phase == COLLECTOR_OPENING)
		readiness.why = "it does not listen yet";
	else if (phase == COLLECTOR_STOPPING)
		readiness.why = "it is stopping";
	else if (shut)
		readiness.why = "it does not listen everywhere: see the log";
	else
		readiness.why = why_blocked(stats);
	readiness.ready = readiness.why == NULL;
	return readiness;
}

void readiness_json(struct json *j, const struct readiness *readiness)
{
	json_bool_at(j, "ready", readiness->ready);
	json_bool_at(j, "restored", readiness->restored);
	json_bool_at(j, "listening", readiness->listening);
	json_string_at(j, "output", readiness->output);
	json_string_at(j, "why", readiness->why);
}
