/*
 * bmp/pdu.h - one BGP message: marker, length, type
 *
 *	0                 16       18     19
 *	+-----------------+--------+------+-----------
 *	| 16 times 0xff   | length | type | body ...		RFC 4271 4.1
 *	+-----------------+--------+------+-----------
 */
#ifndef BMP_PDU_H
#define BMP_PDU_H

#include "bmp/wire.h"

#define BGP_HEADER_LEN 19

enum bgp_pdu_type {
	BGP_PDU_OPEN = 1,
	BGP_PDU_UPDATE,
	BGP_PDU_NOTIFICATION,
	BGP_PDU_KEEPALIVE,
	BGP_PDU_ROUTE_REFRESH,
};

struct bgp_pdu {
	uint8_t type;		/* as sent */
	struct wire_view whole; /* header included */
	struct wire_view body;
};

/*
 * Take one message from @c. False, with @c unchanged, if the marker or the
 * length is invalid or bytes are missing.
 */
bool bgp_pdu_take(struct wire_cursor *c, struct bgp_pdu *out);

#endif
