/*
 * capture/packet.h - find the TCP segment in a captured packet
 *
 *	link header --> [VLAN tags] --> IPv4 or IPv6 --> TCP --> payload
 *
 * Pure: views into the packet, no state. If there is no segment, the verdict
 * gives the reason, so that a reader can count why packets were skipped.
 */
#ifndef CAPTURE_PACKET_H
#define CAPTURE_PACKET_H

#include "bmp/wire.h"

/* The link types that carry routers' traffic. */
enum capture_link {
	CAPTURE_LINK_UNKNOWN,
	CAPTURE_LINK_ETHERNET,
	CAPTURE_LINK_RAW,  /* IP without a link header */
	CAPTURE_LINK_NULL, /* BSD loopback: the family, in either byte order */
	CAPTURE_LINK_SLL,  /* Linux "any" device */
	CAPTURE_LINK_SLL2,
	CAPTURE_LINKS
};

enum capture_packet_verdict {
	CAPTURE_PACKET_SEGMENT,
	CAPTURE_PACKET_NOT_IP,
	CAPTURE_PACKET_NOT_TCP,
	CAPTURE_PACKET_FRAGMENT, /* an IP fragment: not reassembled here */
	/* the capture has only a part of the headers */
	CAPTURE_PACKET_CUT,
	CAPTURE_PACKET_BAD, /* a header is inconsistent */
	CAPTURE_PACKET_VERDICTS
};

#define CAPTURE_TCP_FIN 0x01
#define CAPTURE_TCP_SYN 0x02
#define CAPTURE_TCP_RST 0x04

/* One end of a connection; IPv4 as IPv4-mapped. */
struct capture_endpoint {
	uint8_t address[16];
	uint16_t port;
};

struct capture_segment {
	struct capture_endpoint from;
	struct capture_endpoint to;
	uint32_t sequence;
	uint8_t flags; /* CAPTURE_TCP_... and other flags */
	/* The captured part of the payload ... */
	struct wire_view payload;
	/* ... and its length on the wire. */
	uint32_t wire_len;
};

/*
 * Parse @packet. *@out is written only if the result is CAPTURE_PACKET_SEGMENT.
 */
enum capture_packet_verdict capture_packet_parse(enum capture_link link,
						 struct wire_view packet,
						 struct capture_segment *out);

#endif
