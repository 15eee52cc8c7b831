#include "bmp/bgp_writer.h"

#include "bmp/attr_row.h"
#include "bmp/nlri_ops.h"

#define PARAMETER_CAPABILITIES 2
#define PARAMETERS_LONG	       255

static size_t begin_pdu(struct bmp_writer *w, uint8_t type)
{
	size_t begin = w->len;

	bmp_put_u64(w, UINT64_MAX);
	bmp_put_u64(w, UINT64_MAX);
	bmp_put_u16(w, 0);
	bmp_put_u8(w, type);
	return begin;
}

static void end_pdu(struct bmp_writer *w, size_t begin)
{
	bmp_patch_u16(w, begin + 16, w->len - begin);
}

/* OPEN */

static void put_family(struct bmp_writer *w, int family)
{
	bmp_put_u16(w, bgp_family_info(family)->afi);
	bmp_put_u8(w, bgp_family_info(family)->safi);
}

static void put_multiprotocol(struct bmp_writer *w, bgp_family_set set)
{
	for (; set != 0; set &= set - 1) {
		const struct bgp_family_info *info =
			bgp_family_info(__builtin_ctzll(set));

		bmp_put_u8(w, BGP_CAP_MULTIPROTOCOL);
		bmp_put_u8(w, 4);
		bmp_put_u16(w, info->afi);
		bmp_put_u8(w, 0);
		bmp_put_u8(w, info->safi);
	}
}

/* Write capability @code, with one element for each family of @set. */
static void put_per_family(struct bmp_writer *w, uint8_t code,
			   bgp_family_set set, const struct bgp_open *o)
{
	size_t at = w->len + 1;

	if (set == 0)
		return;
	bmp_put_u8(w, code);
	bmp_put_u8(w, 0);
	for (; set != 0; set &= set - 1) {
		int family = __builtin_ctzll(set);
		bgp_family_set bit = bgp_family_bit(family);

		if (code == BGP_CAP_EXT_NEXT_HOP) {
			bmp_put_u16(w, bgp_family_info(family)->afi);
			bmp_put_u16(w, bgp_family_info(family)->safi);
			bmp_put_u16(w, 2); /* an IPv6 next hop */
			continue;
		}
		put_family(w, family);
		if (code == BGP_CAP_ADD_PATH)
			bmp_put_u8(w, (o->add_path_receive & bit ? 1 : 0) |
					      (o->add_path_send & bit ? 2 : 0));
		else
			bmp_put_u8(w, 2); /* maximum number of labels */
	}
	bmp_patch_u8(w, at, w->len - at - 1);
}

static void put_capabilities(struct bmp_writer *w, const struct bgp_open *o)
{
	put_multiprotocol(w, o->families);
	put_per_family(w, BGP_CAP_EXT_NEXT_HOP, o->ext_next_hop, o);
	if (o->ext_message)
		bmp_put_u16(w, BGP_CAP_EXT_MESSAGE << 8);
	put_per_family(w, BGP_CAP_MULTIPLE_LABELS, o->multiple_labels, o);
	if (o->graceful_restart) {
		bmp_put_u16(w, BGP_CAP_GRACEFUL_RESTART << 8 | 2);
		bmp_put_u16(w, 120);
	}
	if (o->four_byte_as) {
		bmp_put_u16(w, BGP_CAP_FOUR_BYTE_AS << 8 | 4);
		bmp_put_u32(w, o->as);
	}
	put_per_family(w, BGP_CAP_ADD_PATH,
		       o->add_path_send | o->add_path_receive, o);
	if (o->hostname.len != 0 && o->hostname.len <= 250) {
		bmp_put_u8(w, BGP_CAP_FQDN);
		bmp_put_u8(w, (uint8_t)(o->hostname.len + 2));
		bmp_put_u8(w, (uint8_t)o->hostname.len);
		bmp_put(w, o->hostname.p, o->hostname.len);
		bmp_put_u8(w, 0); /* no domain */
	}
}

void bgp_write_open(struct bmp_writer *w, const struct bgp_open *open)
{
	size_t begin = begin_pdu(w, BGP_PDU_OPEN);
	struct bmp_writer count = bmp_writer_on(NULL, 0);
	size_t len;

	bmp_put_u8(w, open->version);
	bmp_put_u16(w, open->my_as);
	bmp_put_u16(w, open->hold_time);
	bmp_put_u32(w, open->bgp_id);
	put_capabilities(&count, open);
	len = count.len;
	if (open->long_parameters || len + 2 >= PARAMETERS_LONG) {
		bmp_put_u16(w, PARAMETERS_LONG << 8 | PARAMETERS_LONG);
		bmp_put_u16(w, (uint16_t)(len + 3));
		bmp_put_u8(w, PARAMETER_CAPABILITIES);
		bmp_put_u16(w, (uint16_t)len);
	} else if (len != 0) {
		bmp_put_u8(w, (uint8_t)(len + 2));
		bmp_put_u8(w, PARAMETER_CAPABILITIES);
		bmp_put_u8(w, (uint8_t)len);
	} else {
		bmp_put_u8(w, 0);
	}
	put_capabilities(w, open);
	end_pdu(w, begin);
}

void bgp_write_notification(struct bmp_writer *w, uint8_t code, uint8_t subcode,
			    struct wire_view data)
{
	size_t begin = begin_pdu(w, BGP_PDU_NOTIFICATION);

	bmp_put_u8(w, code);
	bmp_put_u8(w, subcode);
	bmp_put(w, data.p, data.len);
	end_pdu(w, begin);
}

/* NLRI */

