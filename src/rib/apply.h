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
 * Apply one message that bmp_status_usable() says can be used. Does Route
 * Monitoring, Statistics, Peer Up and Peer Down; the others change nothing
 * here. @over may be NULL.
 */
int rib_apply(struct rib_router *router, const struct rib_time *when,
	      const struct bmp_message *msg, const struct bgp_overrides *over);

/*
 * The same for several messages, exactly as if one after another. What Route
 * Monitoring will look at is asked for before the first is applied, so that
 * memory is waited for once for all of them: for messages with a route or two
 * that is most of the time. RIB_LOOKAHEAD at a time is best. Returns how many
 * could not be applied for want of memory.
 */
size_t rib_apply_many(struct rib_router *router, const struct rib_time *when,
		      const struct bmp_message *msgs, size_t n,
		      const struct bgp_overrides *over);

/* Whether nothing is left of @budget. */
bool rib_budget_spent(const struct rib *rib, const struct rib_budget *budget);

/*
 * The same as rib_apply_many() until @budget is spent, which may be in the
 * middle of a message: at least a few routes, and at most some 256 KiB or one
 * route more than the budget. Returns how many messages are applied whole;
 * *@progress, which is zero for the first call, belongs to the next one: call
 * again with that message in front. Between the calls anything may happen to
 * the rib, but no other message of the router may be applied, and the session
 * must stay open. *@failed counts messages without memory.
 *
 * It also returns early if rib_router_subject_changing() has become true.
 */
size_t rib_apply_some(struct rib_router *router, const struct rib_time *when,
		      const struct bmp_message *msgs, size_t n,
		      const struct bgp_overrides *over,
		      struct rib_budget *budget, struct rib_progress *progress,
		      uint64_t *failed);

/*
 * A Route Monitoring of this peer came in which no UPDATE could be found: the
 * tables of its view are suspect until their next generation.
 */
void rib_unreadable(struct rib_router *router, const struct rib_time *when,
		    const struct bmp_peer *peer);

/*
 * A Route Monitoring of this peer was dropped before it came here: its tables,
 * also those first heard of later, are unknown until their next generation.
 * Publishes UNKNOWN once.
 */
int rib_drop(struct rib_router *router, const struct rib_time *when,
	     const struct bmp_peer *peer);

#endif
