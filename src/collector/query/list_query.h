/*
 * collector/query/list_query.h - lists of routers and peers, as JSON, page by
 * page
 *
 *	list = list_query_new(LIST_QUERY_PEERS);	then set the parameters
 *	worker_query_run(queue, &query)			page.out has the objects
 *
 * The query visits the routers and peers of one worker in the order in which
 * they were created, from list->place on. If its time limit is reached, it ends
 * early: page.more is then set, and list->place is the position to continue
 * from. A position consists only of numbers, so it can be sent to a browser and
 * back.
 */
#ifndef COLLECTOR_QUERY_LIST_QUERY_H
#define COLLECTOR_QUERY_LIST_QUERY_H

#include "collector/query/page_query.h"
#include "collector/base/router_identity.h"

struct rib_flow;
struct rib_peer;
struct rib_router;

#define LIST_QUERY_FILTER_MAX 128

enum list_query_kind {
	LIST_QUERY_ROUTERS,
	LIST_QUERY_PEERS,
};

enum list_query_state {
	LIST_QUERY_UP,
	LIST_QUERY_IMPLIED, /* a peer with routes but without a Peer Up */
	LIST_QUERY_STALE,
	LIST_QUERY_DOWN,
	LIST_QUERY_STATES
};

/*
 * A position: serial numbers, see rib/read.h. The page starts at this router,
 * after this peer.
 */
struct list_query_place {
	uint64_t router;
	uint64_t peer;
};

struct list_query {
	struct page_query page; /* must be the first member */
	enum list_query_kind kind;
	bool whole;	/* include the event history */
	uint8_t states; /* bits 1 << enum list_query_state; 0 = all */
	/* text to search for; "" = no filter */
	char filter[LIST_QUERY_FILTER_MAX + 1];
	struct list_query_place place;
};

/* The parameters of a page, for query_param.h: members of struct list_query. */
extern const struct query_param list_query_router_params[];
extern const struct query_param list_query_peer_params[];

/* Make a query for a list; NULL if out of memory. */
struct list_query *list_query_new(enum list_query_kind kind);
void list_query_free(struct list_query *list);

/* The name of a state: "up", "implied", ... */
const char *list_query_state_name(enum list_query_state state);
int list_query_state_find(const char *name);

/* Shared by the files of list queries */

/* True if one of the texts contains the filter, ignoring case. */
bool list_query_wants(const struct list_query *list, const char *const *texts,
		      size_t n);

bool list_query_router(struct list_query *list, struct worker *w,
		       struct rib_router *router);
bool list_query_peer(struct list_query *list, struct rib_router *router,
		     struct rib_peer *peer);

/* The token of a router, as in subjects. */
void list_query_token(const struct rib_router *router,
		      char out[IDENTITY_TOKEN_MAX + 1]);

/* Write the members "received", "suppressed", "published", "synthetic". */
void list_query_flow(struct json *j, const struct rib_flow *flow);

#endif
