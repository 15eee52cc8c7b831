#include "cli/decode_fields.h"

#include "bmp/text.h"

void decode_peer_identity(struct json *j, const struct bmp_peer *header)
{
	char buf[32];
	struct text t = text_start(buf, sizeof(buf));

	json_key(j, "peerAddr");
	/* An absent address is not an IPv6 one. */
	if (header->type == BMP_PEER_LOC_RIB)
		json_ipv4(j, 0);
	else
		json_address(j, header->address);
	json_uint_at(j, "peerAsn", header->as);
	json_key(j, "peerBgpId");
	json_ipv4(j, header->bgp_id);
	json_uint_at(j, "peerType", header->type);
	if (header->distinguisher == 0)
		return;
	text_rd(&t, header->distinguisher);
	text_end(&t);
	json_string_at(j, "peerDistinguisher", buf);
}

void decode_peer(struct json *j, const struct bmp_peer *header)
{
	enum bmp_view view = header->view;

	if (header->time_ns != 0)
		json_uint_at(j, "timeBmpHeaderNs", header->time_ns);
	decode_peer_identity(j, header);
	json_true_at(j, "isPostPolicy",
		     view == BMP_VIEW_IN_POST || view == BMP_VIEW_OUT_POST);
	json_true_at(j, "isAdjRibOut",
		     view == BMP_VIEW_OUT_PRE || view == BMP_VIEW_OUT_POST);
	json_true_at(j, "isLocRib", view == BMP_VIEW_LOC_RIB);
	json_true_at(j, "isFiltered", header->filtered);
}

void decode_family(struct json *j, uint16_t afi, uint8_t safi)
{
	json_uint_at(j, "afi", afi);
	json_uint_at(j, "safi", safi);
}
