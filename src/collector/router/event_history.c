#include "collector/router/event_history.h"

#include "collector/base/json.h"
#include "rib/event.h"

#include "collector/base/close_reason.h"
#include "collector/base/json_bgp.h"
#include "bmp/names.h"
#include "egress/subject.h"

void event_history_add(struct event_history *history, const struct rib_event *e)
{
	history->entries[history->count++ % EVENT_HISTORY_ENTRIES] =
		(struct event_history_entry){
			.at_ns = e->received_ns,
			.reason = e->reason,
			.kind = (uint8_t)e->kind,
		};
}

static const char *close_name(unsigned reason)
{
	return close_reason_name((enum close_reason)reason);
}

void event_history_reason(struct json *j, unsigned kind, unsigned reason)
{
	if (kind == RIB_EVENT_PEER_DOWN)
		json_bgp_code(j, "reason", bmp_down_reason_name, reason);
	else if (kind == RIB_EVENT_SESSION_CLOSE || kind == RIB_EVENT_CLASH)
		json_bgp_code(j, "reason", close_name, reason);
}

bool event_history_counts_routes(unsigned kind)
{
	return kind == RIB_EVENT_SWEPT || kind == RIB_EVENT_LIMIT ||
	       kind == RIB_EVENT_STALE;
}

void event_history_json(struct json *j, const struct event_history *history)
{
	uint32_t kept = history->count < EVENT_HISTORY_ENTRIES
				? history->count
				: EVENT_HISTORY_ENTRIES;

	json_key(j, "history");
	json_array(j);
	for (uint32_t i = history->count - kept; i != history->count; i++) {
		const struct event_history_entry *e =
			&history->entries[i % EVENT_HISTORY_ENTRIES];

		json_object(j);
		json_time_at(j, "at", e->at_ns);
		json_string_at(j, "kind", subject_event_kind(e->kind));
		event_history_reason(j, e->kind, e->reason);
		json_end_object(j);
	}
	json_end_array(j);
}
