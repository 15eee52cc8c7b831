#include "bmp/family.h"

#define LABELS BGP_FAMILY_LABELS
#define RD     BGP_FAMILY_RD
#define NO_NH  BGP_FAMILY_NO_NEXT_HOP

#define SAFI_MAX_KNOWN 134

/* clang-format off */
static const struct bgp_family_info families[BGP_FAMILIES] = {
	/*			      AFI    SAFI  kind                   flags        bits  name */
	[BGP_FAMILY_UNKNOWN]	  = { 0,       0, BGP_NLRI_RAW,          0,             0, "unknown" },
	[BGP_IPV4_UNICAST]	  = { 1,       1, BGP_NLRI_PREFIX,       0,            32, "ipv4-unicast" },
	[BGP_IPV6_UNICAST]	  = { 2,       1, BGP_NLRI_PREFIX,       0,           128, "ipv6-unicast" },
	[BGP_IPV4_MULTICAST]	  = { 1,       2, BGP_NLRI_PREFIX,       0,            32, "ipv4-multicast" },
	[BGP_IPV6_MULTICAST]	  = { 2,       2, BGP_NLRI_PREFIX,       0,           128, "ipv6-multicast" },
	[BGP_IPV4_LABELED]	  = { 1,       4, BGP_NLRI_PREFIX,       LABELS,       32, "ipv4-labeled-unicast" },
	[BGP_IPV6_LABELED]	  = { 2,       4, BGP_NLRI_PREFIX,       LABELS,      128, "ipv6-labeled-unicast" },
	[BGP_IPV4_VPN]		  = { 1,     128, BGP_NLRI_PREFIX,       LABELS | RD,  32, "ipv4-vpn" },
	[BGP_IPV6_VPN]		  = { 2,     128, BGP_NLRI_PREFIX,       LABELS | RD, 128, "ipv6-vpn" },
	[BGP_IPV4_MULTICAST_VPN]  = { 1,     129, BGP_NLRI_PREFIX,       RD,           32, "ipv4-multicast-vpn" },
	[BGP_IPV6_MULTICAST_VPN]  = { 2,     129, BGP_NLRI_PREFIX,       RD,          128, "ipv6-multicast-vpn" },
	[BGP_IPV4_MVPN]		  = { 1,       5, BGP_NLRI_MVPN,         RD,           32, "ipv4-mvpn" },
	[BGP_IPV6_MVPN]		  = { 2,       5, BGP_NLRI_MVPN,         RD,          128, "ipv6-mvpn" },
	[BGP_IPV4_FLOWSPEC]	  = { 1,     133, BGP_NLRI_FLOWSPEC,     NO_NH,        32, "ipv4-flowspec" },
	[BGP_IPV6_FLOWSPEC]	  = { 2,     133, BGP_NLRI_FLOWSPEC,     NO_NH,       128, "ipv6-flowspec" },
	[BGP_IPV4_FLOWSPEC_VPN]	  = { 1,     134, BGP_NLRI_FLOWSPEC,     RD | NO_NH,   32, "ipv4-flowspec-vpn" },
	[BGP_IPV6_FLOWSPEC_VPN]	  = { 2,     134, BGP_NLRI_FLOWSPEC,     RD | NO_NH,  128, "ipv6-flowspec-vpn" },
	[BGP_L2VPN_FLOWSPEC]	  = { 25,    134, BGP_NLRI_FLOWSPEC,     RD | NO_NH,    0, "l2vpn-flowspec" },
	[BGP_IPV4_SR_POLICY]	  = { 1,      73, BGP_NLRI_SR_POLICY,    0,            32, "ipv4-sr-policy" },
	[BGP_IPV6_SR_POLICY]	  = { 2,      73, BGP_NLRI_SR_POLICY,    0,           128, "ipv6-sr-policy" },
	[BGP_IPV4_MUP]		  = { 1,      85, BGP_NLRI_MUP,          RD,           32, "ipv4-mup" },
	[BGP_IPV6_MUP]		  = { 2,      85, BGP_NLRI_MUP,          RD,          128, "ipv6-mup" },
	[BGP_ROUTE_TARGET]	  = { 1,     132, BGP_NLRI_ROUTE_TARGET, 0,             0, "route-target" },
	[BGP_L2VPN_VPLS]	  = { 25,     65, BGP_NLRI_VPLS,         RD,            0, "l2vpn-vpls" },
	[BGP_L2VPN_EVPN]	  = { 25,     70, BGP_NLRI_EVPN,         RD,            0, "l2vpn-evpn" },
	[BGP_LINK_STATE]	  = { 16388,  71, BGP_NLRI_LINK_STATE,   0,             0, "link-state" },
	[BGP_LINK_STATE_VPN]	  = { 16388,  72, BGP_NLRI_LINK_STATE,   RD,            0, "link-state-vpn" },
};

/* By SAFI, for the two AFIs that have nearly all of the routes. */
static const uint8_t by_safi[2][SAFI_MAX_KNOWN + 1] = {
	{
		[1] = BGP_IPV4_UNICAST,       [2] = BGP_IPV4_MULTICAST,
		[4] = BGP_IPV4_LABELED,       [5] = BGP_IPV4_MVPN,
		[73] = BGP_IPV4_SR_POLICY,    [85] = BGP_IPV4_MUP,
		[128] = BGP_IPV4_VPN,         [129] = BGP_IPV4_MULTICAST_VPN,
		[132] = BGP_ROUTE_TARGET,     [133] = BGP_IPV4_FLOWSPEC,
		[134] = BGP_IPV4_FLOWSPEC_VPN,
	},
	{
		[1] = BGP_IPV6_UNICAST,       [2] = BGP_IPV6_MULTICAST,
		[4] = BGP_IPV6_LABELED,       [5] = BGP_IPV6_MVPN,
		[73] = BGP_IPV6_SR_POLICY,    [85] = BGP_IPV6_MUP,
		[128] = BGP_IPV6_VPN,         [129] = BGP_IPV6_MULTICAST_VPN,
		[133] = BGP_IPV6_FLOWSPEC,    [134] = BGP_IPV6_FLOWSPEC_VPN,
	},
};
/* clang-format on */

enum bgp_family bgp_family_find(uint16_t afi, uint8_t safi)
{
	if (afi - 1u < 2)
		return safi <= SAFI_MAX_KNOWN ? by_safi[afi - 1][safi]
					      : BGP_FAMILY_UNKNOWN;
	for (int f = BGP_FAMILY_UNKNOWN + 1; f < BGP_FAMILIES; f++)
		if (families[f].afi == afi && families[f].safi == safi)
			return f;
	return BGP_FAMILY_UNKNOWN;
}

const struct bgp_family_info *bgp_family_info(enum bgp_family f)
{
	return &families[f];
}
