/*
 * capture/mrt_message.h - BGP4MP, BGP4MP_ET and BGP records: messages, states
 *
 * RFC 6396 4.4, with the add-path subtypes of RFC 8050; the deprecated type BGP
 * of its appendix B.2. Pure: views into the record.
 */
#ifndef CAPTURE_MRT_MESSAGE_H
#define CAPTURE_MRT_MESSAGE_H

#include "capture/mrt.h"

enum capture_mrt_verdict {
	CAPTURE_MRT_OK,
	CAPTURE_MRT_SHORT,	 /* ends inside its fields */
	CAPTURE_MRT_UNSUPPORTED, /* a subtype not known here, or deprecated */
	CAPTURE_MRT_BAD_AFI,	 /* of the peer's address */
	CAPTURE_MRT_BAD_PREFIX,	 /* longer than its family's addresses */
	CAPTURE_MRT_BAD_NLRI,	 /* of a RIB_GENERIC record */
	CAPTURE_MRT_NO_PEERS,	 /* a RIB before any PEER_INDEX_TABLE */
	CAPTURE_MRT_BAD_PEER,	 /* an index beyond that table */
	CAPTURE_MRT_VERDICTS
};

/* A phrase for people; never NULL. */
const char *capture_mrt_text(enum capture_mrt_verdict verdict);

struct capture_mrt_message {
	bool is_state_change;
	bool local;	  /* sent by the collector, not received */
	bool add_path;	  /* all families with path identifiers, RFC 8050 */
	bool ipv6;	  /* of both addresses */
	uint8_t as_width; /* of the header and of AS_PATH */
	uint32_t peer_as;
	uint32_t local_as;
	uint16_t interface;
	uint8_t peer_address[16]; /* IPv4 mapped to IPv6 */
	uint8_t local_address[16];
	uint16_t old_state; /* state change only: 1 idle to 6 established */
	uint16_t new_state;
	/*
	 * Message only: from the marker on. In a BGP record it has no header:
	 * then pdu_type is its type, else 0.
	 */
	struct wire_view pdu;
	uint8_t pdu_type;
};

/* *@out is written for CAPTURE_MRT_OK only. */
enum capture_mrt_verdict capture_mrt_message_decode(
	const struct capture_mrt_record *record,
	struct capture_mrt_message *out);

#endif
