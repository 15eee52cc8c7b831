/*
 * collector/query/admin_command.h - what an operator wants a worker to do, through its desk
 */
#ifndef COLLECTOR_QUERY_ADMIN_COMMAND_H
#define COLLECTOR_QUERY_ADMIN_COMMAND_H

#include "collector/query/worker_query.h"
#include "collector/router/router_identity.h"

enum deed_kind {
	DEED_DISCONNECT, /* end the session of a router */
	DEED_PURGE,	 /* withdraw and forget the routes of a peer */
	DEED_RESYNC,	 /* publish the tables of a router, or of all, again */
};

enum deed_outcome {
	DEED_DONE,
	DEED_NO_ROUTER,
	DEED_NO_PEER,
	DEED_NO_SESSION,
};

struct deed {
	struct desk_question question;
	enum deed_kind kind;
	bool has_router; /* RESYNC: else all; the others need one */
	struct identity router;
	struct bmp_peer peer; /* PURGE */
	enum deed_outcome outcome;
	uint32_t routers; /* that it was done to */
};

/* NULL: no memory. */
struct deed *deed_new(enum deed_kind kind);
void deed_free(struct deed *d);

#endif
