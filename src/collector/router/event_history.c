#include "collector/router/event_history.h"

#include "collector/base/json.h"
#include "rib/event.h"

#include "collector/base/close_reason.h"
#include "bmp/names.h"
#include "egress/subject.h"

void event_history_add(struct event_history *d, const struct rib_event *e)
{
	d->entries[d->count++ % EVENT_HISTORY_ENTRIES] =
		(struct event_history_entry){
			.at_ns = e->received_ns,
			.reason = e->reason,
			.kind = (uint8_t)e->kind,
		};
}

const char *event_history_reason(unsigned kind, unsigned reason)
{
	switch (kind) {
	case RIB_EVENT_PEER_DOWN:
		return bmp_down_reason_name(reason);
	case RIB_EVENT_SESSION_CLOSE:
		return close_reason_name((enum close_reason)reason);
	default:
		return NULL;
	}
}

void event_history_json(struct json *j, const struct event_history *d)
{
	uint32_t kept = d->count < EVENT_HISTORY_ENTRIES
				? d->count
				: EVENT_HISTORY_ENTRIES;

	json_key(j, "history");
	json_array(j);
	for (uint32_t i = d->count - kept; i != d->count; i++) {
		const struct event_history_entry *e =
			&d->entries[i % EVENT_HISTORY_ENTRIES];
		const char *reason = event_history_reason(e->kind, e->reason);

		json_object(j);
		json_time_at(j, "at", e->at_ns);
		json_string_at(j, "kind", subject_event_kind(e->kind));
		if (reason != NULL)
			json_string_at(j, "reason", reason);
		json_end_object(j);
	}
	json_end_array(j);
}
