#include "capture/packet.h"

#define ETHERTYPE_IPV4	   0x0800
#define ETHERTYPE_IPV6	   0x86dd
#define ETHERTYPE_VLAN	   0x8100
#define ETHERTYPE_QINQ	   0x88a8
#define ETHERTYPE_QINQ_OLD 0x9100

#define IPPROTO_HOP_BY_HOP 0
#define IPPROTO_TCP_	   6
#define IPPROTO_ROUTING	   43
#define IPPROTO_FRAGMENT   44
#define IPPROTO_AH	   51
#define IPPROTO_DEST_OPTS  60

/*
 * Maximum numbers of VLAN tags and of IPv6 extension headers: packets of a
 * router's BMP session do not have more.
 */
#define MAX_TAGS    8
#define MAX_HEADERS 8

static bool cursor_skip(struct wire_cursor *c, size_t n)
{
	struct wire_view unused;

	return wire_take(c, n, &unused);
}

static bool ethertype_after_tags(struct wire_cursor *c, uint16_t *out)
{
	uint16_t type;

	for (int tags = 0; tags <= MAX_TAGS; tags++) {
		if (!wire_u16(c, &type))
			return false;
		if (type != ETHERTYPE_VLAN && type != ETHERTYPE_QINQ &&
		    type != ETHERTYPE_QINQ_OLD) {
			*out = type;
			return true;
		}
		if (!cursor_skip(c, 2)) /* priority and VLAN id */
			return false;
	}
	return false;
}

/* Return the ethertype for the version in the IP header at @c: 4 or 6. */
static uint16_t ethertype_by_version(const struct wire_cursor *c)
{
	switch (c->left > 0 ? c->p[0] >> 4 : 0) {
	case 4:
		return ETHERTYPE_IPV4;
	case 6:
		return ETHERTYPE_IPV6;
	default:
		return 0;
	}
}

/*
 * Advance @c to the network header, and set *@out to its ethertype; 0 = not
 * known. False if the packet is truncated.
 */
static bool take_link(enum capture_link link, struct wire_cursor *c,
		      uint16_t *out)
{
	uint16_t type;

	switch (link) {
	case CAPTURE_LINK_ETHERNET:
		return cursor_skip(c, 12) && ethertype_after_tags(c, out);
	case CAPTURE_LINK_SLL:
		return cursor_skip(c, 14) && ethertype_after_tags(c, out);
	case CAPTURE_LINK_SLL2:
		if (!(wire_u16(c, &type) && cursor_skip(c, 18)))
			return false;
		*out = type;
		if (type != ETHERTYPE_VLAN && type != ETHERTYPE_QINQ)
			return true;
		return cursor_skip(c, 2) && ethertype_after_tags(c, out);
	case CAPTURE_LINK_NULL:
		/*
		 * The number of the address family depends on the operating
		 * system, so use the version in the IP header.
		 */
		if (!cursor_skip(c, 4))
			return false;
		*out = ethertype_by_version(c);
		return true;
	case CAPTURE_LINK_RAW:
		*out = ethertype_by_version(c);
		return true;
	default:
		*out = 0;
		return true;
	}
}

static void map_ipv4(struct wire_view address, uint8_t out[16])
{
	memset(out, 0, 10);
	memset(out + 10, 0xff, 2);
	memcpy(out + 12, address.p, 4);
}

/*
 * The payload of an IP packet. Its length by the IP header may be more than @c
 * has (truncated capture); or less, because Ethernet pads to 60 bytes.
 */
struct ip_payload {
	uint32_t wire_len;
	struct wire_cursor c;
};

static void payload_limit(struct ip_payload *ip)
{
	if (ip->c.left > ip->wire_len)
		ip->c.left = ip->wire_len;
}

static enum capture_packet_verdict take_ipv4(struct wire_cursor c,
					     struct capture_segment *out,
					     struct ip_payload *payload)
{
	struct wire_view header;
	uint32_t header_len, total;

	if (!wire_take(&c, 20, &header))
		return CAPTURE_PACKET_CUT;
	header_len = (header.p[0] & 0x0f) * 4u;
	total = wire_get_u16(header.p + 2);
	/* A length of 0 is filled in later by the network card (offload). */
	if (total == 0)
		total = (uint32_t)(header.len + c.left);
	if (header.p[0] >> 4 != 4 || header_len < 20 || total < header_len)
		return CAPTURE_PACKET_BAD;
	/* the flag "more fragments", or an offset */
	if ((wire_get_u16(header.p + 6) & 0x3fff) != 0)
		return CAPTURE_PACKET_FRAGMENT;
	if (header.p[9] != IPPROTO_TCP_)
		return CAPTURE_PACKET_NOT_TCP;
	if (!cursor_skip(&c, header_len - 20))
		return CAPTURE_PACKET_CUT;
	map_ipv4((struct wire_view){ header.p + 12, 4 }, out->from.address);
	map_ipv4((struct wire_view){ header.p + 16, 4 }, out->to.address);
	*payload = (struct ip_payload){ total - header_len, c };
	payload_limit(payload);
	return CAPTURE_PACKET_SEGMENT;
}

