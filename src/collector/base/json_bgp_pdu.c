#include "collector/base/json_bgp_pdu.h"

#include "bmp/names.h"
#include "bmp/open.h"

static void put_capabilities(struct json *j, const struct bgp_open *open)
{
	struct bgp_capability_iter it = bgp_open_capabilities(open);
	struct tlv capability;

	json_key(j, "capabilities");
	json_array(j);
	while (bgp_capability_next(&it, &capability)) {
		json_object(j);
		json_uint_at(j, "code", capability.type);
		json_string_at(j, "name", bgp_capability_name(capability.type));
		json_key(j, "value");
		json_hex(j, capability.value);
		json_end_object(j);
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

void json_bgp_notification(struct json *j, struct wire_view body)
{
	json_object(j);
	if (body.len >= 2) {
		json_uint_at(j, "errorCode", body.p[0]);
		json_uint_at(j, "errorSubcode", body.p[1]);
		json_key(j, "errorData");
		json_hex(j, (struct wire_view){ body.p + 2, body.len - 2 });
	}
	json_end_object(j);
}
