/* All fields of NLRI, against bytes as the references draw them. */
#include "check.h"
#include "field_text.h"

#include "bmp/nlri_describe.h"
#include "bmp/nlri_fields.h"
#include "bmp/nlri_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
	enum bgp_family family;
	const uint8_t *in;
	size_t len;
	const char *want; /* "": it has no fields */
} cases[] = {
	/* RFC 7432 7.1 */
	{ BGP_L2VPN_EVPN, BYTES(1, 25, 0, 0, 253, 232, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 7, 0, 1, 1),
	  "type=1 name=ethernet-ad esi=0x00010203040506070809 tag=7 label=16" },
	/* RFC 7432 7.2 */
	{ BGP_L2VPN_EVPN, BYTES(2, 40, 0, 0, 253, 232, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 48, 0, 0, 94, 0, 83, 1, 32, 192, 0, 2, 1, 0, 1, 0, 0, 2, 1),
	  "type=2 name=mac-ip esi=0x00010203040506070809 tag=0 mac=00:00:5e:00:53:01 ip=192.0.2.1 label=16 label2=32" },
	/* RFC 7432 7.2, no address and one label */
	{ BGP_L2VPN_EVPN, BYTES(2, 33, 0, 0, 253, 232, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 48, 0, 0, 94, 0, 83, 1, 0, 0, 1, 0),
	  "type=2 name=mac-ip esi=0x00010203040506070809 tag=0 mac=00:00:5e:00:53:01 label=16" },
	/* RFC 7432 7.3 */
	{ BGP_L2VPN_EVPN, BYTES(3, 17, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 0, 7, 32, 192, 0, 2, 1),
	  "type=3 name=inclusive-multicast tag=7 originator=192.0.2.1" },
	/* RFC 7432 7.4 */
	{ BGP_L2VPN_EVPN, BYTES(4, 23, 0, 0, 253, 232, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 32, 192, 0, 2, 1),
	  "type=4 name=ethernet-segment esi=0x00010203040506070809 originator=192.0.2.1" },
	/* RFC 9136 3.1 */
	{ BGP_L2VPN_EVPN, BYTES(5, 34, 0, 0, 253, 232, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 24, 10, 0, 1, 0, 192, 0, 2, 9, 0, 1, 1),
	  "type=5 name=ip-prefix esi=0x00010203040506070809 tag=0 prefix=10.0.1.0/24 gateway=192.0.2.9 label=16" },
	/* RFC 9251 9.1 */
	{ BGP_L2VPN_EVPN, BYTES(6, 28, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 0, 0, 32, 192, 0, 2, 1, 32, 232, 0, 0, 1, 32, 192, 0, 2, 1, 1),
	  "type=6 name=selective-multicast tag=0 source=192.0.2.1 group=232.0.0.1 originator=192.0.2.1 flags=0x01" },
	/* RFC 9251 9.2 */
	{ BGP_L2VPN_EVPN, BYTES(7, 38, 0, 0, 253, 232, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 32, 192, 0, 2, 1, 32, 232, 0, 0, 1, 32, 192, 0, 2, 1, 1),
	  "type=7 name=membership-report-synch esi=0x00010203040506070809 tag=0 source=192.0.2.1 group=232.0.0.1 originator=192.0.2.1 flags=0x01" },
	/* RFC 9251 9.3 */
	{ BGP_L2VPN_EVPN, BYTES(8, 43, 0, 0, 253, 232, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 32, 192, 0, 2, 1, 32, 232, 0, 0, 1, 32, 192, 0, 2, 1, 0, 0, 0, 0, 10, 1),
	  "type=8 name=leave-synch esi=0x00010203040506070809 tag=0 source=192.0.2.1 group=232.0.0.1 originator=192.0.2.1 reserved=0x00000000 flags=0x0a01" },
	/* RFC 9572 3.1 */
	{ BGP_L2VPN_EVPN, BYTES(9, 20, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7),
	  "type=9 name=per-region-i-pmsi tag=0 region=0x0001020304050607" },
	/* RFC 9572 3.2 */
	{ BGP_L2VPN_EVPN, BYTES(10, 27, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 0, 0, 32, 192, 0, 2, 1, 32, 232, 0, 0, 1, 32, 192, 0, 2, 1),
	  "type=10 name=s-pmsi tag=0 source=192.0.2.1 group=232.0.0.1 originator=192.0.2.1" },
	/* RFC 9572 3.3 */
	{ BGP_L2VPN_EVPN, BYTES(11, 5, 3, 1, 2, 3, 4),
	  "type=11 name=leaf route=0x0301020304" },
	/* of no type that is known */
	{ BGP_L2VPN_EVPN, BYTES(99, 9, 0, 0, 253, 232, 0, 0, 0, 1, 1),
	  "" },
	/* RFC 7432 7.3, cut */
	{ BGP_L2VPN_EVPN, BYTES(3, 12, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 0, 7),
	  "" },
	/* RFC 6514 4.1 */
	{ BGP_IPV4_MVPN, BYTES(1, 12, 0, 0, 253, 232, 0, 0, 0, 1, 192, 0, 2, 1),
	  "type=1 name=intra-as-i-pmsi originator=192.0.2.1" },
	/* RFC 6514 4.2 */
	{ BGP_IPV4_MVPN, BYTES(2, 12, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 253, 232),
	  "type=2 name=inter-as-i-pmsi as=65000" },
	/* RFC 6514 4.3 */
	{ BGP_IPV4_MVPN, BYTES(3, 22, 0, 0, 253, 232, 0, 0, 0, 1, 32, 192, 0, 2, 1, 32, 232, 0, 0, 1, 192, 0, 2, 9),
	  "type=3 name=s-pmsi source=192.0.2.1 group=232.0.0.1 originator=192.0.2.9" },
	/* RFC 6514 4.4 */
	{ BGP_IPV4_MVPN, BYTES(4, 3, 1, 2, 3),
	  "type=4 name=leaf route=0x010203" },
	/* RFC 6514 4.5 */
	{ BGP_IPV4_MVPN, BYTES(5, 18, 0, 0, 253, 232, 0, 0, 0, 1, 32, 192, 0, 2, 1, 32, 232, 0, 0, 1),
	  "type=5 name=source-active source=192.0.2.1 group=232.0.0.1" },
	/* RFC 6514 4.6 */
	{ BGP_IPV4_MVPN, BYTES(6, 22, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 253, 232, 32, 192, 0, 2, 1, 32, 232, 0, 0, 1),
	  "type=6 name=shared-tree-join as=65000 source=192.0.2.1 group=232.0.0.1" },
	{ BGP_IPV4_MVPN, BYTES(7, 22, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 253, 232, 32, 192, 0, 2, 1, 32, 232, 0, 0, 1),
	  "type=7 name=source-tree-join as=65000 source=192.0.2.1 group=232.0.0.1" },
	/* draft-ietf-bess-mup-safi 3.1.1 */
	{ BGP_IPV4_MUP, BYTES(1, 0, 1, 12, 0, 0, 253, 232, 0, 0, 0, 1, 24, 10, 0, 1),
	  "type=1 name=interwork-segment prefix=10.0.1.0/24" },
	/* draft-ietf-bess-mup-safi 3.1.2 */
	{ BGP_IPV4_MUP, BYTES(1, 0, 2, 12, 0, 0, 253, 232, 0, 0, 0, 1, 192, 0, 2, 1),
	  "type=2 name=direct-segment address=192.0.2.1" },
	/* draft-ietf-bess-mup-safi 3.1.3 */
	{ BGP_IPV4_MUP, BYTES(1, 0, 3, 28, 0, 0, 253, 232, 0, 0, 0, 1, 32, 10, 0, 0, 1, 0, 0, 48, 57, 9, 32, 192, 0, 2, 1, 32, 192, 0, 2, 1),
	  "type=3 name=type-1-session prefix=10.0.0.1/32 teid=12345 qfi=9 endpoint=192.0.2.1 source=192.0.2.1" },
	/* draft-ietf-bess-mup-safi 3.1.3, no source */
	{ BGP_IPV4_MUP, BYTES(1, 0, 3, 23, 0, 0, 253, 232, 0, 0, 0, 1, 32, 10, 0, 0, 1, 0, 0, 48, 57, 9, 32, 192, 0, 2, 1),
	  "type=3 name=type-1-session prefix=10.0.0.1/32 teid=12345 qfi=9 endpoint=192.0.2.1" },
	/* draft-ietf-bess-mup-safi 3.1.3, of another architecture */
	{ BGP_IPV4_MUP, BYTES(1, 0, 3, 15, 0, 0, 253, 232, 0, 0, 0, 1, 32, 10, 0, 0, 1, 1, 2),
	  "type=3 name=type-1-session prefix=10.0.0.1/32 session=0x0102" },
	/* draft-ietf-bess-mup-safi 3.1.4 */
	{ BGP_IPV4_MUP, BYTES(1, 0, 4, 17, 0, 0, 253, 232, 0, 0, 0, 1, 64, 192, 0, 2, 1, 0, 0, 48, 57),
	  "type=4 name=type-2-session endpoint=192.0.2.1 teidBits=32 teid=0x00003039" },
	/* draft-ietf-bess-mup-safi 3.1.4, half a TEID */
	{ BGP_IPV4_MUP, BYTES(1, 0, 4, 15, 0, 0, 253, 232, 0, 0, 0, 1, 48, 192, 0, 2, 1, 48, 57),
	  "type=4 name=type-2-session endpoint=192.0.2.1 teidBits=16 teid=0x3039" },
	/* draft-ietf-bess-mup-safi 3.1.4 */
	{ BGP_IPV6_MUP, BYTES(1, 0, 4, 29, 0, 0, 253, 232, 0, 0, 0, 1, 160, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 48, 57),
	  "type=4 name=type-2-session endpoint=2001:db8::1 teidBits=32 teid=0x00003039" },
	/* RFC 4761 3.2.2 */
	{ BGP_L2VPN_VPLS, BYTES(0, 17, 0, 0, 253, 232, 0, 0, 0, 1, 0, 1, 0, 2, 0, 8, 0, 1, 1),
	  "name=vpls ve=1 offset=2 size=8 label=16" },
	/* RFC 6074 3.2.2.1 */
	{ BGP_L2VPN_VPLS, BYTES(0, 12, 0, 0, 253, 232, 0, 0, 0, 1, 192, 0, 2, 1),
	  "name=vpls-discovery pe=192.0.2.1" },
	/* RFC 4684 4 */
	{ BGP_ROUTE_TARGET, BYTES(96, 0, 0, 253, 232, 0, 2, 253, 232, 0, 0, 0, 1),
	  "prefixLen=96 originAs=65000 routeTarget=rt:65000:1" },
	/* RFC 4684 4, a beginning */
	{ BGP_ROUTE_TARGET, BYTES(48, 0, 0, 253, 232, 0, 2),
	  "prefixLen=48 originAs=65000 routeTarget=0x0002" },
	/* RFC 4684 4, the default */
	{ BGP_ROUTE_TARGET, BYTES(0),
	  "prefixLen=0" },
	/* RFC 9830 2.1 */
	{ BGP_IPV4_SR_POLICY, BYTES(96, 0, 0, 0, 1, 0, 0, 0, 100, 192, 0, 2, 1),
	  "name=sr-policy distinguisher=1 color=100 endpoint=192.0.2.1" },
	/* RFC 6037 4.2.3 */
	{ BGP_IPV4_MDT, BYTES(128, 0, 0, 253, 232, 0, 0, 0, 1, 192, 0, 2, 1, 232, 0, 0, 1),
	  "name=mdt source=192.0.2.1 group=232.0.0.1" },
	/* RFC 9552 5.2.1, RFC 9086 4.1 */
	{ BGP_LINK_STATE, BYTES(0, 1, 0, 63, 2, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 50, 2, 0, 0, 4, 0, 0, 253, 232, 2, 1, 0, 4, 0, 0, 0, 1, 2, 2, 0, 4, 0, 0, 0, 0, 2, 3, 0, 6, 0, 0, 0,
		    0, 0, 7, 2, 4, 0, 4, 192, 0, 2, 1, 2, 5, 0, 4, 0, 0, 253, 233),
	  "type=1 name=node protocol=2 identifier=5 descriptors=[{type=256 name=local-node tlvs=[{type=512 name=autonomous-system asn=65000} {type=513 "
	  "name=bgp-ls-identifier identifier=1} {type=514 name=ospf-area-id area=0.0.0.0} {type=515 name=igp-router-id routerId=0x000000000007} {type=516 "
	  "name=bgp-router-id bgpId=192.0.2.1} {type=517 name=bgp-confederation-member asn=65001}]}]" },
	/* RFC 9552 5.2.2, RFC 9346 4, RFC 9815 5.2.2 */
	{ BGP_LINK_STATE, BYTES(0, 2, 0, 197, 2, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 50, 2, 0, 0, 4, 0, 0, 253, 232, 2, 1, 0, 4, 0, 0, 0, 1, 2, 2, 0, 4, 0, 0, 0, 0, 2, 3, 0, 6, 0, 0,
		    0, 0, 0, 7, 2, 4, 0, 4, 192, 0, 2, 1, 2, 5, 0, 4, 0, 0, 253, 233, 1, 1, 0, 10, 2, 3, 0, 6, 0, 0, 0, 0, 0, 8, 1, 2, 0, 8, 0, 0, 0, 1, 0, 0, 0, 2, 1,
		    3, 0, 4, 192, 0, 2, 1, 1, 4, 0, 4, 192, 0, 2, 2, 1, 5, 0, 16, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 6, 0, 16, 32, 1, 13, 184, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 7, 0, 2, 0, 2, 1, 14, 0, 4, 0, 0, 253, 234, 1, 15, 0, 4, 192, 0, 2, 3, 1, 16, 0, 16, 32, 1, 13, 184, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 1, 4, 161, 0, 1, 2, 3, 231, 0, 1, 1),
	  "type=2 name=link protocol=2 identifier=5 descriptors=[{type=256 name=local-node tlvs=[{type=512 name=autonomous-system asn=65000} {type=513 "
	  "name=bgp-ls-identifier identifier=1} {type=514 name=ospf-area-id area=0.0.0.0} {type=515 name=igp-router-id routerId=0x000000000007} {type=516 "
	  "name=bgp-router-id bgpId=192.0.2.1} {type=517 name=bgp-confederation-member asn=65001}]} {type=257 name=remote-node tlvs=[{type=515 "
	  "name=igp-router-id routerId=0x000000000008}]} {type=258 name=link-identifiers local=1 remote=2} {type=259 name=ipv4-interface address=192.0.2.1} "
	  "{type=260 name=ipv4-neighbor address=192.0.2.2} {type=261 name=ipv6-interface address=2001:db8::1} {type=262 name=ipv6-neighbor address=2001:db8::1} "
	  "{type=263 name=multi-topology topologies=[2]} {type=270 name=remote-as asn=65002} {type=271 name=ipv4-remote-asbr address=192.0.2.3} {type=272 "
	  "name=ipv6-remote-asbr address=2001:db8::1} {type=1185 name=address-family-link family=2} {type=999 value=0x01}]" },
	/* RFC 9552 5.2.3 */
	{ BGP_LINK_STATE, BYTES(0, 3, 0, 76, 3, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 50, 2, 0, 0, 4, 0, 0, 253, 232, 2, 1, 0, 4, 0, 0, 0, 1, 2, 2, 0, 4, 0, 0, 0, 0, 2, 3, 0, 6, 0, 0, 0,
		    0, 0, 7, 2, 4, 0, 4, 192, 0, 2, 1, 2, 5, 0, 4, 0, 0, 253, 233, 1, 8, 0, 1, 1, 1, 9, 0, 4, 24, 10, 0, 1),
	  "type=3 name=ipv4-prefix protocol=3 identifier=5 descriptors=[{type=256 name=local-node tlvs=[{type=512 name=autonomous-system asn=65000} {type=513 "
	  "name=bgp-ls-identifier identifier=1} {type=514 name=ospf-area-id area=0.0.0.0} {type=515 name=igp-router-id routerId=0x000000000007} {type=516 "
	  "name=bgp-router-id bgpId=192.0.2.1} {type=517 name=bgp-confederation-member asn=65001}]} {type=264 name=ospf-route-type routeType=1} {type=265 "
	  "name=ip-reachability prefixLen=24 prefix=0x0a0001}]" },
	{ BGP_LINK_STATE, BYTES(0, 4, 0, 18, 3, 0, 0, 0, 0, 0, 0, 0, 5, 1, 9, 0, 5, 32, 32, 1, 13, 184),
	  "type=4 name=ipv6-prefix protocol=3 identifier=5 descriptors=[{type=265 name=ip-reachability prefixLen=32 prefix=0x20010db8}]" },
	/* RFC 9857 4.1 */
	{ BGP_LINK_STATE, BYTES(0, 5, 0, 103, 9, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 50, 2, 0, 0, 4, 0, 0, 253, 232, 2, 1, 0, 4, 0, 0, 0, 1, 2, 2, 0, 4, 0, 0, 0, 0, 2, 3, 0, 6, 0, 0,
		    0, 0, 0, 7, 2, 4, 0, 4, 192, 0, 2, 1, 2, 5, 0, 4, 0, 0, 253, 233, 2, 42, 0, 36, 3, 64, 0, 0, 192, 0, 2, 9, 0, 0, 0, 100, 0, 0, 253, 232, 32, 1, 13,
		    184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1),
	  "type=5 name=sr-policy-candidate-path protocol=9 identifier=5 descriptors=[{type=256 name=local-node tlvs=[{type=512 name=autonomous-system asn=65000} "
	  "{type=513 name=bgp-ls-identifier identifier=1} {type=514 name=ospf-area-id area=0.0.0.0} {type=515 name=igp-router-id routerId=0x000000000007} "
	  "{type=516 name=bgp-router-id bgpId=192.0.2.1} {type=517 name=bgp-confederation-member asn=65001}]} {type=554 name=sr-policy-candidate-path "
	  "protocolOrigin=3 flags=0x40 endpoint=192.0.2.9 color=100 originatorAs=65000 originator=2001:db8::1 discriminator=1}]" },
	/* RFC 9857 4.1, of a length that the flags deny */
	{ BGP_LINK_STATE, BYTES(0, 5, 0, 21, 9, 0, 0, 0, 0, 0, 0, 0, 5, 2, 42, 0, 8, 3, 0, 0, 0, 192, 0, 2, 9),
	  "type=5 name=sr-policy-candidate-path protocol=9 identifier=5 descriptors=[{type=554 name=sr-policy-candidate-path value=0x03000000c0000209}]" },
	/* RFC 9514 6 */
	{ BGP_LINK_STATE, BYTES(0, 6, 0, 83, 2, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 50, 2, 0, 0, 4, 0, 0, 253, 232, 2, 1, 0, 4, 0, 0, 0, 1, 2, 2, 0, 4, 0, 0, 0, 0, 2, 3, 0, 6, 0, 0, 0,
		    0, 0, 7, 2, 4, 0, 4, 192, 0, 2, 1, 2, 5, 0, 4, 0, 0, 253, 233, 2, 6, 0, 16, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
	  "type=6 name=srv6-sid protocol=2 identifier=5 descriptors=[{type=256 name=local-node tlvs=[{type=512 name=autonomous-system asn=65000} {type=513 "
	  "name=bgp-ls-identifier identifier=1} {type=514 name=ospf-area-id area=0.0.0.0} {type=515 name=igp-router-id routerId=0x000000000007} {type=516 "
	  "name=bgp-router-id bgpId=192.0.2.1} {type=517 name=bgp-confederation-member asn=65001}]} {type=518 name=srv6-sid sid=2001:db8::1}]" },
	/* draft-ietf-idr-bgpls-inter-as-topology-ext, draft-ietf-idr-bgp-ls-te-path */
	{ BGP_LINK_STATE, BYTES(0, 7, 0, 52, 2, 0, 0, 0, 0, 0, 0, 0, 5, 2, 38, 0, 2, 0, 1, 2, 39, 0, 2, 0, 2, 2, 40, 0, 4, 192, 0, 2, 1, 2, 41, 0, 4, 192, 0, 2, 2, 2, 43, 0, 1, 1,
		    2, 44, 0, 1, 2, 2, 45, 0, 1, 3),
	  "type=7 name=stub-link protocol=2 identifier=5 descriptors=[{type=550 name=tunnel-id tunnelId=1} {type=551 name=lsp-id lspId=2} {type=552 "
	  "name=tunnel-head-end address=192.0.2.1} {type=553 name=tunnel-tail-end address=192.0.2.2} {type=555 name=mpls-local-cross-connect crossConnect=0x01} "
	  "{type=556 name=mpls-cross-connect-interface interface=0x02} {type=557 name=mpls-cross-connect-fec fec=0x03}]" },
	/* a descriptor that overruns */
	{ BGP_LINK_STATE, BYTES(0, 1, 0, 13, 2, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 9),
	  "" },
	/* a prefix has members of its own */
	{ BGP_IPV4_UNICAST, BYTES(24, 10, 0, 1),
	  "" },
};
/* clang-format on */

static bool read_one(enum bgp_family family, const uint8_t *in, size_t len,
		     struct bgp_nlri_iter *it)
{
	const struct bgp_family_info *info = bgp_family_info(family);
	struct bgp_nlri_format format = { .afi = info->afi,
					  .safi = info->safi,
					  .family = (uint8_t)family };

	bgp_nlri_start(it, (struct wire_view){ in, len }, &format);
	return bgp_nlri_next(it);
}

static void describe(const struct bgp_nlri *n, struct field_text *got)
{
	struct field_writer w = field_text_writer(got);

	bgp_nlri_describe(n, &w);
}

static void test_fields_are_described(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_nlri_iter it;
		struct field_text got;
		bool is_read = read_one(cases[i].family, cases[i].in,
					cases[i].len, &it);

		CHECK(is_read && it.c.left == 0, "case %zu is not read", i);
		describe(&it.nlri, &got);
		CHECK(strcmp(got.line, cases[i].want) == 0, "case %zu:\n%s\n%s",
		      i, got.line, cases[i].want);
		CHECK(bgp_nlri_has_fields(&it.nlri) ==
			      (cases[i].want[0] != '\0'),
		      "case %zu", i);
	}
}

