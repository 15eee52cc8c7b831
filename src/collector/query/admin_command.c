#include "collector/query/admin_command.h"

#include "collector/collector.h"
#include "collector/worker.h"
#include "egress/publisher/publisher.h"

#include <stdlib.h>
#include <string.h>

/* Routers between two rests. */
#define SLICE 16

static struct rib_router *find_router(const struct deed *d, struct worker *w)
{
	struct rib_identity id = { .name = NULL };

	memcpy(id.address, d->router.address, 16);
	if (identity_named(&d->router))
		id.name = d->router.name;
	return rib_router_find(w->rib, &id);
}

static enum deed_outcome disconnect(struct rib_router *router)
{
	struct seat *seat = *rib_router_slot(router);

	if (seat == NULL || seat->session == NULL)
		return DEED_NO_SESSION;
	session_stop(seat->session, ENDING_ADMIN);
	return DEED_DONE;
}

static enum deed_outcome purge(const struct deed *d, struct rib_router *router)
{
	struct rib_when when = worker_now();

	return rib_peer_purge(router, &when, &d->peer) ? DEED_DONE
						       : DEED_NO_PEER;
}

/* Its file does not count from here on: see snapshotter.h. */
static void resync(struct deed *d, struct worker *w, struct rib_router *router)
{
	struct seat *seat = *rib_router_slot(router);
	struct rib_when when = worker_now();
	struct egress_mark now;

	rib_resync(router, &when);
	d->routers++;
	if (seat == NULL)
		return;
	publisher_mark(collector_publisher(w->collector), &now);
	keep_unfile(&seat->keep, &now);
}

static void resync_all(struct deed *d, struct worker *w)
{
	size_t left = SLICE;

	for (struct seat *s = seat_next(w, NULL); s != NULL;
	     s = seat_next(w, s)) {
		resync(d, w, s->router);
		if (--left == 0) {
			left = SLICE;
			/* Half of it would be worse than late. */
			desk_rest(&d->question); /* yields */
		}
	}
}

static enum deed_outcome act(struct deed *d, struct worker *w)
{
	struct rib_router *router = d->has_router ? find_router(d, w) : NULL;

	if (!d->has_router) {
		resync_all(d, w);
		return DEED_DONE;
	}
	if (router == NULL)
		return DEED_NO_ROUTER;
	if (d->kind == DEED_DISCONNECT)
		return disconnect(router);
	if (d->kind == DEED_PURGE)
		return purge(d, router);
	resync(d, w, router);
	return DEED_DONE;
}

static int answer(struct desk_question *q, struct worker *w)
{
	struct deed *d = (struct deed *)q;

	d->outcome = act(d, w);
	worker_poke(w);
	return 0;
}

static void drop(struct desk_question *q)
{
	deed_free((struct deed *)q);
}

struct deed *deed_new(enum deed_kind kind)
{
	struct deed *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->question.answer = answer;
	d->question.drop = drop;
	d->kind = kind;
	return d;
}

void deed_free(struct deed *d)
{
	free(d);
}
