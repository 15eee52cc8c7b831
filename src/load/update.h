/*
 * load/update.h - Route Monitoring messages from prepared parts
 *
 *	headers of the peer | attributes of the set | prefixes of the block
 *
 * The parts are copied; only lengths, the peer's AS and its next hop are
 * written into them. Each function returns the length of the message in @buf,
 * which has LOAD_MESSAGE_MAX bytes.
 */
#ifndef LOAD_UPDATE_H
#define LOAD_UPDATE_H

#include "load/peer.h"

/* The routes of one UPDATE. */
struct load_routes {
	enum load_half_id half;
	const uint64_t *nlri;
	uint32_t count;
};

/*
 * Announce the routes with set number @set of @sets, the sets of the routes'
 * half.
 */
size_t load_update_announce(const struct load_peer *peer,
			    const struct load_routes *routes,
			    const struct load_sets *sets, uint32_t set,
			    uint8_t *buf);

size_t load_update_withdraw(const struct load_peer *peer,
			    const struct load_routes *routes, uint8_t *buf);

#endif
