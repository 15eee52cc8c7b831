/*
 * bmp/community.h - communities as text
 *
 *	no-export
 *	rt:65000:1
 *	link-bandwidth:65000:125000000
 *	encapsulation:vxlan
 */
#ifndef BMP_COMMUNITY_H
#define BMP_COMMUNITY_H

#include "bmp/text.h"

/* The name of a well-known community (RFC 1997 and its registry), or NULL. */
const char *bgp_community_name(uint32_t community);

/*
 * The text of an extended community: its name, and its value by the layout of
 * its type. False, and nothing is written, if the registry has no such type.
 */
bool bgp_ext_community_text(struct text *t, const uint8_t community[8]);

/* A row of the table of extended community types. */
struct bgp_ext_community_row {
	uint8_t type_high;
	uint8_t type_low;
	uint8_t form;
	const char *name;
	const char *reference;
};

/*
 * Get row @i of that table, for generated documents and tests. False if @i is
 * beyond the last row.
 */
bool bgp_ext_community_row(size_t i, struct bgp_ext_community_row *out);

/*
 * The text of an IPv6 extended community, "rt:[2001:db8::1]:5". False, and
 * nothing is written, if the registry has no such type.
 */
bool bgp_ipv6_ext_community_text(struct text *t, const uint8_t community[20]);

/* A row of the table of IPv6 extended community types. */
struct bgp_ipv6_ext_community_row {
	uint16_t type;
	const char *name;
	const char *reference;
};

/* Get row @i of that table. False if @i is beyond the last row. */
bool bgp_ipv6_ext_community_row(size_t i,
				struct bgp_ipv6_ext_community_row *out);

#endif
