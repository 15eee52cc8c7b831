#include "arancini/outlook.h"

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
		return "the stream is not ours to write to";
	if (s->state == PUBLISHER_SUPERSEDED)
		return "another collector writes to the stream";
	return NULL;
}

struct outlook outlook_of(enum collector_phase phase,
			  const struct publisher_stats *stats)
{
	struct outlook o = {
		.restored = phase != COLLECTOR_RESTORING,
		.listening = phase == COLLECTOR_SERVING,
		.output = output_of(stats),
	};

	if (phase == COLLECTOR_RESTORING)
		o.why = "the state is being restored";
	else if (phase == COLLECTOR_OPENING)
		o.why = "it does not listen yet";
	else if (phase == COLLECTOR_STOPPING)
		o.why = "it is stopping";
	else
		o.why = why_blocked(stats);
	o.ready = o.why == NULL;
	return o;
}

void outlook_json(struct json *j, const struct outlook *o)
{
	json_bool_at(j, "ready", o->ready);
	json_bool_at(j, "restored", o->restored);
	json_bool_at(j, "listening", o->listening);
	json_string_at(j, "output", o->output);
	json_string_at(j, "why", o->why);
}
