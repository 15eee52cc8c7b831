#include "cli/tail.h"

#include "bmp/names.h"
#include "bmp/text.h"
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

static void rd_at(struct json *j, const char *name, uint64_t rd)
{
	char buf[32];
	struct text t = text_start(buf, sizeof(buf));

	if (rd == 0)
		return;
	text_rd(&t, rd);
	text_end(&t);
	json_string_at(j, name, buf);
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
		json_string_at(j, "type",
			       bgp_as_segment_name((uint8_t)segment.type));
		numbers_at(j, "asns", &segment.asns);
		json_end_object(j);
	}
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

/* Two numbers and a value, as they are. */
static void tlvs_at(struct json *j, const char *name, const char *first,
		    const char *second, const struct egress_list *list)
{
	if (list->count == 0)
		return;
	json_key(j, name);
	json_array(j);
	for (uint32_t i = 0; i < list->count; i++) {
		struct egress_tlv tlv = egress_list_tlv(list, i);

		json_object(j);
		json_uint_at(j, first, tlv.head[0]);
		json_uint_at(j, second, tlv.head[1]);
		json_key(j, "value");
		json_hex(j, tlv.value);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_attributes(struct json *j, const struct egress_update *u)
{
	text_at(j, "origin", u->origin);
	numbers_at(j, "asPath", &u->as_path);
	put_segments(j, &u->as_path_segments);
	address_at(j, "nextHop", u->next_hop);
	address_at(j, "nextHopLinkLocal", u->next_hop_link_local);
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
	tlvs_at(j, "extendedCommunities", "typeHigh", "typeLow",
		&u->ext_communities);
	numbers_at(j, "clusterList", &u->cluster_list);
	tlvs_at(j, "unknownAttributes", "flags", "type",
		&u->unknown_attributes);
}

static const char *reason_name(uint16_t reason)
{
	static const char *const names[RIB_REASONS] = {
		[RIB_REASON_PEER_DOWN] = "peerDown",
		[RIB_REASON_STALE_SWEEP] = "staleSweep",
		[RIB_REASON_SESSION_LOST] = "sessionLost",
		[RIB_REASON_TREAT_AS_WITHDRAW] = "treatAsWithdraw",
		[RIB_REASON_ADMIN] = "admin",
	};

	return reason < RIB_REASONS ? names[reason] : "other";
}

static void put_route(struct json *j, const struct egress_update *u)
{
	if (u->nlri.len > 0) {
		hex_at(j, "nlri", u->nlri);
		hex_at(j, "nlriKey", u->nlri_key);
		text_at(j, "nlriText", u->nlri_text);
	} else {
		/* In a plain IPv4 family ::ffff:0:0 is 0.0.0.0. */
		address_at(j, "prefixAddr", u->prefix_addr);
		json_uint_at(j, "prefixLen", u->prefix_len);
	}
	rd_at(j, "routeDistinguisher", u->route_distinguisher);
	numbers_at(j, "labels", &u->labels);
	if (u->has_path_id)
		json_uint_at(j, "pathId", u->path_id);
	json_uint_at(j, "afi", u->afi);
	json_uint_at(j, "safi", u->safi);
}

void tail_json_update(struct json *j, const struct egress_update *u)
{
	json_uint_at(j, "timeReceivedNs", u->time_received_ns);
	if (u->time_bmp_header_ns != 0)
		json_uint_at(j, "timeBmpHeaderNs", u->time_bmp_header_ns);
	address_at(j, "routerAddr", u->router_addr);
	json_uint_at(j, "routerPort", u->router_port);
	text_at(j, "routerId", u->router_id);
	address_at(j, "peerAddr", u->peer_addr);
	json_uint_at(j, "peerAsn", u->peer_asn);
	ipv4_at(j, "peerBgpId", u->peer_bgp_id);
	json_uint_at(j, "peerType", u->peer_type);
	rd_at(j, "peerDistinguisher", u->peer_distinguisher);
	json_true_at(j, "isPostPolicy", u->is_post_policy);
	json_true_at(j, "isAdjRibOut", u->is_adj_rib_out);
	json_true_at(j, "isLocRib", u->is_loc_rib);
	json_true_at(j, "isFiltered", u->is_filtered);
	text_at(j, "tableName", u->table_name);
	json_uint_at(j, "sequence", u->sequence);
	json_key(j, "announced");
	json_bool(j, u->announced);
	json_true_at(j, "synthetic", u->synthetic);
	json_true_at(j, "resync", u->resync);
	if (u->reason != RIB_REASON_NONE)
		json_string_at(j, "reason", reason_name(u->reason));
	put_route(j, u);
	put_attributes(j, u);
}

/* As "decode" calls them where it has a word; else as subjects do. */
const char *tail_event_name(uint16_t kind)
{
	switch (kind) {
	case RIB_EVENT_STATISTICS:
		return "stats";
	case RIB_EVENT_SESSION_OPEN:
		return "initiation";
	case RIB_EVENT_SESSION_CLOSE:
		return "termination";
	default:
		return kind < RIB_EVENTS ? subject_event_kind(kind) : "event";
	}
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
		if (count.afi != 0) {
			json_uint_at(j, "afi", count.afi);
			json_uint_at(j, "safi", count.safi);
		}
		json_uint_at(j, "value", count.value);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_peer(struct json *j, const struct egress_event *e)
{
	if (!e->has_peer)
		return;
	address_at(j, "peerAddr", e->peer_addr);
	json_uint_at(j, "peerAsn", e->peer_asn);
	ipv4_at(j, "peerBgpId", e->peer_bgp_id);
	json_uint_at(j, "peerType", e->peer_type);
	rd_at(j, "peerDistinguisher", e->peer_distinguisher);
	text_at(j, "tableName", e->table_name);
	if (!e->has_table)
		return;
	json_true_at(j, "isPostPolicy", e->is_post_policy);
	json_true_at(j, "isAdjRibOut", e->is_adj_rib_out);
	json_true_at(j, "isLocRib", e->is_loc_rib);
	json_true_at(j, "isFiltered", e->is_filtered);
	json_uint_at(j, "afi", e->afi);
	json_uint_at(j, "safi", e->safi);
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
	if (e->reason != 0)
		json_uint_at(j, "reason", e->reason);
	if (e->fsm_event != 0)
		json_uint_at(j, "fsmEvent", e->fsm_event);
	address_at(j, "localAddr", e->local_addr);
	if (e->local_port != 0)
		json_uint_at(j, "localPort", e->local_port);
	if (e->remote_port != 0)
		json_uint_at(j, "remotePort", e->remote_port);
	if (e->routes != 0)
		json_uint_at(j, "routes", e->routes);
	text_at(j, "text", e->text);
	text_at(j, "collector", e->collector);
	if (e->epoch != 0)
		json_uint_at(j, "epoch", e->epoch);
	hex_at(j, "sentOpen", e->sent_open);
	hex_at(j, "receivedOpen", e->received_open);
	hex_at(j, "notification", e->notification);
	put_counts(j, &e->counts);
}
