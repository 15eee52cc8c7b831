#include "rib/session.h"

#include "rib/emit.h"
#include "rib/peer.h"
#include "rib/rib_internal.h"
#include "rib/timer.h"
#include "rib/work_queue.h"

void rib_session_open(struct rib_router *router, const struct rib_time *when,
		      const uint8_t address[16], uint16_t port,
		      const char *sys_name)
{
	struct rib_event e = { .kind = RIB_EVENT_SESSION_OPEN,
			       .text = sys_name };

	if (router->open)
		rib_session_close(router, when, 0, NULL);
	memcpy(router->info.address, address, 16);
	router->info.port = port;
	router->open = true;
	router->paused = false;
	router->stopped_ns = 0;
	router->since = rib_clock(router, when->now_ns);
	router->last_ns = router->since;
	router->first_ns = RIB_NEVER;
	rib_emit_event(router, when, &e);
	rib_timer_soon(router, when->now_ns);
}

void rib_session_close(struct rib_router *router, const struct rib_time *when,
		       uint16_t reason, const char *text)
{
	struct rib_event closed = { .kind = RIB_EVENT_SESSION_CLOSE,
				    .reason = reason,
				    .text = text };
	struct rib_event stale = { .kind = RIB_EVENT_STALE,
				   .routes = router->routes };
	struct rib_peer *peer;

	if (!router->open)
		return;
	router->open = false;
	router->paused = false;
	TAILQ_FOREACH (peer, &router->peer_list, link)
		rib_peer_lose(peer, when);
	rib_emit_event(router, when, &closed);
	if (router->routes != 0)
		rib_emit_event(router, when, &stale);
	/*
	 * Set the timer to now, so that the next rib_background() computes when
	 * it fires.
	 */
	rib_timer_set(router, when->now_ns);
}

void rib_session_pause(struct rib_router *router, const struct rib_time *when)
{
	if (!router->open || router->paused)
		return;
	router->paused = true;
	router->paused_ns = when->now_ns;
}

void rib_session_resume(struct rib_router *router, const struct rib_time *when)
{
	if (!router->paused)
		return;
	router->paused = false;
	router->stopped_ns += when->now_ns - router->paused_ns;
	/* During the pause deadlines were not checked: check them soon. */
	rib_timer_set(router, when->now_ns > router->look_ns ? when->now_ns
							     : router->look_ns);
}

bool rib_peer_purge(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *header)
{
	struct rib_peer *peer = rib_peer_find(router, header);

	if (peer == NULL)
		return false;
	rib_peer_withdraw_all(peer, when, RIB_REASON_ADMIN,
			      RIB_WITHDRAW_IN_SLICES);
	/* A peer that is up stays up, with empty tables. */
	rib_peer_event(peer, RIB_PEER_EV_PURGE);
	rib_peer_reap(peer);
	return true;
}

void rib_session_clash(struct rib_router *router, const struct rib_time *when,
		       uint16_t reason, const char *text)
{
	struct rib_event e = { .kind = RIB_EVENT_CLASH,
			       .reason = reason,
			       .text = text };

	rib_emit_event(router, when, &e);
}

void rib_session_messages_lost(struct rib_router *router,
			       const struct rib_time *when, uint64_t messages)
{
	struct rib_event e = { .kind = RIB_EVENT_MESSAGES_LOST,
			       .messages = messages };

	rib_emit_event(router, when, &e);
}

void rib_resync(struct rib_router *router, const struct rib_time *when)
{
	struct rib_event e = { .kind = RIB_EVENT_RESYNC };
	struct rib_peer *peer;
	struct rib_table *t;

	rib_emit_event(router, when, &e);
	TAILQ_FOREACH (peer, &router->peer_list, link)
		TAILQ_FOREACH (t, &peer->tables, link) {
			t->jobs |= RIB_JOB_RESYNC;
			t->resync = (struct rib_pos){ 0 };
			rib_table_queue(t);
		}
}

bool rib_router_resyncing(const struct rib_router *router)
{
	const struct rib_peer *peer;
	const struct rib_table *t;

	TAILQ_FOREACH (peer, &router->peer_list, link)
		TAILQ_FOREACH (t, &peer->tables, link)
			if ((t->jobs & RIB_JOB_RESYNC) != 0)
				return true;
	return false;
}
