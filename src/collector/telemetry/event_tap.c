#include "collector/telemetry/event_tap.h"

#include "collector/router/session_stats.h"
#include "collector/router/router.h"

static void pass_change(void *arg, const struct rib_change *change)
{
	struct tap *tap = arg;

	tap->to.change(tap->to.arg, change);
}

/* A router that is being restored has no seat yet. */
static struct router_note *note_of(const struct rib_event *e)
{
	struct seat *seat = *e->router_slot;

	return seat != NULL ? &seat->note : NULL;
}

static void pass_event(void *arg, const struct rib_event *e)
{
	struct tap *tap = arg;
	struct router_note *router = note_of(e);
	struct peer_note *peer;

	tap->to.event(tap->to.arg, e);
	bulletin_add(&tap->bulletin, e);
	if (router != NULL)
		router_note_take(router, e);
	if (e->kind != RIB_EVENT_PEER_UP && e->kind != RIB_EVENT_PEER_DOWN)
		return;
	peer = peer_note_get(e->peer_slot, router);
	if (peer != NULL)
		peer_note_take(peer, e);
}

static void forget(void *arg, void *peer_slot)
{
	(void)arg;
	peer_note_free(peer_slot);
}

struct rib_sink tap_sink(struct tap *tap, const struct rib_sink *to)
{
	tap->to = *to;
	return (struct rib_sink){
		.change = pass_change,
		.event = pass_event,
		.arg = tap,
		.forget = forget,
	};
}