/* Skip the extension headers up to TCP (RFC 8200, section 4). */
static enum capture_packet_verdict take_extensions(uint8_t next,
						   struct ip_payload *payload)
{
	struct wire_cursor *c = &payload->c;
	uint32_t len;
	uint8_t following, units;

	for (int i = 0; i < MAX_HEADERS && next != IPPROTO_TCP_; i++) {
		switch (next) {
		case IPPROTO_FRAGMENT:
			return CAPTURE_PACKET_FRAGMENT;
		case IPPROTO_HOP_BY_HOP:
		case IPPROTO_ROUTING:
		case IPPROTO_DEST_OPTS:
		case IPPROTO_AH:
			break;
		default:
			return CAPTURE_PACKET_NOT_TCP;
		}
		if (!(wire_u8(c, &following) && wire_u8(c, &units)))
			return CAPTURE_PACKET_CUT;
		/*
		 * The length of AH is in units of 4 bytes, less 2 (RFC 4302);
		 * that of the others in units of 8 bytes, less 1.
		 */
		len = next == IPPROTO_AH ? (units + 2u) * 4 : (units + 1u) * 8;
		if (len > payload->wire_len)
			return CAPTURE_PACKET_BAD;
		if (!cursor_skip(c, len - 2))
			return CAPTURE_PACKET_CUT;
		payload->wire_len -= len;
		next = following;
	}
	return next == IPPROTO_TCP_ ? CAPTURE_PACKET_SEGMENT
				    : CAPTURE_PACKET_NOT_TCP;
}

static enum capture_packet_verdict take_ipv6(struct wire_cursor c,
					     struct capture_segment *out,
					     struct ip_payload *payload)
{
	struct wire_view header;
	uint32_t len;

	if (!wire_take(&c, 40, &header))
		return CAPTURE_PACKET_CUT;
	if (header.p[0] >> 4 != 6)
		return CAPTURE_PACKET_BAD;
	len = wire_get_u16(header.p + 4);
	if (len == 0)
		len = (uint32_t)c.left;
	memcpy(out->from.address, header.p + 8, 16);
	memcpy(out->to.address, header.p + 24, 16);
	*payload = (struct ip_payload){ len, c };
	payload_limit(payload);
	return take_extensions(header.p[6], payload);
}

static enum capture_packet_verdict take_tcp(struct ip_payload *ip,
					    struct capture_segment *out)
{
	struct wire_view header;
	uint32_t header_len;

	if (!wire_take(&ip->c, 20, &header))
		return ip->wire_len < 20 ? CAPTURE_PACKET_BAD
					 : CAPTURE_PACKET_CUT;
	header_len = (header.p[12] >> 4) * 4u;
	if (header_len < 20 || header_len > ip->wire_len)
		return CAPTURE_PACKET_BAD;
	if (!cursor_skip(&ip->c, header_len - 20))
		return CAPTURE_PACKET_CUT;
	out->from.port = wire_get_u16(header.p);
	out->to.port = wire_get_u16(header.p + 2);
	out->sequence = wire_get_u32(header.p + 4);
	out->flags = header.p[13];
	out->payload = wire_rest(&ip->c);
	out->wire_len = ip->wire_len - header_len;
	return CAPTURE_PACKET_SEGMENT;
}

enum capture_packet_verdict capture_packet_parse(enum capture_link link,
						 struct wire_view packet,
						 struct capture_segment *out)
{
	struct wire_cursor c = wire_start(packet);
	struct capture_segment segment = { 0 };
	enum capture_packet_verdict verdict;
	struct ip_payload ip;
	uint16_t type;

	if (!take_link(link, &c, &type))
		return CAPTURE_PACKET_CUT;
	if (type == ETHERTYPE_IPV4)
		verdict = take_ipv4(c, &segment, &ip);
	else if (type == ETHERTYPE_IPV6)
		verdict = take_ipv6(c, &segment, &ip);
	else
		return CAPTURE_PACKET_NOT_IP;
	if (verdict == CAPTURE_PACKET_SEGMENT)
		verdict = take_tcp(&ip, &segment);
	if (verdict == CAPTURE_PACKET_SEGMENT)
		*out = segment;
	return verdict;
}
