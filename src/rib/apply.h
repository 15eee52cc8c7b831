/*
 * rib/apply.h - apply BMP messages to the tables of their router
 *
 * The rib does not decode UPDATEs. The caller decodes them, with the context of
 * their peer, and passes the results (rib/input.h): several UPDATEs are decoded
 * first and then applied together.
 */
#ifndef RIB_APPLY_H
#define RIB_APPLY_H

#include "rib/types.h"

struct bgp_context;
struct bmp_message;
struct bmp_peer;
struct rib_input;

/* The peer of @header if the peer is up, else NULL. */
struct rib_peer *rib_peer_lookup(struct rib_router *router,
				 const struct bmp_peer *header);

/*
 * Bring up a peer that is not up, because a Route Monitoring of it was
 * received. This is done as by a Peer Up, with @policy (rib/policy.h). -ENOSPC
 * if there are too many peers; -ENOMEM. If the peer had another AS or BGP
 * identifier before, its old routes are withdrawn: in slices if @can_wait, and
 * then rib_router_subject_changing() may be true.
 */
int rib_peer_imply(struct rib_router *router, const struct rib_time *when,
		   const struct bmp_peer *header,
		   const struct rib_policy_mask *policy, bool can_wait,
		   struct rib_peer **out);

/* The context of the peer for decoding. Valid as long as the peer. */
const struct bgp_context *rib_peer_context(const struct rib_peer *peer);

/*
 * An array of RIB_LOOKAHEAD inputs for the caller, so that each caller need not
 * have one. The rib itself does not use it.
 */
struct rib_input *rib_inputs(struct rib_router *router);

/*
 * Apply @n inputs, at most RIB_LOOKAHEAD. The result is the same as if they
 * were applied one by one. The memory that they need is prefetched for all of
 * them before the first is applied, so that the cache misses overlap: UPDATEs
 * with one or two routes spend most of their time in cache misses. Between the
 * decoding of the inputs and this call, no other function of the rib may be
 * called.
 *
 * Returns the number of inputs that were applied completely. It is less than @n
 * in two cases.
 *
 * (1) rib_budget_spent() is true: the call stopped, possibly in the middle of
 * an UPDATE. It has applied at least a few routes, and at most some 256 KiB or
 * one route more than the budget. *@progress is zero for the first call and is
 * passed to the next one, which begins with the message that was interrupted.
 * Between the calls the rib may change, but no other message of the router may
 * be applied, and the session must stay open.
 *
 * (2) Otherwise: an input has shown that messages of its peer must be decoded
 * in another way (rib/add_path.h). Decode the remaining inputs again.
 *
 * If @budget is NULL, there is no limit, and @progress may be NULL, too.
 */
size_t rib_apply(struct rib_router *router, const struct rib_time *when,
		 const struct rib_input *inputs, size_t n,
		 struct rib_budget *budget, struct rib_progress *progress);

/*
 * The maximum number of routes that rib_apply() may add for these inputs; also
 * counts routes that exist already. UINT64_MAX if it is not known. For
 * rib_allow().
 */
uint64_t rib_apply_bound(const struct rib_input *inputs, size_t n);

/* True if @budget is used up. */
bool rib_budget_spent(const struct rib_router *router,
		      const struct rib_budget *budget);

/*
 * Apply a message other than Route Monitoring, for which bmp_status_usable() is
 * true: Peer Up (which needs @policy), Peer Down or Statistics. Messages of
 * other types change nothing.
 */
int rib_apply_other(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_message *msg,
		    const struct rib_policy_mask *policy);

/*
 * Note that a Route Monitoring of this peer contained no UPDATE that can be
 * parsed: the tables of its view are suspect until their next generation.
 */
void rib_unreadable(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *peer);

/*
 * Note that a Route Monitoring of @peer, which is up, was dropped before it
 * reached the rib: the tables of the peer, also those created later, are
 * unknown until their next generation. Publishes the event UNKNOWN once.
 */
void rib_drop(struct rib_peer *peer, const struct rib_time *when,
	      const struct bmp_peer *header);

#endif
