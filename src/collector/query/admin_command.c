#include "collector/query/admin_command.h"

#include "collector/collector_env.h"
#include "collector/ingest/session.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "egress/publisher/publisher.h"
#include "rib/rib.h"

#include <stdlib.h>

/* Routers between two rests. */
#define SLICE 16

static struct rib_router *find_router(const struct admin_command *d,
				      struct worker *w)
{
	return rib_router_find(w->rib, &d->router);
}

static enum admin_command_outcome disconnect(struct rib_router *rib_router)
{
	struct router *router = *rib_router_slot(rib_router);

	if (router == NULL || router->session == NULL)
		return ADMIN_COMMAND_NO_SESSION;
	session_stop(router->session, CLOSE_OPERATOR);
	return ADMIN_COMMAND_DONE;
}

static enum admin_command_outcome purge(const struct admin_command *d,
					struct rib_router *rib_router)
{
	struct rib_time when = worker_now();

	return rib_peer_purge(rib_router, &when, &d->peer)
		       ? ADMIN_COMMAND_DONE
		       : ADMIN_COMMAND_NO_PEER;
}

/* Its file does not count from here on: see snapshotter.h. */
static void resync(struct admin_command *d, struct worker *w,
		   struct rib_router *rib_router)
{
	struct router *router = *rib_router_slot(rib_router);
	struct rib_time when = worker_now();
	struct log_position now;

	rib_resync(rib_router, &when);
	d->routers++;
	if (router == NULL)
		return;
	publisher_log_position(w->env->publisher, &now);
	snapshot_invalidate(&router->snapshot, &now);
}

static void resync_all(struct admin_command *d, struct worker *w)
{
	size_t left = SLICE;

	for (struct router *s = router_next(w, NULL); s != NULL;
	     s = router_next(w, s)) {
		resync(d, w, s->rib_router);
		if (--left == 0) {
			left = SLICE;
			/* Half of it would be worse than late. */
			worker_query_yield(&d->head); /* yields */
		}
	}
}

static enum admin_command_outcome act(struct admin_command *d, struct worker *w)
{
	struct rib_router *rib_router =
		d->has_router ? find_router(d, w) : NULL;

	if (!d->has_router) {
		resync_all(d, w);
		return ADMIN_COMMAND_DONE;
	}
	if (rib_router == NULL)
		return ADMIN_COMMAND_NO_ROUTER;
	if (d->kind == ADMIN_COMMAND_DISCONNECT)
		return disconnect(rib_router);
	if (d->kind == ADMIN_COMMAND_PURGE)
		return purge(d, rib_router);
	resync(d, w, rib_router);
	return ADMIN_COMMAND_DONE;
}

static int answer(struct worker_query *q, struct worker *w)
{
	struct admin_command *d = (struct admin_command *)q;

	d->outcome = act(d, w);
	worker_schedule_background(w);
	return 0;
}

static void drop(struct worker_query *q)
{
	admin_command_free((struct admin_command *)q);
}

struct admin_command *admin_command_new(enum admin_command_kind kind)
{
	struct admin_command *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->head.run = answer;
	d->head.free = drop;
	d->kind = kind;
	return d;
}

void admin_command_free(struct admin_command *d)
{
	free(d);
}
