#include "load/update.h"

#include "bmp/attr.h"

#define PDU_AT	   (BMP_HEADER_LEN + BMP_PEER_HEADER_LEN)
#define PDU_LEN_AT (PDU_AT + 16)

/*
 * Offset of the length of the withdrawn routes. If there are none, the length
 * of the attributes follows.
 */
#define LENGTHS_AT LOAD_HEAD_LEN
#define ATTRS_AT   (LENGTHS_AT + 4)

#define MP_FLAGS    (BGP_ATTR_OPTIONAL | BGP_ATTR_EXT_LEN)
#define MP_LEN_AT   2 /* flags, type, then a length of two bytes */
#define MP_VALUE_AT 4

/*
 * Copy the prefixes to @p. Each copy has eight bytes; those beyond the end of a
 * prefix are overwritten by the next prefix.
 */
static uint8_t *put_prefixes(uint8_t *p, const struct load_routes *routes)
{
	for (uint32_t i = 0; i < routes->count; i++) {
		memcpy(p, &routes->nlri[i], sizeof(routes->nlri[i]));
		p += load_prefix_size(&routes->nlri[i]);
	}
	return p;
}

static size_t update_finish(uint8_t *buf, const uint8_t *end)
{
	size_t len = (size_t)(end - buf);

	wire_put_u32(buf + 1, (uint32_t)len);
	wire_put_u16(buf + PDU_LEN_AT, (uint16_t)(len - PDU_AT));
	return len;
}

/* Write the two length fields of an UPDATE without withdrawn routes. */
static void put_lengths(uint8_t *buf, size_t attrs)
{
	wire_put_u16(buf + LENGTHS_AT, 0);
	wire_put_u16(buf + LENGTHS_AT + 2, (uint16_t)attrs);
}

static uint8_t *put_set(uint8_t *p, const struct load_peer *peer,
			const struct load_sets *sets,
			const struct load_set *set)
{
	memcpy(p, sets->bytes + set->at, set->len);
	wire_put_u32(p + LOAD_SET_AS_AT, peer->header.as);
	if (set->next_hop_at != 0)
		memcpy(p + set->next_hop_at, peer->next_hop4, 4);
	return p + set->len;
}

/*
 * Write MP_REACH (if @next_hop is set) or MP_UNREACH for routes of IPv6
 * unicast, with an extended length field.
 */
static uint8_t *put_mp(uint8_t *p, const struct load_routes *routes,
		       const uint8_t *next_hop)
{
	static const uint8_t family[3] = { 0, 2, 1 };
	uint8_t *begin = p;

	p[0] = MP_FLAGS;
	p[1] = next_hop != NULL ? BGP_MP_REACH : BGP_MP_UNREACH;
	p += MP_VALUE_AT;
	memcpy(p, family, sizeof(family));
	p += sizeof(family);
	if (next_hop != NULL) {
		p[0] = 16;
		memcpy(p + 1, next_hop, 16);
		p[17] = 0; /* reserved */
		p += 18;
	}
	p = put_prefixes(p, routes);
	wire_put_u16(begin + MP_LEN_AT, (uint16_t)(p - begin - MP_VALUE_AT));
	return p;
}

size_t load_update_announce(const struct load_peer *peer,
			    const struct load_routes *routes,
			    const struct load_sets *sets, uint32_t set,
			    uint8_t *buf)
{
	uint8_t *attrs = buf + ATTRS_AT;
	uint8_t *p = attrs;

	memcpy(buf, peer->head, LOAD_HEAD_LEN);
	if (routes->half == LOAD_IPV6)
		p = put_mp(p, routes, peer->next_hop6);
	p = put_set(p, peer, sets, &sets->list[set]);
	put_lengths(buf, (size_t)(p - attrs));
	if (routes->half == LOAD_IPV4)
		p = put_prefixes(p, routes);
	return update_finish(buf, p);
}

size_t load_update_withdraw(const struct load_peer *peer,
			    const struct load_routes *routes, uint8_t *buf)
{
	uint8_t *routes_at = buf + LENGTHS_AT + 2;
	uint8_t *p;

	memcpy(buf, peer->head, LOAD_HEAD_LEN);
	if (routes->half == LOAD_IPV6) {
		p = put_mp(buf + ATTRS_AT, routes, NULL);
		put_lengths(buf, (size_t)(p - buf - ATTRS_AT));
		return update_finish(buf, p);
	}
	p = put_prefixes(routes_at, routes);
	wire_put_u16(buf + LENGTHS_AT, (uint16_t)(p - routes_at));
	wire_put_u16(p, 0); /* no attributes */
	return update_finish(buf, p + 2);
}
