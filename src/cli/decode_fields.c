#include "cli/decode_fields.h"

#include "collector/base/json_bgp.h"

void decode_peer_identity(struct json *j, const struct bmp_peer *header)
{
	json_bgp_peer(j, &(struct json_bgp_peer){
				 .address = header->address,
				 .distinguisher = header->distinguisher,
				 .as = header->as,
				 .bgp_id = header->bgp_id,
				 .type = header->type,
			 });
}

void decode_peer(struct json *j, const struct bmp_peer *header)
{
	if (header->time_ns != 0)
		json_uint_at(j, "timeBmpHeaderNs", header->time_ns);
	decode_peer_identity(j, header);
	json_bgp_view(j, header->view);
	json_true_at(j, "isFiltered", header->filtered);
}
