#include "rib/notice.h"

#include "rib/emit.h"
#include "rib/rib_internal.h"

/*
 * A bit for each kind of notice, then one for each fault of
 * RIB_NOTICE_UNREADABLE.
 */
static uint32_t cause_bit(const struct rib_notice *n)
{
	_Static_assert(RIB_NOTICES + BGP_FAULTS <= 32,
		       "causes are bits of rib_peer.noticed");

	return n->kind == RIB_NOTICE_UNREADABLE
		       ? UINT32_C(1) << (RIB_NOTICES + n->fault)
		       : UINT32_C(1) << n->kind;
}

void rib_notice(struct rib_peer *peer, uint8_t view, enum bgp_family family,
		struct rib_notice *notice)
{
	const struct rib_sink *sink = &peer->router->rib->sink;
	const struct bgp_family_info *f = bgp_family_info(family);
	struct rib_table_info info;
	uint32_t bit = cause_bit(notice);

	if ((peer->noticed & bit) != 0)
		return;
	peer->noticed |= bit;
	if (sink->notice == NULL)
		return;
	rib_peer_info(peer, &info);
	info.view = view;
	info.afi = f->afi;
	info.safi = f->safi;
	info.family = (uint8_t)family;
	/* cppcheck-suppress autoVariables ; for the call alone */
	notice->table = &info;
	notice->router_slot = &peer->router->slot;
	sink->notice(sink->event_arg, notice);
	notice->table = NULL;
}
