#include "collector/router/session_stats.h"

#include "collector/router/stats_report.h"
#include "rib/read.h"

#include <stdlib.h>
#include <string.h>

struct peer_stats *peer_stats_get(void **peer_slot, struct router_stats *router)
{
	struct peer_stats *stats = *peer_slot;

	if (stats != NULL)
		return stats;
	stats = calloc(1, sizeof(*stats));
	if (stats == NULL)
		return NULL;
	stats->router = router;
	*peer_slot = stats;
	return stats;
}

/* Subtract the report of a peer from the sum of its router. */
static void report_retract(struct peer_stats *stats)
{
	if (stats->reported == NULL || stats->router == NULL)
		return;
	stats->router->reporting--;
	stats->router->difference -= stats_report_difference(stats->reported);
}

/* Remove a report; it is valid only during its session. */
static void forget_report(struct peer_stats *stats)
{
	report_retract(stats);
	free(stats->reported);
	stats->reported = NULL;
}

void peer_stats_free(struct peer_stats *stats)
{
	if (stats == NULL)
		return;
	forget_report(stats);
	free(stats);
}

void router_stats_forget_reports(const struct rib_router *router)
{
	struct rib_peer *peer = NULL;

	while ((peer = rib_peer_next(router, peer)) != NULL) {
		struct peer_stats *stats = *rib_peer_slot(peer);

		if (stats != NULL)
			forget_report(stats);
	}
}

void peer_stats_report(struct peer_stats *stats, const struct stats_report *now)
{
	report_retract(stats);
	if (stats->reported == NULL)
		stats->reported = malloc(sizeof(*stats->reported));
	if (stats->reported == NULL)
		return;
	*stats->reported = *now;
	if (stats->router == NULL)
		return;
	stats->router->reporting++;
	stats->router->difference += stats_report_difference(now);
}

static void take_open(struct router_stats *stats, const struct rib_event *e)
{
	const char *name = e->text != NULL ? e->text : "";
	size_t len = strnlen(name, ROUTER_STATS_NAME_MAX);

	stats->opened_ns = e->received_ns;
	stats->closed_ns = 0;
	memcpy(stats->sys_name, name, len);
	stats->sys_name[len] = '\0';
}

void router_stats_add_event(struct router_stats *stats,
			    const struct rib_event *e)
{
	switch (e->kind) {
	case RIB_EVENT_SESSION_OPEN:
		take_open(stats, e);
		break;
	case RIB_EVENT_SESSION_CLOSE:
		stats->closed_ns = e->received_ns;
		stats->close_reason = e->reason;
		break;
	case RIB_EVENT_STALE:
	case RIB_EVENT_RESYNC:
	case RIB_EVENT_CLASH:
	case RIB_EVENT_MESSAGES_LOST:
		break;
	default:
		return;
	}
	event_history_add(&stats->history, e);
}

void peer_stats_add_event(struct peer_stats *stats, const struct rib_event *e)
{
	switch (e->kind) {
	case RIB_EVENT_PEER_UP:
		stats->up_ns = e->received_ns;
		break;
	case RIB_EVENT_PEER_DOWN:
		stats->down_ns = e->received_ns;
		stats->down_reason = e->reason;
		stats->downs++;
		forget_report(stats);
		break;
	default:
		return;
	}
	event_history_add(&stats->history, e);
}
