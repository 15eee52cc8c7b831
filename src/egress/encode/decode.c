#include "egress/encode/decode.h"

#include "schema/layout.h"

#include <errno.h>

#define GET(field, s) capnp_struct_get(s, field##_AT, field##_BITS)

struct egress_community egress_list_community(const struct egress_list *l,
					      uint32_t i)
{
	struct capnp_struct s = capnp_list_struct(l, i);

	return (struct egress_community){
		.asn = (uint32_t)GET(COMMUNITY_ASN, &s),
		.value = (uint16_t)GET(COMMUNITY_VALUE, &s),
	};
}

struct egress_large egress_list_large(const struct egress_list *l, uint32_t i)
{
	struct capnp_struct s = capnp_list_struct(l, i);

	return (struct egress_large){
		.global_admin = (uint32_t)GET(LARGE_COMMUNITY_GLOBAL_ADMIN, &s),
		.local_data = {
			(uint32_t)GET(LARGE_COMMUNITY_LOCAL_DATA_PART1, &s),
			(uint32_t)GET(LARGE_COMMUNITY_LOCAL_DATA_PART2, &s),
		},
	};
}

/* egress_list_tlv() reads both structs with the same offsets. */
#define SAME_PLACE(a, b) _Static_assert((a) == (b), #a " and " #b)
SAME_PLACE(EXTENDED_COMMUNITY_TYPE_HIGH_AT, UNKNOWN_ATTRIBUTE_FLAGS_AT);
SAME_PLACE(EXTENDED_COMMUNITY_TYPE_LOW_AT, UNKNOWN_ATTRIBUTE_TYPE_AT);
SAME_PLACE(EXTENDED_COMMUNITY_VALUE_PTR, UNKNOWN_ATTRIBUTE_VALUE_PTR);

struct egress_tlv egress_list_tlv(const struct egress_list *l, uint32_t i)
{
	struct capnp_struct s = capnp_list_struct(l, i);
	struct egress_list value =
		capnp_follow(capnp_struct_ptr(&s, UNKNOWN_ATTRIBUTE_VALUE_PTR));

	return (struct egress_tlv){
		.head = { (uint8_t)GET(UNKNOWN_ATTRIBUTE_FLAGS, &s),
			  (uint8_t)GET(UNKNOWN_ATTRIBUTE_TYPE, &s) },
		.value = { value.p, value.count },
	};
}

struct egress_segment egress_list_segment(const struct egress_list *l,
					  uint32_t i)
{
	struct capnp_struct s = capnp_list_struct(l, i);

	return (struct egress_segment){
		.type = (uint16_t)GET(AS_PATH_SEGMENT_TYPE, &s),
		.asns = capnp_follow(
			capnp_struct_ptr(&s, AS_PATH_SEGMENT_ASNS_PTR)),
	};
}

struct egress_count egress_list_count(const struct egress_list *l, uint32_t i)
{
	struct capnp_struct s = capnp_list_struct(l, i);

	return (struct egress_count){
		.type = (uint32_t)GET(EVENT_COUNT_TYPE, &s),
		.afi = (uint16_t)GET(EVENT_COUNT_AFI, &s),
		.safi = (uint8_t)GET(EVENT_COUNT_SAFI, &s),
		.value = GET(EVENT_COUNT_VALUE, &s),
	};
}

struct wire_view egress_list_data(const struct egress_list *l, uint32_t i)
{
	/*
	 * Treat the list as a struct without data that has the list's pointers.
	 */
	struct capnp_struct s = { .data = l->p, .ptrs = UINT16_MAX };
	struct egress_list data = capnp_follow(capnp_struct_ptr(&s, i));

	return (struct wire_view){ data.p, data.count };
}

/* Check pointer @ptr of each element. */
static void check_elements(struct capnp_bounds *b, const struct egress_list *l,
			   unsigned ptr, enum capnp_list_size size)
{
	if (l->ptrs == 0)
		return;
	for (uint32_t i = 0; i < l->count && !b->bad; i++) {
		struct capnp_struct s = capnp_list_struct(l, i);

		(void)capnp_struct_list(b, &s, ptr, size);
	}
}

