/*
 * rib/notice.h - report problems with the messages of a peer to the operator
 */
#ifndef RIB_NOTICE_H
#define RIB_NOTICE_H

#include "rib/event.h"
#include "rib/types.h"

#include "bmp/family.h"

/*
 * Pass *@notice to the sink, unless the same cause was already reported for the
 * peer in this session. Sets the peer, @view and @family in it.
 */
void rib_notice(struct rib_peer *peer, uint8_t view, enum bgp_family family,
		struct rib_notice *notice);

#endif
