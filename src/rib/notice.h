/*
 * rib/notice.h - tell the operator what is wrong with the messages of a peer
 */
#ifndef RIB_NOTICE_H
#define RIB_NOTICE_H

#include "rib/event.h"
#include "rib/types.h"

#include "bmp/family.h"

/*
 * Hand *@notice to the sink, unless its cause was reported of the peer in this
 * session. The peer is filled in, and @view and @family.
 */
void rib_notice(struct rib_peer *peer, uint8_t view, enum bgp_family family,
		struct rib_notice *notice);

#endif
