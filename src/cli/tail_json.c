#include "cli/tail.h"

#include "collector/base/json_bgp.h"
#include "collector/base/json_bgp_pdu.h"
#include "collector/router/event_history.h"
#include "bmp/message.h"
#include "egress/subject.h"
#include "rib/event.h"

static void address_at(struct json *j, const char *name, const uint8_t *address)
{
	if (address == NULL)
		return;
	json_key(j, name);
	json_address(j, address);
}

static void ipv4_at(struct json *j, const char *name, uint32_t address)
{
	json_key(j, name);
	json_ipv4(j, address);
}

static void text_at(struct json *j, const char *name, struct wire_view text)
{
	if (text.len == 0)
		return;
	json_key(j, name);
	json_text(j, text);
}

static void hex_at(struct json *j, const char *name, struct wire_view bytes)
{
	if (bytes.len == 0)
		return;
	json_key(j, name);
	json_hex(j, bytes);
}

static void numbers_at(struct json *j, const char *name,
		       const struct egress_list *list)
{
	if (list->count == 0)
		return;
	json_key(j, name);
	json_array(j);
	for (uint32_t i = 0; i < list->count; i++)
		json_uint(j, egress_list_u32(list, i));
	json_end_array(j);
}

static void put_segments(struct json *j, const struct egress_list *list)
{
	if (list->count == 0)
		return;
	json_key(j, "asPathSegments");
	json_array(j);
	for (uint32_t i = 0; i < list->count; i++) {
		struct egress_segment segment = egress_list_segment(list, i);

		json_object(j);
		json_bgp_segment_type(j, segment.type);
		numbers_at(j, "asns", &segment.asns);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_community_names(struct json *j, const struct egress_list *list)
{
	bool any = false;

	for (uint32_t i = 0; i < list->count; i++) {
		struct egress_community c = egress_list_community(list, i);

		json_bgp_community_name(j, (uint32_t)c.asn << 16 | c.value,
					&any);
	}
	if (any)
		json_end_array(j);
}

static void put_communities(struct json *j, const struct egress_update *u)
{
	if (u->communities.count > 0) {
		json_key(j, "communities");
		json_array(j);
		for (uint32_t i = 0; i < u->communities.count; i++) {
			struct egress_community c =
				egress_list_community(&u->communities, i);

			json_colons(j, (uint32_t[]){ c.asn, c.value }, 2);
		}
		json_end_array(j);
	}
	put_community_names(j, &u->communities);
	if (u->large_communities.count > 0) {
		json_key(j, "largeCommunities");
		json_array(j);
		for (uint32_t i = 0; i < u->large_communities.count; i++) {
			struct egress_large c =
				egress_list_large(&u->large_communities, i);

			json_colons(j,
				    (uint32_t[]){ c.global_admin,
						  c.local_data[0],
						  c.local_data[1] },
				    3);
		}
		json_end_array(j);
	}
}

/* Write an array of TLVs, each of which has two numbers and a value. */
static void tlvs_at(struct json *j, const char *name,
		    void (*put)(struct json *j, uint8_t first, uint8_t second,
				struct wire_view value),
		    const struct egress_list *list)
{
	if (list->count == 0)
		return;
	json_key(j, name);
	json_array(j);
	for (uint32_t i = 0; i < list->count; i++) {
		struct egress_tlv tlv = egress_list_tlv(list, i);

		put(j, tlv.head[0], tlv.head[1], tlv.value);
	}
	json_end_array(j);
}

static void put_cluster_list(struct json *j, const struct egress_list *list)
{
	if (list->count == 0)
		return;
	json_key(j, "clusterList");
	json_array(j);
	for (uint32_t i = 0; i < list->count; i++)
		json_ipv4(j, egress_list_u32(list, i));
	json_end_array(j);
}

static void put_ipv6_ext_communities(struct json *j,
				     const struct egress_list *list)
{
	bool any = false;

	if (list->count == 0)
		return;
	json_key(j, "ipv6ExtendedCommunities");
	json_array(j);
	for (uint32_t i = 0; i < list->count; i++)
		json_hex(j, egress_list_data(list, i));
	json_end_array(j);
	for (uint32_t i = 0; i < list->count; i++)
		json_bgp_ipv6_community_text(j, egress_list_data(list, i),
					     &any);
	if (any)
		json_end_array(j);
}

static void put_attributes(struct json *j, const struct egress_update *u)
{
	text_at(j, "origin", u->origin);
	numbers_at(j, "asPath", &u->as_path);
	put_segments(j, &u->as_path_segments);
	json_true_at(j, "hasAsSet", u->has_as_set);
	json_bgp_next_hop(j, u->next_hop, u->next_hop_link_local);
	if (u->has_multi_exit_disc)
		json_uint_at(j, "multiExitDisc", u->multi_exit_disc);
	if (u->has_local_preference)
		json_uint_at(j, "localPreference", u->local_preference);
	if (u->has_only_to_customer)
		json_uint_at(j, "onlyToCustomer", u->only_to_customer);
	json_true_at(j, "atomicAggregate", u->atomic_aggregate);
	if (u->has_aggregator) {
		json_uint_at(j, "aggregatorAsn", u->aggregator_asn);
		ipv4_at(j, "aggregatorBgpId", u->aggregator_bgp_id);
	}
	if (u->has_originator_id)
		ipv4_at(j, "originatorId", u->originator_id);
	put_communities(j, u);
	tlvs_at(j, "extendedCommunities", json_bgp_ext_community,
		&u->ext_communities);
	put_cluster_list(j, &u->cluster_list);
	put_ipv6_ext_communities(j, &u->ipv6_ext_communities);
	tlvs_at(j, "unknownAttributes", json_bgp_attribute,
		&u->unknown_attributes);
}

/* The name of a reason, as in the schema (enum Reason). */
static const char *reason_name(unsigned reason)
{
	static const char *const names[RIB_REASONS] = {
		[RIB_REASON_NONE] = "none",
		[RIB_REASON_PEER_DOWN] = "peerDown",
		[RIB_REASON_STALE_SWEEP] = "staleSweep",
		[RIB_REASON_SESSION_LOST] = "sessionLost",
		[RIB_REASON_TREAT_AS_WITHDRAW] = "treatAsWithdraw",
		[RIB_REASON_ADMIN] = "admin",
	};

	return reason < RIB_REASONS ? names[reason] : "unknown";
}

static void put_mp_families(struct json *j, const struct egress_update *u)
{
	if (u->mp_reach_afi != 0) {
		json_uint_at(j, "mpReachAfi", u->mp_reach_afi);
		json_uint_at(j, "mpReachSafi", u->mp_reach_safi);
	}
	if (u->mp_unreach_afi != 0) {
		json_uint_at(j, "mpUnreachAfi", u->mp_unreach_afi);
		json_uint_at(j, "mpUnreachSafi", u->mp_unreach_safi);
	}
}

static void put_route(struct json *j, const struct egress_update *u)
{
	enum bgp_family family = bgp_family_find(u->afi, u->safi);

	if (u->nlri.len > 0) {
		hex_at(j, "nlri", u->nlri);
		hex_at(j, "nlriKey", u->nlri_key);
		text_at(j, "nlriText", u->nlri_text);
		json_bgp_nlri_bytes(j, u->afi, u->safi, u->nlri);
	} else if (u->prefix_addr != NULL) {
		json_bgp_prefix(j, family, u->prefix_addr, u->prefix_len);
	}
	json_bgp_rd(j, family, u->nlri, u->route_distinguisher);
	numbers_at(j, "labels", &u->labels);
	if (u->has_path_id)
		json_uint_at(j, "pathId", u->path_id);
	json_bgp_family(j, u->afi, u->safi);
	put_mp_families(j, u);
}

/* The view that belongs to the flags of a table. */
static enum bmp_view view_of(bool loc_rib, bool out, bool post)
{
	if (loc_rib)
		return BMP_VIEW_LOC_RIB;
	if (out)
		return post ? BMP_VIEW_OUT_POST : BMP_VIEW_OUT_PRE;
	return post ? BMP_VIEW_IN_POST : BMP_VIEW_IN_PRE;
}

void tail_json_update(struct json *j, const struct egress_update *u)
{
	json_uint_at(j, "timeReceivedNs", u->time_received_ns);
	if (u->time_bmp_header_ns != 0)
		json_uint_at(j, "timeBmpHeaderNs", u->time_bmp_header_ns);
	address_at(j, "routerAddr", u->router_addr);
	json_uint_at(j, "routerPort", u->router_port);
	text_at(j, "routerId", u->router_id);
	json_bgp_peer(j, &(struct json_bgp_peer){
				 .address = u->peer_addr,
				 .distinguisher = u->peer_distinguisher,
				 .as = u->peer_asn,
				 .bgp_id = u->peer_bgp_id,
				 .type = u->peer_type,
			 });
	json_bgp_view(j, view_of(u->is_loc_rib, u->is_adj_rib_out,
				 u->is_post_policy));
	json_true_at(j, "isFiltered", u->is_filtered);
	text_at(j, "tableName", u->table_name);
	json_uint_at(j, "sequence", u->sequence);
	json_key(j, "announced");
	json_bool(j, u->announced);
	json_true_at(j, "synthetic", u->synthetic);
	json_true_at(j, "resync", u->resync);
	if (u->reason != RIB_REASON_NONE)
		json_bgp_code(j, "reason", reason_name, u->reason);
	put_route(j, u);
	put_attributes(j, u);
}

/*
 * Write the member "kind". A number above those of our schema has no name. This
 * is checked here, because the name "unknown" is also that of a kind in the
 * schema.
 */
void tail_json_kind(struct json *j, uint16_t kind)
{
	if (kind < RIB_EVENTS)
		json_string_at(j, "kind", subject_event_kind(kind));
	else
		json_uint_at(j, "kind", kind);
}

static void put_counts(struct json *j, const struct egress_list *list)
{
	if (list->count == 0)
		return;
	json_key(j, "counts");
	json_array(j);
	for (uint32_t i = 0; i < list->count; i++) {
		struct egress_count count = egress_list_count(list, i);

		json_object(j);
		json_uint_at(j, "type", count.type);
		if (count.afi != 0)
			json_bgp_family(j, count.afi, count.safi);
		json_uint_at(j, "value", count.value);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_peer(struct json *j, const struct egress_event *e)
{
	if (!e->has_peer)
		return;
	json_bgp_peer(j, &(struct json_bgp_peer){
				 .address = e->peer_addr,
				 .distinguisher = e->peer_distinguisher,
				 .as = e->peer_asn,
				 .bgp_id = e->peer_bgp_id,
				 .type = e->peer_type,
			 });
	text_at(j, "tableName", e->table_name);
	if (!e->has_table)
		return;
	json_bgp_view(j, view_of(e->is_loc_rib, e->is_adj_rib_out,
				 e->is_post_policy));
	json_true_at(j, "isFiltered", e->is_filtered);
	json_bgp_family(j, e->afi, e->safi);
}

/*
 * Write the member @name: the BGP message in @bytes, whose body @put writes as
 * an object. Nothing is written if @bytes is empty or not a BGP message.
 */
static void pdu_at(struct json *j, const char *name, struct wire_view bytes,
		   void (*put)(struct json *j, struct wire_view body))
{
	struct wire_cursor c = wire_start(bytes);
	struct bgp_pdu pdu;

	if (bytes.len == 0 || !bgp_pdu_take(&c, &pdu))
		return;
	json_key(j, name);
	put(j, pdu.body);
}

/* Write the members that only Peer Up and Peer Down have. */
static void put_session(struct json *j, const struct egress_event *e)
{
	if (e->kind == RIB_EVENT_PEER_DOWN && e->reason == BMP_DOWN_LOCAL_FSM)
		json_bgp_fsm_event(j, e->fsm_event);
	address_at(j, "localAddr", e->local_addr);
	if (e->local_port != 0)
		json_uint_at(j, "localPort", e->local_port);
	if (e->remote_port != 0)
		json_uint_at(j, "remotePort", e->remote_port);
	pdu_at(j, "sentOpen", e->sent_open, json_bgp_open);
	pdu_at(j, "receivedOpen", e->received_open, json_bgp_open);
	pdu_at(j, "notification", e->notification, json_bgp_notification);
}

/* Write the TLVs of a Route Mirroring. */
static void put_mirrored(struct json *j, const struct egress_event *e)
{
	struct tlv_iter it = tlv_start(e->mirrored, TLV_BMP);
	struct tlv tlv;

	if (e->kind != RIB_EVENT_MIRROR)
		return;
	json_key(j, "mirrored");
	json_array(j);
	while (tlv_next(&it, &tlv)) {
		json_object(j);
		json_uint_at(j, "type", tlv.type);
		json_bgp_mirrored(j, &tlv);
		json_end_object(j);
	}
	json_end_array(j);
}

void tail_json_event(struct json *j, const struct egress_event *e)
{
	json_uint_at(j, "timeReceivedNs", e->time_received_ns);
	if (e->time_bmp_header_ns != 0)
		json_uint_at(j, "timeBmpHeaderNs", e->time_bmp_header_ns);
	address_at(j, "routerAddr", e->router_addr);
	if (e->router_port != 0)
		json_uint_at(j, "routerPort", e->router_port);
	text_at(j, "routerId", e->router_id);
	put_peer(j, e);
	event_history_reason(j, e->kind, e->reason);
	put_session(j, e);
	if (e->routes != 0 || event_history_counts_routes(e->kind))
		json_uint_at(j, "routes", e->routes);
	if (e->messages != 0)
		json_uint_at(j, "messages", e->messages);
	text_at(j, "text", e->text);
	if (e->epoch != 0)
		json_uint_at(j, "epoch", e->epoch);
	put_counts(j, &e->counts);
	put_mirrored(j, e);
}