static struct egress_list list_of_tlvs(struct capnp_bounds *b,
				       const struct capnp_struct *s, unsigned n)
{
	struct egress_list l = capnp_struct_list(b, s, n, EGRESS_LIST_STRUCTS);

	check_elements(b, &l, UNKNOWN_ATTRIBUTE_VALUE_PTR, EGRESS_LIST_BYTES);
	return l;
}

static struct egress_list list_of_segments(struct capnp_bounds *b,
					   const struct capnp_struct *s)
{
	struct egress_list l =
		capnp_struct_list(b, s, UPDATE_AS_PATH_SEGMENTS_PTR,
				  EGRESS_LIST_STRUCTS);

	check_elements(b, &l, AS_PATH_SEGMENT_ASNS_PTR, EGRESS_LIST_U32);
	return l;
}

static struct egress_list list_of_data(struct capnp_bounds *b,
				       const struct capnp_struct *s, unsigned n)
{
	struct egress_list l = capnp_struct_list(b, s, n, EGRESS_LIST_POINTERS);
	struct capnp_struct all = { .data = l.p, .ptrs = UINT16_MAX };

	for (uint32_t i = 0; i < l.count && !b->bad; i++)
		(void)capnp_struct_data(b, &all, i);
	return l;
}

static void update_numbers(const struct capnp_struct *s,
			   struct egress_update *u)
{
	u->time_received_ns = GET(UPDATE_TIME_RECEIVED_NS, s);
	u->time_bmp_header_ns = GET(UPDATE_TIME_BMP_HEADER_NS, s);
	u->sequence = GET(UPDATE_SEQUENCE, s);
	u->peer_distinguisher = GET(UPDATE_PEER_DISTINGUISHER, s);
	u->route_distinguisher = GET(UPDATE_ROUTE_DISTINGUISHER, s);
	u->peer_bgp_id = (uint32_t)GET(UPDATE_PEER_BGP_ID, s);
	u->peer_asn = (uint32_t)GET(UPDATE_PEER_ASN, s);
	u->multi_exit_disc = (uint32_t)GET(UPDATE_MULTI_EXIT_DISC, s);
	u->local_preference = (uint32_t)GET(UPDATE_LOCAL_PREFERENCE, s);
	u->only_to_customer = (uint32_t)GET(UPDATE_ONLY_TO_CUSTOMER, s);
	u->aggregator_asn = (uint32_t)GET(UPDATE_AGGREGATOR_ASN, s);
	u->aggregator_bgp_id = (uint32_t)GET(UPDATE_AGGREGATOR_BGP_ID, s);
	u->originator_id = (uint32_t)GET(UPDATE_ORIGINATOR_ID, s);
	u->path_id = (uint32_t)GET(UPDATE_PATH_ID, s);
	u->router_port = (uint16_t)GET(UPDATE_ROUTER_PORT, s);
	u->afi = (uint16_t)GET(UPDATE_AFI, s);
	u->mp_reach_afi = (uint16_t)GET(UPDATE_MP_REACH_AFI, s);
	u->mp_unreach_afi = (uint16_t)GET(UPDATE_MP_UNREACH_AFI, s);
	u->reason = (uint16_t)GET(UPDATE_REASON, s);
	u->safi = (uint8_t)GET(UPDATE_SAFI, s);
	u->mp_reach_safi = (uint8_t)GET(UPDATE_MP_REACH_SAFI, s);
	u->mp_unreach_safi = (uint8_t)GET(UPDATE_MP_UNREACH_SAFI, s);
	u->prefix_len = (uint8_t)GET(UPDATE_PREFIX_LEN, s);
	u->peer_type = (uint8_t)GET(UPDATE_PEER_TYPE, s);
}

