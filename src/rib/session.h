/*
 * rib/session.h - BMP sessions of a router, and requests of an operator
 */
#ifndef RIB_SESSION_H
#define RIB_SESSION_H

#include "rib/types.h"

struct bmp_peer;

/* Sessions of BMP */

/*
 * A session begins; publishes SESSION_OPEN. Call it before the first message
 * of the session, once its Initiation is known if there is one.
 * @address and @port are where it comes from, @sys_name may be NULL.
 */
void rib_session_open(struct rib_router *router, const struct rib_time *when,
		      const uint8_t address[16], uint16_t port,
		      const char *sys_name);

/*
 * It is over: its peers are stale from now. Publishes SESSION_CLOSE and, if
 * there are routes to hold, STALE. @reason is the collector's own number.
 */
void rib_session_close(struct rib_router *router, const struct rib_time *when,
		       uint16_t reason, const char *text);

/*
 * The clocks of sweeps stand still from pause to resume: while the session is
 * not read, or has input that was not. Both may be repeated.
 */
void rib_session_pause(struct rib_router *router, const struct rib_time *when);
void rib_session_resume(struct rib_router *router, const struct rib_time *when);

/*
 * Another connection claims to be this router and was refused; @text says
 * which. Publishes CLASH and changes nothing.
 */
void rib_session_clash(struct rib_router *router, const struct rib_time *when,
		       uint16_t reason, const char *text);

/* Operators */

/* Withdraw all of a peer (reason ADMIN), in slices. False: no such peer. */
bool rib_peer_purge(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *peer);

/*
 * Publish the tables of @router again, in slices, behind a RESYNC event.
 * Routes whose attributes are unknown are left out: their router will
 * announce them or they will be swept. In presence mode, where an announcement
 * of what is present is suppressed, they are published without attributes.
 */
void rib_resync(struct rib_router *router, const struct rib_time *when);

/*
 * Whether some of that is still to come. Until then consumers do not have
 * what the rib has, and a snapshot would promise that they do.
 */
bool rib_router_resyncing(const struct rib_router *router);

#endif
