/*
 * bmp/family.h - address families, numbered densely
 *
 * AFI and SAFI are sparse (1/1, 25/70, 16388/71). Every family whose NLRI this
 * layer can parse has a small number here, so that a set of families is one
 * 64-bit mask and a table by family is an array. All others are
 * BGP_FAMILY_UNKNOWN: their NLRI are passed on as raw bytes, and they are in no
 * set.
 */
#ifndef BMP_FAMILY_H
#define BMP_FAMILY_H

#include <stdint.h>

/*
 * The list of families, from which the enum, the rows and the look-up are made.
 * To add a family, add a line here; if its NLRI are of a new kind, also add a
 * line to BGP_NLRI_KIND_LIST and a row in nlri_kinds.c.
 * tests/unit/test_bmp_family.c reports what is missing.
 *
 *	X(suffix, AFI, SAFI, kind, flags, bits of an IP address, name)
 *
 * SAFI 129 has unicast routes for the RPF check of multicast, SAFI 5 the typed
 * routes of RFC 6514. The number of a family is not stored in files, so it may
 * change.
 */
/* clang-format off */
#define BGP_FAMILY_LIST(X) \
	X(IPV4_UNICAST, 1, 1, PREFIX, 0, 32, "ipv4-unicast") \
	X(IPV6_UNICAST, 2, 1, PREFIX, 0, 128, "ipv6-unicast") \
	X(IPV4_MULTICAST, 1, 2, PREFIX, 0, 32, "ipv4-multicast") \
	X(IPV6_MULTICAST, 2, 2, PREFIX, 0, 128, "ipv6-multicast") \
	X(IPV4_LABELED, 1, 4, PREFIX, BGP_FAMILY_LABELS, 32, "ipv4-labeled-unicast") \
	X(IPV6_LABELED, 2, 4, PREFIX, BGP_FAMILY_LABELS, 128, "ipv6-labeled-unicast") \
	X(IPV4_VPN, 1, 128, PREFIX, BGP_FAMILY_LABELS | BGP_FAMILY_RD, 32, "ipv4-vpn") \
	X(IPV6_VPN, 2, 128, PREFIX, BGP_FAMILY_LABELS | BGP_FAMILY_RD, 128, "ipv6-vpn") \
	X(IPV4_MULTICAST_VPN, 1, 129, PREFIX, BGP_FAMILY_RD, 32, "ipv4-multicast-vpn") \
	X(IPV6_MULTICAST_VPN, 2, 129, PREFIX, BGP_FAMILY_RD, 128, "ipv6-multicast-vpn") \
	X(IPV4_MVPN, 1, 5, MVPN, BGP_FAMILY_RD, 32, "ipv4-mvpn") \
	X(IPV6_MVPN, 2, 5, MVPN, BGP_FAMILY_RD, 128, "ipv6-mvpn") \
	X(IPV4_FLOWSPEC, 1, 133, FLOWSPEC, BGP_FAMILY_NO_NEXT_HOP, 32, "ipv4-flowspec") \
	X(IPV6_FLOWSPEC, 2, 133, FLOWSPEC, BGP_FAMILY_NO_NEXT_HOP, 128, "ipv6-flowspec") \
	X(IPV4_FLOWSPEC_VPN, 1, 134, FLOWSPEC, BGP_FAMILY_RD | BGP_FAMILY_NO_NEXT_HOP, 32, "ipv4-flowspec-vpn") \
	X(IPV6_FLOWSPEC_VPN, 2, 134, FLOWSPEC, BGP_FAMILY_RD | BGP_FAMILY_NO_NEXT_HOP, 128, "ipv6-flowspec-vpn") \
	X(L2VPN_FLOWSPEC, 25, 134, FLOWSPEC, BGP_FAMILY_RD | BGP_FAMILY_NO_NEXT_HOP, 0, "l2vpn-flowspec") \
	X(IPV4_SR_POLICY, 1, 73, SR_POLICY, 0, 32, "ipv4-sr-policy") \
	X(IPV6_SR_POLICY, 2, 73, SR_POLICY, 0, 128, "ipv6-sr-policy") \
	X(IPV4_MUP, 1, 85, MUP, BGP_FAMILY_RD, 32, "ipv4-mup") \
	X(IPV6_MUP, 2, 85, MUP, BGP_FAMILY_RD, 128, "ipv6-mup") \
	X(ROUTE_TARGET, 1, 132, ROUTE_TARGET, 0, 0, "route-target") \
	X(L2VPN_VPLS, 25, 65, VPLS, BGP_FAMILY_RD, 0, "l2vpn-vpls") \
	X(L2VPN_EVPN, 25, 70, EVPN, BGP_FAMILY_RD, 0, "l2vpn-evpn") \
	X(LINK_STATE, 16388, 71, LINK_STATE, 0, 0, "link-state") \
	X(LINK_STATE_VPN, 16388, 72, LINK_STATE, BGP_FAMILY_RD, 0, "link-state-vpn") \
	X(LINK_STATE_SPF, 16388, 80, LINK_STATE, 0, 0, "link-state-spf") \
	X(IPV4_MDT, 1, 66, MDT, BGP_FAMILY_RD, 32, "ipv4-mdt") \
	X(IPV4_CLASSFUL_TRANSPORT, 1, 76, PREFIX, BGP_FAMILY_LABELS | BGP_FAMILY_RD, 32, "ipv4-classful-transport") \
	X(IPV6_CLASSFUL_TRANSPORT, 2, 76, PREFIX, BGP_FAMILY_LABELS | BGP_FAMILY_RD, 128, "ipv6-classful-transport") \
	X(IPV4_UNREACHABILITY, 1, 81, UNREACHABILITY, BGP_FAMILY_NO_NEXT_HOP, 32, "ipv4-unreachability") \
	X(IPV6_UNREACHABILITY, 2, 81, UNREACHABILITY, BGP_FAMILY_NO_NEXT_HOP, 128, "ipv6-unreachability") \
	X(IPV4_CAR, 1, 83, CAR, 0, 32, "ipv4-car") \
	X(IPV6_CAR, 2, 83, CAR, 0, 128, "ipv6-car") \
	X(IPV4_VPN_CAR, 1, 84, CAR, BGP_FAMILY_RD, 32, "ipv4-vpn-car") \
	X(IPV6_VPN_CAR, 2, 84, CAR, BGP_FAMILY_RD, 128, "ipv6-vpn-car") \
	X(IPV6_ROUTE_TARGET, 2, 132, ROUTE_TARGET, 0, 0, "ipv6-route-target") \
	X(L2VPN_MCAST_VPLS, 25, 8, MVPN, BGP_FAMILY_RD, 0, "l2vpn-mcast-vpls") \
	X(L2VPN_FLOWSPEC_PLAIN, 25, 133, FLOWSPEC, BGP_FAMILY_NO_NEXT_HOP, 0, "l2vpn-flowspec-plain") \
	X(SFC, 31, 9, SFC, BGP_FAMILY_RD, 0, "sfc")

