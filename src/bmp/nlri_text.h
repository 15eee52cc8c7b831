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
 * The text has only the fields that identify the route, without the path id, so
 * that the texts of an announcement and its withdrawal are equal.
 */
#ifndef BMP_NLRI_TEXT_H
#define BMP_NLRI_TEXT_H

#include "bmp/nlri.h"
#include "bmp/text.h"

/*
 * Write the text and a NUL to @out. Returns the length of the whole text; it is
 * @cap or more if the text was truncated.
 */
size_t bgp_nlri_text(const struct bgp_nlri *n, char *out, size_t cap);

#endif
