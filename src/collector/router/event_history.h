/*
 * collector/router/event_history.h - the last things that happened to a router or a peer
 *
 * A ring of a few entries, for a page that shows when sessions came and went.
 * What happened is enum rib_event_kind; the reason's meaning depends on it.
 */
#ifndef COLLECTOR_ROUTER_EVENT_HISTORY_H
#define COLLECTOR_ROUTER_EVENT_HISTORY_H

#include "collector/base/json.h"
#include "rib/event.h"

#define DIARY_ENTRIES 16

struct diary_entry {
	uint64_t at_ns; /* wall clock */
	uint16_t reason;
	uint8_t kind; /* enum rib_event_kind */
};

/* All zero is empty. */
struct diary {
	uint32_t count; /* ever */
	struct diary_entry entries[DIARY_ENTRIES];
};

void diary_add(struct diary *d, const struct rib_event *e);

/* "history": newest last. */
void diary_json(struct json *j, const struct diary *d);

/* A reason in words, or NULL if the kind has none. */
const char *diary_reason(unsigned kind, unsigned reason);

#endif
