#include "rib/peer.h"

#include <assert.h>

#define DOWN  RIB_PEER_DOWN
#define SYNC  RIB_PEER_SYNCING
#define LIVE  RIB_PEER_LIVE
#define STALE RIB_PEER_STALE

/* Every pair has a row; tests/unit/test_rib_peer.c fails on a hole. */
/* clang-format off */
static const struct rib_peer_step steps[RIB_PEER_STATES][RIB_PEER_EVENTS] = {
	[DOWN] = {
		[RIB_EV_PEER_UP]	= { SYNC,  RIB_DUTY_NEW_GENERATION },
		[RIB_EV_END_OF_RIB]	= { DOWN,  RIB_DUTY_REFUSE },
		[RIB_EV_PEER_DOWN]	= { DOWN,  RIB_DUTY_REFUSE },
		[RIB_EV_SESSION_LOST]	= { DOWN,  RIB_DUTY_NONE },
		[RIB_EV_GRACE_OVER]	= { DOWN,  RIB_DUTY_NONE },
	},
	[SYNC] = {
		/* A second Peer Up without a Peer Down restarts the dump. */
		[RIB_EV_PEER_UP]	= { SYNC,  RIB_DUTY_NEW_GENERATION },
		[RIB_EV_END_OF_RIB]	= { LIVE,  RIB_DUTY_SWEEP },
		[RIB_EV_PEER_DOWN]	= { DOWN,  RIB_DUTY_WITHDRAW_ALL },
		[RIB_EV_SESSION_LOST]	= { STALE, RIB_DUTY_START_GRACE },
		[RIB_EV_GRACE_OVER]	= { SYNC,  RIB_DUTY_NONE },
	},
	[LIVE] = {
		[RIB_EV_PEER_UP]	= { SYNC,  RIB_DUTY_NEW_GENERATION },
		/* Sent again after a route refresh: already swept. */
		[RIB_EV_END_OF_RIB]	= { LIVE,  RIB_DUTY_NONE },
		[RIB_EV_PEER_DOWN]	= { DOWN,  RIB_DUTY_WITHDRAW_ALL },
		[RIB_EV_SESSION_LOST]	= { STALE, RIB_DUTY_START_GRACE },
		[RIB_EV_GRACE_OVER]	= { LIVE,  RIB_DUTY_NONE },
	},
	[STALE] = {
		[RIB_EV_PEER_UP]	= { SYNC,  RIB_DUTY_NEW_GENERATION },
		[RIB_EV_END_OF_RIB]	= { STALE, RIB_DUTY_REFUSE },
		[RIB_EV_PEER_DOWN]	= { DOWN,  RIB_DUTY_WITHDRAW_ALL },
		[RIB_EV_SESSION_LOST]	= { STALE, RIB_DUTY_NONE },
		[RIB_EV_GRACE_OVER]	= { DOWN,  RIB_DUTY_WITHDRAW_ALL },
	},
};
/* clang-format on */

struct rib_peer_step rib_peer_step(enum rib_peer_state state,
				   enum rib_peer_event event)
{
	assert(state < RIB_PEER_STATES && event < RIB_PEER_EVENTS);
	return steps[state][event];
}
