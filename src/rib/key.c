#include "rib/key.h"

#include "bmp/nlri_key.h"

#include "rib/event.h"

#define UNKNOWN_HEAD 3 /* bytes of AFI and SAFI */

static bool is_prefix(const struct bgp_family_info *info)
{
	return info->kind == BGP_NLRI_PREFIX;
}

static uint32_t address_len(const struct bgp_family_info *info)
{
	return info->addr_bits / 8u;
}

uint32_t rib_key_width(enum bgp_family family)
{
	const struct bgp_family_info *info = bgp_family_info(family);

	if (!is_prefix(info))
		return RIB_KEY_VARIABLE;
	return 1 + address_len(info) + (info->flags & BGP_FAMILY_RD ? 8 : 0);
}

/*
 * Write the key of a prefix; an IPv4 address is IPv4-mapped in @address.
 * Returns the length of the key.
 */
static size_t write_prefix(const struct bgp_family_info *info, uint8_t len,
			   const uint8_t address[16], uint64_t rd, uint8_t *out)
{
	uint32_t n = address_len(info);

	out[0] = len;
	memcpy(out + 1, address + (16 - n), n);
	if (!(info->flags & BGP_FAMILY_RD))
		return 1 + n;
	wire_put_u64(out + 1 + n, rd);
	return 1 + n + 8;
}

size_t rib_key_of_prefix(enum bgp_family family,
			 const struct bgp_prefix *prefix,
			 uint8_t out[RIB_KEY_FIXED])
{
	/* The two most frequent families do not need the table of families. */
	if (family == BGP_IPV4_UNICAST) {
		out[0] = prefix->len;
		memcpy(out + 1, prefix->address + 12, 4);
		return 5;
	}
	if (family == BGP_IPV6_UNICAST) {
		out[0] = prefix->len;
		memcpy(out + 1, prefix->address, 16);
		return 17;
	}
	return write_prefix(bgp_family_info(family), prefix->len,
			    prefix->address, 0, out);
}

size_t rib_key_bound(const struct bgp_nlri *nlri)
{
	size_t any = nlri->wire.len + BGP_NLRI_KEY_SLACK + UNKNOWN_HEAD;

	return any > RIB_KEY_FIXED ? any : RIB_KEY_FIXED;
}

static void write_head(uint16_t afi, uint8_t safi, uint8_t *out)
{
	wire_put_u16(out, afi);
	out[2] = safi;
}

size_t rib_key_of_nlri(const struct bgp_nlri *nlri, uint8_t *out)
{
	const struct bgp_family_info *info = bgp_family_info(nlri->family);
	size_t head = 0;

	if (is_prefix(info))
		return write_prefix(info, nlri->prefix_len, nlri->address,
				    nlri->rd, out);
	if (nlri->family == BGP_FAMILY_UNKNOWN) {
		write_head(nlri->afi, nlri->safi, out);
		head = UNKNOWN_HEAD;
	}
	return head + bgp_nlri_key(nlri, out + head,
				   nlri->wire.len + BGP_NLRI_KEY_SLACK);
}

/*
 * Convert a prefix (RD, length, and as many address bytes as the length needs)
 * to a key. Returns the length of the key; 0 if @from is not valid.
 */
static size_t parse_prefix(const struct bgp_family_info *info,
			   struct wire_view from, uint8_t *out)
{
	struct wire_cursor c = wire_start(from);
	uint8_t address[16] = { 0 };
	struct wire_view bytes;
	uint64_t rd = 0;
	uint8_t len;

	if (info->flags & BGP_FAMILY_RD && !wire_u64(&c, &rd))
		return 0;
	if (!wire_u8(&c, &len) || len > info->addr_bits ||
	    !wire_take(&c, (len + 7u) / 8, &bytes) || c.left != 0)
		return 0;
	/* Keys are canonical: bits beyond the length are zero. */
	if (len % 8 != 0 && bytes.p[bytes.len - 1] & (0xff >> len % 8))
		return 0;
	if (bytes.len != 0)
		memcpy(address + (16 - address_len(info)), bytes.p, bytes.len);
	return write_prefix(info, len, address, rd, out);
}

size_t rib_key_parse(enum bgp_family family, uint16_t afi, uint8_t safi,
		     struct wire_view from, uint8_t *out)
{
	const struct bgp_family_info *info = bgp_family_info(family);
	size_t head = 0;

	if (is_prefix(info))
		return parse_prefix(info, from, out);
	if (from.len == 0)
		return 0;
	if (family == BGP_FAMILY_UNKNOWN) {
		write_head(afi, safi, out);
		head = UNKNOWN_HEAD;
	}
	memcpy(out + head, from.p, from.len);
	return head + from.len;
}

size_t rib_key_write(enum bgp_family family, struct wire_view key, uint8_t *out,
		     size_t cap)
{
	const struct bgp_family_info *info = bgp_family_info(family);
	uint32_t n = address_len(info);
	size_t rd_len = info->flags & BGP_FAMILY_RD ? 8 : 0;
	size_t len = key.len;

	if (is_prefix(info))
		len = rd_len + 1 + (key.p[0] + 7u) / 8;
	if (len > cap)
		return len;
	if (!is_prefix(info)) {
		memcpy(out, key.p, len);
		return len;
	}
	memcpy(out, key.p + 1 + n, rd_len);
	out[rd_len] = key.p[0];
	memcpy(out + rd_len + 1, key.p + 1, (key.p[0] + 7u) / 8);
	return len;
}

/* Hot: once per published route. */
void rib_key_route(enum bgp_family family, struct wire_view key,
		   struct rib_route *out)
{
	const struct bgp_family_info *info = bgp_family_info(family);
	uint32_t n = address_len(info);

	/* The most frequent families first, as above. */
	if (family == BGP_IPV4_UNICAST) {
		out->prefix_len = key.p[0];
		wire_put_u64(out->address, 0);
		wire_put_u32(out->address + 8, 0xffff);
		memcpy(out->address + 12, key.p + 1, 4);
		return;
	}
	if (!is_prefix(info)) {
		out->key = key;
		if (family == BGP_FAMILY_UNKNOWN) {
			out->key.p += UNKNOWN_HEAD;
			out->key.len -= UNKNOWN_HEAD;
		}
		return;
	}
	out->prefix_len = key.p[0];
	if (n == 4) {
		memset(out->address, 0, 10);
		out->address[10] = out->address[11] = 0xff;
	}
	memcpy(out->address + (16 - n), key.p + 1, n);
	if (info->flags & BGP_FAMILY_RD)
		out->rd = wire_get_u64(key.p + 1 + n);
}
