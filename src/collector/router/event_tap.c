#include "collector/router/event_tap.h"

#include "collector/router/peer_notice.h"
#include "collector/router/session_stats.h"
#include "collector/router/router.h"

/*
 * The statistics of the event's router; NULL if the router is being restored
 * and has no struct router yet.
 */
static struct router_stats *note_of(const struct rib_event *e)
{
	struct router *router = *e->router_slot;

	return router != NULL ? &router->stats : NULL;
}

static void take_event(void *arg, const struct rib_event *e)
{
	struct event_tap *tap = arg;
	struct router_stats *router = note_of(e);
	struct peer_stats *peer;

	tap->pass(tap->pass_arg, e);
	event_ring_add(&tap->event_ring, e);
	if (router != NULL)
		router_stats_add_event(router, e);
	if (e->kind != RIB_EVENT_PEER_UP && e->kind != RIB_EVENT_PEER_DOWN)
		return;
	peer = peer_stats_get(e->peer_slot, router);
	if (peer != NULL)
		peer_stats_add_event(peer, e);
}

/*
 * Log the notice. A router that is being restored may have no struct router,
 * but it sends no messages, so the rib has no notices of it.
 */
static void log_notice(void *arg, const struct rib_notice *n)
{
	const struct event_tap *tap = arg;
	struct router *router = *n->router_slot;

	if (router != NULL)
		peer_notice_log(tap->log, &router->lines, n);
}

static void peer_slot_forget(void *arg, void *peer_slot)
{
	(void)arg;
	peer_stats_free(peer_slot);
}

void event_tap_insert(struct event_tap *tap, struct log *log,
		      struct rib_sink *sink)
{
	tap->log = log;
	tap->pass = sink->event;
	tap->pass_arg = sink->event_arg;
	sink->event = take_event;
	sink->notice = log_notice;
	sink->forget = peer_slot_forget;
	sink->event_arg = tap;
}
