/*
 * collector/router/router.h - the place of a router at its shard
 *
 * One session at a time sits there. A new one of the same router takes the
 * place of the old: routers reboot without saying goodbye, and the old
 * connection may be dead for minutes before anybody notices. The old fiber has
 * ended before the new one starts, so the router's state is never in two hands.
 *
 * If the one that lost its place is back within a minute, though, it was not
 * dead: two routers share an identity and would throw each other out for ever.
 * Then the one that sits stays, and the other is refused until the minute is
 * over.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_ROUTER_ROUTER_H
#define COLLECTOR_ROUTER_ROUTER_H

#include "collector/config/router_section.h"
#include "collector/ingest/close_reason.h"
#include "collector/checkpoint/snapshotter.h"
#include "collector/base/log.h"
#include "collector/router/session_stats.h"
#include "rib/rib.h"

#include <spargio/sync.h>

struct session;

/* How soon a comeback means that there are two. */
#define SEAT_TWIN_NS (60 * INT64_C(1000000000))

/* Between looks for seats that nobody needs. */
#define SEAT_LOOK_NS INT64_C(1000000000)

/* Lines about sessions of one router: at once, and then each second. */
#define SEAT_LINES_BURST 20
#define SEAT_LINES_RATE	 1

/* How long the last bytes of a connection the router closed may take. */
#define SEAT_DRAIN_NS (10 * INT64_C(1000000000))

struct seat {
	struct seat *next, **link; /* of all seats of the worker */
	struct rib_router *router;
	struct session *session; /* NULL: free */
	uint32_t users;		 /* sessions, and who must find it again */
	int64_t left;		 /* when the last session did: sp_now() */
	int64_t taken_over; /* when the last one was thrown out; 0: never */
	/*
	 * Consumers may hold what nobody here knows of: tell them to forget it.
	 * Of a router that is new here, and of one that could not be restored.
	 */
	bool resync;
	/* What holds for the router; points into the worker's configuration. */
	struct config_router_settings settings;
	struct keep keep;
	struct router_note note;
	struct log_bucket lines; /* about its sessions */
	struct sp_mutex lock;
	struct sp_cond freed;
};

/* What a router has by way of a seat, made if it is the first time. */
struct worker;
struct seat *seat_of(struct worker *w, const struct rib_identity *id);
void seat_free(struct seat *seat);

/*
 * It stays, and so does its place among the others, until seat_put(). Anybody
 * can connect: who never sent a message that could be read is forgotten with
 * the last user.
 */
void seat_get(struct seat *seat);
void seat_put(struct worker *w, struct seat *seat); /* NULL is fine */

/*
 * The seats of @w one after the other, by who yields in between: the next one
 * stays, until the call after it. @seat is the one before; NULL: begin. Who
 * does not go on to the end puts the last one back.
 */
struct seat *seat_next(struct worker *w, struct seat *seat);

/*
 * Its router never had a route: then there is nothing to remember, here or in
 * a snapshot.
 */
bool seat_blank(const struct seat *seat);

/*
 * Forget the routers of @w that have nothing to remember and have been away
 * for @hold. Returns when to look again; SP_NEVER: there is none to look at.
 */
int64_t seat_expire(struct worker *w, int64_t hold);

/*
 * Sit down. ENDING_NONE: the seat is yours until seat_leave(). Else why not.
 * Yields while the old session ends.
 */
enum ending seat_take(struct seat *seat, struct session *session);
void seat_leave(struct seat *seat, struct session *session);

/*
 * Have @config hold for the router: its limits and filters. For the one who
 * sits, and at a reload. Changes what is published, in slices.
 */
void seat_configure(struct seat *seat, const struct config *config,
		    const struct rib_when *when);

#endif
