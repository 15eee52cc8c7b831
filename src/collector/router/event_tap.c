#include "collector/router/event_tap.h"

#include "collector/router/peer_notice.h"
#include "collector/router/session_stats.h"
#include "collector/router/router.h"

static void pass_change(void *arg, const struct rib_change *change)
{
	struct event_tap *event_tap = arg;

	event_tap->to.change(event_tap->to.arg, change);
}

/* A router that is being restored has no struct router yet. */
static struct router_stats *note_of(const struct rib_event *e)
{
	struct router *router = *e->router_slot;

	return router != NULL ? &router->stats : NULL;
}

static void pass_event(void *arg, const struct rib_event *e)
{
	struct event_tap *event_tap = arg;
	struct router_stats *router = note_of(e);
	struct peer_stats *peer;

	event_tap->to.event(event_tap->to.arg, e);
	event_ring_add(&event_tap->event_ring, e);
	if (router != NULL)
		router_stats_add_event(router, e);
	if (e->kind != RIB_EVENT_PEER_UP && e->kind != RIB_EVENT_PEER_DOWN)
		return;
	peer = peer_stats_get(e->peer_slot, router);
	if (peer != NULL)
		peer_stats_add_event(peer, e);
}

/* A router that is being restored sends nothing. */
static void log_notice(void *arg, const struct rib_notice *n)
{
	const struct event_tap *event_tap = arg;
	struct router *router = *n->router_slot;

	if (router != NULL)
		peer_notice_log(event_tap->log, &router->lines, n);
}

static void peer_slot_forget(void *arg, void *peer_slot)
{
	(void)arg;
	peer_stats_free(peer_slot);
}

struct rib_sink event_tap_sink(struct event_tap *event_tap, struct log *log,
			       const struct rib_sink *to)
{
	event_tap->to = *to;
	event_tap->log = log;
	return (struct rib_sink){
		.change = pass_change,
		.event = pass_event,
		.arg = event_tap,
		.bytes = to->bytes,
		.notice = log_notice,
		.forget = peer_slot_forget,
	};
}
