#include "cli/decode.h"

#include "bmp/names.h"
#include "capture/mrt_table.h"
#include "cli/decode_bgpdump.h"
#include "cli/decode_explain.h"
#include "cli/decode_fields.h"
#include "cli/xalloc.h"
#include "collector/base/json_bgp_pdu.h"

#include <math.h>

#define STATE_ESTABLISHED 6 /* RFC 6396 4.4.1 */

struct decode_mrt {
	struct decode *decode;
	struct capture_mrt_peers peers;
	uint64_t record; /* number of the current record, from 0 */
};

struct decode_mrt *decode_mrt_new(struct decode *d)
{
	struct decode_mrt *mrt = memory_must(calloc(1, sizeof(*mrt)));

	mrt->decode = d;
	return mrt;
}

void decode_mrt_free(struct decode_mrt *mrt)
{
	if (mrt == NULL)
		return;
	capture_mrt_peers_fini(&mrt->peers);
	free(mrt);
}

static const char *type_name(uint16_t type)
{
	switch (type) {
	case CAPTURE_MRT_BGP:
		return "BGP";
	case CAPTURE_MRT_TABLE_DUMP:
		return "TABLE_DUMP";
	case CAPTURE_MRT_TABLE_DUMP_V2:
		return "TABLE_DUMP_V2";
	case CAPTURE_MRT_BGP4MP:
		return "BGP4MP";
	case CAPTURE_MRT_BGP4MP_ET:
		return "BGP4MP_ET";
	default:
		return NULL;
	}
}

static void set_bgpdump_origin(struct decode_mrt *mrt,
			       const struct capture_mrt_record *record,
			       const struct bmp_peer *peer)
{
	static const struct bmp_peer nobody;
	const char *name = type_name(record->type);
	bool table = record->type == CAPTURE_MRT_TABLE_DUMP_V2;
	struct bgpdump_origin origin = {
		/* bgpdump's word for it */
		.record = table		 ? "TABLE_DUMP2"
			  : name != NULL ? name
					 : "",
		.time_ns = record->time_ns,
		.microseconds = record->type == CAPTURE_MRT_BGP4MP_ET,
		/* Of both kinds of record, RFC 8050's begin with 8. */
		.add_path = record->type != CAPTURE_MRT_TABLE_DUMP &&
			    record->subtype >= 8,
	};

	decode_bgpdump_begin(mrt->decode, &origin,
			     peer != NULL ? peer : &nobody);
}

/* Set the members that all lines of a record share. @peer may be NULL. */
static void set_shared_members(struct decode_mrt *mrt,
			       const struct capture_mrt_record *record,
			       const struct bmp_peer *peer)
{
	struct json *j = &mrt->decode->shared;

	if (mrt->decode->form == DECODE_BGPDUMP) {
		set_bgpdump_origin(mrt, record, peer);
		return;
	}
	json_reset(j);
	if (mrt->decode->file != NULL)
		json_string_at(j, "file", mrt->decode->file);
	json_uint_at(j, "record", mrt->record);
	if (type_name(record->type) != NULL)
		json_string_at(j, "recordType", type_name(record->type));
	json_uint_at(j, "recordSubtype", record->subtype);
	json_uint_at(j, "timeReceivedNs", record->time_ns);
	if (peer != NULL)
		decode_peer_identity(j, peer);
}

static struct summary_peer *count_peer(struct decode_mrt *mrt,
				       const struct bmp_peer *peer)
{
	return mrt->decode->summary != NULL
		       ? summary_peer(mrt->decode->summary, peer)
		       : NULL;
}

/*
 * Write an entry of a table. It is decoded like an UPDATE with one route: its
 * prefix is placed in MP_REACH if the next hop is there. The record, not the
 * options, determines the form: with path identifiers the entry itself differs,
 * and the MRT collector that wrote the file chose the width of AS numbers.
 */
static void table_entry(struct decode_mrt *mrt,
			const struct capture_mrt_rib *rib,
			const struct capture_mrt_entry *entry,
			struct summary_peer *counts)
{
	struct bgp_decode_opts opts = {
		.as_width = rib->as_width,
		.mrt_rib = rib->is_v2,
	};
	struct bgp_update update = { 0 };
	enum bgp_nlri_part_id s = BGP_PART_NLRI;

