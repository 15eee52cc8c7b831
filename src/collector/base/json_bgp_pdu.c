#include "collector/base/json_bgp_pdu.h"

#include "bmp/capability.h"
#include "bmp/message.h"
#include "bmp/names.h"
#include "bmp/open.h"
#include "collector/base/json_bgp.h"
#include "collector/base/json_fields.h"

#include <string.h>

void json_bgp_capability(struct json *j, const struct tlv *capability)
{
	struct field_writer w = json_fields(j);

	json_object(j);
	bgp_capability_write(capability, &w);
	json_end_object(j);
}

static void put_capabilities(struct json *j, const struct bgp_open *open)
{
	struct bgp_capability_iter it = bgp_open_capabilities(open);
	struct tlv capability;

	json_key(j, "capabilities");
	json_array(j);
	while (bgp_capability_next(&it, &capability)) {
		json_bgp_capability(j, &capability);
	}
	json_end_array(j);
}

void json_bgp_open(struct json *j, struct wire_view body)
{
	struct bgp_open open;
	enum bgp_open_status status = bgp_open_decode(body, &open);

	json_object(j);
	if (status != BGP_OPEN_OK)
		json_string_at(j, "error", bgp_open_status_name(status));
	if (status < BGP_OPEN_SHORT) {
		json_uint_at(j, "version", open.version);
		json_uint_at(j, "asn", open.as);
		json_uint_at(j, "holdTime", open.hold_time);
		json_key(j, "bgpId");
		json_ipv4(j, open.bgp_id);
		put_capabilities(j, &open);
	}
	json_end_object(j);
}

/* Subcodes of Cease (6) whose data has a known meaning. */
enum cease_subcode {
	CEASE_MAX_PREFIXES = 1, /* RFC 4486, section 4 */
	/* RFC 9003, section 2; the data of a reset has the same form */
	CEASE_SHUTDOWN = 2,
	CEASE_RESET = 4,
	CEASE_HARD_RESET = 9, /* RFC 8538, section 3.1 */
};

#define CEASE 6

static void put_name(struct json *j, const char *key, const char *name)
{
	if (strcmp(name, "unknown") != 0)
		json_string_at(j, key, name);
}

static void put_error(struct json *j, uint8_t code, uint8_t subcode,
		      struct wire_view data)
{
	json_uint_at(j, "errorCode", code);
	put_name(j, "errorName", bgp_error_name(code));
	json_uint_at(j, "errorSubcode", subcode);
	put_name(j, "errorSubcodeName", bgp_error_subcode_name(code, subcode));
	json_key(j, "errorData");
	json_hex(j, data);
}

/*
 * Write the Shutdown Communication (RFC 9003, section 2): a length, then text.
 */
static void put_shutdown(struct json *j, struct wire_view data)
{
	struct wire_cursor c = wire_start(data);
	struct wire_view text;
	uint8_t len;

	if (!wire_u8(&c, &len) || len == 0 || !wire_take(&c, len, &text))
		return;
	json_key(j, "shutdownCommunication");
	json_text(j, text);
}

static void put_max_prefixes(struct json *j, struct wire_view data)
{
	if (data.len != 7)
		return;
	json_uint_at(j, "afi", wire_get_u16(data.p));
	json_uint_at(j, "safi", data.p[2]);
	json_uint_at(j, "maxPrefixes", wire_get_u32(data.p + 3));
}

static void put_cease_data(struct json *j, uint8_t subcode,
			   struct wire_view data)
{
	if (subcode == CEASE_MAX_PREFIXES)
		put_max_prefixes(j, data);
	else if (subcode == CEASE_SHUTDOWN || subcode == CEASE_RESET)
		put_shutdown(j, data);
}

/*
 * Write the error that a hard reset encapsulates. If that is a hard reset
 * again, its error is not shown.
 */
static void put_hard_reset(struct json *j, struct wire_view data)
{
	struct wire_view inner;

	if (data.len < 2)
		return;
	inner = (struct wire_view){ data.p + 2, data.len - 2 };
	json_key(j, "hardReset");
	json_object(j);
	put_error(j, data.p[0], data.p[1], inner);
	if (data.p[0] == CEASE)
		put_cease_data(j, data.p[1], inner);
	json_end_object(j);
}

void json_bgp_notification(struct json *j, struct wire_view body)
{
	struct wire_view data;

	json_object(j);
	if (body.len >= 2) {
		data = (struct wire_view){ body.p + 2, body.len - 2 };
		put_error(j, body.p[0], body.p[1], data);
		if (body.p[0] == CEASE && body.p[1] == CEASE_HARD_RESET)
			put_hard_reset(j, data);
		else if (body.p[0] == CEASE)
			put_cease_data(j, body.p[1], data);
	}
	json_end_object(j);
}

void json_bgp_fsm_event(struct json *j, unsigned event)
{
	json_uint_at(j, "fsmEvent", event);
	put_name(j, "fsmEventName", bgp_fsm_event_name(event));
}

void json_bgp_pdu(struct json *j, const struct bgp_pdu *pdu)
{
	json_string_at(j, "bgpType", bgp_pdu_type_name(pdu->type));
	if (pdu->type == BGP_PDU_OPEN) {
		json_key(j, "open");
		json_bgp_open(j, pdu->body);
	} else if (pdu->type == BGP_PDU_NOTIFICATION) {
		json_key(j, "notification");
		json_bgp_notification(j, pdu->body);
	}
	json_key(j, "bgpMessage");
	json_hex(j, pdu->whole);
}

void json_bgp_mirrored(struct json *j, const struct tlv *tlv)
{
	struct wire_cursor c = wire_start(tlv->value);
	struct bgp_pdu pdu;

	if (tlv->type == BMP_MIRROR_PDU && bgp_pdu_take(&c, &pdu)) {
		json_bgp_pdu(j, &pdu);
	} else if (tlv->type == BMP_MIRROR_INFO && tlv->value.len == 2) {
		json_bgp_code(j, "information", bmp_mirror_information_name,
			      wire_get_u16(tlv->value.p));
	} else {
		json_key(j, "value");
		json_hex(j, tlv->value);
	}
}
