/*
 * bmp/peer.h - the per-peer header: the peer and the RIB of a message
 *
 *	0      1      2             10            26     30     34        42
 *	+------+------+-------------+-------------+------+------+---------+
 *	| type | flags| distinguish.| address	  |  AS  |BGP id| s, us   |
 *	+------+------+-------------+-------------+------+------+---------+
 *
 * RFC 7854 4.2. The meaning of a flag depends on the type: 0x80 means IPv6 for
 * types 0 to 2, but "filtered" for the Loc-RIB (RFC 9069 4.2), whose address is
 * always zero. The struct has a view and one form of address for all types.
 */
#ifndef BMP_PEER_H
#define BMP_PEER_H

#include "bmp/wire.h"

#define BMP_PEER_HEADER_LEN 42

enum bmp_peer_type {
	BMP_PEER_GLOBAL,
	BMP_PEER_RD,
	BMP_PEER_LOCAL,
	BMP_PEER_LOC_RIB,
	BMP_PEER_TYPES
};

/* The RIB of the peer that has the route. */
enum bmp_view {
	BMP_VIEW_IN_PRE, /* Adj-RIB-In, before policy */
	BMP_VIEW_IN_POST,
	BMP_VIEW_OUT_PRE, /* Adj-RIB-Out, RFC 8671 */
	BMP_VIEW_OUT_POST,
	BMP_VIEW_LOC_RIB,
	BMP_VIEWS
};

struct bmp_peer {
	uint8_t type;	  /* enum bmp_peer_type, or an unknown number */
	uint8_t flags;	  /* as sent */
	uint8_t view;	  /* enum bmp_view */
	bool ipv6;	  /* addresses of the BGP session are IPv6 */
	bool two_byte_as; /* the A flag; never set for Loc-RIB */
	bool filtered;	  /* the F flag; Loc-RIB only */
	uint32_t as;
	uint32_t bgp_id;
	uint64_t distinguisher;
	uint64_t time_ns;    /* since 1970; 0 = not in the header */
	uint8_t address[16]; /* IPv4 mapped to IPv6; Loc-RIB: zero */
};

/* Take the header from @c. False, with @c unchanged, if bytes are missing. */
bool bmp_peer_decode(struct wire_cursor *c, struct bmp_peer *out);

/*
 * Convert the 16-byte address field of a BMP header to the internal form: IPv6
 * as it is, IPv4 (in the last four bytes of @wire) mapped to IPv6.
 */
void bmp_peer_address(const uint8_t *wire, bool ipv6, uint8_t out[16]);

#endif
