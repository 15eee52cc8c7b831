/*
 * bmp/next_hop.h - the next hop of routes, from NEXT_HOP or MP_REACH_NLRI
 *
 * A header of its own, because the output layers need the struct but not the
 * decoder of UPDATE messages.
 */
#ifndef BMP_NEXT_HOP_H
#define BMP_NEXT_HOP_H

#include <stdbool.h>
#include <stdint.h>

struct bgp_next_hop {
	bool has_address;
	bool has_link_local;
	uint8_t address[16];	/* IPv4 mapped to IPv6 */
	uint8_t link_local[16]; /* RFC 2545 3 */
	uint64_t rd;		/* of VPN families; usually zero */
};

#endif
