/*
 * rib/apply.h - apply BMP messages to the tables of their router
 */
#ifndef RIB_APPLY_H
#define RIB_APPLY_H

#include "rib/types.h"

struct bgp_overrides;
struct bmp_message;
struct bmp_peer;

/*
 * Apply one message for which bmp_status_usable() is true. Handles Route
 * Monitoring, Statistics, Peer Up and Peer Down; other types change nothing.
 * @over may be NULL.
 */
int rib_apply(struct rib_router *router, const struct rib_time *when,
	      const struct bmp_message *msg, const struct bgp_overrides *over);

/*
 * Apply several messages, with the same result as one after another. The memory
 * that Route Monitoring needs is prefetched for all of them before the first is
 * applied, so the cache misses overlap: for messages with one or two routes
 * they are most of the time. RIB_LOOKAHEAD messages at a time are best. Returns
 * how many could not be applied for lack of memory.
 */
size_t rib_apply_many(struct rib_router *router, const struct rib_time *when,
		      const struct bmp_message *msgs, size_t n,
		      const struct bgp_overrides *over);

/* True if nothing is left of @budget. */
bool rib_budget_spent(const struct rib *rib, const struct rib_budget *budget);

/*
 * As rib_apply_many(), but stop when @budget is spent, possibly within a
 * message: at least a few routes are applied, and at most some 256 KiB or one
 * route more than the budget. Returns how many messages were applied
 * completely. *@progress is zero for the first call and is passed to the next
 * one, which begins with the message that was interrupted. Between the calls
 * the rib may change, but no other message of the router may be applied, and
 * the session must stay open. *@failed counts messages without memory.
 *
 * It also returns early if rib_router_subject_changing() has become true.
 */
size_t rib_apply_some(struct rib_router *router, const struct rib_time *when,
		      const struct bmp_message *msgs, size_t n,
		      const struct bgp_overrides *over,
		      struct rib_budget *budget, struct rib_progress *progress,
		      uint64_t *failed);

/*
 * A Route Monitoring of this peer contained no readable UPDATE: the tables of
 * its view are suspect until their next generation.
 */
void rib_unreadable(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *peer);

/*
 * A Route Monitoring of this peer was dropped before it reached the rib: its
 * tables, also those created later, are unknown until their next generation.
 * Publishes UNKNOWN once.
 */
int rib_drop(struct rib_router *router, const struct rib_time *when,
	     const struct bmp_peer *peer);

#endif
