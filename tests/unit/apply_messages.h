/*
 * tests/unit/apply_messages.h - decode and apply BMP messages, as
 * collector/ingest/session_messages.c does
 *
 * For tests, fuzz targets and benches that have a rib and no session.
 */
#ifndef TESTS_APPLY_MESSAGES_H
#define TESTS_APPLY_MESSAGES_H

#include "rib/apply.h"
#include "rib/input.h"
#include "rib/rib.h"

#include "bmp/message.h"

#include <errno.h>

/* Decode the UPDATE of @msg with the context of in->peer. */
static inline void decode_input(const struct bmp_message *msg,
				const struct bgp_overrides *over,
				struct rib_input *in)
{
	in->header = &msg->peer;
	in->opts = bgp_context_decode_opts(rib_peer_context(in->peer),
					   &msg->peer, over);
	bgp_update_decode(msg->update.body, &in->opts, &in->update);
}

/* Decode as many Route Monitoring of peers that are up as stand in front. */
static inline size_t decode_inputs(struct rib_router *router,
				   const struct bmp_message *msgs, size_t n,
				   const struct bgp_overrides *over,
				   struct rib_input *inputs)
{
	size_t i = 0;

	for (; i < n && i < RIB_LOOKAHEAD; i++) {
		if (msgs[i].type != BMP_ROUTE_MONITORING)
			break;
		inputs[i].peer = rib_peer_lookup(router, &msgs[i].peer);
		if (inputs[i].peer == NULL)
			break;
		decode_input(&msgs[i], over, &inputs[i]);
	}
	return i;
}

/*
 * What stands in front of an UPDATE: another message, or the start of its peer.
 * Returns 1 if the message is done, 0 if it is to be decoded now, or an error.
 */
static inline int apply_front(struct rib_router *router,
			      const struct rib_time *when,
			      const struct bmp_message *msg,
			      const struct rib_policy_mask *policy,
			      bool can_wait)
{
	struct rib_peer *peer;
	int err;

	if (msg->type != BMP_ROUTE_MONITORING) {
		err = rib_apply_other(router, when, msg, policy);
		return err < 0 ? err : 1;
	}
	err = rib_peer_imply(router, when, &msg->peer, policy, can_wait, &peer);
	if (err < 0)
		return err == -ENOSPC ? 1 : err;
	return can_wait && rib_router_subject_changing(router) ? -EAGAIN : 0;
}

/*
 * Apply messages until @budget, if there is one, is spent, or a peer has to
 * move first. Returns how many are done; *@failed counts those without memory.
 * @policy is that of peers that they bring up (rib/policy.h).
 */
static inline size_t apply_some_messages(
	struct rib_router *router, const struct rib_time *when,
	const struct bmp_message *msgs, size_t n,
	const struct bgp_overrides *over, struct rib_budget *budget,
	struct rib_progress *progress, uint64_t *failed,
	const struct rib_policy_mask *policy)
{
	struct rib_input *inputs = rib_inputs(router);
	size_t done = 0;

	while (done < n) {
		size_t count = decode_inputs(router, msgs + done, n - done,
					     over, inputs);
		int front;

		if (count > 0) {
			done += rib_apply(router, when, inputs, count, budget,
					  progress);
			if (budget != NULL && rib_budget_spent(router, budget))
				break;
			continue;
		}
		front = apply_front(router, when, &msgs[done], policy,
				    budget != NULL);
		if (front == -EAGAIN)
			break;
		*failed += front < 0;
		done += front != 0;
	}
	return done;
}

/* Apply all of them; returns how many could not be for lack of memory. */
static inline size_t apply_messages(struct rib_router *router,
				    const struct rib_time *when,
				    const struct bmp_message *msgs, size_t n,
				    const struct bgp_overrides *over)
{
	uint64_t failed = 0;

	(void)apply_some_messages(router, when, msgs, n, over, NULL, NULL,
				  &failed, NULL);
	return failed;
}

/* Apply one. 0 or -ENOMEM. */
static inline int apply_message(struct rib_router *router,
				const struct rib_time *when,
				const struct bmp_message *msg,
				const struct bgp_overrides *over)
{
	return apply_messages(router, when, msg, 1, over) == 0 ? 0 : -ENOMEM;
}

#endif
