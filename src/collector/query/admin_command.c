#include "collector/query/admin_command.h"

#include "collector/collector_env.h"
#include "collector/ingest/session.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "egress/publisher/publisher.h"
#include "rib/rib.h"

#include <stdlib.h>

/* Number of routers between two yields. */
#define SLICE 16

const struct query_param admin_command_resync_params[] = {
	{ "router", offsetof(struct admin_command, router), query_parse_router,
	  .hint = QUERY_ROUTER_HINT },
	QUERY_PARAMS_END,
};

static struct rib_router *find_router(const struct admin_command *command,
				      struct worker *w)
{
	return rib_router_find(w->rib, &command->router.identity);
}

static enum admin_command_outcome router_disconnect(
	struct rib_router *rib_router)
{
	struct router *router = *rib_router_slot(rib_router);

	if (router == NULL || router->session == NULL)
		return ADMIN_COMMAND_NO_SESSION;
	session_stop(router->session, CLOSE_OPERATOR);
	return ADMIN_COMMAND_DONE;
}

static enum admin_command_outcome peer_purge(
	const struct admin_command *command, struct rib_router *rib_router)
{
	struct rib_time when = worker_now();

	return rib_peer_purge(rib_router, &when, &command->peer.peer)
		       ? ADMIN_COMMAND_DONE
		       : ADMIN_COMMAND_NO_PEER;
}

/*
 * Request a resync; the snapshot of the router is invalid from now on: see
 * snapshotter.h.
 */
static void router_resync(struct admin_command *command, struct worker *w,
			  struct rib_router *rib_router)
{
	struct router *router = *rib_router_slot(rib_router);
	struct rib_time when = worker_now();
	struct log_position now;

	rib_resync(rib_router, &when);
	command->routers++;
	if (router == NULL)
		return;
	publisher_log_position(w->env->publisher, &now);
	snapshot_invalidate(&router->snapshot, &now);
}

static void resync_all(struct admin_command *command, struct worker *w)
{
	size_t left = SLICE;

	for (struct router *router = router_next(w, NULL); router != NULL;
	     router = router_next(w, router)) {
		router_resync(command, w, router->rib_router);
		if (--left == 0) {
			left = SLICE;
			/*
			 * Complete the command, even if its deadline has
			 * passed.
			 */
			worker_query_yield(&command->head); /* yields */
		}
	}
}

static enum admin_command_outcome admin_command_execute(
	struct admin_command *command, struct worker *w)
{
	struct rib_router *rib_router =
		command->router.given ? find_router(command, w) : NULL;

	if (!command->router.given) {
		resync_all(command, w);
		return ADMIN_COMMAND_DONE;
	}
	if (rib_router == NULL)
		return ADMIN_COMMAND_NO_ROUTER;
	if (command->kind == ADMIN_COMMAND_DISCONNECT)
		return router_disconnect(rib_router);
	if (command->kind == ADMIN_COMMAND_PURGE)
		return peer_purge(command, rib_router);
	router_resync(command, w, rib_router);
	return ADMIN_COMMAND_DONE;
}

static int admin_command_run(struct worker_query *q, struct worker *w)
{
	struct admin_command *command = (struct admin_command *)q;

	command->outcome = admin_command_execute(command, w);
	worker_schedule_background(w);
	return 0;
}

static void admin_command_drop(struct worker_query *q)
{
	admin_command_free((struct admin_command *)q);
}

struct admin_command *admin_command_new(enum admin_command_kind kind)
{
	struct admin_command *command = calloc(1, sizeof(*command));

	if (command == NULL)
		return NULL;
	command->head.run = admin_command_run;
	command->head.free = admin_command_drop;
	command->kind = kind;
	return command;
}

void admin_command_free(struct admin_command *command)
{
	free(command);
}
