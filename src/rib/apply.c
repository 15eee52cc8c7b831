#include "rib/lookahead.h"
#include "rib/peer.h"
#include "rib/emit.h"
#include "rib/update.h"

#include "bmp/stats.h"

#include <errno.h>

#define STATS_MAX 64

static void heard(struct rib_router *router, const struct rib_when *when)
{
	router->last_ns = rib_clock(router, when->now_ns);
	if (router->first_ns == RIB_NEVER)
		router->first_ns = router->last_ns;
}

static int route_monitoring(struct rib_router *router,
			    const struct rib_when *when,
			    const struct bmp_message *msg,
			    const struct bgp_overrides *over)
{
	struct bgp_reading reading;
	struct rib_peer *peer;
	struct bgp_update u;
	int err;

	heard(router, when);
	err = rib_peer_get(router, &msg->peer, &peer);
	if (err < 0) {
		RIB_COUNT(router, refused_peers, 1);
		return err == -ENOSPC ? 0 : err;
	}
	if (!peer->up)
		rib_peer_imply(peer, when, &msg->peer);
	reading = bgp_context_reading(&peer->context, &msg->peer, over);
	bgp_update_decode(msg->update.body, &reading, &u);
	rib_update(peer, when, &msg->peer, &reading, &u, /* ahead= */ NULL);
	return 0;
}

static void say_statistics(struct rib_router *router,
			   const struct rib_when *when,
			   const struct bmp_message *msg,
			   const struct rib_event_count *counts, size_t n)
{
	struct rib_peer *peer = rib_peer_find(router, &msg->peer);
	struct rib_event e = {
		.kind = RIB_EVENT_STATISTICS,
		.bmp_ns = msg->peer.time_ns,
		.count = n,
		.counts = counts,
	};

	if (n == 0)
		return;
	if (peer != NULL)
		rib_say_peer(peer, when, &e);
	else
		rib_say(router, when, &e);
}

static void statistics(struct rib_router *router, const struct rib_when *when,
		       const struct bmp_message *msg)
{
	struct bmp_stat_iter it = bmp_stat_start(msg);
	struct rib_event_count counts[STATS_MAX];
	struct bmp_stat stat;
	size_t n = 0;

	while (bmp_stat_next(&it, &stat)) {
		if (stat.kind == BMP_STAT_RAW)
			continue;
		counts[n++] = (struct rib_event_count){
			.type = stat.type,
			.afi = stat.afi,
			.safi = stat.safi,
			.value = stat.value,
		};
		if (n == STATS_MAX) {
			say_statistics(router, when, msg, counts, n);
			n = 0;
		}
	}
	say_statistics(router, when, msg, counts, n);
}

int rib_apply(struct rib_router *router, const struct rib_when *when,
	      const struct bmp_message *msg, const struct bgp_overrides *over)
{
	switch (msg->type) {
	case BMP_ROUTE_MONITORING:
		return route_monitoring(router, when, msg, over);
	case BMP_PEER_UP:
		return rib_peer_up(router, when, msg);
	case BMP_PEER_DOWN:
		rib_peer_down(router, when, msg);
		return 0;
	case BMP_STATISTICS:
		statistics(router, when, msg);
		return 0;
	default:
		return 0;
	}
}

size_t rib_apply_many(struct rib_router *router, const struct rib_when *when,
		      const struct bmp_message *msgs, size_t n,
		      const struct bgp_overrides *over)
{
	size_t failed = 0;

	for (size_t i = 0; i < n;) {
		size_t ahead = rib_ahead_read(router, msgs + i, n - i, over);

		if (ahead == 0) {
			failed += rib_apply(router, when, &msgs[i++], over) < 0;
			continue;
		}
		heard(router, when);
		for (size_t k = 0; k < ahead; k++) {
			struct rib_ahead *a = &router->rib->ahead[k];

			rib_update(a->peer, when, &msgs[i + k].peer,
				   &a->reading, &a->u, a);
		}
		i += ahead;
	}
	return failed;
}

void rib_unreadable(struct rib_router *router, const struct rib_when *when,
		    const struct bmp_peer *header)
{
	struct rib_peer *peer = rib_peer_find(router, header);

	heard(router, when);
	if (peer != NULL)
		rib_update_unreadable(peer, when, header->view);
}

int rib_drop(struct rib_router *router, const struct rib_when *when,
	     const struct bmp_peer *header)
{
	struct rib_event e = { .kind = RIB_EVENT_UNKNOWN,
			       .bmp_ns = header->time_ns };
	struct rib_peer *peer;
	struct rib_table *t;
	int err;

	/* It was there, even if nobody read it. */
	heard(router, when);
	err = rib_peer_get(router, header, &peer);
	if (err < 0)
		return err == -ENOSPC ? 0 : err;
	/* A generation that began later would forget the drop. */
	if (!peer->up)
		rib_peer_imply(peer, when, header);
	TAILQ_FOREACH (t, &peer->tables, link)
		t->unknown = true;
	if (!peer->dropped) {
		peer->dropped = true;
		rib_say_peer(peer, when, &e);
	}
	return 0;
}