	update.verdict =
		bgp_attrs_decode(entry->attributes, &opts, &update.attrs);
	update.fault = update.attrs.fault;
	update.fault_code = update.attrs.fault_code;
	if (update.verdict >= BGP_DISABLE_FAMILY) {
		decode_error(mrt->decode,
			     "the attributes of a RIB entry cannot be read");
		return;
	}
	if (bgp_attrs_has(&update.attrs, BGP_MP_REACH)) {
		s = BGP_PART_MP_REACH;
	} else if (!bgp_attrs_has(&update.attrs, BGP_NEXT_HOP) &&
		   rib->next_hop.len > 0) {
		update.attrs.reach.next_hop = rib->next_hop;
		s = BGP_PART_MP_REACH;
	}
	update.nlri_parts[s] = (struct bgp_nlri_part){
		.field = rib->nlri,
		.format = {
			.afi = rib->afi,
			.safi = rib->safi,
			.family = (uint8_t)bgp_family_find(rib->afi, rib->safi),
		},
		.count = 1,
	};
	decode_rib_entry(mrt->decode, counts, &update,
			 entry->has_path_id ? &entry->path_id : NULL);
}

static void decode_table(struct decode_mrt *mrt,
			 const struct capture_mrt_record *record)
{
	enum capture_mrt_verdict verdict;
	struct capture_mrt_entry entry;
	struct capture_mrt_rib rib;

	verdict = capture_mrt_rib_decode(record, &mrt->peers, &rib);
	if (verdict != CAPTURE_MRT_OK) {
		set_shared_members(mrt, record, NULL);
		decode_error(mrt->decode, capture_mrt_text(verdict));
		return;
	}
	while (capture_mrt_rib_next(&rib, &entry, &verdict)) {
		struct bmp_peer peer = { 0 };

		if (verdict != CAPTURE_MRT_OK) {
			set_shared_members(mrt, record, NULL);
			decode_error(mrt->decode, capture_mrt_text(verdict));
			continue;
		}
		peer.as = entry.peer->as;
		peer.bgp_id = entry.peer->bgp_id;
		memcpy(peer.address, entry.peer->address, 16);
		set_shared_members(mrt, record, &peer);
		if (mrt->decode->form != DECODE_BGPDUMP)
			json_time_at(&mrt->decode->shared, "originatedAt",
				     entry.originated * UINT64_C(1000000000));
		table_entry(mrt, &rib, &entry, count_peer(mrt, &peer));
	}
}

static void put_position(struct json *j,
			 const struct capture_mrt_position *position)
{
	if (isfinite(position->latitude))
		json_number_at(j, "latitude", (double)position->latitude);
	if (isfinite(position->longitude))
		json_number_at(j, "longitude", (double)position->longitude);
}

static void geo_peer(struct json *j, const struct capture_mrt_geo_peer *geo)
{
	struct bmp_peer peer = {
		.as = geo->peer.as,
		.bgp_id = geo->peer.bgp_id,
	};

	memcpy(peer.address, geo->peer.address, 16);
	json_object(j);
	decode_peer_identity(j, &peer);
	put_position(j, &geo->position);
	json_end_object(j);
}

/*
 * Write a GEO_PEER_TABLE (RFC 6397): the positions of the MRT collector and of
 * the peers in the PEER_INDEX_TABLE before it.
 */
static void decode_geo(struct decode_mrt *mrt,
		       const struct capture_mrt_record *record)
{
	struct capture_mrt_geo_peer peer;
	struct decode *d = mrt->decode;
	struct capture_mrt_geo geo;
	enum capture_mrt_verdict verdict = capture_mrt_geo_decode(record, &geo);

	set_shared_members(mrt, record, NULL);
	if (verdict != CAPTURE_MRT_OK) {
		decode_error(d, capture_mrt_text(verdict));
		return;
	}
	if (d->summary != NULL)
		return;
	decode_begin(d, "geoPeers");
	json_key(&d->out, "collectorBgpId");
	json_ipv4(&d->out, geo.collector_id);
	put_position(&d->out, &geo.position);
	json_key(&d->out, "peers");
	json_array(&d->out);
	while (capture_mrt_geo_next(&geo, &peer))
		geo_peer(&d->out, &peer);
	json_end_array(&d->out);
	json_splice(&d->out, &d->shared);
	decode_end(d);
	if (geo.peers_left > 0)
		decode_error(d, capture_mrt_text(CAPTURE_MRT_SHORT));
}

static void put_local(struct decode_mrt *mrt,
		      const struct capture_mrt_message *message)
{
	struct json *j = &mrt->decode->shared;

	if (mrt->decode->form == DECODE_BGPDUMP)
		return;
	json_key(j, "localAddr");
	json_address(j, message->local_address);
	json_uint_at(j, "localAsn", message->local_as);
	json_true_at(j, "isLocal", message->local);
}

static void state_change(struct decode_mrt *mrt,
			 const struct capture_mrt_message *message,
			 struct summary_peer *counts)
{
	bool up = message->new_state == STATE_ESTABLISHED;
	struct decode *d = mrt->decode;