static bool is_shown(const char *text)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *at = strstr(cases[i].want, text);

		if (at != NULL && strchr(" }", at[strlen(text)]) != NULL)
			return true;
	}
	return false;
}

/* Each type of the kinds with a table, and each descriptor of BGP-LS. */
static void test_every_row_has_a_case(void **state)
{
	char want[96];

	(void)state;
	for (unsigned kind = 0; kind < BGP_NLRI_KINDS; kind++) {
		const struct nlri_layouts *all = bgp_nlri_ops[kind]->layouts;

		for (size_t t = 0; all != NULL && t < all->count; t++) {
			/* These have tests of their own texts. */
			if (all->rows[t].name == NULL ||
			    kind == BGP_NLRI_UNREACHABILITY ||
			    kind == BGP_NLRI_CAR || kind == BGP_NLRI_SFC)
				continue;
			snprintf(want, sizeof(want), "name=%s",
				 all->rows[t].name);
			CHECK(is_shown(want), "kind %u: %s", kind, want);
		}
	}
}

static void check_descriptors(const struct value_field *f)
{
	char want[96];

	for (; f->form != VALUE_END; f++)
		for (size_t i = 0; f->tlvs != NULL && i < f->tlvs->count; i++) {
			snprintf(want, sizeof(want), "type=%u name=%s",
				 f->tlvs->rows[i].type, f->tlvs->rows[i].name);
			CHECK(is_shown(want), "%s", want);
			check_descriptors(f->tlvs->rows[i].fields);
		}
}

static void test_every_descriptor_has_a_case(void **state)
{
	(void)state;
	check_descriptors(bgp_link_state_nlri);
}

/* In memory of their own, for ASan. */
static void test_cut_nlri_do_no_harm(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t len = 0; len < cases[i].len; len++) {
			uint8_t *copy = malloc(len + 1);
			struct bgp_nlri_iter it;
			struct field_text got;

			assert_non_null(copy);
			memcpy(copy, cases[i].in, len);
			if (read_one(cases[i].family, copy, len, &it))
				describe(&it.nlri, &got);
			free(copy);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_are_described),
		cmocka_unit_test(test_every_row_has_a_case),
		cmocka_unit_test(test_every_descriptor_has_a_case),
		cmocka_unit_test(test_cut_nlri_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
