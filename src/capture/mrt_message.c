#include "capture/mrt_message.h"

#include "bmp/pdu.h"
#include "capture/mrt_field.h"

/* The meaning of each BGP4MP subtype; as_width 0 = not supported. */
/* clang-format off */
static const struct subtype {
	uint8_t as_width;
	bool is_state_change;
	bool local;
	bool add_path;
} subtypes[] = {
	/*	  width	state	local	add-path */
	[0]	= { 2,	true,	false,	false }, /* STATE_CHANGE */
	[1]	= { 2,	false,	false,	false }, /* MESSAGE */
	[2]	= { 0,	false,	false,	false }, /* ENTRY: mrt_table.h */
	[3]	= { 0,	false,	false,	false }, /* SNAPSHOT, deprecated */
	[4]	= { 4,	false,	false,	false }, /* MESSAGE_AS4 */
	[5]	= { 4,	true,	false,	false }, /* STATE_CHANGE_AS4 */
	[6]	= { 2,	false,	true,	false }, /* MESSAGE_LOCAL */
	[7]	= { 4,	false,	true,	false }, /* MESSAGE_AS4_LOCAL */
	[8]	= { 2,	false,	false,	true  }, /* MESSAGE_ADDPATH */
	[9]	= { 4,	false,	false,	true  }, /* MESSAGE_AS4_ADDPATH */
	[10]	= { 2,	false,	true,	true  }, /* MESSAGE_LOCAL_ADDPATH */
	[11]	= { 4,	false,	true,	true  }, /* MESSAGE_AS4_LOCAL_ADDPATH */
};
/* clang-format on */

#define SUBTYPES (sizeof(subtypes) / sizeof(subtypes[0]))

const char *capture_mrt_text(enum capture_mrt_verdict verdict)
{
	static const char *const texts[CAPTURE_MRT_VERDICTS] = {
		[CAPTURE_MRT_OK] = "all is well",
		[CAPTURE_MRT_SHORT] = "the record ends inside its fields",
		[CAPTURE_MRT_UNSUPPORTED] = "no such record is known",
		[CAPTURE_MRT_BAD_AFI] = "addresses neither IPv4 nor IPv6",
		[CAPTURE_MRT_BAD_PREFIX] = "a prefix longer than an address",
		[CAPTURE_MRT_BAD_NLRI] = "its NLRI cannot be read",
		[CAPTURE_MRT_NO_PEERS] = "a RIB entry before the peer table",
		[CAPTURE_MRT_BAD_PEER] = "a peer that is not in the peer table",
	};

	return verdict < CAPTURE_MRT_VERDICTS ? texts[verdict] : "unknown";
}

/*
 * For each subtype of the type BGP (RFC 6396 B.2): the type of its BGP message,
 * or STATE_CHANGE; 0 = not supported.
 */
#define STATE_CHANGE 255

static const uint8_t old_subtypes[] = {
	[1] = BGP_PDU_UPDATE,	    [3] = STATE_CHANGE,	     [5] = BGP_PDU_OPEN,
	[6] = BGP_PDU_NOTIFICATION, [7] = BGP_PDU_KEEPALIVE,
};

/*
 * Decode a record of the type BGP. Its AS numbers have two bytes, its addresses
 * are IPv4, and its BGP message has no header.
 */
static enum capture_mrt_verdict decode_old(
	const struct capture_mrt_record *record,
	struct capture_mrt_message *out)
{
	struct wire_cursor c = wire_start(record->body);
	struct capture_mrt_message m = { .as_width = 2 };
	uint8_t kind = 0;

	if (record->subtype < sizeof(old_subtypes))
		kind = old_subtypes[record->subtype];
	if (kind == 0)
		return CAPTURE_MRT_UNSUPPORTED;
	if (!(mrt_take_as(&c, 2, &m.peer_as) &&
	      mrt_take_address(&c, false, m.peer_address)))
		return CAPTURE_MRT_SHORT;
	m.is_state_change = kind == STATE_CHANGE;
	if (m.is_state_change) {
		if (!(wire_u16(&c, &m.old_state) && wire_u16(&c, &m.new_state)))
			return CAPTURE_MRT_SHORT;
	} else {
		if (!(mrt_take_as(&c, 2, &m.local_as) &&
		      mrt_take_address(&c, false, m.local_address)))
			return CAPTURE_MRT_SHORT;
		m.pdu_type = kind;
		m.pdu = wire_rest(&c);
	}
	*out = m;
	return CAPTURE_MRT_OK;
}

enum capture_mrt_verdict capture_mrt_message_decode(
	const struct capture_mrt_record *record,
	struct capture_mrt_message *out)
{
	struct wire_cursor c = wire_start(record->body);
	struct capture_mrt_message m = { 0 };
	const struct subtype *subtype;
	uint16_t afi;

	if (record->type == CAPTURE_MRT_BGP)
		return decode_old(record, out);
	if (record->subtype >= SUBTYPES ||
	    subtypes[record->subtype].as_width == 0)
		return CAPTURE_MRT_UNSUPPORTED;
	subtype = &subtypes[record->subtype];
	m.as_width = subtype->as_width;
	m.is_state_change = subtype->is_state_change;
	m.local = subtype->local;
	m.add_path = subtype->add_path;
	if (!(mrt_take_as(&c, m.as_width, &m.peer_as) &&
	      mrt_take_as(&c, m.as_width, &m.local_as) &&
	      wire_u16(&c, &m.interface) && wire_u16(&c, &afi)))
		return CAPTURE_MRT_SHORT;
	if (afi != 1 && afi != 2)
		return CAPTURE_MRT_BAD_AFI;
	m.ipv6 = afi == 2;
	if (!(mrt_take_address(&c, m.ipv6, m.peer_address) &&
	      mrt_take_address(&c, m.ipv6, m.local_address)))
		return CAPTURE_MRT_SHORT;
	if (m.is_state_change &&
	    !(wire_u16(&c, &m.old_state) && wire_u16(&c, &m.new_state)))
		return CAPTURE_MRT_SHORT;
	if (!m.is_state_change)
		m.pdu = wire_rest(&c);
	*out = m;
	return CAPTURE_MRT_OK;
}
