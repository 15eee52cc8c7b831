/*
 * bmp/nlri_text.h - a route as one readable line
 *
 *	192.0.2.0/24
 *	rd 65000:1 192.0.2.0/24
 *	mac-ip rd 192.0.2.1:1 tag 0 mac 00:00:5e:00:53:01 ip 192.0.2.9
 *	flow dst 192.0.2.0/24 proto =6 dport >=80&<=90
 *	link-state node protocol 2 id 0 local-node(as 65000 router-id 0a000001)
 *	raw 0123abcd
 *
 * Only what identifies the route: an announcement and its withdrawal read the
 * same. The path id is not in it.
 */
#ifndef BMP_NLRI_TEXT_H
#define BMP_NLRI_TEXT_H

#include "bmp/nlri.h"
#include "bmp/text.h"

/*
 * Write the text and a terminator to @out. Returns its length, which is @cap
 * or more if it was cut.
 */
size_t bgp_nlri_text(const struct bgp_nlri *n, char *out, size_t cap);

#endif
