/*
 * rib/peer.h - a monitored peer, from Peer Up to Peer Down
 *
 * The states of a peer are in rib/peer_fsm.h. A Peer Up that equals the last
 * one is ignored. Any other Peer Up starts a new generation of all tables of
 * the peer. Exception: for a Loc-RIB that is already up, it starts a new
 * generation only of the new families. Peer Down and the end of the hold time
 * of stale routes withdraw all routes.
 *
 * A peer is identified by its type, distinguisher and address. Its AS and BGP
 * id may change. Then all routes of the peer are withdrawn, under the old AS,
 * before a route is announced under the new AS.
 */
#ifndef RIB_PEER_H
#define RIB_PEER_H

#include "rib/peer_fsm.h"
#include "rib/table_withdraw.h"

struct bmp_message;
struct bmp_peer;

/* The peer of @header, or NULL. */
struct rib_peer *rib_peer_find(struct rib_router *router,
			       const struct bmp_peer *header);

/*
 * Find the peer of @header, or create it with @policy (rib/policy.h). -ENOMEM,
 * or -ENOSPC if there are max_peers already.
 */
int rib_peer_get(struct rib_router *router, const struct bmp_peer *header,
		 const struct rib_policy_mask *policy, struct rib_peer **out);

/* Free the peer with its tables and routes, without withdraws. */
void rib_peer_free(struct rib_peer *peer);

/* Free the peer if it is LEAVING and has no withdraw to publish. */
void rib_peer_reap(struct rib_peer *peer);

/* Messages */

int rib_peer_up(struct rib_router *router, const struct rib_time *when,
		const struct bmp_message *msg,
		const struct rib_policy_mask *policy);
void rib_peer_down(struct rib_router *router, const struct rib_time *when,
		   const struct bmp_message *msg);

/*
 * Bring @peer up, because routes were received without a Peer Up. Unless @mode
 * is RIB_WITHDRAW_NOW, rib_router_subject_changing() may be true afterwards.
 */
void rib_peer_bring_up(struct rib_peer *peer, const struct rib_time *when,
		       const struct bmp_peer *header,
		       const struct rib_policy_mask *policy,
		       enum rib_withdraw_mode mode);

/* The session of the router is over: keep the routes of @peer as stale. */
void rib_peer_lose(struct rib_peer *peer, const struct rib_time *when);

/* Withdraw all routes of the peer. */
void rib_peer_withdraw_all(struct rib_peer *peer, const struct rib_time *when,
			   enum rib_reason reason, enum rib_withdraw_mode mode);

/*
 * Change the phase of the peer as rib/peer_fsm.h says, and update the counts of
 * the router and the rib.
 */
void rib_peer_event(struct rib_peer *peer, enum rib_peer_event event);

/*
 * Replace *@owned, a view that the peer owns, by a copy of @bytes. -ENOMEM:
 * unchanged.
 */
int rib_peer_keep(struct wire_view *owned, struct wire_view bytes);

#endif
