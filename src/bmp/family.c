#include "bmp/family.h"

static const struct bgp_family_info families[BGP_FAMILIES] = {
	[BGP_FAMILY_UNKNOWN] = { .kind = BGP_NLRI_RAW, .name = "unknown" },
#define X(suffix, afi_, safi_, kind_, flags_, bits, name_) \
	[BGP_##suffix] = {                                 \
		.afi = (afi_),                             \
		.safi = (safi_),                           \
		.kind = BGP_NLRI_##kind_,                  \
		.flags = (flags_),                         \
		.addr_bits = (bits),                       \
		.name = (name_),                           \
	},
	BGP_FAMILY_LIST(X)
#undef X
};

/*
 * Family by AFI and SAFI, for AFI 1 and 2, which have nearly all routes. The
 * families of other AFIs are written to row 0, each at its own index, where
 * nothing reads them.
 */
static const uint8_t by_safi[3][256] = {
#define X(suffix, afi, safi, ...)                                      \
	[(afi) <= 2 ? (afi) : 0][(afi) <= 2 ? (safi) : BGP_##suffix] = \
		BGP_##suffix,
	BGP_FAMILY_LIST(X)
#undef X
};

enum bgp_family bgp_family_find(uint16_t afi, uint8_t safi)
{
	if (afi - 1u < 2)
		return by_safi[afi][safi];
	for (int f = BGP_FAMILY_UNKNOWN + 1; f < BGP_FAMILIES; f++)
		if (families[f].afi == afi && families[f].safi == safi)
			return f;
	return BGP_FAMILY_UNKNOWN;
}

const struct bgp_family_info *bgp_family_info(enum bgp_family f)
{
	return &families[f];
}
