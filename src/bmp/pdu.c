#include "bmp/pdu.h"

/* Hot: once per message. Cost: three loads and compares. */
bool bgp_pdu_take(struct wire_cursor *c, struct bgp_pdu *out)
{
	struct wire_view head = wire_rest(c);
	struct wire_cursor rest;
	uint16_t length;

	if (head.len < BGP_HEADER_LEN)
		return false;
	if ((wire_get_u64(head.p) & wire_get_u64(head.p + 8)) != UINT64_MAX)
		return false;
	length = wire_get_u16(head.p + 16);
	if (length < BGP_HEADER_LEN || !wire_take(c, length, &out->whole))
		return false;
	out->type = head.p[18];
	rest = wire_start(out->whole);
	wire_skip(&rest, BGP_HEADER_LEN);
	out->body = wire_rest(&rest);
	return true;
}
