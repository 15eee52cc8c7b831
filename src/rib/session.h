/*
 * rib/session.h - BMP sessions of a router, and requests of an operator
 */
#ifndef RIB_SESSION_H
#define RIB_SESSION_H

#include "rib/types.h"

struct bmp_peer;

/* Sessions of BMP */

/*
 * A session begins; publishes SESSION_OPEN. Call it before the first message of
 * the session, after its Initiation if there is one. @address and @port are its
 * source; @sys_name may be NULL.
 */
void rib_session_open(struct rib_router *router, const struct rib_time *when,
		      const uint8_t address[16], uint16_t port,
		      const char *sys_name);

/*
 * The session has ended: its peers are stale from now on. Publishes
 * SESSION_CLOSE and, if there are routes to hold, STALE. @reason is the
 * collector's close reason.
 */
void rib_session_close(struct rib_router *router, const struct rib_time *when,
		       uint16_t reason, const char *text);

/*
 * Sweep timers are stopped between pause and resume: while the session is not
 * read, or has unread input. Both may be repeated.
 */
void rib_session_pause(struct rib_router *router, const struct rib_time *when);
void rib_session_resume(struct rib_router *router, const struct rib_time *when);

/*
 * Gaps in the numbers of BMP version 4 say that the router did not send
 * @messages of this session.
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
 * Withdraw all routes of a peer (reason ADMIN), in slices. False if there is no
 * such peer.
 */
bool rib_peer_purge(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *peer);

/*
 * Publish the tables of @router again, in slices, after a RESYNC event. Routes
 * with unknown attributes are left out: their router will announce them or they
 * will be swept. In presence mode, where announcements of present routes are
 * suppressed, they are published without attributes.
 */
void rib_resync(struct rib_router *router, const struct rib_time *when);

/*
 * True while a resync is in progress. Until it ends consumers do not have all
 * routes of the rib, so a snapshot would be wrong.
 */
bool rib_router_resyncing(const struct rib_router *router);

#endif
