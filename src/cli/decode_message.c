#include "cli/decode.h"

#include "bmp/names.h"
#include "bmp/stats.h"
#include "cli/decode_bgpdump.h"
#include "cli/decode_explain.h"
#include "cli/decode_fields.h"
#include "cli/decode_rm_tlv.h"
#include "collector/base/json_bgp.h"
#include "collector/base/json_bgp_pdu.h"

/* The time is the router's, with the microseconds that it has. */
static void set_bgpdump_origin(struct decode *d,
			       const struct decode_session *session,
			       const struct bmp_message *message)
{
	static const struct bmp_peer nobody;
	const struct bmp_peer *peer =
		message->has_peer ? &message->peer : &nobody;
	struct bgpdump_origin origin = {
		.record = "BGP4MP",
		.time_ns = peer->time_ns != 0 ? peer->time_ns
					      : session->time_received_ns,
		.microseconds = true,
	};

	decode_bgpdump_begin(d, &origin, peer);
}

/* Set the members that all lines of a message share. */
static void set_shared_members(struct decode *d,
			       const struct decode_session *session,
			       const struct bmp_message *message,
			       const struct peer *peer)
{
	struct json *j = &d->shared;

	if (d->form == DECODE_BGPDUMP) {
		set_bgpdump_origin(d, session, message);
		return;
	}
	json_reset(j);
	if (d->file != NULL)
		json_string_at(j, "file", d->file);
	if (session->number != 0) {
		json_uint_at(j, "session", session->number);
		json_key(j, "routerAddr");
		json_address(j, session->router.address);
		json_uint_at(j, "routerPort", session->router.port);
	}
	json_uint_at(j, "message", session->message);
	if (session->time_received_ns != 0)
		json_uint_at(j, "timeReceivedNs", session->time_received_ns);
	if (message->has_peer)
		decode_peer(j, &message->peer);
	if (peer != NULL && peer->table_name_len > 0) {
		json_key(j, "tableName");
		json_text(j, (struct wire_view){ peer->table_name,
						 peer->table_name_len });
	}
}

void decode_error(struct decode *d, const char *what)
{
	if (d->summary != NULL) {
		d->summary->errors++;
		return;
	}
	decode_begin(d, "error");
	json_string_at(&d->out, "error", what);
	json_splice(&d->out, &d->shared);
	decode_end(d);
}

/* Write all TLVs of type @type as an array of strings. */
static void put_strings(struct decode *d, const struct bmp_message *message,
			uint16_t type, const char *name)
{
	struct tlv_iter it = tlv_start(message->tlvs, message->tlv_form);
	struct tlv tlv;
	bool any = false;

	while (tlv_next(&it, &tlv)) {
		if (tlv.type != type)
			continue;
		if (!any) {
			json_key(&d->out, name);
			json_array(&d->out);
			any = true;
		}
		json_text(&d->out, tlv.value);
	}
	if (any)
		json_end_array(&d->out);
}

static void put_text(struct decode *d, const struct bmp_message *message,
		     uint16_t type, const char *name)
{
	struct tlv tlv;

	if (!tlv_find(message->tlvs, message->tlv_form, type, &tlv))
		return;
	json_key(&d->out, name);
	json_text(&d->out, tlv.value);
}

/*
 * Write the TLVs whose types have no member of their own; @known is a bit mask
 * of the types that have one.
 */
static void put_other_tlvs(struct decode *d, const struct bmp_message *message,
			   unsigned known)
{
	struct tlv_iter it = tlv_start(message->tlvs, message->tlv_form);
	struct tlv tlv;
	bool any = false;

	while (tlv_next(&it, &tlv)) {
		if (tlv.type < 32 && known >> tlv.type & 1)
			continue;
		if (!any) {
			json_key(&d->out, "unknownTlvs");
			json_array(&d->out);
			any = true;
		}
		json_object(&d->out);
		json_uint_at(&d->out, "type", tlv.type);
		json_key(&d->out, "value");
		json_hex(&d->out, tlv.value);
		json_end_object(&d->out);
	}
	if (any)
		json_end_array(&d->out);
}

static void put_initiation(struct decode *d, const struct bmp_message *message)
{
	put_text(d, message, BMP_INIT_SYS_NAME, "sysName");
	put_text(d, message, BMP_INIT_SYS_DESCR, "sysDescr");
	put_strings(d, message, BMP_INIT_STRING, "strings");
	put_other_tlvs(d, message,
		       1u << BMP_INIT_SYS_NAME | 1u << BMP_INIT_SYS_DESCR |
			       1u << BMP_INIT_STRING);
}

static void put_termination(struct decode *d, const struct bmp_message *message)
{
	struct tlv tlv;

	if (tlv_find(message->tlvs, message->tlv_form, BMP_TERM_REASON, &tlv) &&
	    tlv.value.len == 2)
		json_bgp_code(&d->out, "reason", bmp_term_reason_name,
			      wire_get_u16(tlv.value.p));
	put_strings(d, message, BMP_TERM_STRING, "strings");
	put_other_tlvs(d, message,
		       1u << BMP_TERM_REASON | 1u << BMP_TERM_STRING);
}

