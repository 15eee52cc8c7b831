/*
 * rib/policy_change.h - apply a changed policy to the tables of a peer
 */
#ifndef RIB_POLICY_CHANGE_H
#define RIB_POLICY_CHANGE_H

#include "rib/types.h"

/*
 * Called when the policy, or a property of the peer that it uses, has changed.
 */
void rib_policy_reevaluate(struct rib_peer *peer, const struct rib_time *when);

#endif
