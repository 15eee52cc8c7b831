/*
 * rib/apply.h - apply BMP messages to the tables of their router
 *
 * The rib decodes no UPDATE: the caller does, with the context of its peer, and
 * passes the result (rib/input.h). Several are decoded, then applied together.
 */
#ifndef RIB_APPLY_H
#define RIB_APPLY_H

#include "rib/types.h"

struct bgp_context;
struct bmp_message;
struct bmp_peer;
struct rib_input;

/* The peer of a header if it is up, else NULL. */
struct rib_peer *rib_peer_lookup(struct rib_router *router,
				 const struct bmp_peer *header);

/*
 * A Route Monitoring came from a peer that is not up: bring it up as if by a
 * Peer Up, with @policy (rib/policy.h). -ENOSPC: it is refused, there are too many peers; -ENOMEM. What the
 * peer had under another AS or BGP identifier is withdrawn: in slices if
 * @can_wait, and rib_router_subject_changing() may be true then.
 */
int rib_peer_imply(struct rib_router *router, const struct rib_time *when,
		   const struct bmp_peer *header,
		   const struct rib_policy_mask *policy, bool can_wait,
		   struct rib_peer **out);

/* What is known of the peer for decoding. Valid as long as the peer. */
const struct bgp_context *rib_peer_context(const struct rib_peer *peer);

/*
 * Space for RIB_LOOKAHEAD inputs, so that callers need not have their own. It
 * is not used by the rib itself.
 */
struct rib_input *rib_inputs(struct rib_router *router);

/*
 * Apply @n inputs, at most RIB_LOOKAHEAD, with the same result as one after
 * another. The memory that they need is prefetched for all of them before the
 * first is applied, so the cache misses overlap: for UPDATEs with one or two
 * routes they are most of the time. No other function of the rib may be called
 * between decoding and this one.
 *
 * Returns how many were applied completely: fewer than @n if
 *
 *	rib_budget_spent(): possibly within an UPDATE. At least a few routes are
 *	applied, and at most some 256 KiB or one route more than the budget.
 *	*@progress is zero for the first call and is passed to the next one,
 *	which begins with the message that was interrupted. Between the calls
 *	the rib may change, but no other message of the router may be applied,
 *	and the session must stay open.
 *
 *	else: one of them has shown that its peer's messages must be decoded
 *	otherwise (rib/add_path.h). Decode the rest again.
 *
 * Without @budget, which then needs no @progress, there is no limit.
 */
size_t rib_apply(struct rib_router *router, const struct rib_time *when,
		 const struct rib_input *inputs, size_t n,
		 struct rib_budget *budget, struct rib_progress *progress);

/*
 * Routes that rib_apply() may add for these inputs, at most: more than they are
 * if they are known. UINT64_MAX if it is not known. For rib_allow().
 */
uint64_t rib_apply_bound(const struct rib_input *inputs, size_t n);

/* True if nothing is left of @budget. */
bool rib_budget_spent(const struct rib_router *router,
		      const struct rib_budget *budget);

/*
 * Apply a message for which bmp_status_usable() is true and that is no Route
 * Monitoring: Peer Up, for which @policy is needed, Peer Down and Statistics;
 * others change nothing.
 */
int rib_apply_other(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_message *msg,
		    const struct rib_policy_mask *policy);

/*
 * A Route Monitoring of this peer contained no readable UPDATE: the tables of
 * its view are suspect until their next generation.
 */
void rib_unreadable(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *peer);

/*
 * A Route Monitoring of @peer, which is up, was dropped before it reached the
 * rib: its tables, also those created later, are unknown until their next
 * generation. Publishes UNKNOWN once.
 */
void rib_drop(struct rib_peer *peer, const struct rib_time *when,
	      const struct bmp_peer *header);

#endif
