#include "bmp/stats.h"

#define C32 BMP_STAT_COUNTER32
#define G64 BMP_STAT_GAUGE64
#define AFI BMP_STAT_FAMILY_GAUGE64

static const uint8_t kinds[BMP_STAT_TYPES] = {
	[0] = C32,  [1] = C32,	[2] = C32,  [3] = C32,	[4] = C32,  [5] = C32,
	[6] = C32,  [7] = G64,	[8] = G64,  [9] = AFI,	[10] = AFI, [11] = C32,
	[12] = C32, [13] = C32, [14] = G64, [15] = G64, [16] = AFI, [17] = AFI,
	[18] = G64, [19] = AFI, [20] = G64, [21] = AFI, [22] = AFI, [23] = AFI,
	[26] = AFI, [27] = AFI, [28] = AFI, [29] = G64, [30] = AFI, [31] = G64,
	[32] = AFI, [33] = G64, [34] = AFI, [35] = AFI, [36] = AFI, [37] = AFI,
	[38] = AFI, [39] = G64, [40] = AFI, [41] = AFI, [42] = AFI, [43] = AFI,
};

enum bmp_stat_kind bmp_stat_kind(uint16_t type)
{
	return type < BMP_STAT_TYPES ? kinds[type] : BMP_STAT_RAW;
}

struct bmp_stat_iter bmp_stat_start(const struct bmp_message *msg)
{
	return (struct bmp_stat_iter){
		.tlvs = tlv_start(msg->tlvs, TLV_BMP),
	};
}

bool bmp_stat_next(struct bmp_stat_iter *it, struct bmp_stat *out)
{
	enum bmp_stat_kind expected;
	struct tlv tlv;

	if (!tlv_next(&it->tlvs, &tlv))
		return false;
	*out = (struct bmp_stat){ .type = tlv.type, .raw = tlv.value };
	switch (tlv.value.len) {
	case 4:
		out->kind = BMP_STAT_COUNTER32;
		out->value = wire_get_u32(tlv.value.p);
		break;
	case 8:
		out->kind = BMP_STAT_GAUGE64;
		out->value = wire_get_u64(tlv.value.p);
		break;
	case 11:
		out->kind = BMP_STAT_FAMILY_GAUGE64;
		out->afi = wire_get_u16(tlv.value.p);
		out->safi = tlv.value.p[2];
		out->value = wire_get_u64(tlv.value.p + 3);
		break;
	}
	expected = bmp_stat_kind(tlv.type);
	out->registered = expected != BMP_STAT_RAW;
	out->unexpected = out->registered && out->kind != expected;
	return true;
}