/* How the NLRI of a family are built; each kind has a row in nlri_kinds.c. */
#define BGP_NLRI_KIND_LIST(X) \
	X(RAW, raw)    /* unknown family: the whole field as one NLRI */ \
	X(PREFIX, prefix) /* may have labels and a route distinguisher */ \
	X(EVPN, evpn) \
	X(FLOWSPEC, flowspec) \
	X(LINK_STATE, link_state) \
	X(SR_POLICY, sr_policy) \
	X(ROUTE_TARGET, route_target) \
	X(MVPN, mvpn) \
	X(VPLS, vpls) \
	X(MUP, mup) \
	X(MDT, mdt) \
	X(UNREACHABILITY, unreachability) \
	X(CAR, car) \
	X(SFC, sfc)
/* clang-format on */

enum bgp_family {
	BGP_FAMILY_UNKNOWN, /* not in the list: NLRI are raw */
#define X(suffix, ...) BGP_##suffix,
	BGP_FAMILY_LIST(X)
#undef X
	BGP_FAMILIES
};

_Static_assert(BGP_FAMILIES <= 64, "a set of families has 64 bits");

enum bgp_nlri_kind {
#define X(suffix, ...) BGP_NLRI_##suffix,
	BGP_NLRI_KIND_LIST(X)
#undef X
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
	uint8_t addr_bits; /* 0 = NLRI have no IP address */
	const char *name;  /* "ipv4-unicast" */
};

/* A set of families. */
typedef uint64_t bgp_family_set;

static inline bgp_family_set bgp_family_bit(enum bgp_family f)
{
	/* Clear the bit of the unknown family, so that it is in no set. */
	return ((bgp_family_set)1 << f) & ~(bgp_family_set)1;
}

enum bgp_family bgp_family_find(uint16_t afi, uint8_t safi);

/*
 * The row of family @f, which is below BGP_FAMILIES. BGP_FAMILY_UNKNOWN has a
 * row, too.
 */
const struct bgp_family_info *bgp_family_info(enum bgp_family f);

#endif
