/*
 * rib/session.h - BMP sessions of a router, and requests of an operator
 */
#ifndef RIB_SESSION_H
#define RIB_SESSION_H

#include "rib/types.h"

struct bmp_peer;

/* Sessions of BMP */

/*
 * Begin a session; publishes SESSION_OPEN. Call it before the first message of
 * the session is applied, but after its Initiation if there is one. @address
 * and @port are the source of the connection; @sys_name may be NULL.
 */
void rib_session_open(struct rib_router *router, const struct rib_time *when,
		      const uint8_t address[16], uint16_t port,
		      const char *sys_name);

/*
 * End the session: the peers of the router are stale from now on. Publishes
 * SESSION_CLOSE and, if there are routes to hold, STALE. @reason is the
 * collector's close reason.
 */
void rib_session_close(struct rib_router *router, const struct rib_time *when,
		       uint16_t reason, const char *text);

/*
 * Stop and restart the sweep timers. They are stopped while the collector does
 * not read the session, or has unread input of it. Both calls may be repeated.
 */
void rib_session_pause(struct rib_router *router, const struct rib_time *when);
void rib_session_resume(struct rib_router *router, const struct rib_time *when);

/*
 * Gaps in the sequence numbers of BMP version 4 show that the router did not
 * send @messages messages of this session.
 */
void rib_session_messages_lost(struct rib_router *router,
			       const struct rib_time *when, uint64_t messages);

/*
 * Another connection claimed to be this router and was refused; @text describes
 * it. Publishes CLASH and changes nothing.
 */
void rib_session_clash(struct rib_router *router, const struct rib_time *when,
		       uint16_t reason, const char *text);

/* Operators */

/*
 * Withdraw all routes of a peer (reason ADMIN), in slices. False if the peer
 * does not exist.
 */
bool rib_peer_purge(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *peer);

/*
 * Publish the tables of @router again, in slices, after a RESYNC event. Routes
 * with unknown attributes are not published: either their router announces
 * them, or they are swept. In presence mode they are published, without
 * attributes, because later announcements of them are suppressed.
 */
void rib_resync(struct rib_router *router, const struct rib_time *when);

/*
 * True while a resync is in progress. During that time consumers do not have
 * all routes of the rib, so a snapshot would be wrong.
 */
bool rib_router_resyncing(const struct rib_router *router);

#endif