static void update_flags(const struct capnp_struct *s, struct egress_update *u)
{
	u->is_post_policy = GET(UPDATE_IS_POST_POLICY, s);
	u->is_adj_rib_out = GET(UPDATE_IS_ADJ_RIB_OUT, s);
	u->is_loc_rib = GET(UPDATE_IS_LOC_RIB, s);
	u->is_filtered = GET(UPDATE_IS_FILTERED, s);
	u->announced = GET(UPDATE_ANNOUNCED, s);
	u->synthetic = GET(UPDATE_SYNTHETIC, s);
	u->resync = GET(UPDATE_RESYNC, s);
	u->has_as_set = GET(UPDATE_HAS_AS_SET, s);
	u->atomic_aggregate = GET(UPDATE_ATOMIC_AGGREGATE, s);
	u->has_path_id = GET(UPDATE_HAS_PATH_ID, s);
	u->has_multi_exit_disc = GET(UPDATE_HAS_MULTI_EXIT_DISC, s);
	u->has_local_preference = GET(UPDATE_HAS_LOCAL_PREFERENCE, s);
	u->has_only_to_customer = GET(UPDATE_HAS_ONLY_TO_CUSTOMER, s);
	u->has_aggregator = GET(UPDATE_HAS_AGGREGATOR, s);
	u->has_originator_id = GET(UPDATE_HAS_ORIGINATOR_ID, s);
}