void bgp_write_nlri(struct bmp_writer *w, const struct bgp_nlri *n)
{
	if (n->has_path_id)
		bmp_put_u32(w, n->path_id);
	bgp_nlri_ops[n->kind]->write(w, n);
}

static void put_routes(struct bmp_writer *w, const struct bgp_routes *routes)
{
	for (size_t i = 0; i < routes->n; i++)
		bgp_write_nlri(w, &routes->nlri[i]);
}

/* Attributes */

static void put_mp(struct bmp_writer *w, const struct bgp_update_parts *parts,
		   uint8_t code)
{
	bool reach = code == BGP_MP_REACH;
	const struct bgp_mp *mp =
		reach ? &parts->attrs->reach : &parts->attrs->unreach;

	bmp_put_u16(w, mp->afi);
	bmp_put_u8(w, mp->safi);
	if (reach) {
		bmp_put_u8(w, (uint8_t)mp->next_hop.len);
		bmp_put(w, mp->next_hop.p, mp->next_hop.len);
		bmp_put_u8(w, 0);
	}
	put_routes(w, &parts->nlri_parts[reach ? BGP_PART_MP_REACH
					       : BGP_PART_MP_UNREACH]);
}

static void put_member(struct bmp_writer *w, const struct bgp_attrs *a,
		       uint8_t code)
{
	const struct bgp_attr_row *row = &bgp_attr_rows[code];
	const uint8_t *at = (const uint8_t *)a + row->member_at;
	struct wire_view v = { 0 };
	uint32_t number;

	switch ((enum bgp_attr_member)row->member) {
	case BGP_MEMBER_U8:
		bmp_put_u8(w, *at);
		return;
	case BGP_MEMBER_U32:
		memcpy(&number, at, sizeof(number));
		bmp_put_u32(w, number);
		return;
	case BGP_MEMBER_VIEW:
		memcpy(&v, at, sizeof(v));
		break;
	case BGP_MEMBER_NONE:
	case BGP_MEMBER_OTHER:
		(void)bgp_attrs_find(a, code, &v);
		break;
	}
	bmp_put(w, v.p, v.len);
}

static void put_value(struct bmp_writer *w,
		      const struct bgp_update_parts *parts, uint8_t code)
{
	const struct bgp_attrs *a = parts->attrs;

	switch (code) {
	case BGP_NEXT_HOP:
		bmp_put(w, a->next_hop, a->next_hop_len);
		break;
	case BGP_AGGREGATOR:
		if (a->as_path.width == 2)
			bmp_put_u16(w, (uint16_t)a->aggregator_as);
		else
			bmp_put_u32(w, a->aggregator_as);
		bmp_put_u32(w, a->aggregator_id);
		break;
	case BGP_MP_REACH:
	case BGP_MP_UNREACH:
		put_mp(w, parts, code);
		break;
	default:
		put_member(w, a, code);
	}
}

/*
 * The flags to write for attribute @code: those of its row or, if it has no
 * decoder, those in the block.
 */
static uint8_t flags_of(const struct bgp_attrs *a, uint8_t code)
{
	struct wire_cursor c = wire_start(a->block);
	struct bgp_attr t;

	if (bgp_attr_known(code))
		return bgp_attr_flags(code);
	while (bgp_attr_next(&c, &t))
		if (t.code == code)
			return t.flags & (uint8_t)~BGP_ATTR_EXT_LEN;
	return BGP_ATTR_OPTIONAL | BGP_ATTR_TRANSITIVE;
}

/*
 * Write one attribute. The length field has one or two bytes, depending on the
 * length of the value, so the bytes of the value are counted first.
 */
static void put_attr(struct bmp_writer *w, const struct bgp_update_parts *parts,
		     uint8_t code)
{
	struct bmp_writer count = bmp_writer_on(NULL, 0);
	uint8_t flags = flags_of(parts->attrs, code);

	put_value(&count, parts, code);
	if (count.len > UINT8_MAX) {
		bmp_put_u8(w, flags | BGP_ATTR_EXT_LEN);
		bmp_put_u8(w, code);
		bmp_put_u16(w, (uint16_t)count.len);
	} else {
		bmp_put_u8(w, flags);
		bmp_put_u8(w, code);
		bmp_put_u8(w, (uint8_t)count.len);
	}
	put_value(w, parts, code);
}

void bgp_write_update(struct bmp_writer *w,
		      const struct bgp_update_parts *parts)
{
	size_t begin = begin_pdu(w, BGP_PDU_UPDATE);
	size_t at = w->len;

	bmp_put_u16(w, 0);
	put_routes(w, &parts->nlri_parts[BGP_PART_WITHDRAWN]);
	bmp_patch_u16(w, at, w->len - at - 2);
	at = w->len;
	bmp_put_u16(w, 0);
	for (int code = 0; parts->attrs != NULL && code < 256; code++)
		if (bgp_attrs_has(parts->attrs, (uint8_t)code))
			put_attr(w, parts, (uint8_t)code);
	bmp_patch_u16(w, at, w->len - at - 2);
	put_routes(w, &parts->nlri_parts[BGP_PART_NLRI]);
	end_pdu(w, begin);
}

void bgp_write_end_of_rib(struct bmp_writer *w, uint16_t afi, uint8_t safi)
{
	struct bgp_attrs attrs = { .unreach = { .afi = afi, .safi = safi } };
	struct bgp_update_parts parts = { .attrs = &attrs };

	if (afi == 1 && safi == 1)
		parts.attrs = NULL;
	else
		bgp_attrs_set(&attrs, BGP_MP_UNREACH);
	bgp_write_update(w, &parts);
}
