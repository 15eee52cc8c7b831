/*
 * rib/input.h - a Route Monitoring, decoded for the rib
 *
 * How an UPDATE is decoded is part of the state of its peer, so the caller of
 * rib_apply() takes the peer, decodes with its context, and passes both:
 *
 *	in->peer = rib_peer_lookup(router, &msg->peer);
 *	in->header = &msg->peer;
 *	in->opts = bgp_context_decode_opts(rib_peer_context(in->peer),
 *					   &msg->peer, overrides);
 *	bgp_update_decode(msg->update.body, &in->opts, &in->update);
 *
 *	done = rib_apply(router, &when, in, 1, budget, &progress);
 */
#ifndef RIB_INPUT_H
#define RIB_INPUT_H

#include "bmp/decode_context.h"
#include "bmp/update.h"

struct bmp_peer;
struct rib_peer;

struct rib_input {
	struct rib_peer *peer;
	const struct bmp_peer *header; /* of the message */
	struct bgp_decode_opts opts;   /* of this UPDATE */
	struct bgp_update update;
};

#endif
