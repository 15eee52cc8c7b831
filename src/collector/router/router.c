#include "collector/router/router.h"

#include "collector/collector.h"
#include "collector/ingest/session.h"
#include "collector/worker.h"
#include "egress/batcher.h"
#include "rib/policy.h"
#include "rib/read.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

struct seat *seat_of(struct worker *w, const struct rib_identity *id)
{
	struct rib_router *router;
	struct seat *seat;

	if (rib_router_get(w->rib, id, &router) < 0)
		return NULL;
	seat = *rib_router_slot(router);
	if (seat != NULL)
		return seat;
	seat = calloc(1, sizeof(*seat));
	if (seat == NULL)
		return NULL;
	seat->router = router;
	seat->resync = true;
	log_bucket_init(&seat->lines, SEAT_LINES_BURST, SEAT_LINES_RATE,
			sp_now());
	keep_init(&seat->keep, collector_publisher(w->collector));
	seat->next = w->seats;
	seat->link = &w->seats;
	if (seat->next != NULL)
		seat->next->link = &seat->next;
	w->seats = seat;
	*rib_router_slot(router) = seat;
	return seat;
}

void seat_free(struct seat *seat)
{
	free(seat);
}

bool seat_blank(const struct seat *seat)
{
	return !seat->keep.filed && keep_changes(seat) == 0 &&
	       !rib_router_has_tables(seat->router);
}

/* It may go: nobody is there, and no peer is waited for. */
static bool is_idle(const struct seat *seat)
{
	struct rib_router_state state;

	rib_router_state(seat->router, &state);
	return seat->users == 0 && !state.open && state.peers_up == 0 &&
	       state.peers_stale == 0;
}

static void forget(struct worker *w, struct seat *seat)
{
	struct rib_when when = worker_now();

	*seat->link = seat->next;
	if (seat->next != NULL)
		seat->next->link = seat->link;
	egress_batcher_forget(w->batcher, rib_router_info(seat->router));
	rib_router_purge(seat->router, &when);
	seat_free(seat);
}

void seat_get(struct seat *seat)
{
	seat->users++;
}

void seat_put(struct worker *w, struct seat *seat)
{
	if (seat == NULL)
		return;
	seat->users--;
	if (seat->note.opened_ns == 0 && seat_blank(seat) && is_idle(seat))
		forget(w, seat);
}

struct seat *seat_next(struct worker *w, struct seat *seat)
{
	struct seat *next = seat == NULL ? w->seats : seat->next;

	/* In this order: nothing may be between the two. */
	if (next != NULL)
		seat_get(next);
	seat_put(w, seat);
	return next;
}

/* Asked once for each peer and view, see rib/policy.h. */
static struct rib_wish ask_filters(const void *chain,
				   const struct rib_table_info *table)
{
	struct filter_peer peer = filter_peer_of_table(table);
	struct filter_mask mask = filter_ask(chain, &peer);

	return (struct rib_wish){ mask.stored, mask.published };
}

void seat_configure(struct seat *seat, const struct config *config,
		    const struct rib_when *when)
{
	const struct rib_router_info *info = rib_router_info(seat->router);
	struct rib_policy policy = {
		.ask = ask_filters,
		.arg = &seat->settings.filters,
	};
	const uint8_t *address = info->address;
	uint16_t port = info->port;

	/* Before its first message the rib does not know where it is. */
	if (seat->session != NULL) {
		address = seat->session->arrival->address;
		port = seat->session->arrival->port;
	}
	config_router_settings(config, address, port, info->name,
			       &seat->settings);
	policy.max_routes_router = seat->settings.routes.per_router;
	policy.max_routes_peer = seat->settings.routes.per_peer;
	rib_router_policy(seat->router, when, &policy);
}

static bool back_too_soon(const struct seat *seat, int64_t now)
{
	return seat->taken_over != 0 && now - seat->taken_over < SEAT_TWIN_NS;
}

int64_t seat_expire(struct worker *w, int64_t hold)
{
	int64_t now = sp_now(), next = SP_NEVER;
	struct seat *after;

	for (struct seat *it = w->seats; it != NULL; it = after) {
		after = it->next;
		if (it->users > 0 || !seat_blank(it))
			continue;
		if (is_idle(it) && now - it->left >= hold &&
		    !back_too_soon(it, now))
			forget(w, it);
		else
			next = now + SEAT_LOOK_NS;
	}
	return next;
}

/* Wait until somebody got up; if that takes too long, insist. */
static enum ending await(struct seat *seat, int64_t deadline)
{
	int err = sp_cond_wait_until(&seat->freed, &seat->lock, deadline);

	if (err == -ETIMEDOUT && seat->session != NULL)
		session_stop(seat->session, ENDING_REPLACED);
	return err == -ECANCELED ? ENDING_SHUTDOWN : ENDING_NONE;
}

/* Make the one who sits get up. */
static enum ending throw_out(struct seat *seat, struct session *newer)
{
	struct session *old = seat->session;
	int64_t now = sp_now();
	/*
	 * A connection that its router closed needs no order to end, only time
	 * to read what is left; and it is no sign of a second router.
	 */
	bool closed = session_closed_by_router(old);

	if (!closed && back_too_soon(seat, now))
		return ENDING_TWIN;
	if (closed)
		return await(seat, now + SEAT_DRAIN_NS);
	session_stop(old, ENDING_REPLACED);
	newer->took_over = true;
	return await(seat, SP_NEVER);
}

enum ending seat_take(struct seat *seat, struct session *session)
{
	enum ending why = ENDING_NONE;

	if (sp_mutex_lock(&seat->lock) < 0)
		return ENDING_SHUTDOWN;
	while (why == ENDING_NONE && seat->session != NULL)
		why = throw_out(seat, session);
	if (why == ENDING_NONE) {
		seat->session = session;
		if (session->took_over)
			seat->taken_over = sp_now();
	}
	sp_mutex_unlock(&seat->lock);
	return why;
}

void seat_leave(struct seat *seat, struct session *session)
{
	if (seat->session != session)
		return;
	seat->session = NULL;
	seat->left = sp_now();
	sp_cond_broadcast(&seat->freed);
}
