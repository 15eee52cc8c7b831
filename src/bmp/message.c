#include "bmp/message.h"

/* Type numbers that differ between the version 4 drafts. */
struct v4_numbers {
	uint16_t update; /* BGP message in Route Monitoring */
	uint16_t stats;	 /* TLV with the statistics; 0 = as in version 3 */
	/* draft-ietf-grow-bmp-tlv-03: the BGP message, then plain TLVs */
	bool bare_update;
};

static const struct v4_numbers v4_numbers[BMP_V4_NUMBERINGS] = {
	[BMP_V4_TLV20] = { .update = 7, .stats = 1 },
	[BMP_V4_LEGACY] = { .update = 4, .bare_update = true },
	[BMP_V4_TLV21] = { .update = 4, .stats = 1 },
};

/* The shortest OPEN has version, AS, hold time, id and a length. */
#define OPEN_MIN_LEN (BGP_HEADER_LEN + 10)

static enum bmp_status take_tlvs(struct wire_cursor *c, struct bmp_message *m)
{
	m->tlvs = wire_rest(c);
	return tlv_valid(m->tlvs, m->tlv_form) ? BMP_OK : BMP_CUT_TLVS;
}

static enum bmp_status take_pdu(struct wire_cursor *c, struct bmp_message *m)
{
	if (!bgp_pdu_take(c, &m->update))
		return BMP_BAD_PDU;
	return m->update.type == BGP_PDU_UPDATE ? BMP_OK : BMP_NOT_UPDATE;
}

/*
 * Hot: once per Route Monitoring. In version 3 the BGP message is not in a TLV.
 */
static enum bmp_status take_update(struct wire_cursor *c, struct bmp_message *m)
{
	enum bmp_status status = take_pdu(c, m);

	if (status != BMP_OK || c->left == 0)
		return status;
	/*
	 * Huawei routers send a TLV here, although only version 4 allows that.
	 */
	m->tlvs = wire_rest(c);
	return BMP_TRAILING_BYTES;
}

/*
 * True if the bytes begin with the marker of a BGP message. A TLV cannot begin
 * so, because its length would leave no space for an UPDATE.
 */
static bool begins_with_marker(struct wire_cursor c)
{
	uint64_t half;

	return wire_u64(&c, &half) && half == UINT64_MAX &&
	       wire_u64(&c, &half) && half == UINT64_MAX;
}

/* In version 4 the BGP message is one of the indexed TLVs. */
static __attribute__((noinline)) enum bmp_status take_update_v4(
	struct wire_cursor *c, const struct v4_numbers *v4,
	struct bmp_message *m)
{
	enum bmp_status status, tlvs;
	struct wire_cursor pdu;
	struct tlv tlv;

	if (v4->bare_update && begins_with_marker(*c)) {
		status = take_pdu(c, m);
		return status == BMP_OK ? take_tlvs(c, m) : status;
	}
	m->tlv_form = TLV_BMP_INDEXED;
	tlvs = take_tlvs(c, m);
	if (!tlv_find(m->tlvs, m->tlv_form, v4->update, &tlv))
		return BMP_SHORT;
	pdu = wire_start(tlv.value);
	status = take_pdu(&pdu, m);
	if (status != BMP_OK)
		return status;
	return pdu.left == 0 ? tlvs : BMP_TRAILING_BYTES;
}

static enum bmp_status take_stats(struct wire_cursor *c, uint16_t v4_type,
				  struct bmp_message *m)
{
	struct wire_view list = wire_rest(c);
	struct tlv tlv;

	if (v4_type != 0) {
		if (!tlv_find(list, TLV_BMP, v4_type, &tlv))
			return BMP_SHORT;
		*c = wire_start(tlv.value);
	}
	if (!wire_u32(c, &m->stats_count))
		return BMP_SHORT;
	return take_tlvs(c, m);
}

/*
 * Take an OPEN from @c. If @c does not begin with one, returns false and sets
 * *@out to an empty PDU.
 */
static bool take_open(struct wire_cursor *c, struct bgp_pdu *out)
{
	if (!bgp_pdu_take(c, out)) {
		/*
		 * The end of this PDU is not known, so nothing after it can be
		 * read.
		 */
		c->left = 0;
	} else if (out->type == BGP_PDU_OPEN &&
		   out->whole.len >= OPEN_MIN_LEN) {
		return true;
	}
	*out = (struct bgp_pdu){ 0 };
	return false;
}