#define ADDRESS(field) capnp_struct_address(b, s, field##_PTR)
#define TEXT(field)    capnp_struct_text(b, s, field##_PTR)
#define DATA(field)    capnp_struct_data(b, s, field##_PTR)
#define LIST(field, size) \
	capnp_struct_list(b, s, field##_PTR, EGRESS_LIST_##size)

static void update_lists(struct capnp_bounds *b, const struct capnp_struct *s,
			 struct egress_update *u)
{
	u->as_path = LIST(UPDATE_AS_PATH, U32);
	u->cluster_list = LIST(UPDATE_CLUSTER_LIST, U32);
	u->labels = LIST(UPDATE_LABELS, U32);
	u->communities = LIST(UPDATE_COMMUNITIES, STRUCTS);
	u->large_communities = LIST(UPDATE_LARGE_COMMUNITIES, STRUCTS);
	u->ext_communities =
		list_of_tlvs(b, s, UPDATE_EXTENDED_COMMUNITIES_PTR);
	u->unknown_attributes =
		list_of_tlvs(b, s, UPDATE_UNKNOWN_ATTRIBUTES_PTR);
	u->as_path_segments = list_of_segments(b, s);
	u->ipv6_ext_communities =
		list_of_data(b, s, UPDATE_IPV6_EXTENDED_COMMUNITIES_PTR);
}

static void update_route(struct capnp_bounds *b, const struct capnp_struct *s,
			 struct egress_update *u)
{
	u->router_addr = ADDRESS(UPDATE_ROUTER_ADDR);
	u->peer_addr = ADDRESS(UPDATE_PEER_ADDR);
	u->prefix_addr = ADDRESS(UPDATE_PREFIX_ADDR);
	u->router_id = TEXT(UPDATE_ROUTER_ID);
	u->table_name = TEXT(UPDATE_TABLE_NAME);
	u->nlri = DATA(UPDATE_NLRI);
	u->nlri_key = DATA(UPDATE_NLRI_KEY);
}

static void update_bytes(struct capnp_bounds *b, const struct capnp_struct *s,
			 struct egress_update *u)
{
	u->next_hop = ADDRESS(UPDATE_NEXT_HOP);
	u->next_hop_link_local = ADDRESS(UPDATE_NEXT_HOP_LINK_LOCAL);
	u->origin = TEXT(UPDATE_ORIGIN);
	u->nlri_text = TEXT(UPDATE_NLRI_TEXT);
}

int egress_decode_route(const struct egress_message *m,
			struct egress_update *out)
{
	struct capnp_bounds bounds;
	struct capnp_struct root = capnp_struct_root(&bounds, m);

	*out = (struct egress_update){ 0 };
	update_numbers(&root, out);
	update_flags(&root, out);
	update_route(&bounds, &root, out);
	return bounds.bad ? -EBADMSG : 0;
}

int egress_decode_update(const struct egress_message *m,
			 struct egress_update *out)
{
	struct capnp_bounds bounds;
	struct capnp_struct root = capnp_struct_root(&bounds, m);

	update_numbers(&root, out);
	update_flags(&root, out);
	update_route(&bounds, &root, out);
	update_bytes(&bounds, &root, out);
	update_lists(&bounds, &root, out);
	return bounds.bad ? -EBADMSG : 0;
}

static void event_numbers(const struct capnp_struct *s, struct egress_event *e)
{
	e->time_received_ns = GET(EVENT_TIME_RECEIVED_NS, s);
	e->time_bmp_header_ns = GET(EVENT_TIME_BMP_HEADER_NS, s);
	e->peer_distinguisher = GET(EVENT_PEER_DISTINGUISHER, s);
	e->routes = GET(EVENT_ROUTES, s);
	e->messages = GET(EVENT_MESSAGES, s);
	e->epoch = GET(EVENT_EPOCH, s);
	e->peer_asn = (uint32_t)GET(EVENT_PEER_ASN, s);
	e->peer_bgp_id = (uint32_t)GET(EVENT_PEER_BGP_ID, s);
	e->kind = (uint16_t)GET(EVENT_KIND, s);
	e->router_port = (uint16_t)GET(EVENT_ROUTER_PORT, s);
	e->afi = (uint16_t)GET(EVENT_AFI, s);
	e->reason = (uint16_t)GET(EVENT_REASON, s);
	e->fsm_event = (uint16_t)GET(EVENT_FSM_EVENT, s);
	e->local_port = (uint16_t)GET(EVENT_LOCAL_PORT, s);
	e->remote_port = (uint16_t)GET(EVENT_REMOTE_PORT, s);
	e->safi = (uint8_t)GET(EVENT_SAFI, s);
	e->peer_type = (uint8_t)GET(EVENT_PEER_TYPE, s);
	e->has_peer = GET(EVENT_HAS_PEER, s);
	e->has_table = GET(EVENT_HAS_TABLE, s);
	e->is_post_policy = GET(EVENT_IS_POST_POLICY, s);
	e->is_adj_rib_out = GET(EVENT_IS_ADJ_RIB_OUT, s);
	e->is_loc_rib = GET(EVENT_IS_LOC_RIB, s);
	e->is_filtered = GET(EVENT_IS_FILTERED, s);
}

static void event_bytes(struct capnp_bounds *b, const struct capnp_struct *s,
			struct egress_event *e)
{
	e->router_addr = ADDRESS(EVENT_ROUTER_ADDR);
	e->peer_addr = ADDRESS(EVENT_PEER_ADDR);
	e->local_addr = ADDRESS(EVENT_LOCAL_ADDR);
	e->text = TEXT(EVENT_TEXT);
	e->router_id = TEXT(EVENT_ROUTER_ID);
	e->table_name = TEXT(EVENT_TABLE_NAME);
	e->collector = TEXT(EVENT_COLLECTOR);
	e->sent_open = DATA(EVENT_SENT_OPEN);
	e->received_open = DATA(EVENT_RECEIVED_OPEN);
	e->notification = DATA(EVENT_NOTIFICATION);
	e->mirrored = DATA(EVENT_MIRRORED);
	e->counts = LIST(EVENT_COUNTS, STRUCTS);
}

int egress_decode_event(const struct egress_message *m,
			struct egress_event *out)
{
	struct capnp_bounds bounds;
	struct capnp_struct root = capnp_struct_root(&bounds, m);

	event_numbers(&root, out);
	event_bytes(&bounds, &root, out);
	return bounds.bad ? -EBADMSG : 0;
}