static void peer_up(struct decode *d, const struct bmp_message *message)
{
	static const uint8_t none[16];
	const struct bmp_peer_up *up = &message->up;

	/*
	 * A Loc-RIB has no BGP session, so its addresses and ports are zero; as
	 * in the schema, zeros are left out.
	 */
	if (memcmp(up->local_address, none, sizeof(none)) != 0) {
		json_key(&d->out, "localAddr");
		json_address(&d->out, up->local_address);
	}
	if (up->local_port != 0)
		json_uint_at(&d->out, "localPort", up->local_port);
	if (up->remote_port != 0)
		json_uint_at(&d->out, "remotePort", up->remote_port);
	json_key(&d->out, "sentOpen");
	json_bgp_open(&d->out, up->sent_open.body);
	json_key(&d->out, "receivedOpen");
	json_bgp_open(&d->out, up->received_open.body);
	put_text(d, message, BMP_PEER_UP_ADMIN_LABEL, "adminLabel");
	put_strings(d, message, BMP_PEER_UP_STRING, "strings");
	put_other_tlvs(d, message,
		       1u << BMP_PEER_UP_STRING | 1u << BMP_PEER_UP_TABLE_NAME |
			       1u << BMP_PEER_UP_ADMIN_LABEL);
}

static void peer_down(struct decode *d, const struct bmp_message *message)
{
	const struct bmp_peer_down *down = &message->down;

	json_bgp_code(&d->out, "reason", bmp_down_reason_name, down->reason);
	if (down->reason == BMP_DOWN_LOCAL_FSM)
		json_bgp_fsm_event(&d->out, down->fsm_event);
	if (down->notification.whole.len > 0) {
		json_key(&d->out, "notification");
		json_bgp_notification(&d->out, down->notification.body);
	}
	put_other_tlvs(d, message, 1u << BMP_PEER_UP_TABLE_NAME);
}

static void put_stat(struct json *j, const struct bmp_stat *stat)
{
	json_object(j);
	json_uint_at(j, "type", stat->type);
	if (stat->registered)
		json_string_at(j, "name", bmp_stat_name(stat->type));
	if (stat->kind == BMP_STAT_FAMILY_GAUGE64)
		json_bgp_family(j, stat->afi, stat->safi);
	if (stat->kind != BMP_STAT_RAW) {
		json_uint_at(j, "value", stat->value);
	} else {
		json_key(j, "raw");
		json_hex(j, stat->raw);
	}
	json_end_object(j);
}

static void put_statistics(struct decode *d, const struct bmp_message *message)
{
	struct bmp_stat_iter it = bmp_stat_start(message);
	struct bmp_stat stat;

	json_key(&d->out, "counts");
	json_array(&d->out);
	while (bmp_stat_next(&it, &stat))
		put_stat(&d->out, &stat);
	json_end_array(&d->out);
}

/*
 * Write a mirrored BGP message. An UPDATE is decoded according to the OPENs of
 * the peer (RFC 7854 4.7).
 */
static void put_mirrored_pdu(struct decode *d, const struct bgp_pdu *pdu,
			     const struct bmp_message *message,
			     const struct peer *peer)
{
	struct bgp_decode_opts opts;
	struct bgp_update update;

	json_bgp_pdu(&d->out, pdu);
	if (pdu->type != BGP_PDU_UPDATE)
		return;
	opts = bgp_context_decode_opts_mirrored(&peer->context, &message->peer,
						&d->over);
	bgp_update_decode(pdu->body, &opts, &update);
	json_key(&d->out, "update");
	decode_update_object(&d->out, &update);
}

static void put_mirrored(struct decode *d, const struct tlv *tlv,
			 const struct bmp_message *message,
			 const struct peer *peer)
{
	struct wire_cursor c = wire_start(tlv->value);
	struct bgp_pdu pdu;

	json_object(&d->out);
	json_uint_at(&d->out, "type", tlv->type);
	if (tlv->type == BMP_MIRROR_PDU && bgp_pdu_take(&c, &pdu))
		put_mirrored_pdu(d, &pdu, message, peer);
	else
		json_bgp_mirrored(&d->out, tlv);
	json_end_object(&d->out);
}

/*
 * Write the mirrored messages as members of the event. Their routes are not
 * written as routes of the peer, because a mirrored message may be the faulty
 * one.
 */
static void put_mirroring(struct decode *d, const struct bmp_message *message,
			  const struct peer *peer)
{
	struct tlv_iter it = tlv_start(message->tlvs, message->tlv_form);
	struct tlv tlv;

	json_key(&d->out, "mirrored");
	json_array(&d->out);
	while (tlv_next(&it, &tlv))
		put_mirrored(d, &tlv, message, peer);
	json_end_array(&d->out);
}

