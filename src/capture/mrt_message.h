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
	CAPTURE_MRT_SHORT, /* the record ends inside its fields */
	/* the subtype is not known here, or deprecated */
	CAPTURE_MRT_UNSUPPORTED,
	CAPTURE_MRT_BAD_AFI, /* the addresses are neither IPv4 nor IPv6 */
	/* a prefix is longer than the addresses of its family */
	CAPTURE_MRT_BAD_PREFIX,
	CAPTURE_MRT_BAD_NLRI, /* the NLRI of a table record cannot be read */
	/* a RIB record came before any PEER_INDEX_TABLE */
	CAPTURE_MRT_NO_PEERS,
	CAPTURE_MRT_BAD_PEER, /* the index of a peer is not in that table */
	CAPTURE_MRT_VERDICTS
};

/* A phrase for the user about @verdict; never NULL. */
const char *capture_mrt_text(enum capture_mrt_verdict verdict);

struct capture_mrt_message {
	bool is_state_change;
	/* the message was sent by the MRT collector, not received */
	bool local;
	/* NLRI of all families have path identifiers (RFC 8050) */
	bool add_path;
	bool ipv6; /* both addresses are IPv6 */
	/* bytes of an AS number in the header and in AS_PATH */
	uint8_t as_width;
	uint32_t peer_as;
	uint32_t local_as;
	uint16_t interface;
	uint8_t peer_address[16]; /* IPv4 mapped to IPv6 */
	uint8_t local_address[16];
	uint16_t old_state; /* state change only: 1 idle to 6 established */
	uint16_t new_state;
	/*
	 * The BGP message, from its marker on; empty for a state change. In a
	 * record of the type BGP the message has no header: then pdu_type is
	 * the type of the message, otherwise 0.
	 */
	struct wire_view pdu;
	uint8_t pdu_type;
};

/*
 * Decode a BGP4MP, BGP4MP_ET or BGP record that is not a RIB. *@out is written
 * only if the result is CAPTURE_MRT_OK.
 */
enum capture_mrt_verdict capture_mrt_message_decode(
	const struct capture_mrt_record *record,
	struct capture_mrt_message *out);

#endif
