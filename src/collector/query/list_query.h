/*
 * collector/query/list_query.h - lists of routers and peers, as JSON, page by page
 *
 *	v = survey_new(SURVEY_PEERS);		what is asked for, then
 *	desk_ask(desk, &v->question)		v->out has the objects
 *
 * A page goes through one worker in the order in which routers and peers came
 * to it, from v->place on. It may end early because it took too long: v->more
 * says that there is more, and v->place where to go on. A place is numbers and
 * nothing else, so it can travel to a browser and back.
 */
#ifndef COLLECTOR_QUERY_LIST_QUERY_H
#define COLLECTOR_QUERY_LIST_QUERY_H

#include "collector/query/worker_query.h"
#include "collector/router/router_identity.h"
#include "collector/base/json.h"

struct rib_flow;
struct rib_peer;
struct rib_router;

#define SURVEY_FILTER_MAX 128

enum survey_kind {
	SURVEY_ROUTERS,
	SURVEY_PEERS,
};

enum survey_state {
	SURVEY_UP,
	SURVEY_IMPLIED, /* a peer with routes, but without a Peer Up */
	SURVEY_STALE,
	SURVEY_DOWN,
	SURVEY_STATES
};

/* Serial numbers, see rib/read.h: from this router on, behind this peer. */
struct survey_place {
	uint64_t router;
	uint64_t peer;
};

struct survey {
	struct desk_question question;
	enum survey_kind kind;
	bool whole; /* with the history */
	bool has_router;
	bool has_peer;
	uint8_t states; /* 1 << enum survey_state; 0: all */
	struct identity router;
	struct bmp_peer peer;
	char filter[SURVEY_FILTER_MAX + 1]; /* "": all */
	size_t limit;			    /* objects still wanted */
	struct survey_place place;
	struct json out; /* objects with commas between */
	size_t count;
	bool more;
};

/* NULL: no memory. */
struct survey *survey_new(enum survey_kind kind);
void survey_free(struct survey *v);

/* "up", "implied", ...; -EINVAL if it is none of them. */
const char *survey_state_name(enum survey_state state);
int survey_state_find(const char *name);

/* For the files of a survey */

/* Whether one of the texts has the filter in it, in any case of letters. */
bool survey_wants(const struct survey *v, const char *const *texts, size_t n);

bool survey_router(struct survey *v, struct worker *w,
		   struct rib_router *router);
bool survey_peer(struct survey *v, struct rib_router *router,
		 struct rib_peer *peer);

/* The token of a router, as in subjects. */
void survey_token(const struct rib_router *router,
		  char out[IDENTITY_TOKEN_MAX + 1]);

/* Members "received", "suppressed", "published", "synthetic". */
void survey_flow(struct json *j, const struct rib_flow *flow);

#endif