	if (d->summary != NULL) {
		summary_message(d->summary, counts,
				up ? BMP_PEER_UP : BMP_PEER_DOWN);
		return;
	}
	if (d->form == DECODE_BGPDUMP) {
		decode_bgpdump_state(d, message->old_state, message->new_state);
		return;
	}
	decode_begin(d, up ? "peerUp" : "peerDown");
	json_uint_at(&d->out, "oldState", message->old_state);
	json_uint_at(&d->out, "newState", message->new_state);
	json_splice(&d->out, &d->shared);
	decode_end(d);
}

/*
 * The families for which path identifiers may be expected: all of them, because
 * the record does not say for which families they were negotiated; none if it
 * is not an add-path record.
 */
static bgp_family_set add_path_families(const struct capture_mrt_message *m)
{
	return m->add_path ? ~(bgp_family_set)0 : 0;
}

/* Get the BGP message. A record of type BGP has it without its header. */
static bool take_pdu(const struct capture_mrt_message *message,
		     struct bgp_pdu *out)
{
	struct wire_cursor c = wire_start(message->pdu);

	if (message->pdu_type == 0)
		return bgp_pdu_take(&c, out);
	*out = (struct bgp_pdu){
		.type = message->pdu_type,
		.whole = message->pdu,
		.body = message->pdu,
	};
	return true;
}

static void bgp_message(struct decode_mrt *mrt,
			const struct capture_mrt_message *message,
			struct summary_peer *counts)
{
	struct bgp_decode_opts opts = {
		.as_width = message->as_width,
		.add_path = add_path_families(message),
	};
	struct decode *d = mrt->decode;
	struct bgp_update update;
	struct bgp_pdu pdu;

	if (!take_pdu(message, &pdu)) {
		decode_error(d, "the BGP message is cut or has no marker");
		return;
	}
	if (d->explains && d->summary == NULL) {
		bgp_decode_opts_override(&opts, &d->over, BMP_VIEW_IN_PRE);
		decode_explain_pdu(d, pdu.whole, &opts);
		return;
	}
	if (pdu.type == BGP_PDU_UPDATE) {
		bgp_decode_opts_override(&opts, &d->over, BMP_VIEW_IN_PRE);
		if (d->summary != NULL)
			summary_message(d->summary, counts,
					BMP_ROUTE_MONITORING);
		bgp_update_decode(pdu.body, &opts, &update);
		decode_update(d, counts, &update);
		return;
	}
	if (d->summary != NULL) {
		summary_message(d->summary, counts, BMP_ROUTE_MIRRORING);
		return;
	}
	decode_begin(d, "mirror");
	json_bgp_pdu(&d->out, &pdu);
	json_splice(&d->out, &d->shared);
	decode_end(d);
}

static void message_record(struct decode_mrt *mrt,
			   const struct capture_mrt_record *record)
{
	struct capture_mrt_message message;
	struct bmp_peer peer = { 0 };
	enum capture_mrt_verdict verdict =
		capture_mrt_message_decode(record, &message);

	if (verdict != CAPTURE_MRT_OK) {
		set_shared_members(mrt, record, NULL);
		decode_error(mrt->decode, capture_mrt_text(verdict));
		return;
	}
	peer.as = message.peer_as;
	memcpy(peer.address, message.peer_address, 16);
	set_shared_members(mrt, record, &peer);
	/*
	 * A state change in an MRT record of type BGP has the AS and address of
	 * the peer, but no local ones.
	 */
	if (record->type != CAPTURE_MRT_BGP || !message.is_state_change)
		put_local(mrt, &message);
	if (message.is_state_change)
		state_change(mrt, &message, count_peer(mrt, &peer));
	else
		bgp_message(mrt, &message, count_peer(mrt, &peer));
}

void decode_mrt_record(struct decode_mrt *mrt,
		       const struct capture_mrt_record *record)
{
	enum capture_mrt_verdict verdict;

	if (mrt->decode->summary != NULL)
		mrt->decode->summary->records++;
	if (capture_mrt_is_peers(record)) {
		verdict = capture_mrt_peers_decode(&mrt->peers, record);
		if (verdict != CAPTURE_MRT_OK) {
			set_shared_members(mrt, record, NULL);
			decode_error(mrt->decode, capture_mrt_text(verdict));
		}
	} else if (capture_mrt_is_geo(record)) {
		decode_geo(mrt, record);
	} else if (capture_mrt_is_rib(record)) {
		decode_table(mrt, record);
	} else if (record->type == CAPTURE_MRT_BGP ||
		   record->type == CAPTURE_MRT_BGP4MP ||
		   record->type == CAPTURE_MRT_BGP4MP_ET) {
		message_record(mrt, record);
	} else {
		set_shared_members(mrt, record, NULL);
		decode_error(mrt->decode,
			     capture_mrt_text(CAPTURE_MRT_UNSUPPORTED));
	}
	mrt->record++;
}
