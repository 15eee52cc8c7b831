/*
 * collector/base/json_bgp.h - peers and routes as members of a JSON object
 *
 * Implements docs/json.md for everything that writes JSON: decode, tail, the
 * looking glass, the lists and events of the HTTP API. Members have the names
 * of the schema. A value that the router did not send is left out.
 */
#ifndef COLLECTOR_BASE_JSON_BGP_H
#define COLLECTOR_BASE_JSON_BGP_H

#include "collector/base/json.h"
#include "bmp/attr.h"
#include "bmp/nlri.h"
#include "bmp/peer.h"

/*
 * Write the member @key: the name of the code point @code by @name, a function
 * of bmp/names.h; or the number, if it has no name.
 */
void json_bgp_code(struct json *j, const char *key,
		   const char *(*name)(unsigned code), unsigned code);

/* Peers */

/* The identity of a peer. */
struct json_bgp_peer {
	const uint8_t *address; /* 16 bytes; NULL if not known */
	uint64_t distinguisher;
	uint32_t as;
	uint32_t bgp_id;
	uint8_t type; /* enum bmp_peer_type, or an unknown type */
};

/* Write "peerAddr", "peerAsn", "peerBgpId", "peerType", "peerDistinguisher". */
void json_bgp_peer(struct json *j, const struct json_bgp_peer *peer);

/* Write "isPostPolicy", "isAdjRibOut", "isLocRib". */
void json_bgp_view(struct json *j, enum bmp_view view);

/* Routes */

/* Write "afi", "safi". */
void json_bgp_family(struct json *j, uint16_t afi, uint8_t safi);

/* Write "prefixAddr" in the text form of @family, and "prefixLen". */
void json_bgp_prefix(struct json *j, enum bgp_family family,
		     const uint8_t address[16], uint8_t len);

/*
 * Write "routeDistinguisher", for families whose NLRI have one. @nlri is the
 * NLRI as received; empty for prefixes.
 */
void json_bgp_rd(struct json *j, enum bgp_family family, struct wire_view nlri,
		 uint64_t rd);

/*
 * "nlriFields": all fields of an NLRI that is no prefix (bmp/nlri_describe.h).
 * Nothing if it has none.
 */
void json_bgp_nlri_fields(struct json *j, const struct bgp_nlri *nlri);
/* The same of its bytes, @nlri, without a path identifier. */
void json_bgp_nlri_bytes(struct json *j, uint16_t afi, uint8_t safi,
			 struct wire_view nlri);

/* Write "labels". Each label of @labels has three bytes, as in an NLRI. */
void json_bgp_labels(struct json *j, struct wire_view labels);

/* Write "nextHop", "nextHopLinkLocal"; either may be NULL. */
void json_bgp_next_hop(struct json *j, const uint8_t *address,
		       const uint8_t *link_local);

/* Write all attributes except the next hop, which may come from the NLRI. */
void json_bgp_attributes(struct json *j, const struct bgp_attrs *a);

/* Elements of attributes */

/* Write "type" of a segment of an AS path. */
void json_bgp_segment_type(struct json *j, unsigned type);
/*
 * If the community has a name, write it as an element of the list
 * "communityNames". The first one begins the list and sets *@any; the caller
 * ends the list.
 */
void json_bgp_community_name(struct json *j, uint32_t community, bool *any);
/* Write an object for an extended community; @value is 6 bytes. */
void json_bgp_ext_community(struct json *j, uint8_t type_high, uint8_t type_low,
			    struct wire_view value);
/*
 * The text of an IPv6 extended community as an element of the list
 * "ipv6ExtendedCommunityTexts", as json_bgp_community_name() does.
 */
void json_bgp_ipv6_community_text(struct json *j, struct wire_view community,
				  bool *any);
/* Write an object for an attribute for which the schema has no member. */
void json_bgp_attribute(struct json *j, uint8_t flags, uint8_t type,
			struct wire_view value);

#endif
