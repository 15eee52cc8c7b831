/*
 * egress/encode/decode.h - decode updates and events without copying
 *
 *	struct egress_decoder r = egress_decode_start(bytes);
 *	struct egress_message m;
 *	struct egress_update u;
 *
 *	while ((err = egress_decode_next(&r, &m)) > 0)
 *		if (egress_decode_update(&m, &u) == 0)	or egress_decode_event()
 *			use(&u);
 *	if (err < 0)	the rest of the batch cannot be read
 *
 * A batch is whole Cap'n Proto messages back to back, each of one segment. The
 * subject, not the bytes, tells whether they are updates or events. Compressed
 * batches go through egress/codec.h first.
 *
 * The input is not trusted. Every object of the message is checked once, before
 * the struct is filled: pointers stay inside the message, nesting is not deeper
 * than in the schema, addresses are 16 bytes, texts end with a NUL. No object
 * may be referenced twice, so a reader never reads more than was sent.
 * Afterwards the views and lists can be used without further checks, as long as
 * the bytes are valid.
 *
 * Fields that a shorter struct lacks are zero or empty; fields that a newer
 * schema added are ignored.
 */
#ifndef EGRESS_ENCODE_DECODE_H
#define EGRESS_ENCODE_DECODE_H

#include "egress/capnp/reader.h"

struct egress_update {
	uint64_t time_received_ns;
	uint64_t time_bmp_header_ns;
	uint64_t sequence;
	uint64_t peer_distinguisher;
	uint64_t route_distinguisher;
	uint32_t peer_bgp_id;
	uint32_t peer_asn;
	uint32_t multi_exit_disc;
	uint32_t local_preference;
	uint32_t only_to_customer;
	uint32_t aggregator_asn;
	uint32_t aggregator_bgp_id;
	uint32_t originator_id;
	uint32_t path_id;
	uint16_t router_port;
	uint16_t afi;
	uint16_t mp_reach_afi;
	uint16_t mp_unreach_afi;
	uint16_t reason; /* enum rib_reason, or an unknown value */
	uint8_t safi;
	uint8_t mp_reach_safi;
	uint8_t mp_unreach_safi;
	uint8_t prefix_len;
	uint8_t peer_type;
	bool is_post_policy;
	bool is_adj_rib_out;
	bool is_loc_rib;
	bool is_filtered;
	bool announced;
	bool synthetic;
	bool resync;
	bool atomic_aggregate;
	bool has_as_set;
	bool has_path_id;
	bool has_multi_exit_disc;
	bool has_local_preference;
	bool has_only_to_customer;
	bool has_aggregator;
	bool has_originator_id;
	/* Addresses: each has 16 bytes, or is NULL. */
	const uint8_t *router_addr;
	const uint8_t *peer_addr;
	const uint8_t *prefix_addr;
	const uint8_t *next_hop;
	const uint8_t *next_hop_link_local;
	/* Texts, followed by a NUL; p is NULL if absent. */
	struct wire_view origin;
	struct wire_view router_id;
	struct wire_view table_name;
	struct wire_view nlri_text;
	/* Bytes; p is NULL if absent. */
	struct wire_view nlri;
	struct wire_view nlri_key;
	struct egress_list as_path;		 /* a list of numbers */
	struct egress_list as_path_segments;	 /* egress_list_segment() */
	struct egress_list communities;		 /* egress_list_community() */
	struct egress_list ext_communities;	 /* egress_list_tlv() */
	struct egress_list large_communities;	 /* egress_list_large() */
	struct egress_list ipv6_ext_communities; /* egress_list_data() */
	struct egress_list cluster_list;	 /* a list of numbers */
	struct egress_list labels;		 /* a list of numbers */
	struct egress_list unknown_attributes;	 /* egress_list_tlv() */
};

struct egress_event {
	uint64_t time_received_ns;
	uint64_t time_bmp_header_ns;
	uint64_t peer_distinguisher;
	uint64_t routes;
	uint64_t messages;
	uint64_t epoch;
	uint32_t peer_asn;
	uint32_t peer_bgp_id;
	uint16_t kind; /* enum rib_event_kind, or an unknown value */
	uint16_t router_port;
	uint16_t afi;
	uint16_t reason;
	uint16_t fsm_event;
	uint16_t local_port;
	uint16_t remote_port;
	uint8_t safi;
	uint8_t peer_type;
	bool has_peer;
	bool has_table;
	bool is_post_policy;
	bool is_adj_rib_out;
	bool is_loc_rib;
	bool is_filtered;
	const uint8_t *router_addr;
	const uint8_t *peer_addr;
	const uint8_t *local_addr;
	struct wire_view text;
	struct wire_view router_id;
	struct wire_view table_name;
	struct wire_view collector;
	struct wire_view sent_open;
	struct wire_view received_open;
	struct wire_view mirrored;
	struct wire_view notification;
	struct egress_list counts; /* egress_list_count() */
};

/*
 * Decode an update (or an event below). Returns 0 or -EBADMSG; *@out is then
 * not usable.
 */
int egress_decode_update(const struct egress_message *m,
			 struct egress_update *out);

/*
 * Decode only which route of which router and peer an update is about: its
 * numbers, flags and addresses. Attributes are neither checked nor set.
 */
int egress_decode_route(const struct egress_message *m,
			struct egress_update *out);
int egress_decode_event(const struct egress_message *m,
			struct egress_event *out);

/* Get element @i of a list, where @i < l->count. */

struct egress_community {
	uint32_t asn;
	uint16_t value;
};

struct egress_large {
	uint32_t global_admin;
	uint32_t local_data[2];
};

/*
 * An extended community (head = typeHigh, typeLow) or an unknown attribute
 * (head = flags, type).
 */
struct egress_tlv {
	uint8_t head[2];
	struct wire_view value;
};

struct egress_segment {
	uint16_t type; /* enum bgp_as_segment_type */
	struct egress_list asns;
};

struct egress_count {
	uint32_t type;
	uint16_t afi;
	uint8_t safi;
	uint64_t value;
};

static inline uint32_t egress_list_u32(const struct egress_list *l, uint32_t i)
{
	uint32_t v;

	/* Cap'n Proto is little-endian, as are all supported machines. */
	memcpy(&v, l->p + 4 * (size_t)i, sizeof(v));
	return v;
}

struct egress_community egress_list_community(const struct egress_list *l,
					      uint32_t i);
struct egress_large egress_list_large(const struct egress_list *l, uint32_t i);
struct egress_tlv egress_list_tlv(const struct egress_list *l, uint32_t i);
struct egress_segment egress_list_segment(const struct egress_list *l,
					  uint32_t i);
struct egress_count egress_list_count(const struct egress_list *l, uint32_t i);
struct wire_view egress_list_data(const struct egress_list *l, uint32_t i);

#endif
