#include "collector/router/session_stats.h"

#include <stdlib.h>
#include <string.h>

struct peer_note *peer_note_get(void **peer_slot, struct router_note *router)
{
	struct peer_note *note = *peer_slot;

	if (note != NULL)
		return note;
	note = calloc(1, sizeof(*note));
	if (note == NULL)
		return NULL;
	note->router = router;
	*peer_slot = note;
	return note;
}

/* What it reported is no part of the router's sum any more. */
static void retract(struct peer_note *note)
{
	if (note->reported == NULL || note->router == NULL)
		return;
	note->router->reporting--;
	note->router->difference -= reported_difference(note->reported);
}

/* What was counted in a session says nothing once that is over. */
static void forget_report(struct peer_note *note)
{
	retract(note);
	free(note->reported);
	note->reported = NULL;
}

void peer_note_free(struct peer_note *note)
{
	if (note == NULL)
		return;
	forget_report(note);
	free(note);
}

void router_note_forget_reports(const struct rib_router *router)
{
	struct rib_peer *peer = NULL;

	while ((peer = rib_peer_next(router, peer)) != NULL) {
		struct peer_note *note = *rib_peer_slot(peer);

		if (note != NULL)
			forget_report(note);
	}
}

void peer_note_report(struct peer_note *note, const struct reported *now)
{
	retract(note);
	if (note->reported == NULL)
		note->reported = malloc(sizeof(*note->reported));
	if (note->reported == NULL)
		return;
	*note->reported = *now;
	if (note->router == NULL)
		return;
	note->router->reporting++;
	note->router->difference += reported_difference(now);
}

static void take_open(struct router_note *note, const struct rib_event *e)
{
	const char *name = e->text != NULL ? e->text : "";
	size_t len = strnlen(name, NOTE_NAME_MAX);

	note->opened_ns = e->received_ns;
	note->closed_ns = 0;
	memcpy(note->sys_name, name, len);
	note->sys_name[len] = '\0';
}

void router_note_take(struct router_note *note, const struct rib_event *e)
{
	switch (e->kind) {
	case RIB_EVENT_SESSION_OPEN:
		take_open(note, e);
		break;
	case RIB_EVENT_SESSION_CLOSE:
		note->closed_ns = e->received_ns;
		note->ending = e->reason;
		break;
	case RIB_EVENT_STALE:
	case RIB_EVENT_RESYNC:
		break;
	default:
		return;
	}
	diary_add(&note->diary, e);
}

void peer_note_take(struct peer_note *note, const struct rib_event *e)
{
	switch (e->kind) {
	case RIB_EVENT_PEER_UP:
		note->up_ns = e->received_ns;
		break;
	case RIB_EVENT_PEER_DOWN:
		note->down_ns = e->received_ns;
		note->down_reason = e->reason;
		note->downs++;
		forget_report(note);
		break;
	default:
		return;
	}
	diary_add(&note->diary, e);
}