static const struct {
	const char *kind;
	void (*put)(struct decode *d, const struct bmp_message *message);
} events[BMP_TYPES] = {
	[BMP_STATISTICS] = { "statistics", put_statistics },
	[BMP_PEER_DOWN] = { "peerDown", peer_down },
	[BMP_PEER_UP] = { "peerUp", peer_up },
	[BMP_INITIATION] = { "initiation", put_initiation },
	[BMP_TERMINATION] = { "termination", put_termination },
	[BMP_ROUTE_MIRRORING] = { "mirror", NULL },
};

/*
 * Parse later messages of the peer that fit both forms (with and without path
 * identifiers) in the form of this one.
 */
static void learn_add_path(struct peer *peer, const struct bmp_peer *header,
			   const struct bgp_update *u)
{
	for (int s = 0; s < BGP_PARTS; s++)
		if (bgp_update_guessed(u, s))
			bgp_context_learn(
				&peer->context, (enum bmp_view)header->view,
				(enum bgp_family)u->nlri_parts[s].format.family,
				u->nlri_parts[s].format.add_path);
}

/*
 * Write a line: the router did not send @lost messages, according to their
 * numbers.
 */
static void put_lost_messages(struct decode *d, uint32_t lost)
{
	if (d->summary != NULL)
		return;
	decode_begin(d, "messagesLost");
	json_uint_at(&d->out, "messages", lost);
	json_splice(&d->out, &d->shared);
	decode_end(d);
}

static void route_monitoring(struct decode *d, struct peer *peer,
			     struct summary_peer *counts,
			     const struct bmp_message *message)
{
	struct bgp_decode_opts opts =
		bgp_context_decode_opts(&peer->context, &message->peer,
					&d->over);
	struct bgp_update update;

	bmp_rm_decode_opts(message, d->v4, &d->over, &opts);
	if (decode_has_objects(d))
		decode_rm_tlvs(&d->shared, message, d->v4);
	bgp_update_decode(message->update.body, &opts, &update);
	learn_add_path(peer, &message->peer, &update);
	decode_update(d, counts, &update);
}

static void put_event(struct decode *d, const struct bmp_message *message,
		      const struct peer *peer, enum bmp_status status)
{
	if (d->summary != NULL)
		return;
	decode_begin(d, events[message->type].kind);
	if (message->type == BMP_ROUTE_MIRRORING)
		put_mirroring(d, message, peer);
	else
		events[message->type].put(d, message);
	if (status != BMP_OK)
		json_string_at(&d->out, "warning", bmp_status_name(status));
	json_splice(&d->out, &d->shared);
	decode_end(d);
}

/* How the UPDATEs in it are read: as of a route, or as mirrored. */
static void explain_one(struct decode *d, const struct bmp_frame *frame,
			const struct bmp_message *message, struct peer *peer,
			bool usable)
{
	struct bgp_decode_opts opts = { .as_width = 4 };

	if (peer != NULL && message->type == BMP_ROUTE_MIRRORING)
		opts = bgp_context_decode_opts_mirrored(&peer->context,
							&message->peer,
							&d->over);
	else if (peer != NULL)
		opts = bgp_context_decode_opts(&peer->context, &message->peer,
					       &d->over);
	if (usable && message->type == BMP_ROUTE_MONITORING)
		bmp_rm_decode_opts(message, d->v4, &d->over, &opts);
	decode_explain_message(d, frame, message, usable, &opts);
}

void decode_message(struct decode *d, struct decode_session *session,
		    const struct bmp_frame *frame)
{
	struct summary_peer *counts = NULL;
	struct peer *peer = NULL;
	struct bmp_message message;
	enum bmp_status status = bmp_message_decode(frame, d->v4, &message);
	uint32_t lost = bmp_sequence_take(&session->sequence, &message, d->v4);

	if (message.has_peer)
		peer = peers_get(&session->peers, &message.peer);
	if (bmp_status_usable(status) && message.type == BMP_PEER_UP)
		peers_up(&session->peers, &message);
	if (d->summary != NULL) {
		if (message.has_peer)
			counts = summary_peer(d->summary, &message.peer);
		summary_message(d->summary, counts, message.type);
	} else {
		set_shared_members(d, session, &message, peer);
	}

	if (lost > 0)
		put_lost_messages(d, lost);
	if (d->explains && d->summary == NULL)
		explain_one(d, frame, &message, peer,
			    bmp_status_usable(status));
	else if (!bmp_status_usable(status))
		decode_error(d, bmp_status_name(status));
	else if (message.type == BMP_ROUTE_MONITORING)
		route_monitoring(d, peer, counts, &message);
	else
		put_event(d, &message, peer, status);

	if (bmp_status_usable(status) && message.type == BMP_PEER_DOWN)
		peers_down(&session->peers, &message);
	session->message++;
}
