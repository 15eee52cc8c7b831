/*
 * rib/input.h - a Route Monitoring, decoded for the rib
 *
 * The state of a peer says how its UPDATEs are decoded. So the caller of
 * rib_apply() looks up the peer, decodes with the context of the peer, and
 * passes both the peer and the result:
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
	const struct bmp_peer *header; /* Per-Peer Header of the message */
	/* options with which this UPDATE was decoded */
	struct bgp_decode_opts opts;
	struct bgp_update update;
};

#endif
