#include "bmp/rm_tlv.h"

#include "bmp/open.h"

/* Highest number of a TLV in any draft. */
#define TYPE_MAX 7

static const uint8_t types[BMP_V4_NUMBERINGS][TYPE_MAX + 1] = {
	[BMP_V4_TLV20] = {
		[1] = BMP_RM_SEQUENCE,
		[2] = BMP_RM_EXTENDED_FLAGS,
		[3] = BMP_RM_TIMESTAMP,
		[4] = BMP_RM_GROUP,
		[5] = BMP_RM_TABLE_NAME,
		[6] = BMP_RM_STATELESS,
		[7] = BMP_RM_UPDATE,
	},
	[BMP_V4_LEGACY] = {
		[1] = BMP_RM_STATELESS,
		[2] = BMP_RM_GROUP,
		[3] = BMP_RM_TABLE_NAME,
		[4] = BMP_RM_UPDATE,
		[5] = BMP_RM_PATH_MARKING,
	},
	[BMP_V4_TLV21] = {
		[1] = BMP_RM_GROUP,
		[2] = BMP_RM_TABLE_NAME,
		[3] = BMP_RM_STATELESS,
		[4] = BMP_RM_UPDATE,
		[5] = BMP_RM_SEQUENCE,
		[6] = BMP_RM_EXTENDED_FLAGS,
		[7] = BMP_RM_TIMESTAMP,
	},
};

enum bmp_rm_tlv bmp_rm_tlv_find(enum bmp_v4 v4, uint16_t type)
{
	return type <= TYPE_MAX ? (enum bmp_rm_tlv)types[v4][type]
				: BMP_RM_UNKNOWN;
}

static bool has_rm_tlvs(const struct bmp_message *msg)
{
	return msg->type == BMP_ROUTE_MONITORING &&
	       msg->tlv_form == TLV_BMP_INDEXED;
}

static bool find_sequence(const struct bmp_message *msg, enum bmp_v4 v4,
			  uint32_t *out)
{
	struct tlv_iter it;
	struct tlv tlv;

	if (!has_rm_tlvs(msg))
		return false;
	it = tlv_start(msg->tlvs, TLV_BMP_INDEXED);
	while (tlv_next(&it, &tlv)) {
		if (bmp_rm_tlv_find(v4, tlv.type) != BMP_RM_SEQUENCE ||
		    tlv.value.len != 4)
			continue;
		*out = wire_get_u32(tlv.value.p);
		return true;
	}
	return false;
}

uint32_t bmp_sequence_take(struct bmp_sequence *s,
			   const struct bmp_message *msg, enum bmp_v4 v4)
{
	uint32_t number, step, lost = 0;

	if (s->since < UINT32_MAX)
		s->since++;
	if (!find_sequence(msg, v4, &number))
		return 0;
	/*
	 * If the number is lower than the last one, the router has begun to
	 * count again: no message is missing.
	 */
	step = number - s->last;
	if (s->known && step > s->since && step <= INT32_MAX)
		lost = step - s->since;
	*s = (struct bmp_sequence){ .known = true, .last = number };
	return lost;
}

void bmp_rm_decode_opts(const struct bmp_message *msg, enum bmp_v4 v4,
			const struct bgp_overrides *over,
			struct bgp_decode_opts *opts)
{
	struct bgp_open said = { 0 };
	struct tlv_iter it, capabilities;
	struct tlv tlv, capability;
	bgp_family_set add_path;

	if (!has_rm_tlvs(msg))
		return;
	it = tlv_start(msg->tlvs, TLV_BMP_INDEXED);
	while (tlv_next(&it, &tlv)) {
		if (bmp_rm_tlv_find(v4, tlv.type) != BMP_RM_STATELESS)
			continue;
		capabilities = tlv_start(tlv.value, TLV_SHORT);
		while (tlv_next(&capabilities, &capability))
			bgp_capability_read(&capability, &said);
	}
	add_path = said.add_path_send | said.add_path_receive;
	opts->add_path |= add_path;
	opts->add_path_either &= ~add_path;
	opts->multiple_labels |= said.multiple_labels;
	if (said.four_byte_as) {
		opts->as_width = 4;
		opts->as_width_certain = true;
	}
	if (over != NULL)
		bgp_decode_opts_override(opts, over,
					 (enum bmp_view)msg->peer.view);
}

bool bmp_path_marking_read(struct wire_view value, struct bmp_path_marking *out)
{
	struct wire_cursor c = wire_start(value);

	if (!wire_u32(&c, &out->status))
		return false;
	out->has_reason = wire_u16(&c, &out->reason);
	return c.left == 0;
}
