/*
 * packets.h - captures written by hand: a pcap in memory, packet by packet
 *
 * A test says which bytes of a session travel in which segment; headers,
 * lengths and the file around them are made here.
 */
#ifndef TESTS_PACKETS_H
#define TESTS_PACKETS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PACKETS_SIZE (1024 * 1024)

#define TCP_FIN 0x01
#define TCP_SYN 0x02
#define TCP_RST 0x04
#define TCP_ACK 0x10

struct packets {
	uint8_t p[PACKETS_SIZE];
	size_t len;
	uint32_t seconds; /* of the next packet */
};

/* One direction of a session, and where it stands. */
struct flow {
	uint8_t from; /* the last byte of 192.0.2.x, or 2001:db8::x */
	uint8_t to;
	uint16_t from_port;
	uint16_t to_port;
	uint32_t base; /* sequence number of the first byte */
	int ipv6;
};

static inline void put(struct packets *f, const void *bytes, size_t len)
{
	if (len > 0)
		memcpy(f->p + f->len, bytes, len);
	f->len += len;
}

static inline void put_be(struct packets *f, uint64_t v, int width)
{
	while (width-- > 0)
		f->p[f->len++] = (uint8_t)(v >> (8 * width));
}

static inline void put_zeros(struct packets *f, size_t len)
{
	memset(f->p + f->len, 0, len);
	f->len += len;
}

/* A big-endian pcap with microseconds. */
static inline void packets_start(struct packets *f, uint32_t link)
{
	f->len = 0;
	f->seconds = 1700000000;
	put_be(f, 0xa1b2c3d4, 4);
	put_be(f, 2, 2);
	put_be(f, 4, 2);
	put_zeros(f, 8);
	put_be(f, 262144, 4);
	put_be(f, link, 4);
}

static inline size_t packets_begin(struct packets *f)
{
	put_be(f, f->seconds++, 4);
	put_be(f, 250000, 4);
	put_zeros(f, 8); /* both lengths, filled in at the end */
	return f->len;
}

static inline void packets_end(struct packets *f, size_t start)
{
	size_t end = f->len;
	uint32_t len = (uint32_t)(end - start);

	f->len = start - 8;
	put_be(f, len, 4);
	put_be(f, len, 4);
	f->len = end;
}

static inline void put_ethernet(struct packets *f, int ipv6)
{
	put_zeros(f, 12);
	put_be(f, ipv6 ? 0x86dd : 0x0800, 2);
}

static inline void put_ip(struct packets *f, const struct flow *flow,
			  size_t payload)
{
	static const uint8_t prefix[15] = { 0x20, 0x01, 0x0d, 0xb8 };

	if (flow->ipv6) {
		put_be(f, 0x60000000, 4);
		put_be(f, payload, 2);
		put_be(f, 6, 1);
		put_be(f, 64, 1);
		put(f, prefix, sizeof(prefix));
		put_be(f, flow->from, 1);
		put(f, prefix, sizeof(prefix));
		put_be(f, flow->to, 1);
		return;
	}
	put_be(f, 0x4500, 2);
	put_be(f, 20 + payload, 2);
	put_be(f, 0x00004000, 4); /* "do not fragment" */
	put_be(f, 0x40060000, 4); /* TTL 64, TCP, no checksum */
	put_be(f, 0xc0000200u + flow->from, 4);
	put_be(f, 0xc0000200u + flow->to, 4);
}

static inline void put_tcp(struct packets *f, const struct flow *flow,
			   uint32_t sequence, uint8_t flags)
{
	put_be(f, flow->from_port, 2);
	put_be(f, flow->to_port, 2);
	put_be(f, sequence, 4);
	put_zeros(f, 4);
	put_be(f, 0x50, 1);
	put_be(f, flags, 1);
	put_zeros(f, 6);
}

/* A whole Ethernet packet: bytes at @offset of the flow, and flags. */
static inline void packet(struct packets *f, const struct flow *flow,
			  uint32_t offset, uint8_t flags, const void *bytes,
			  size_t len)
{
	size_t start = packets_begin(f);

	put_ethernet(f, flow->ipv6);
	put_ip(f, flow, 20 + len);
	put_tcp(f, flow, flow->base + offset, flags);
	put(f, bytes, len);
	packets_end(f, start);
}

static inline void packet_syn(struct packets *f, const struct flow *flow)
{
	/* A SYN comes one number before the first byte. */
	packet(f, flow, (uint32_t)-1, TCP_SYN, NULL, 0);
}

#endif
