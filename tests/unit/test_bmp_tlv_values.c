/*
 * Each row of the tables of TLVs (attr_tlvs.c, link_state_tlvs.c) describes
 * the bytes that its reference draws; no row is without such bytes.
 */
#include "check.h"
#include "field_text.h"

#include "bmp/attr.h"
#include "bmp/attr_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tlv_value_case {
	uint8_t code;
	const uint8_t *in;
	size_t len;
	const char *want;
};

/* clang-format off */
static const struct tlv_value_case tlv_values[] = {
	/* RFC 9552 5.2.2.1 */
	{ 29, BYTES(1, 7, 0, 4, 0, 2, 0, 3),
	  "tlvs=[{type=263 name=multi-topology topologies=[2 3]}]" },
	/* RFC 8814 3 */
	{ 29, BYTES(1, 10, 0, 4, 1, 10, 2, 5),
	  "tlvs=[{type=266 name=node-msd msds=[{msdType=1 msd=10} {msdType=2 msd=5}]}]" },
	/* RFC 8814 4 */
	{ 29, BYTES(1, 11, 0, 2, 1, 6),
	  "tlvs=[{type=267 name=link-msd msds=[{msdType=1 msd=6}]}]" },
	/* RFC 9552 5.3.1.1 */
	{ 29, BYTES(4, 0, 0, 1, 128),
	  "tlvs=[{type=1024 name=node-flags flags=0x80}]" },
	/* RFC 9552 5.3.1.5 */
	{ 29, BYTES(4, 1, 0, 2, 1, 2),
	  "tlvs=[{type=1025 name=opaque-node opaque=0x0102}]" },
	/* RFC 9552 5.3.1.3 */
	{ 29, BYTES(4, 2, 0, 2, 114, 49),
	  "tlvs=[{type=1026 name=node-name nodeName='r1'}]" },
	/* RFC 9552 5.3.1.2 */
	{ 29, BYTES(4, 3, 0, 3, 73, 0, 1),
	  "tlvs=[{type=1027 name=is-is-area area=0x490001}]" },
	/* RFC 9552 5.3.1.4 */
	{ 29, BYTES(4, 4, 0, 4, 192, 0, 2, 1),
	  "tlvs=[{type=1028 name=local-ipv4-router-id routerId=192.0.2.1}]" },
	{ 29, BYTES(4, 5, 0, 16, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
	  "tlvs=[{type=1029 name=local-ipv6-router-id routerId=2001:db8::1}]" },
	/* RFC 9552 5.3.2.1 */
	{ 29, BYTES(4, 6, 0, 4, 192, 0, 2, 2),
	  "tlvs=[{type=1030 name=remote-ipv4-router-id routerId=192.0.2.2}]" },
	{ 29, BYTES(4, 7, 0, 16, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2),
	  "tlvs=[{type=1031 name=remote-ipv6-router-id routerId=2001:db8::2}]" },
	/* RFC 9247 2 */
	{ 29, BYTES(4, 8, 0, 8, 0, 0, 0, 7, 0, 0, 0, 9),
	  "tlvs=[{type=1032 name=s-bfd-discriminators discriminators=[7 9]}]" },
	/* RFC 9085 2.1.2 */
	{ 29, BYTES(4, 10, 0, 23, 128, 0, 0, 31, 64, 4, 137, 0, 3, 0, 62, 128, 0, 3, 232, 4, 137, 0, 4, 0, 1, 134, 160),
	  "tlvs=[{type=1034 name=sr-capabilities flags=0x80 ranges=[{rangeSize=8000 sid=16000} {rangeSize=1000 sid=100000}]}]" },
	/* RFC 9085 2.1.3 */
	{ 29, BYTES(4, 11, 0, 2, 0, 128),
	  "tlvs=[{type=1035 name=sr-algorithms algorithms=[0 128]}]" },
	/* RFC 9085 2.1.4 */
	{ 29, BYTES(4, 12, 0, 12, 0, 0, 0, 3, 232, 4, 137, 0, 3, 0, 58, 152),
	  "tlvs=[{type=1036 name=sr-local-block flags=0x00 ranges=[{rangeSize=1000 sid=15000}]}]" },
	/* RFC 9085 2.1.4, a range without its SID */
	{ 29, BYTES(4, 12, 0, 5, 0, 0, 0, 3, 232),
	  "tlvs=[{type=1036 name=sr-local-block value=0x00000003e8}]" },
	/* RFC 9085 2.1.5 */
	{ 29, BYTES(4, 13, 0, 1, 128),
	  "tlvs=[{type=1037 name=srms-preference preference=128}]" },
	/* RFC 9514 3.1 */
	{ 29, BYTES(4, 14, 0, 4, 64, 0, 0, 0),
	  "tlvs=[{type=1038 name=srv6-capabilities flags=0x4000}]" },
	/* RFC 9351 3 */
	{ 29, BYTES(4, 15, 0, 48, 128, 1, 0, 100, 4, 16, 0, 4, 0, 0, 0, 1, 4, 17, 0, 4, 0, 0, 0, 2, 4, 18, 0, 4, 0, 0, 0, 4, 4, 19, 0, 1, 128, 4, 21, 0, 4, 0, 0, 0, 77, 4, 22, 0, 3, 1, 2, 3),
	  "tlvs=[{type=1039 name=flex-algo-definition algorithm=128 metricType=1 calculation=0 priority=100 tlvs=[{type=1040 name=exclude-any groups=[1]} {type=1041 name=include-any groups=[2]} "
	  "{type=1042 name=include-all groups=[4]} {type=1043 name=flags flags=0x80} {type=1045 name=exclude-srlg srlgs=[77]} {type=1046 name=unsupported protocol=1 types=0x0203}]}]" },
	/* RFC 9351 4 */
	{ 29, BYTES(4, 20, 0, 8, 128, 128, 0, 0, 0, 0, 0, 30),
	  "tlvs=[{type=1044 name=flex-algo-prefix-metric algorithm=128 flags=0x80 metric=30}]" },
	/* RFC 5305 3.1 */
	{ 29, BYTES(4, 64, 0, 4, 0, 0, 0, 5),
	  "tlvs=[{type=1088 name=administrative-group group=0x00000005}]" },
	/* RFC 5305 3.4 */
	{ 29, BYTES(4, 65, 0, 4, 76, 238, 107, 40),
	  "tlvs=[{type=1089 name=max-link-bandwidth bandwidth=125000000}]" },
	/* RFC 5305 3.5 */
	{ 29, BYTES(4, 66, 0, 4, 76, 238, 107, 40),
	  "tlvs=[{type=1090 name=max-reservable-bandwidth bandwidth=125000000}]" },
	/* RFC 5305 3.6 */
	{ 29, BYTES(4, 67, 0, 32, 76, 238, 107, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
	  "tlvs=[{type=1091 name=unreserved-bandwidth bandwidths=[125000000 0 0 0 0 0 0 0]}]" },
	/* RFC 9552 5.3.2.3 */
	{ 29, BYTES(4, 68, 0, 4, 0, 0, 0, 20),
	  "tlvs=[{type=1092 name=te-default-metric metric=20}]" },
	/* RFC 5307 1.2 */
	{ 29, BYTES(4, 69, 0, 2, 2, 0),
	  "tlvs=[{type=1093 name=link-protection protection=0x0200}]" },
	/* RFC 9552 5.3.2.2 */
	{ 29, BYTES(4, 70, 0, 1, 192),
	  "tlvs=[{type=1094 name=mpls-protocols mask=0xc0}]" },
	/* RFC 9552 5.3.2.4 */
	{ 29, BYTES(4, 71, 0, 3, 0, 0, 10),
	  "tlvs=[{type=1095 name=igp-metric metric=10}]" },
	/* RFC 9552 5.3.2.5 */
	{ 29, BYTES(4, 72, 0, 8, 0, 0, 0, 100, 0, 0, 0, 200),
	  "tlvs=[{type=1096 name=srlg groups=[100 200]}]" },
	/* RFC 9552 5.3.2.6 */
	{ 29, BYTES(4, 73, 0, 1, 9),
	  "tlvs=[{type=1097 name=opaque-link opaque=0x09}]" },
	/* RFC 9552 5.3.2.7 */
	{ 29, BYTES(4, 74, 0, 3, 103, 101, 48),
	  "tlvs=[{type=1098 name=link-name linkName='ge0'}]" },
	/* RFC 9085 2.2.1 */
	{ 29, BYTES(4, 75, 0, 7, 48, 10, 0, 0, 0, 93, 192),
	  "tlvs=[{type=1099 name=adjacency-sid flags=0x30 weight=10 sid=24000}]" },
	/* RFC 9085 2.2.2, of IS-IS */
	{ 29, BYTES(4, 76, 0, 13, 48, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 93, 193),
	  "tlvs=[{type=1100 name=lan-adjacency-sid flags=0x30 weight=0 neighbor=0x000000000007 sid=24001}]" },
	/* RFC 9086 4.1 */
	{ 29, BYTES(4, 77, 0, 7, 208, 0, 0, 0, 0, 93, 193),
	  "tlvs=[{type=1101 name=peer-node-sid flags=0xd0 weight=0 sid=24001}]" },
	/* RFC 9086 4.2 */
	{ 29, BYTES(4, 78, 0, 7, 208, 0, 0, 0, 0, 93, 194),
	  "tlvs=[{type=1102 name=peer-adjacency-sid flags=0xd0 weight=0 sid=24002}]" },
	/* RFC 9086 4.3 */
	{ 29, BYTES(4, 79, 0, 7, 208, 0, 0, 0, 0, 93, 195),
	  "tlvs=[{type=1103 name=peer-set-sid flags=0xd0 weight=0 sid=24003}]" },
	/* RFC 8169 4.6 */
	{ 29, BYTES(4, 81, 0, 1, 32),
	  "tlvs=[{type=1105 name=rtm-capability capability=0x20}]" },
	/* RFC 9514 4.1 */
	{ 29, BYTES(4, 82, 0, 30, 0, 5, 0, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 228, 0, 4, 32, 16, 16, 0),
	  "tlvs=[{type=1106 name=srv6-end-x-sid behavior=5 flags=0x00 algorithm=0 weight=0 sid=2001:db8::1 tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 "
	  "argument=0}]}]" },
	/* RFC 9514 4.2 */
	{ 29, BYTES(4, 83, 0, 36, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 228, 0, 4, 32, 16, 16, 0),
	  "tlvs=[{type=1107 name=is-is-srv6-lan-end-x-sid behavior=5 flags=0x00 algorithm=0 weight=0 neighbor=0x000000000007 sid=2001:db8::1 tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 "
	  "locatorNode=16 function=16 argument=0}]}]" },
	{ 29, BYTES(4, 84, 0, 34, 0, 5, 0, 0, 0, 0, 192, 0, 2, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 228, 0, 4, 32, 16, 16, 0),
	  "tlvs=[{type=1108 name=ospfv3-srv6-lan-end-x-sid behavior=5 flags=0x00 algorithm=0 weight=0 neighbor=192.0.2.7 sid=2001:db8::1 tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 "
	  "locatorNode=16 function=16 argument=0}]}]" },
	/* RFC 8571 2.1 */
	{ 29, BYTES(4, 90, 0, 4, 128, 0, 0, 100),
	  "tlvs=[{type=1114 name=link-delay flags=0x80 microseconds=100}]" },
	/* RFC 8571 2.2 */
	{ 29, BYTES(4, 91, 0, 8, 0, 0, 0, 90, 0, 0, 0, 110),
	  "tlvs=[{type=1115 name=min-max-link-delay flags=0x00 minMicroseconds=90 maxMicroseconds=110}]" },
	/* RFC 8571 2.3 */
	{ 29, BYTES(4, 92, 0, 4, 0, 0, 0, 3),
	  "tlvs=[{type=1116 name=delay-variation microseconds=3}]" },
	/* RFC 8571 2.4 */
	{ 29, BYTES(4, 93, 0, 4, 0, 0, 0, 1),
	  "tlvs=[{type=1117 name=link-loss flags=0x00 loss=1}]" },
	/* RFC 8571 2.5 */
	{ 29, BYTES(4, 94, 0, 4, 76, 238, 107, 40),
	  "tlvs=[{type=1118 name=residual-bandwidth bandwidth=125000000}]" },
	/* RFC 8571 2.6 */
	{ 29, BYTES(4, 95, 0, 4, 76, 238, 107, 40),
	  "tlvs=[{type=1119 name=available-bandwidth bandwidth=125000000}]" },
	/* RFC 8571 2.7 */
	{ 29, BYTES(4, 96, 0, 4, 76, 238, 107, 40),
	  "tlvs=[{type=1120 name=utilized-bandwidth bandwidth=125000000}]" },
	/* RFC 8379 4 */
	{ 29, BYTES(4, 97, 0, 0),
	  "tlvs=[{type=1121 name=graceful-link-shutdown}]" },
	/* RFC 9104 2 */
	{ 29, BYTES(4, 149, 0, 8, 0, 0, 0, 1, 0, 0, 0, 2),
	  "tlvs=[{type=1173 name=extended-administrative-group groups=[1 2]}]" },
	/* RFC 9085 2.2.2, of OSPF */
	{ 29, BYTES(4, 76, 0, 12, 48, 0, 0, 0, 192, 0, 2, 7, 0, 0, 0, 7),
	  "tlvs=[{type=1100 name=lan-adjacency-sid flags=0x30 weight=0 neighbor=192.0.2.7 sid=7}]" },
	/* RFC 9085 2.2.2, too short */
	{ 29, BYTES(4, 76, 0, 8, 48, 0, 0, 0, 192, 0, 2, 7),
	  "tlvs=[{type=1100 name=lan-adjacency-sid value=0x30000000c0000207}]" },
	/* RFC 9294 2 */
	{ 29, BYTES(4, 98, 0, 16, 4, 0, 0, 0, 16, 0, 0, 0, 4, 68, 0, 4, 0, 0, 0, 20),
	  "tlvs=[{type=1122 name=application-specific-link-attributes standard=0x10000000 userDefined=0x tlvs=[{type=1092 name=te-default-metric metric=20}]}]" },
	/* RFC 9294 2, masks longer than the value */
	{ 29, BYTES(4, 98, 0, 8, 8, 0, 0, 0, 16, 0, 0, 0),
	  "tlvs=[{type=1122 name=application-specific-link-attributes value=0x0800000010000000}]" },
	/* RFC 9552 5.3.3.1 */
	{ 29, BYTES(4, 128, 0, 1, 128),
	  "tlvs=[{type=1152 name=igp-flags flags=0x80}]" },
	/* RFC 9552 5.3.3.2 */
	{ 29, BYTES(4, 129, 0, 4, 0, 0, 0, 7),
	  "tlvs=[{type=1153 name=route-tags tags=[7]}]" },
	/* RFC 9552 5.3.3.3 */
	{ 29, BYTES(4, 130, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7),
	  "tlvs=[{type=1154 name=extended-route-tags tags=[7]}]" },
	/* RFC 9552 5.3.3.4 */
	{ 29, BYTES(4, 131, 0, 4, 0, 0, 0, 5),
	  "tlvs=[{type=1155 name=prefix-metric metric=5}]" },
	/* RFC 9552 5.3.3.5 */
	{ 29, BYTES(4, 132, 0, 4, 192, 0, 2, 1),
	  "tlvs=[{type=1156 name=ospf-forwarding-address address=192.0.2.1}]" },
	/* RFC 9552 5.3.3.6 */
	{ 29, BYTES(4, 133, 0, 1, 1),
	  "tlvs=[{type=1157 name=opaque-prefix opaque=0x01}]" },
	/* RFC 9085 2.3.1 */
	{ 29, BYTES(4, 134, 0, 8, 64, 0, 0, 0, 0, 0, 0, 11),
	  "tlvs=[{type=1158 name=prefix-sid flags=0x40 algorithm=0 sid=11}]" },
	/* RFC 9085 2.3.5 */
	{ 29, BYTES(4, 135, 0, 23, 0, 0, 0, 10, 4, 134, 0, 8, 0, 0, 0, 0, 0, 0, 0, 11, 4, 137, 0, 3, 0, 0, 16),
	  "tlvs=[{type=1159 name=range flags=0x00 rangeSize=10 tlvs=[{type=1158 name=prefix-sid flags=0x00 algorithm=0 sid=11} {type=1161 name=sid-label sid=16}]}]" },
	/* draft-ietf-idr-bgp-ls-isis-flood-reflection */
	{ 29, BYTES(4, 136, 0, 4, 128, 0, 0, 1),
	  "tlvs=[{type=1160 name=is-is-flood-reflection reflection=0x80000001}]" },
	/* RFC 9085 2.1.1 */
	{ 29, BYTES(4, 137, 0, 3, 0, 62, 128),
	  "tlvs=[{type=1161 name=sid-label sid=16000}]" },
	/* RFC 9514 5.1 */
	{ 29, BYTES(4, 138, 0, 16, 128, 0, 0, 0, 0, 0, 0, 10, 4, 228, 0, 4, 32, 16, 16, 0),
	  "tlvs=[{type=1162 name=srv6-locator flags=0x80 algorithm=0 metric=10 tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]}]" },
	/* RFC 9085 2.3.2 */
	{ 29, BYTES(4, 146, 0, 1, 32),
	  "tlvs=[{type=1170 name=prefix-attribute-flags flags=0x20}]" },
	/* RFC 9085 2.3.3 */
	{ 29, BYTES(4, 147, 0, 4, 192, 0, 2, 1),
	  "tlvs=[{type=1171 name=source-router-id routerId=192.0.2.1}]" },
	/* RFC 9085 2.2.3, with what is about a link */
	{ 29, BYTES(4, 148, 1, 112, 0, 0, 0, 25, 4, 64, 0, 4, 0, 0, 0, 5, 4, 65, 0, 4, 76, 238, 107, 40, 4, 66, 0, 4, 76, 238, 107, 40, 4, 67, 0, 32, 76, 238, 107, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 68, 0, 4, 0, 0, 0, 20, 4, 69, 0, 2, 2, 0, 4, 70, 0, 1, 192, 4, 71, 0, 3, 0, 0, 10, 4, 72, 0, 8, 0, 0, 0, 100, 0, 0, 0, 200, 4, 73, 0, 1, 9, 4,
		    74, 0, 3, 103, 101, 48, 4, 75, 0, 7, 48, 10, 0, 0, 0, 93, 192, 4, 76, 0, 13, 48, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 93, 193, 4, 77, 0, 7, 208, 0, 0, 0, 0, 93, 193, 4, 78, 0, 7, 208, 0, 0, 0, 0,
		    93, 194, 4, 79, 0, 7, 208, 0, 0, 0, 0, 93, 195, 4, 81, 0, 1, 32, 4, 82, 0, 30, 0, 5, 0, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 228, 0, 4, 32, 16, 16, 0, 4, 83, 0,
		    36, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 228, 0, 4, 32, 16, 16, 0, 4, 84, 0, 34, 0, 5, 0, 0, 0, 0, 192, 0, 2, 7, 32, 1, 13, 184, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 228, 0, 4, 32, 16, 16, 0, 4, 90, 0, 4, 128, 0, 0, 100, 4, 91, 0, 8, 0, 0, 0, 90, 0, 0, 0, 110, 4, 92, 0, 4, 0, 0, 0, 3, 4, 93, 0, 4, 0, 0, 0, 1, 4, 94, 0, 4,
		    76, 238, 107, 40, 4, 95, 0, 4, 76, 238, 107, 40, 4, 96, 0, 4, 76, 238, 107, 40, 4, 97, 0, 0, 4, 149, 0, 8, 0, 0, 0, 1, 0, 0, 0, 2),
	  "tlvs=[{type=1172 name=l2-bundle-member descriptor=25 tlvs=[{type=1088 name=administrative-group group=0x00000005} {type=1089 name=max-link-bandwidth bandwidth=125000000} {type=1090 "
	  "name=max-reservable-bandwidth bandwidth=125000000} {type=1091 name=unreserved-bandwidth bandwidths=[125000000 0 0 0 0 0 0 0]} {type=1092 name=te-default-metric metric=20} {type=1093 "
	  "name=link-protection protection=0x0200} {type=1094 name=mpls-protocols mask=0xc0} {type=1095 name=igp-metric metric=10} {type=1096 name=srlg groups=[100 200]} {type=1097 name=opaque-link "
	  "opaque=0x09} {type=1098 name=link-name linkName='ge0'} {type=1099 name=adjacency-sid flags=0x30 weight=10 sid=24000} {type=1100 name=lan-adjacency-sid flags=0x30 weight=0 "
	  "neighbor=0x000000000007 sid=24001} {type=1101 name=peer-node-sid flags=0xd0 weight=0 sid=24001} {type=1102 name=peer-adjacency-sid flags=0xd0 weight=0 sid=24002} {type=1103 "
	  "name=peer-set-sid flags=0xd0 weight=0 sid=24003} {type=1105 name=rtm-capability capability=0x20} {type=1106 name=srv6-end-x-sid behavior=5 flags=0x00 algorithm=0 weight=0 sid=2001:db8::1 "
	  "tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]} {type=1107 name=is-is-srv6-lan-end-x-sid behavior=5 flags=0x00 algorithm=0 weight=0 "
	  "neighbor=0x000000000007 sid=2001:db8::1 tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]} {type=1108 name=ospfv3-srv6-lan-end-x-sid "
	  "behavior=5 flags=0x00 algorithm=0 weight=0 neighbor=192.0.2.7 sid=2001:db8::1 tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]} {type=1114 "
	  "name=link-delay flags=0x80 microseconds=100} {type=1115 name=min-max-link-delay flags=0x00 minMicroseconds=90 maxMicroseconds=110} {type=1116 name=delay-variation microseconds=3} {type=1117 "
	  "name=link-loss flags=0x00 loss=1} {type=1118 name=residual-bandwidth bandwidth=125000000} {type=1119 name=available-bandwidth bandwidth=125000000} {type=1120 name=utilized-bandwidth "
	  "bandwidth=125000000} {type=1121 name=graceful-link-shutdown} {type=1173 name=extended-administrative-group groups=[1 2]}]}]" },
	/* RFC 9294 2, with what is about a link */
	{ 29, BYTES(4, 98, 1, 116, 0, 4, 0, 0, 0, 0, 0, 1, 4, 64, 0, 4, 0, 0, 0, 5, 4, 65, 0, 4, 76, 238, 107, 40, 4, 66, 0, 4, 76, 238, 107, 40, 4, 67, 0, 32, 76, 238, 107, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 68, 0, 4, 0, 0, 0, 20, 4, 69, 0, 2, 2, 0, 4, 70, 0, 1, 192, 4, 71, 0, 3, 0, 0, 10, 4, 72, 0, 8, 0, 0, 0, 100, 0, 0, 0, 200, 4, 73, 0, 1,
		    9, 4, 74, 0, 3, 103, 101, 48, 4, 75, 0, 7, 48, 10, 0, 0, 0, 93, 192, 4, 76, 0, 13, 48, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 93, 193, 4, 77, 0, 7, 208, 0, 0, 0, 0, 93, 193, 4, 78, 0, 7, 208, 0, 0,
		    0, 0, 93, 194, 4, 79, 0, 7, 208, 0, 0, 0, 0, 93, 195, 4, 81, 0, 1, 32, 4, 82, 0, 30, 0, 5, 0, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 228, 0, 4, 32, 16, 16, 0, 4, 83,
		    0, 36, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 228, 0, 4, 32, 16, 16, 0, 4, 84, 0, 34, 0, 5, 0, 0, 0, 0, 192, 0, 2, 7, 32, 1, 13, 184, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 228, 0, 4, 32, 16, 16, 0, 4, 90, 0, 4, 128, 0, 0, 100, 4, 91, 0, 8, 0, 0, 0, 90, 0, 0, 0, 110, 4, 92, 0, 4, 0, 0, 0, 3, 4, 93, 0, 4, 0, 0, 0, 1, 4, 94, 0,
		    4, 76, 238, 107, 40, 4, 95, 0, 4, 76, 238, 107, 40, 4, 96, 0, 4, 76, 238, 107, 40, 4, 97, 0, 0, 4, 149, 0, 8, 0, 0, 0, 1, 0, 0, 0, 2),
	  "tlvs=[{type=1122 name=application-specific-link-attributes standard=0x userDefined=0x00000001 tlvs=[{type=1088 name=administrative-group group=0x00000005} {type=1089 name=max-link-bandwidth "
	  "bandwidth=125000000} {type=1090 name=max-reservable-bandwidth bandwidth=125000000} {type=1091 name=unreserved-bandwidth bandwidths=[125000000 0 0 0 0 0 0 0]} {type=1092 "
	  "name=te-default-metric metric=20} {type=1093 name=link-protection protection=0x0200} {type=1094 name=mpls-protocols mask=0xc0} {type=1095 name=igp-metric metric=10} {type=1096 name=srlg "
	  "groups=[100 200]} {type=1097 name=opaque-link opaque=0x09} {type=1098 name=link-name linkName='ge0'} {type=1099 name=adjacency-sid flags=0x30 weight=10 sid=24000} {type=1100 "
	  "name=lan-adjacency-sid flags=0x30 weight=0 neighbor=0x000000000007 sid=24001} {type=1101 name=peer-node-sid flags=0xd0 weight=0 sid=24001} {type=1102 name=peer-adjacency-sid flags=0xd0 "
	  "weight=0 sid=24002} {type=1103 name=peer-set-sid flags=0xd0 weight=0 sid=24003} {type=1105 name=rtm-capability capability=0x20} {type=1106 name=srv6-end-x-sid behavior=5 flags=0x00 "
	  "algorithm=0 weight=0 sid=2001:db8::1 tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]} {type=1107 name=is-is-srv6-lan-end-x-sid behavior=5 "
	  "flags=0x00 algorithm=0 weight=0 neighbor=0x000000000007 sid=2001:db8::1 tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]} {type=1108 "
	  "name=ospfv3-srv6-lan-end-x-sid behavior=5 flags=0x00 algorithm=0 weight=0 neighbor=192.0.2.7 sid=2001:db8::1 tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 "
	  "function=16 argument=0}]} {type=1114 name=link-delay flags=0x80 microseconds=100} {type=1115 name=min-max-link-delay flags=0x00 minMicroseconds=90 maxMicroseconds=110} {type=1116 "
	  "name=delay-variation microseconds=3} {type=1117 name=link-loss flags=0x00 loss=1} {type=1118 name=residual-bandwidth bandwidth=125000000} {type=1119 name=available-bandwidth "
	  "bandwidth=125000000} {type=1120 name=utilized-bandwidth bandwidth=125000000} {type=1121 name=graceful-link-shutdown} {type=1173 name=extended-administrative-group groups=[1 2]}]}]" },
	/* RFC 9085 2.3.4 */
	{ 29, BYTES(4, 150, 0, 4, 192, 0, 2, 1),
	  "tlvs=[{type=1174 name=source-ospf-router-id routerId=192.0.2.1}]" },
	/* RFC 9815 5.2.1.1 */
	{ 29, BYTES(4, 156, 0, 1, 0),
	  "tlvs=[{type=1180 name=spf-capability algorithm=0}]" },
	/* RFC 9815 5.2.4 */
	{ 29, BYTES(4, 157, 0, 8, 0, 0, 0, 0, 0, 0, 0, 9),
	  "tlvs=[{type=1181 name=sequence-number sequence=9}]" },
	/* RFC 9815 5.2.2.1 */
	{ 29, BYTES(4, 158, 0, 1, 31),
	  "tlvs=[{type=1182 name=ipv4-link-prefix-length prefixLen=31}]" },
	{ 29, BYTES(4, 159, 0, 1, 127),
	  "tlvs=[{type=1183 name=ipv6-link-prefix-length prefixLen=127}]" },
	/* RFC 9815 5.2.1.2 */
	{ 29, BYTES(4, 160, 0, 1, 1),
	  "tlvs=[{type=1184 name=spf-status status=1}]" },
	/* draft-ietf-idr-bgp-ls-te-path */
	{ 29, BYTES(4, 176, 0, 2, 1, 2),
	  "tlvs=[{type=1200 name=mpls-te-policy-state state=0x0102}]" },
	/* RFC 9857 5.1 */
	{ 29, BYTES(4, 177, 0, 12, 80, 0, 0, 0, 3, 232, 0, 0, 3, 232, 16, 0),
	  "tlvs=[{type=1201 name=sr-binding-sid flags=0x5000 sid=16000 specifiedSid=16001}]" },
	/* RFC 9857 5.1, the D flag */
	{ 29, BYTES(4, 177, 0, 36, 192, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2),
	  "tlvs=[{type=1201 name=sr-binding-sid flags=0xc000 sid=2001:db8::1 specifiedSid=2001:db8::2}]" },
	/* RFC 9857 5.3 */
	{ 29, BYTES(4, 178, 0, 8, 10, 0, 88, 0, 0, 0, 0, 100),
	  "tlvs=[{type=1202 name=sr-candidate-path-state priority=10 flags=0x5800 preference=100}]" },
	/* RFC 9857 5.5 */
	{ 29, BYTES(4, 179, 0, 3, 99, 112, 49),
	  "tlvs=[{type=1203 name=sr-candidate-path-name pathName='cp1'}]" },
	/* RFC 9857 5.6 */
	{ 29, BYTES(4, 180, 0, 84, 4, 0, 0, 0, 0, 2, 128, 0, 4, 184, 0, 16, 1, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 185, 0, 4, 0, 0, 0, 7, 4, 186, 0, 4, 76, 238, 107, 40, 4, 187, 0, 8, 128, 0, 0, 0,
		    0, 0, 0, 5, 4, 190, 0, 8, 128, 0, 0, 0, 0, 0, 0, 6, 4, 191, 0, 12, 1, 32, 0, 0, 0, 0, 0, 3, 0, 0, 0, 40),
	  "tlvs=[{type=1204 name=sr-candidate-path-constraints flags=0x0400 topology=2 algorithm=128 tlvs=[{type=1208 name=sr-affinity-constraint excludeAny=[1] includeAny=[] includeAll=[2 3]} "
	  "{type=1209 name=sr-srlg-constraint srlgs=[7]} {type=1210 name=sr-bandwidth-constraint bandwidth=125000000} {type=1211 name=sr-disjoint-group-constraint requestFlags=0x80 statusFlags=0x00 "
	  "group=0x00000005} {type=1214 name=sr-bidirectional-group-constraint flags=0x8000 group=0x00000006} {type=1215 name=sr-metric-constraint metricType=1 flags=0x20 margin=3 bound=40}]}]" },
	/* RFC 9857 5.6.1, sizes that do not fit */
	{ 29, BYTES(4, 180, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 4, 184, 0, 8, 2, 0, 0, 0, 0, 0, 0, 1),
	  "tlvs=[{type=1204 name=sr-candidate-path-constraints flags=0x0000 topology=0 algorithm=0 tlvs=[{type=1208 name=sr-affinity-constraint value=0x0200000000000001}]}]" },
	/* RFC 9857 5.7, segments A to K and an unknown one */
	{ 29, BYTES(4, 181, 1, 197, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 182, 0, 9, 1, 0, 128, 0, 3, 232, 0, 0, 0, 4, 182, 0, 21, 2, 0, 128, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 128, 4,
		    182, 0, 13, 3, 0, 128, 0, 3, 232, 0, 0, 0, 192, 0, 2, 1, 4, 182, 0, 25, 4, 0, 128, 0, 3, 232, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 182, 0, 16, 5, 0, 128, 0, 3,
		    232, 0, 0, 192, 0, 2, 1, 0, 0, 0, 7, 4, 182, 0, 16, 6, 0, 128, 0, 3, 232, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 4, 182, 0, 48, 7, 0, 128, 0, 3, 232, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 1, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 8, 4, 182, 0, 40, 8, 0, 128, 0, 3, 232, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1,
		    13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 182, 0, 37, 9, 0, 128, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 182,
		    0, 60, 10, 0, 128, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
		    0, 0, 0, 8, 4, 182, 0, 68, 11, 0, 128, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 2, 4, 226, 0, 4, 0, 6, 0, 0, 4, 228, 0, 4, 32, 16, 16, 0, 4, 182, 0, 4, 12, 0, 0, 0, 4, 183, 0, 16, 1, 16, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 192, 0, 4, 76, 238, 107, 40, 4,
		    193, 0, 4, 0, 0, 0, 4),
	  "tlvs=[{type=1205 name=sr-segment-list flags=0x4000 topology=0 algorithm=0 weight=1 tlvs=[{type=1206 name=sr-segment segmentType=1 flags=0x8000 sid=16000 algorithm=0} {type=1206 "
	  "name=sr-segment segmentType=2 flags=0x8000 sid=2001:db8::1 algorithm=128} {type=1206 name=sr-segment segmentType=3 flags=0x8000 sid=16000 algorithm=0 node=192.0.2.1} {type=1206 "
	  "name=sr-segment segmentType=4 flags=0x8000 sid=16000 algorithm=0 node=2001:db8::1} {type=1206 name=sr-segment segmentType=5 flags=0x8000 sid=16000 node=192.0.2.1 localInterface=7} "
	  "{type=1206 name=sr-segment segmentType=6 flags=0x8000 sid=16000 local=192.0.2.1 remote=192.0.2.2} {type=1206 name=sr-segment segmentType=7 flags=0x8000 sid=16000 local=2001:db8::1 "
	  "localInterface=7 remote=2001:db8::2 remoteInterface=8} {type=1206 name=sr-segment segmentType=8 flags=0x8000 sid=16000 local=2001:db8::1 remote=2001:db8::2} {type=1206 name=sr-segment "
	  "segmentType=9 flags=0x8000 sid=2001:db8::2 algorithm=0 node=2001:db8::1} {type=1206 name=sr-segment segmentType=10 flags=0x8000 sid=2001:db8::2 local=2001:db8::1 localInterface=7 "
	  "remote=2001:db8::2 remoteInterface=8} {type=1206 name=sr-segment segmentType=11 flags=0x8000 sid=2001:db8::2 local=2001:db8::1 remote=2001:db8::2 tlvs=[{type=1250 "
	  "name=srv6-endpoint-behavior behavior=6 flags=0x00 algorithm=0} {type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]} {type=1206 name=sr-segment "
	  "value=0x0c000000} {type=1207 name=sr-segment-list-metric metricType=1 flags=0x10 margin=1 bound=2 metric=3} {type=1216 name=sr-segment-list-bandwidth bandwidth=125000000} {type=1217 "
	  "name=sr-segment-list-identifier identifier=4}]}]" },
	/* RFC 9857 5.2 */
	{ 29, BYTES(4, 188, 0, 52, 128, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 226, 0, 4, 0, 6, 0, 0, 4, 228, 0, 4, 32, 16, 16, 0),
	  "tlvs=[{type=1212 name=srv6-binding-sid flags=0x8000 sid=2001:db8::1 specifiedSid=2001:db8::2 tlvs=[{type=1250 name=srv6-endpoint-behavior behavior=6 flags=0x00 algorithm=0} {type=1252 "
	  "name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]}]" },
	/* RFC 9857 5.4 */
	{ 29, BYTES(4, 189, 0, 3, 112, 111, 108),
	  "tlvs=[{type=1213 name=sr-policy-name policyName='pol'}]" },
	/* RFC 9514 7.1 */
	{ 29, BYTES(4, 226, 0, 4, 0, 6, 0, 0),
	  "tlvs=[{type=1250 name=srv6-endpoint-behavior behavior=6 flags=0x00 algorithm=0}]" },
	/* RFC 9514 7.2 */
	{ 29, BYTES(4, 227, 0, 12, 128, 1, 0, 0, 0, 0, 253, 232, 192, 0, 2, 1),
	  "tlvs=[{type=1251 name=srv6-bgp-peer-node-sid flags=0x80 weight=1 peerAs=65000 peerBgpId=192.0.2.1}]" },
	/* RFC 9514 8 */
	{ 29, BYTES(4, 228, 0, 4, 32, 16, 16, 0),
	  "tlvs=[{type=1252 name=srv6-sid-structure locatorBlock=32 locatorNode=16 function=16 argument=0}]" },
	/* RFC 8669 3.1 and 3.2, drafts before it */
	{ 40, BYTES(1, 0, 7, 0, 0, 0, 0, 0, 0, 1, 2, 0, 19, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 8, 0, 0, 0, 62, 128, 0, 31, 64, 4, 0, 1, 1),
	  "tlvs=[{type=1 name=label-index flags=0x0000 labelIndex=1} {type=2 name=ipv6-sid flags=0x0000 sid=2001:db8::1} {type=3 name=originator-srgb flags=0x0000 ranges=[{first=16000 count=8000}]} "
	  "{type=4 name=srv6-vpn-sid sid=0x01}]" },
	/* RFC 9252 2, of layer 3 and 2 */
	{ 40, BYTES(5, 0, 34, 0, 1, 0, 30, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0, 1, 0, 6, 40, 24, 16, 0, 16, 64, 6, 0, 34, 0, 1, 0, 30, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 1, 0, 0, 19, 0, 1, 0, 6, 40, 24, 16, 0, 16, 64),
	  "tlvs=[{type=5 name=srv6-l3-service tlvs=[{type=1 name=sid-information sid=2001:db8::1 flags=0x00 behavior=19 tlvs=[{type=1 name=sid-structure locatorBlock=40 locatorNode=24 function=16 "
	  "argument=0 transpositionLength=16 transpositionOffset=64}]}]} {type=6 name=srv6-l2-service tlvs=[{type=1 name=sid-information sid=2001:db8::1 flags=0x00 behavior=19 tlvs=[{type=1 "
	  "name=sid-structure locatorBlock=40 locatorNode=24 function=16 argument=0 transpositionLength=16 transpositionOffset=64}]}]}]" },
	/* RFC 9252 3.1, an unknown Sub-TLV */
	{ 40, BYTES(6, 0, 5, 0, 9, 0, 1, 7),
	  "tlvs=[{type=6 name=srv6-l2-service tlvs=[{type=9 value=0x07}]}]" },
	/* RFC 9012 3.2.4 */
	{ 23, BYTES(0, 1, 2, 88, 1, 12, 0, 0, 0, 5, 1, 2, 3, 4, 5, 6, 7, 8, 2, 2, 8, 0, 4, 8, 3, 11, 64, 0, 0, 0, 0, 100, 6, 10, 0, 0, 0, 0, 0, 1, 192, 0, 2, 1, 7, 1, 46, 8, 2, 18, 181, 9, 1, 1, 10, 4, 0, 1, 1,
		    0, 11, 121, 1, 0, 7, 0, 0, 0, 0, 0, 0, 1, 2, 0, 19, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 8, 0, 0, 0, 62, 128, 0, 31, 64, 4, 0, 1, 1, 5, 0, 34, 0, 1, 0, 30, 0,
		    32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0, 1, 0, 6, 40, 24, 16, 0, 16, 64, 6, 0, 34, 0, 1, 0, 30, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0, 1,
		    0, 6, 40, 24, 16, 0, 16, 64, 12, 6, 0, 0, 0, 0, 0, 100, 13, 6, 64, 0, 0, 1, 0, 0, 13, 18, 64, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 14, 3, 0, 0, 4, 15, 2, 7, 0, 20, 26, 0,
		    0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 6, 0, 0, 40, 24, 16, 0, 128, 1, 76, 0, 1, 6, 0, 0, 0, 1, 0, 0, 3, 10, 0, 0, 192, 0, 2, 1, 0, 1, 0, 0, 4, 18, 0, 128, 32, 1, 13, 184,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5, 14, 0, 0, 0, 0, 0, 7, 192, 0, 2, 1, 0, 1, 0, 0, 6, 10, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 7, 42, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 1, 0, 0, 0, 8, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 8, 38, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 2, 0, 1, 0, 0, 9, 6, 0, 0, 0, 0, 0, 5, 13, 26, 64, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 6, 0, 0, 40, 24, 16, 0, 14, 42, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 6, 0, 0, 40, 24, 16, 0, 15, 58, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 32, 1,
		    13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 16, 34, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 2, 99, 1, 1, 129, 0, 3, 0, 99, 112, 130, 0, 4, 0, 112, 111, 108),
	  "tunnels=[{type=1 name=l2tpv3-over-ip tlvs=[{type=1 name=encapsulation sessionId=5 cookie=0x0102030405060708} {type=2 name=protocol-type protocol=2048} {type=4 name=color community=0x030b "
	  "flags=0x4000 color=100} {type=6 name=tunnel-egress-endpoint family=1 address=192.0.2.1} {type=7 name=ds-field ds=0x2e} {type=8 name=udp-destination-port port=4789} {type=9 "
	  "name=embedded-label-handling handling=1} {type=10 name=mpls-label-stack labelEntries=[65792]} {type=11 name=prefix-sid tlvs=[{type=1 name=label-index flags=0x0000 labelIndex=1} {type=2 "
	  "name=ipv6-sid flags=0x0000 sid=2001:db8::1} {type=3 name=originator-srgb flags=0x0000 ranges=[{first=16000 count=8000}]} {type=4 name=srv6-vpn-sid sid=0x01} {type=5 name=srv6-l3-service "
	  "tlvs=[{type=1 name=sid-information sid=2001:db8::1 flags=0x00 behavior=19 tlvs=[{type=1 name=sid-structure locatorBlock=40 locatorNode=24 function=16 argument=0 transpositionLength=16 "
	  "transpositionOffset=64}]}]} {type=6 name=srv6-l2-service tlvs=[{type=1 name=sid-information sid=2001:db8::1 flags=0x00 behavior=19 tlvs=[{type=1 name=sid-structure locatorBlock=40 "
	  "locatorNode=24 function=16 argument=0 transpositionLength=16 transpositionOffset=64}]}]}]} {type=12 name=preference flags=0x00 preference=100} {type=13 name=binding-sid flags=0x40 "
	  "labelEntry=65536} {type=13 name=binding-sid flags=0x40 sid=2001:db8::1} {type=14 name=explicit-null-policy flags=0x00 policy=4} {type=15 name=priority priority=7} {type=20 "
	  "name=srv6-binding-sid flags=0x00 sid=2001:db8::1 behavior=6 locatorBlock=40 locatorNode=24 function=16 argument=0} {type=128 name=segment-list segments=[{type=1 name=segment-a flags=0x00 "
	  "labelEntry=65536} {type=3 name=segment-c flags=0x00 algorithm=0 node=192.0.2.1 labelEntry=65536} {type=4 name=segment-d flags=0x00 algorithm=128 node=2001:db8::1} {type=5 name=segment-e "
	  "flags=0x00 interface=7 node=192.0.2.1 labelEntry=65536} {type=6 name=segment-f flags=0x00 local=192.0.2.1 remote=192.0.2.2} {type=7 name=segment-g flags=0x00 localInterface=7 "
	  "local=2001:db8::1 remoteInterface=8 remote=2001:db8::2} {type=8 name=segment-h flags=0x00 local=2001:db8::1 remote=2001:db8::2 labelEntry=65536} {type=9 name=weight flags=0x00 weight=5} "
	  "{type=13 name=segment-b flags=0x40 sid=2001:db8::1 behavior=6 locatorBlock=40 locatorNode=24 function=16 argument=0} {type=14 name=segment-i flags=0x00 algorithm=0 node=2001:db8::1 "
	  "sid=2001:db8::2 behavior=6 locatorBlock=40 locatorNode=24 function=16 argument=0} {type=15 name=segment-j flags=0x00 algorithm=0 localInterface=7 local=2001:db8::1 remoteInterface=8 "
	  "remote=2001:db8::2 sid=2001:db8::1} {type=16 name=segment-k flags=0x00 algorithm=0 local=2001:db8::1 remote=2001:db8::2} {type=99 value=0x01}]} {type=129 name=candidate-path-name "
	  "pathName='cp'} {type=130 name=policy-name policyName='pol'}]}]" },
	/* RFC 9012 3.2.5 */
	{ 23, BYTES(0, 2, 2, 80, 1, 4, 0, 0, 0, 5, 2, 2, 8, 0, 4, 8, 3, 11, 64, 0, 0, 0, 0, 100, 6, 10, 0, 0, 0, 0, 0, 1, 192, 0, 2, 1, 7, 1, 46, 8, 2, 18, 181, 9, 1, 1, 10, 4, 0, 1, 1, 0, 11, 121, 1, 0, 7, 0,
		    0, 0, 0, 0, 0, 1, 2, 0, 19, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 8, 0, 0, 0, 62, 128, 0, 31, 64, 4, 0, 1, 1, 5, 0, 34, 0, 1, 0, 30, 0, 32, 1, 13, 184, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0, 1, 0, 6, 40, 24, 16, 0, 16, 64, 6, 0, 34, 0, 1, 0, 30, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0, 1, 0, 6, 40, 24, 16, 0, 16,
		    64, 12, 6, 0, 0, 0, 0, 0, 100, 13, 6, 64, 0, 0, 1, 0, 0, 13, 18, 64, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 14, 3, 0, 0, 4, 15, 2, 7, 0, 20, 26, 0, 0, 32, 1, 13, 184, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 6, 0, 0, 40, 24, 16, 0, 128, 1, 76, 0, 1, 6, 0, 0, 0, 1, 0, 0, 3, 10, 0, 0, 192, 0, 2, 1, 0, 1, 0, 0, 4, 18, 0, 128, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 1, 5, 14, 0, 0, 0, 0, 0, 7, 192, 0, 2, 1, 0, 1, 0, 0, 6, 10, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 7, 42, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
		    8, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 8, 38, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 9, 6,
		    0, 0, 0, 0, 0, 5, 13, 26, 64, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 6, 0, 0, 40, 24, 16, 0, 14, 42, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13,
		    184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 6, 0, 0, 40, 24, 16, 0, 15, 58, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 32, 1, 13, 184, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 2, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 16, 34, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
		    99, 1, 1, 129, 0, 3, 0, 99, 112, 130, 0, 4, 0, 112, 111, 108),
	  "tunnels=[{type=2 name=gre tlvs=[{type=1 name=encapsulation key=5} {type=2 name=protocol-type protocol=2048} {type=4 name=color community=0x030b flags=0x4000 color=100} {type=6 "
	  "name=tunnel-egress-endpoint family=1 address=192.0.2.1} {type=7 name=ds-field ds=0x2e} {type=8 name=udp-destination-port port=4789} {type=9 name=embedded-label-handling handling=1} {type=10 "
	  "name=mpls-label-stack labelEntries=[65792]} {type=11 name=prefix-sid tlvs=[{type=1 name=label-index flags=0x0000 labelIndex=1} {type=2 name=ipv6-sid flags=0x0000 sid=2001:db8::1} {type=3 "
	  "name=originator-srgb flags=0x0000 ranges=[{first=16000 count=8000}]} {type=4 name=srv6-vpn-sid sid=0x01} {type=5 name=srv6-l3-service tlvs=[{type=1 name=sid-information sid=2001:db8::1 "
	  "flags=0x00 behavior=19 tlvs=[{type=1 name=sid-structure locatorBlock=40 locatorNode=24 function=16 argument=0 transpositionLength=16 transpositionOffset=64}]}]} {type=6 name=srv6-l2-service "
	  "tlvs=[{type=1 name=sid-information sid=2001:db8::1 flags=0x00 behavior=19 tlvs=[{type=1 name=sid-structure locatorBlock=40 locatorNode=24 function=16 argument=0 transpositionLength=16 "
	  "transpositionOffset=64}]}]}]} {type=12 name=preference flags=0x00 preference=100} {type=13 name=binding-sid flags=0x40 labelEntry=65536} {type=13 name=binding-sid flags=0x40 "
	  "sid=2001:db8::1} {type=14 name=explicit-null-policy flags=0x00 policy=4} {type=15 name=priority priority=7} {type=20 name=srv6-binding-sid flags=0x00 sid=2001:db8::1 behavior=6 "
	  "locatorBlock=40 locatorNode=24 function=16 argument=0} {type=128 name=segment-list segments=[{type=1 name=segment-a flags=0x00 labelEntry=65536} {type=3 name=segment-c flags=0x00 "
	  "algorithm=0 node=192.0.2.1 labelEntry=65536} {type=4 name=segment-d flags=0x00 algorithm=128 node=2001:db8::1} {type=5 name=segment-e flags=0x00 interface=7 node=192.0.2.1 labelEntry=65536} "
	  "{type=6 name=segment-f flags=0x00 local=192.0.2.1 remote=192.0.2.2} {type=7 name=segment-g flags=0x00 localInterface=7 local=2001:db8::1 remoteInterface=8 remote=2001:db8::2} {type=8 "
	  "name=segment-h flags=0x00 local=2001:db8::1 remote=2001:db8::2 labelEntry=65536} {type=9 name=weight flags=0x00 weight=5} {type=13 name=segment-b flags=0x40 sid=2001:db8::1 behavior=6 "
	  "locatorBlock=40 locatorNode=24 function=16 argument=0} {type=14 name=segment-i flags=0x00 algorithm=0 node=2001:db8::1 sid=2001:db8::2 behavior=6 locatorBlock=40 locatorNode=24 function=16 "
	  "argument=0} {type=15 name=segment-j flags=0x00 algorithm=0 localInterface=7 local=2001:db8::1 remoteInterface=8 remote=2001:db8::2 sid=2001:db8::1} {type=16 name=segment-k flags=0x00 "
	  "algorithm=0 local=2001:db8::1 remote=2001:db8::2} {type=99 value=0x01}]} {type=129 name=candidate-path-name pathName='cp'} {type=130 name=policy-name policyName='pol'}]}]" },
	/* IANA, tunnel types */
	{ 23, BYTES(0, 3, 0, 3, 1, 1, 9),
	  "tunnels=[{type=3 name=transmit-tunnel-endpoint tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 4, 0, 3, 1, 1, 9),
	  "tunnels=[{type=4 name=ipsec-in-tunnel-mode tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 5, 0, 3, 1, 1, 9),
	  "tunnels=[{type=5 name=ip-in-ip-tunnel-with-ipsec tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 6, 0, 3, 1, 1, 9),
	  "tunnels=[{type=6 name=mpls-in-ip-tunnel-with-ipsec tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 7, 0, 3, 1, 1, 9),
	  "tunnels=[{type=7 name=ip-in-ip tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	/* RFC 9012 3.2.1 */
	{ 23, BYTES(0, 8, 2, 88, 1, 12, 128, 0, 0, 100, 2, 0, 0, 0, 0, 1, 0, 0, 2, 2, 8, 0, 4, 8, 3, 11, 64, 0, 0, 0, 0, 100, 6, 10, 0, 0, 0, 0, 0, 1, 192, 0, 2, 1, 7, 1, 46, 8, 2, 18, 181, 9, 1, 1, 10, 4, 0,
		    1, 1, 0, 11, 121, 1, 0, 7, 0, 0, 0, 0, 0, 0, 1, 2, 0, 19, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 8, 0, 0, 0, 62, 128, 0, 31, 64, 4, 0, 1, 1, 5, 0, 34, 0, 1, 0,
		    30, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0, 1, 0, 6, 40, 24, 16, 0, 16, 64, 6, 0, 34, 0, 1, 0, 30, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
		    19, 0, 1, 0, 6, 40, 24, 16, 0, 16, 64, 12, 6, 0, 0, 0, 0, 0, 100, 13, 6, 64, 0, 0, 1, 0, 0, 13, 18, 64, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 14, 3, 0, 0, 4, 15, 2, 7, 0,
		    20, 26, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 6, 0, 0, 40, 24, 16, 0, 128, 1, 76, 0, 1, 6, 0, 0, 0, 1, 0, 0, 3, 10, 0, 0, 192, 0, 2, 1, 0, 1, 0, 0, 4, 18, 0, 128, 32,
		    1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5, 14, 0, 0, 0, 0, 0, 7, 192, 0, 2, 1, 0, 1, 0, 0, 6, 10, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 7, 42, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 8, 38, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 9, 6, 0, 0, 0, 0, 0, 5, 13, 26, 64, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 6, 0, 0, 40, 24, 16, 0, 14, 42, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 6, 0, 0, 40, 24, 16, 0, 15, 58, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
		    8, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 16, 34, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 99, 1, 1, 129, 0, 3, 0, 99, 112, 130, 0, 4, 0, 112, 111, 108),
	  "tunnels=[{type=8 name=vxlan tlvs=[{type=1 name=encapsulation flags=0x80 networkId=100 mac=0x020000000001} {type=2 name=protocol-type protocol=2048} {type=4 name=color community=0x030b "
	  "flags=0x4000 color=100} {type=6 name=tunnel-egress-endpoint family=1 address=192.0.2.1} {type=7 name=ds-field ds=0x2e} {type=8 name=udp-destination-port port=4789} {type=9 "
	  "name=embedded-label-handling handling=1} {type=10 name=mpls-label-stack labelEntries=[65792]} {type=11 name=prefix-sid tlvs=[{type=1 name=label-index flags=0x0000 labelIndex=1} {type=2 "
	  "name=ipv6-sid flags=0x0000 sid=2001:db8::1} {type=3 name=originator-srgb flags=0x0000 ranges=[{first=16000 count=8000}]} {type=4 name=srv6-vpn-sid sid=0x01} {type=5 name=srv6-l3-service "
	  "tlvs=[{type=1 name=sid-information sid=2001:db8::1 flags=0x00 behavior=19 tlvs=[{type=1 name=sid-structure locatorBlock=40 locatorNode=24 function=16 argument=0 transpositionLength=16 "
	  "transpositionOffset=64}]}]} {type=6 name=srv6-l2-service tlvs=[{type=1 name=sid-information sid=2001:db8::1 flags=0x00 behavior=19 tlvs=[{type=1 name=sid-structure locatorBlock=40 "
	  "locatorNode=24 function=16 argument=0 transpositionLength=16 transpositionOffset=64}]}]}]} {type=12 name=preference flags=0x00 preference=100} {type=13 name=binding-sid flags=0x40 "
	  "labelEntry=65536} {type=13 name=binding-sid flags=0x40 sid=2001:db8::1} {type=14 name=explicit-null-policy flags=0x00 policy=4} {type=15 name=priority priority=7} {type=20 "
	  "name=srv6-binding-sid flags=0x00 sid=2001:db8::1 behavior=6 locatorBlock=40 locatorNode=24 function=16 argument=0} {type=128 name=segment-list segments=[{type=1 name=segment-a flags=0x00 "
	  "labelEntry=65536} {type=3 name=segment-c flags=0x00 algorithm=0 node=192.0.2.1 labelEntry=65536} {type=4 name=segment-d flags=0x00 algorithm=128 node=2001:db8::1} {type=5 name=segment-e "
	  "flags=0x00 interface=7 node=192.0.2.1 labelEntry=65536} {type=6 name=segment-f flags=0x00 local=192.0.2.1 remote=192.0.2.2} {type=7 name=segment-g flags=0x00 localInterface=7 "
	  "local=2001:db8::1 remoteInterface=8 remote=2001:db8::2} {type=8 name=segment-h flags=0x00 local=2001:db8::1 remote=2001:db8::2 labelEntry=65536} {type=9 name=weight flags=0x00 weight=5} "
	  "{type=13 name=segment-b flags=0x40 sid=2001:db8::1 behavior=6 locatorBlock=40 locatorNode=24 function=16 argument=0} {type=14 name=segment-i flags=0x00 algorithm=0 node=2001:db8::1 "
	  "sid=2001:db8::2 behavior=6 locatorBlock=40 locatorNode=24 function=16 argument=0} {type=15 name=segment-j flags=0x00 algorithm=0 localInterface=7 local=2001:db8::1 remoteInterface=8 "
	  "remote=2001:db8::2 sid=2001:db8::1} {type=16 name=segment-k flags=0x00 algorithm=0 local=2001:db8::1 remote=2001:db8::2} {type=99 value=0x01}]} {type=129 name=candidate-path-name "
	  "pathName='cp'} {type=130 name=policy-name policyName='pol'}]}]" },
	/* RFC 9012 3.2.3 */
	{ 23, BYTES(0, 9, 0, 14, 1, 12, 128, 0, 0, 100, 2, 0, 0, 0, 0, 1, 0, 0),
	  "tunnels=[{type=9 name=nvgre tlvs=[{type=1 name=encapsulation flags=0x80 networkId=100 mac=0x020000000001}]}]" },
	/* IANA, tunnel types */
	{ 23, BYTES(0, 10, 0, 3, 1, 1, 9),
	  "tunnels=[{type=10 name=mpls tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 11, 0, 3, 1, 1, 9),
	  "tunnels=[{type=11 name=mpls-in-gre tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 12, 0, 3, 1, 1, 9),
	  "tunnels=[{type=12 name=vxlan-gpe tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 13, 0, 3, 1, 1, 9),
	  "tunnels=[{type=13 name=mpls-in-udp tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 14, 0, 3, 1, 1, 9),
	  "tunnels=[{type=14 name=ipv6-tunnel tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	/* RFC 9012 3, RFC 9830 2.4, RFC 9831 2 */
	{ 23, BYTES(0, 15, 2, 77, 1, 1, 9, 2, 2, 8, 0, 4, 8, 3, 11, 64, 0, 0, 0, 0, 100, 6, 10, 0, 0, 0, 0, 0, 1, 192, 0, 2, 1, 7, 1, 46, 8, 2, 18, 181, 9, 1, 1, 10, 4, 0, 1, 1, 0, 11, 121, 1, 0, 7, 0, 0, 0, 0,
		    0, 0, 1, 2, 0, 19, 0, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 8, 0, 0, 0, 62, 128, 0, 31, 64, 4, 0, 1, 1, 5, 0, 34, 0, 1, 0, 30, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 1, 0, 0, 19, 0, 1, 0, 6, 40, 24, 16, 0, 16, 64, 6, 0, 34, 0, 1, 0, 30, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 19, 0, 1, 0, 6, 40, 24, 16, 0, 16, 64, 12,
		    6, 0, 0, 0, 0, 0, 100, 13, 6, 64, 0, 0, 1, 0, 0, 13, 18, 64, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 14, 3, 0, 0, 4, 15, 2, 7, 0, 20, 26, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 1, 0, 6, 0, 0, 40, 24, 16, 0, 128, 1, 76, 0, 1, 6, 0, 0, 0, 1, 0, 0, 3, 10, 0, 0, 192, 0, 2, 1, 0, 1, 0, 0, 4, 18, 0, 128, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    1, 5, 14, 0, 0, 0, 0, 0, 7, 192, 0, 2, 1, 0, 1, 0, 0, 6, 10, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 7, 42, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 32, 1,
		    13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 8, 38, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 9, 6, 0, 0, 0,
		    0, 0, 5, 13, 26, 64, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 6, 0, 0, 40, 24, 16, 0, 14, 42, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 6, 0, 0, 40, 24, 16, 0, 15, 58, 0, 0, 0, 0, 0, 7, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 2, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 16, 34, 0, 0, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 99, 1, 1,
		    129, 0, 3, 0, 99, 112, 130, 0, 4, 0, 112, 111, 108),
	  "tunnels=[{type=15 name=sr-policy tlvs=[{type=1 name=encapsulation encapsulation=0x09} {type=2 name=protocol-type protocol=2048} {type=4 name=color community=0x030b flags=0x4000 color=100} "
	  "{type=6 name=tunnel-egress-endpoint family=1 address=192.0.2.1} {type=7 name=ds-field ds=0x2e} {type=8 name=udp-destination-port port=4789} {type=9 name=embedded-label-handling handling=1} "
	  "{type=10 name=mpls-label-stack labelEntries=[65792]} {type=11 name=prefix-sid tlvs=[{type=1 name=label-index flags=0x0000 labelIndex=1} {type=2 name=ipv6-sid flags=0x0000 sid=2001:db8::1} "
	  "{type=3 name=originator-srgb flags=0x0000 ranges=[{first=16000 count=8000}]} {type=4 name=srv6-vpn-sid sid=0x01} {type=5 name=srv6-l3-service tlvs=[{type=1 name=sid-information "
	  "sid=2001:db8::1 flags=0x00 behavior=19 tlvs=[{type=1 name=sid-structure locatorBlock=40 locatorNode=24 function=16 argument=0 transpositionLength=16 transpositionOffset=64}]}]} {type=6 "
	  "name=srv6-l2-service tlvs=[{type=1 name=sid-information sid=2001:db8::1 flags=0x00 behavior=19 tlvs=[{type=1 name=sid-structure locatorBlock=40 locatorNode=24 function=16 argument=0 "
	  "transpositionLength=16 transpositionOffset=64}]}]}]} {type=12 name=preference flags=0x00 preference=100} {type=13 name=binding-sid flags=0x40 labelEntry=65536} {type=13 name=binding-sid "
	  "flags=0x40 sid=2001:db8::1} {type=14 name=explicit-null-policy flags=0x00 policy=4} {type=15 name=priority priority=7} {type=20 name=srv6-binding-sid flags=0x00 sid=2001:db8::1 behavior=6 "
	  "locatorBlock=40 locatorNode=24 function=16 argument=0} {type=128 name=segment-list segments=[{type=1 name=segment-a flags=0x00 labelEntry=65536} {type=3 name=segment-c flags=0x00 "
	  "algorithm=0 node=192.0.2.1 labelEntry=65536} {type=4 name=segment-d flags=0x00 algorithm=128 node=2001:db8::1} {type=5 name=segment-e flags=0x00 interface=7 node=192.0.2.1 labelEntry=65536} "
	  "{type=6 name=segment-f flags=0x00 local=192.0.2.1 remote=192.0.2.2} {type=7 name=segment-g flags=0x00 localInterface=7 local=2001:db8::1 remoteInterface=8 remote=2001:db8::2} {type=8 "
	  "name=segment-h flags=0x00 local=2001:db8::1 remote=2001:db8::2 labelEntry=65536} {type=9 name=weight flags=0x00 weight=5} {type=13 name=segment-b flags=0x40 sid=2001:db8::1 behavior=6 "
	  "locatorBlock=40 locatorNode=24 function=16 argument=0} {type=14 name=segment-i flags=0x00 algorithm=0 node=2001:db8::1 sid=2001:db8::2 behavior=6 locatorBlock=40 locatorNode=24 function=16 "
	  "argument=0} {type=15 name=segment-j flags=0x00 algorithm=0 localInterface=7 local=2001:db8::1 remoteInterface=8 remote=2001:db8::2 sid=2001:db8::1} {type=16 name=segment-k flags=0x00 "
	  "algorithm=0 local=2001:db8::1 remote=2001:db8::2} {type=99 value=0x01}]} {type=129 name=candidate-path-name pathName='cp'} {type=130 name=policy-name policyName='pol'}]}]" },
	/* IANA, tunnel types */
	{ 23, BYTES(0, 16, 0, 3, 1, 1, 9),
	  "tunnels=[{type=16 name=bare tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 17, 0, 3, 1, 1, 9),
	  "tunnels=[{type=17 name=sr-tunnel tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 18, 0, 3, 1, 1, 9),
	  "tunnels=[{type=18 name=cloud-security tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 19, 0, 3, 1, 1, 9),
	  "tunnels=[{type=19 name=geneve tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 20, 0, 3, 1, 1, 9),
	  "tunnels=[{type=20 name=any-encapsulation tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 21, 0, 3, 1, 1, 9),
	  "tunnels=[{type=21 name=gtp tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 22, 0, 3, 1, 1, 9),
	  "tunnels=[{type=22 name=dps tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 23, 0, 3, 1, 1, 9),
	  "tunnels=[{type=23 name=originating-pe tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 24, 0, 3, 1, 1, 9),
	  "tunnels=[{type=24 name=dps-policy tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 25, 0, 3, 1, 1, 9),
	  "tunnels=[{type=25 name=sdwan-hybrid tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 26, 0, 3, 1, 1, 9),
	  "tunnels=[{type=26 name=x-over-udp tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	{ 23, BYTES(0, 27, 0, 3, 1, 1, 9),
	  "tunnels=[{type=27 name=des tlvs=[{type=1 name=encapsulation encapsulation=0x09}]}]" },
	/* RFC 7311 3 */
	{ 26, BYTES(1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 10),
	  "tlvs=[{type=1 name=aigp metric=10}]" },
	/* RFC 9026 3.1.6 */
	{ 38, BYTES(1, 0, 0, 0, 7, 1, 4, 192, 0, 2, 1),
	  "mode=1 discriminator=7 tlvs=[{type=1 name=source-address address=192.0.2.1}]" },
	/* RFC 9015 3.2.1 */
	{ 37, BYTES(1, 0, 12, 1, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 7, 2, 0, 30, 255, 3, 0, 18, 0, 41, 0, 0, 253, 232, 0, 0, 0, 1, 0, 0, 253, 232, 0, 0, 0, 1, 4, 0, 1, 1, 5, 0, 1, 2),
	  "tlvs=[{type=1 name=association associationType=1 rd=65000:1 servicePathId=7} {type=2 name=hop serviceIndex=255 tlvs=[{type=3 name=sft sft=41 sfirs=[{rd=65000:1} {rd=65000:1}]} {type=4 "
	  "name=mpls-swapping-stacking stacking=0x01} {type=5 name=sfp-traversal-with-mpls traversal=0x02}]}]" },
	/* RFC 9793 3 */
	{ 41, BYTES(0, 1, 0, 28, 1, 0, 5, 0, 0, 1, 0, 4, 2, 16, 0, 7, 0, 2, 0, 4, 2, 16, 0, 7, 0, 3, 0, 4, 192, 0, 2, 1),
	  "tlvs=[{type=1 name=bier subDomain=1 bfrId=5 tlvs=[{type=1 name=mpls-encapsulation maxSetId=2 bitStringLengthAndLabel=0x100007} {type=2 name=non-mpls-encapsulation maxSetId=2 "
	  "bitStringLengthAndBiftId=0x100007} {type=3 name=next-hop nextHop=192.0.2.1}]}]" },
	/* draft-ietf-idr-wide-bgp-communities-11 3 and 4 */
	{ 34, BYTES(0, 1, 64, 0, 0, 174, 253, 232, 0, 1, 0, 0, 253, 232, 0, 0, 253, 233, 1, 0, 51, 1, 0, 4, 0, 0, 253, 232, 2, 0, 2, 8, 10, 3, 0, 3, 16, 32, 1, 4, 0, 4, 0, 0, 0, 3, 5, 0, 4, 76, 238, 107, 40, 6,
		    0, 4, 0, 0, 0, 1, 7, 0, 4, 0, 0, 0, 2, 8, 0, 2, 104, 105, 2, 0, 51, 1, 0, 4, 0, 0, 253, 232, 2, 0, 2, 8, 10, 3, 0, 3, 16, 32, 1, 4, 0, 4, 0, 0, 0, 3, 5, 0, 4, 76, 238, 107, 40, 6, 0, 4, 0,
		    0, 0, 1, 7, 0, 4, 0, 0, 0, 2, 8, 0, 2, 104, 105, 3, 0, 51, 1, 0, 4, 0, 0, 253, 232, 2, 0, 2, 8, 10, 3, 0, 3, 16, 32, 1, 4, 0, 4, 0, 0, 0, 3, 5, 0, 4, 76, 238, 107, 40, 6, 0, 4, 0, 0, 0, 1,
		    7, 0, 4, 0, 0, 0, 2, 8, 0, 2, 104, 105, 0, 9, 0, 0, 0, 1, 5),
	  "containers=[{type=1 name=wide-community flags=0x40 community=0xfde80001 sourceAs=65000 contextAs=65001 tlvs=[{type=1 name=target atoms=[{type=1 name=as-numbers asns=[65000]} {type=2 "
	  "name=ipv4-prefixes prefixes=0x080a} {type=3 name=ipv6-prefixes prefixes=0x102001} {type=4 name=integers integers=[3]} {type=5 name=floats floats=[125000000]} {type=6 name=neighbor-classes "
	  "classes=[1]} {type=7 name=user-defined-classes classes=0x00000002} {type=8 name=text text='hi'}]} {type=2 name=exclude-target atoms=[{type=1 name=as-numbers asns=[65000]} {type=2 "
	  "name=ipv4-prefixes prefixes=0x080a} {type=3 name=ipv6-prefixes prefixes=0x102001} {type=4 name=integers integers=[3]} {type=5 name=floats floats=[125000000]} {type=6 name=neighbor-classes "
	  "classes=[1]} {type=7 name=user-defined-classes classes=0x00000002} {type=8 name=text text='hi'}]} {type=3 name=parameters atoms=[{type=1 name=as-numbers asns=[65000]} {type=2 "
	  "name=ipv4-prefixes prefixes=0x080a} {type=3 name=ipv6-prefixes prefixes=0x102001} {type=4 name=integers integers=[3]} {type=5 name=floats floats=[125000000]} {type=6 name=neighbor-classes "
	  "classes=[1]} {type=7 name=user-defined-classes classes=0x00000002} {type=8 name=text text='hi'}]}]} {type=9 flags=0x00 value=0x05}]" },
	/* draft-ietf-idr-nhc-07 2 */
	{ 39, BYTES(0, 1, 1, 4, 192, 0, 2, 1, 0, 1, 0, 0, 0, 2, 0, 1, 1, 0, 3, 0, 8, 192, 0, 2, 1, 0, 0, 253, 232, 0, 4, 0, 1, 1, 0, 5, 0, 1, 1),
	  "afi=1 safi=1 nextHop=192.0.2.1 characteristics=[{type=1 name=elcv3} {type=2 name=next-next-hop-nodes nodes=0x01} {type=3 name=bgp-id bgpId=192.0.2.1 asn=65000} {type=4 name=ifit ifit=0x01} "
	  "{type=5 name=accumulated-metric metric=0x01}]" },
	/* draft-ietf-idr-5g-edge-service-metadata */
	{ 42, BYTES(1, 2),
	  "metadata=0x0102" },
};
/* clang-format on */

static bool describe(uint8_t code, struct wire_view v, struct field_text *out)
{
	struct field_writer w = field_text_writer(out);

	return value_describe(bgp_attr_rows[code].layout, v, &w);
}

static void test_values_are_described(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(tlv_values); i++) {
		const struct tlv_value_case *c = &tlv_values[i];
		struct field_text got;
		bool fits = describe(c->code,
				     (struct wire_view){ c->in, c->len }, &got);

		CHECK(fits && strcmp(got.line, c->want) == 0,
		      "case %zu, attribute %u:\n%s\n%s", i, c->code, got.line,
		      c->want);
	}
}

/* Whether a case shows a TLV of this attribute with fields, not as bytes. */
static bool is_shown(uint8_t code, const struct tlv_row *row)
{
	char want[128];
	size_t len = (size_t)snprintf(want, sizeof(want), "type=%u name=%s",
				      row->type, row->name);

	for (size_t i = 0; i < COUNT(tlv_values); i++) {
		const char *at = tlv_values[i].want;

		if (tlv_values[i].code != code)
			continue;
		while ((at = strstr(at, want)) != NULL) {
			at += len;
			if (*at == '}' ||
			    (*at == ' ' && strncmp(at, " value=", 7) != 0))
				return true;
		}
	}
	return false;
}

static void check_rows(uint8_t code, const struct value_field *f)
{
	for (; f->form != VALUE_END; f++)
		for (size_t i = 0; f->tlvs != NULL && i < f->tlvs->count; i++) {
			const struct tlv_row *row = &f->tlvs->rows[i];

			CHECK(is_shown(code, row),
			      "attribute %u, TLV %u (%s) has no case", code,
			      row->type, row->name);
			check_rows(code, row->fields);
		}
}

static void test_every_row_has_a_case(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 256; code++)
		if (bgp_attr_rows[code].layout != NULL)
			check_rows((uint8_t)code, bgp_attr_rows[code].layout);
}

/* As the decoder does: a type is looked up once, so it is in a table once. */
static void check_types(const struct value_field *f)
{
	for (; f->form != VALUE_END; f++)
		for (size_t i = 0; f->tlvs != NULL && i < f->tlvs->count; i++) {
			const struct tlv_row *row = &f->tlvs->rows[i];

			CHECK(i == 0 || row[-1].type < row->type,
			      "%u (%s) is not in order", row->type, row->name);
			check_types(row->fields);
		}
}

static void test_tables_are_in_order(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 256; code++)
		if (bgp_attr_rows[code].layout != NULL)
			check_types(bgp_attr_rows[code].layout);
}

/* Values that a router cut, at each place: in memory of their own, for ASan. */
static void test_cut_values_do_no_harm(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(tlv_values); i++)
		for (size_t len = 0; len < tlv_values[i].len; len++) {
			uint8_t *copy = malloc(len + 1);
			struct field_text got;

			assert_non_null(copy);
			memcpy(copy, tlv_values[i].in, len);
			(void)describe(tlv_values[i].code,
				       (struct wire_view){ copy, len }, &got);
			free(copy);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_described),
		cmocka_unit_test(test_every_row_has_a_case),
		cmocka_unit_test(test_tables_are_in_order),
		cmocka_unit_test(test_cut_values_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
