/*
 * collector/router/event_history.h - the last events of a router or a peer
 *
 * A ring of a few entries, for a page that shows when sessions were opened and
 * closed. The kind of an entry (enum rib_event_kind) determines the meaning of
 * its reason.
 */
#ifndef COLLECTOR_ROUTER_EVENT_HISTORY_H
#define COLLECTOR_ROUTER_EVENT_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

struct json;
struct rib_event;

#define EVENT_HISTORY_ENTRIES 16

struct event_history_entry {
	uint64_t at_ns; /* wall clock */
	uint16_t reason;
	uint8_t kind; /* enum rib_event_kind */
};

/* All zero = no events. */
struct event_history {
	uint32_t count; /* number of all events so far */
	struct event_history_entry entries[EVENT_HISTORY_ENTRIES];
};

void event_history_add(struct event_history *history,
		       const struct rib_event *e);

/* Write the member "history", newest event last. */
void event_history_json(struct json *j, const struct event_history *history);

/*
 * Write the member "reason" of an event of this kind: its name, or the number
 * if it has no name. Nothing is written if the kind has no reason.
 */
void event_history_reason(struct json *j, unsigned kind, unsigned reason);

/* True if "routes" is meaningful for this kind, so that 0 is written, too. */
bool event_history_counts_routes(unsigned kind);

#endif