static enum bmp_status take_peer_up(struct wire_cursor *c,
				    struct bmp_message *m)
{
	struct bmp_peer_up *up = &m->up;
	enum bmp_status status = BMP_OK;
	struct wire_view address;

	if (!(wire_take(c, 16, &address) && wire_u16(c, &up->local_port) &&
	      wire_u16(c, &up->remote_port)))
		return BMP_SHORT;
	if (m->peer.type == BMP_PEER_LOC_RIB)
		memset(up->local_address, 0, sizeof(up->local_address));
	else
		bmp_peer_address(address.p, m->peer.ipv6, up->local_address);

	/* After an OPEN that is too short the next OPEN can still be found. */
	if (!take_open(c, &up->sent_open))
		status = BMP_OPEN_UNUSABLE;
	if (!take_open(c, &up->received_open))
		status = BMP_OPEN_UNUSABLE;
	if (take_tlvs(c, m) != BMP_OK && status == BMP_OK)
		status = BMP_CUT_TLVS;
	return status;
}

static enum bmp_status take_peer_down(struct wire_cursor *c,
				      struct bmp_message *m)
{
	struct bmp_peer_down *down = &m->down;
	enum bmp_status status = BMP_OK;
	enum bmp_status tlvs;

	*down = (struct bmp_peer_down){ 0 };
	if (!wire_u8(c, &down->reason))
		return BMP_SHORT;
	switch (down->reason) {
	case BMP_DOWN_LOCAL_NOTIFICATION:
	case BMP_DOWN_REMOTE_NOTIFICATION:
		if (!bgp_pdu_take(c, &down->notification) ||
		    down->notification.type != BGP_PDU_NOTIFICATION) {
			down->notification = (struct bgp_pdu){ 0 };
			return BMP_NO_NOTIFICATION;
		}
		break;
	case BMP_DOWN_LOCAL_FSM:
		/* A missing FSM event code counts as 0, "none". */
		(void)wire_u16(c, &down->fsm_event);
		break;
	case BMP_DOWN_REMOTE:
	case BMP_DOWN_DECONFIGURED:
	case BMP_DOWN_LOC_RIB:
		break;
	default:
		status = BMP_UNKNOWN_REASON;
	}
	tlvs = take_tlvs(c, m);
	return status == BMP_OK ? tlvs : status;
}

static enum bmp_status take_body(struct wire_cursor *c,
				 const struct v4_numbers *v4,
				 struct bmp_message *m)
{
	switch (m->type) {
	case BMP_ROUTE_MONITORING:
		return v4->update == 0 ? take_update(c, m)
				       : take_update_v4(c, v4, m);
	case BMP_STATISTICS:
		return take_stats(c, v4->stats, m);
	case BMP_PEER_DOWN:
		return take_peer_down(c, m);
	case BMP_PEER_UP:
		return take_peer_up(c, m);
	default:
		return take_tlvs(c, m);
	}
}

/*
 * Hot: once per message. Cost: the headers are read once, the BGP message is
 * not touched beyond its own header. bench/bmp_decode.c
 */
enum bmp_status bmp_message_decode(const struct bmp_frame *frame,
				   enum bmp_v4 v4, struct bmp_message *out)
{
	struct wire_cursor c = wire_start(frame->body);
	const struct v4_numbers *numbers = &v4_numbers[BMP_V4_OFF];

	out->version = frame->version;
	out->type = frame->type;
	out->tlv_form = TLV_BMP;
	out->has_peer = false;
	out->tlvs = (struct wire_view){ 0 };
	if (frame->type >= BMP_TYPES)
		return BMP_UNKNOWN_TYPE;
	if (frame->version == 4) {
		if (v4 == BMP_V4_OFF)
			return BMP_V4_REFUSED;
		numbers = &v4_numbers[v4];
	}
	if (frame->type != BMP_INITIATION && frame->type != BMP_TERMINATION) {
		if (!bmp_peer_decode(&c, &out->peer))
			return BMP_SHORT;
		out->has_peer = true;
		if (out->peer.type >= BMP_PEER_TYPES)
			return BMP_UNKNOWN_PEER_TYPE;
	}
	return take_body(&c, numbers, out);
}
