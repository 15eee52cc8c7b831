/*
 * collector/base/peer_id.h - the identifier of a peer in URLs
 *
 *	0-0-192.0.2.1		type, distinguisher in hex, address
 *	1-fde80000000a-2001:db8::1
 *	3-0-::			a Loc-RIB
 *
 * Each peer of a router has one identifier, which can be parsed back.
 */
#ifndef COLLECTOR_BASE_PEER_ID_H
#define COLLECTOR_BASE_PEER_ID_H

#include "bmp/peer.h"

#define PEER_ID_MAX 80

size_t peer_id_text(uint8_t type, uint64_t distinguisher,
		    const uint8_t address[16], char out[PEER_ID_MAX]);

/*
 * Set type, distinguisher and address from @text. -EINVAL if it is not an
 * identifier.
 */
int peer_id_parse(const char *text, struct bmp_peer *out);

#endif
