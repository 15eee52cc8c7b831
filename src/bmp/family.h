/*
 * bmp/family.h - address families, numbered densely
 *
 * AFI and SAFI are sparse (1/1, 25/70, 16388/71). Every family this layer can
 * take apart has a small number here, so that a set of families is one 64-bit
 * mask and a table by family is an array. All others are
 * BGP_FAMILY_UNKNOWN: their NLRI are passed on as raw bytes, and they are in
 * no set.
 */
#ifndef BMP_FAMILY_H
#define BMP_FAMILY_H

#include <stdint.h>

enum bgp_family {
	BGP_FAMILY_UNKNOWN, /* none of ours: NLRI stay raw */
	BGP_IPV4_UNICAST,
	BGP_IPV6_UNICAST,
	BGP_IPV4_MULTICAST,
	BGP_IPV6_MULTICAST,
	BGP_IPV4_LABELED,
	BGP_IPV6_LABELED,
	BGP_IPV4_VPN,
	BGP_IPV6_VPN,
	BGP_IPV4_MULTICAST_VPN, /* SAFI 129: unicast routes for the RPF check */
	BGP_IPV6_MULTICAST_VPN,
	BGP_IPV4_MVPN, /* SAFI 5: typed routes of RFC 6514 */
	BGP_IPV6_MVPN,
	BGP_IPV4_FLOWSPEC,
	BGP_IPV6_FLOWSPEC,
	BGP_IPV4_FLOWSPEC_VPN,
	BGP_IPV6_FLOWSPEC_VPN,
	BGP_L2VPN_FLOWSPEC,
	BGP_IPV4_SR_POLICY,
	BGP_IPV6_SR_POLICY,
	BGP_IPV4_MUP,
	BGP_IPV6_MUP,
	BGP_ROUTE_TARGET,
	BGP_L2VPN_VPLS,
	BGP_L2VPN_EVPN,
	BGP_LINK_STATE,
	BGP_LINK_STATE_VPN,
	BGP_FAMILIES
};

/* How the NLRI of a family are built. */
enum bgp_nlri_kind {
	BGP_NLRI_RAW,	 /* the whole field, uncut: we do not know the family */
	BGP_NLRI_PREFIX, /* may have labels and a route distinguisher */
	BGP_NLRI_EVPN,
	BGP_NLRI_FLOWSPEC,
	BGP_NLRI_LINK_STATE,
	BGP_NLRI_SR_POLICY,
	BGP_NLRI_ROUTE_TARGET,
	BGP_NLRI_MVPN,
	BGP_NLRI_VPLS,
	BGP_NLRI_MUP,
	BGP_NLRI_KINDS
};

enum bgp_family_flags {
	BGP_FAMILY_LABELS = 1, /* labels before the prefix, RFC 8277 */
	BGP_FAMILY_RD = 2,     /* a route distinguisher in the NLRI */
	/* The next hop may be missing from MP_REACH, RFC 8955 section 4. */
	BGP_FAMILY_NO_NEXT_HOP = 4,
};

struct bgp_family_info {
	uint16_t afi;
	uint8_t safi;
	uint8_t kind;	   /* enum bgp_nlri_kind */
	uint8_t flags;	   /* enum bgp_family_flags */
	uint8_t addr_bits; /* 32 or 128; 0 where NLRI hold no IP address */
	const char *name;  /* "ipv4-unicast" */
};

/* A set of families. */
typedef uint64_t bgp_family_set;

static inline bgp_family_set bgp_family_bit(enum bgp_family f)
{
	/* The unknown family is in no set, so that nobody can ask for it. */
	return ((bgp_family_set)1 << f) & ~(bgp_family_set)1;
}

enum bgp_family bgp_family_find(uint16_t afi, uint8_t safi);

/* @f < BGP_FAMILIES; the unknown family has a row, too. */
const struct bgp_family_info *bgp_family_info(enum bgp_family f);

#endif
