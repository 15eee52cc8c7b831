/*
 * rib/peer.h - a monitored peer, from Peer Up to Peer Down
 *
 * Its states are those of rib/peer_fsm.h. A Peer Up that equals the last one
 * is ignored. Any other Peer Up starts a new generation of all tables, or of
 * the new families only if the peer is a Loc-RIB that is already up. Peer Down
 * and the end of the hold withdraw all routes.
 *
 * A peer is its type, distinguisher and address. Its AS and BGP id are not what
 * it is but where its routes are published: when they change, what is there is
 * first withdrawn where it was.
 */
#ifndef RIB_PEER_H
#define RIB_PEER_H

#include "rib/peer_fsm.h"
#include "rib/table_withdraw.h"

struct bmp_message;
struct bmp_peer;

/* The peer of a header, or NULL. */
struct rib_peer *rib_peer_find(struct rib_router *router,
			       const struct bmp_peer *header);

/*
 * Find or make it, with @policy (rib/policy.h). -ENOMEM, or -ENOSPC beyond
 * max_peers.
 */
int rib_peer_get(struct rib_router *router, const struct bmp_peer *header,
		 const struct rib_policy_mask *policy, struct rib_peer **out);

/* All of it goes, without a word. */
void rib_peer_free(struct rib_peer *peer);

/* Free it, if it is to be forgotten and nothing is left to publish. */
void rib_peer_reap(struct rib_peer *peer);

/* Messages */

int rib_peer_up(struct rib_router *router, const struct rib_time *when,
		const struct bmp_message *msg,
		const struct rib_policy_mask *policy);
void rib_peer_down(struct rib_router *router, const struct rib_time *when,
		   const struct bmp_message *msg);

/*
 * Routes came without a Peer Up. Unless @mode is RIB_WITHDRAW_NOW,
 * rib_router_subject_changing() may be true afterwards.
 */
void rib_peer_bring_up(struct rib_peer *peer, const struct rib_time *when,
		       const struct bmp_peer *header,
		       const struct rib_policy_mask *policy,
		       enum rib_withdraw_mode mode);

/* The session is over. */
void rib_peer_lose(struct rib_peer *peer, const struct rib_time *when);

/* Nothing says any longer that it is there: take all of it back. */
void rib_peer_withdraw_all(struct rib_peer *peer, const struct rib_time *when,
			   enum rib_reason reason, enum rib_withdraw_mode mode);

/* Step to the next state, and count it in the router and the rib. */
void rib_peer_event(struct rib_peer *peer, enum rib_peer_event event);

/* Replace a view that the peer owns by a copy. -ENOMEM: it stays. */
int rib_peer_keep(struct wire_view *owned, struct wire_view bytes);

#endif
