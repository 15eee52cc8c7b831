/*
 * collector/router/event_ring.h - the latest events of a worker, for occasional
 * readers
 *
 * A ring to which the shard writes without waiting for readers. If events are
 * not fetched in time, they are overwritten, and the reader gets the number of
 * lost events.
 */
#ifndef COLLECTOR_ROUTER_EVENT_RING_H
#define COLLECTOR_ROUTER_EVENT_RING_H

#include "collector/base/json.h"
#include "egress/subject.h"
#include "rib/event.h"

#define EVENT_RING_ENTRIES  512
#define EVENT_RING_TEXT_MAX 64

struct event_ring_entry {
	uint64_t at_ns; /* wall clock */
	uint64_t routes;
	uint64_t messages; /* lost messages, for RIB_EVENT_MESSAGES_LOST */
	uint64_t distinguisher;
	uint32_t peer_as;
	uint32_t peer_bgp_id;
	uint16_t reason;
	uint16_t afi;
	uint8_t safi;
	uint8_t kind; /* enum rib_event_kind */
	uint8_t view;
	uint8_t peer_type;
	bool has_peer;
	bool has_table;
	uint8_t peer_address[16];
	char router[SUBJECT_ROUTER_MAX];
	char text[EVENT_RING_TEXT_MAX]; /* text of the event; "" = none */
};

struct event_ring {
	/* number of all events so far = number of the next event */
	uint64_t count;
	struct event_ring_entry entries[EVENT_RING_ENTRIES];
};

/*
 * Add an event. Statistics Reports are not added: they are frequent and change
 * nothing.
 */
void event_ring_add(struct event_ring *ring, const struct rib_event *e);

/*
 * Copy the events from number *@from on, at most @max, oldest first, and
 * advance *@from. *@lost is the number of events that were overwritten before
 * they were fetched.
 */
size_t event_ring_fetch(const struct event_ring *ring, uint64_t *from,
			size_t max, struct event_ring_entry *out,
			uint64_t *lost);

/* Write the members of the object for one entry. */
void event_ring_json(struct json *j, const struct event_ring_entry *e);

#endif
