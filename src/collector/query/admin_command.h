/*
 * collector/query/admin_command.h - an operator's command to a worker, through
 * its query queue
 */
#ifndef COLLECTOR_QUERY_ADMIN_COMMAND_H
#define COLLECTOR_QUERY_ADMIN_COMMAND_H

#include "collector/query/query_param.h"
#include "collector/query/worker_query.h"

enum admin_command_kind {
	ADMIN_COMMAND_DISCONNECT, /* end the session of a router */
	/* withdraw the routes of a peer and remove the peer */
	ADMIN_COMMAND_PURGE,
	/* publish the tables of one router, or of all routers, again */
	ADMIN_COMMAND_RESYNC,
};

enum admin_command_outcome {
	ADMIN_COMMAND_DONE,
	ADMIN_COMMAND_NO_ROUTER,
	ADMIN_COMMAND_NO_PEER,
	ADMIN_COMMAND_NO_SESSION,
};

struct admin_command {
	struct worker_query head;
	enum admin_command_kind kind;
	/* RESYNC: not given = all routers. The other kinds need it. */
	struct query_router router;
	struct query_peer peer; /* peer for PURGE */
	enum admin_command_outcome outcome;
	/* number of routers to which the command was applied */
	uint32_t routers;
};

/*
 * The parameters of RESYNC, for query_param.h: members of struct admin_command.
 */
extern const struct query_param admin_command_resync_params[];

/* Make a command; NULL if out of memory. */
struct admin_command *admin_command_new(enum admin_command_kind kind);
void admin_command_free(struct admin_command *command);

#endif
