/*
 * bmp/message.h - the seven BMP messages as views into their frame
 *
 *	enum bmp_status s = bmp_message_decode(&frame, BMP_V4_OFF, &msg);
 *
 *	counts[s]++;
 *	if (bmp_status_usable(s))
 *		... msg.type says which member of the union counts
 *
 * An error of a router has the smallest possible effect: a Peer Down without
 * its NOTIFICATION still takes the peer down, a Peer Up with a broken OPEN
 * still brings it up, and no error here ends a session. Only fixed fields are
 * copied; all views are valid as long as the frame.
 *
 * BMP version 4 is a draft whose numbers changed. The numbering cannot be
 * recognised from the bytes (TLV type 4 is "group" in one numbering and "BGP
 * message" in the others), so it is configured.
 */
#ifndef BMP_MESSAGE_H
#define BMP_MESSAGE_H

#include "bmp/frame.h"
#include "bmp/pdu.h"
#include "bmp/peer.h"
#include "bmp/tlv.h"

enum bmp_type {
	BMP_ROUTE_MONITORING,
	BMP_STATISTICS,
	BMP_PEER_DOWN,
	BMP_PEER_UP,
	BMP_INITIATION,
	BMP_TERMINATION,
	BMP_ROUTE_MIRRORING,
	BMP_TYPES
};

enum bmp_v4 {
	BMP_V4_OFF,
	BMP_V4_TLV20,  /* draft-ietf-grow-bmp-tlv-20 */
	BMP_V4_LEGACY, /* numbers that pmacct and NetGauze still use */
	BMP_V4_TLV21,  /* draft-ietf-grow-bmp-tlv-21 */
	BMP_V4_NUMBERINGS
};

enum bmp_status {
	BMP_OK,
	/* The message is malformed, but the decoded fields can be used. */
	BMP_CUT_TLVS,	     /* the list of TLVs ends inside a TLV */
	BMP_TRAILING_BYTES,  /* other bytes follow the BGP message */
	BMP_OPEN_UNUSABLE,   /* Peer Up: capabilities are unknown */
	BMP_NO_NOTIFICATION, /* missing in a Peer Down, reason 1 or 3 */
	BMP_UNKNOWN_REASON,  /* Peer Down */
	/* Only type, version and, if it was read, the peer can be used. */
	BMP_UNKNOWN_TYPE,
	BMP_UNKNOWN_PEER_TYPE,
	BMP_V4_REFUSED, /* version 4 with BMP_V4_OFF */
	BMP_SHORT,	/* ends inside its fixed part */
	BMP_BAD_PDU,	/* the BGP message has a wrong marker or length */
	BMP_NOT_UPDATE, /* Route Monitoring of another BGP message */
	BMP_STATUSES
};

static inline bool bmp_status_usable(enum bmp_status s)
{
	return s < BMP_UNKNOWN_TYPE;
}

/* Type numbers of information TLVs, by message. */
enum bmp_init_tlv { /* RFC 7854 4.4 */
	BMP_INIT_STRING,
	BMP_INIT_SYS_DESCR,
	BMP_INIT_SYS_NAME,
};
enum bmp_peer_up_tlv { /* RFC 9736 */
	BMP_PEER_UP_STRING = 0,
	BMP_PEER_UP_TABLE_NAME = 3, /* also in Peer Down, reason 6 */
	BMP_PEER_UP_ADMIN_LABEL = 4,
};
enum bmp_term_tlv { /* RFC 7854 4.5 */
	BMP_TERM_STRING,
	BMP_TERM_REASON, /* two bytes, enum bmp_term_reason */
};
enum bmp_term_reason {
	BMP_TERM_ADMIN,
	BMP_TERM_UNSPECIFIED,
	BMP_TERM_OUT_OF_RESOURCES,
	BMP_TERM_REDUNDANT, /* the router has another, parallel session */
	BMP_TERM_FOR_EVER,  /* do not expect a reconnect */
	BMP_TERM_REASONS
};
enum bmp_mirror_tlv {	 /* RFC 7854 4.7 */
	BMP_MIRROR_PDU,	 /* a verbatim PDU, perhaps the errored one */
	BMP_MIRROR_INFO, /* two bytes: 0 errored PDU, 1 messages lost */
};

enum bmp_down_reason { /* RFC 7854 4.9, RFC 9069 5.3 */
	BMP_DOWN_LOCAL_NOTIFICATION = 1,
	BMP_DOWN_LOCAL_FSM,
	BMP_DOWN_REMOTE_NOTIFICATION,
	BMP_DOWN_REMOTE,
	BMP_DOWN_DECONFIGURED, /* no longer monitored: may still be up */
	BMP_DOWN_LOC_RIB,      /* TLVs follow */
	BMP_DOWN_REASONS
};

struct bmp_peer_up {
	uint8_t local_address[16]; /* one form, as in struct bmp_peer */
	uint16_t local_port;
	uint16_t remote_port;
	/* Cut by the lengths of the PDUs; an unusable OPEN has whole.len 0. */
	struct bgp_pdu sent_open;
	struct bgp_pdu received_open;
};

struct bmp_peer_down {
	uint8_t reason;		     /* as sent */
	uint16_t fsm_event;	     /* reason 2; 0 = none */
	struct bgp_pdu notification; /* reasons 1, 3; whole.len 0 = missing */
};

struct bmp_message {
	uint8_t version;
	uint8_t type;	  /* as sent */
	uint8_t tlv_form; /* enum tlv_form of tlvs */
	bool has_peer;
	struct bmp_peer peer;
	/*
	 * The TLVs of the message, whatever its type. In a Statistics message
	 * the TLVs are the counters, see bmp/stats.h.
	 */
	struct wire_view tlvs;
	union {
		struct bgp_pdu update; /* Route Monitoring */
		struct bmp_peer_up up;
		struct bmp_peer_down down;
		uint32_t stats_count; /* as sent; may differ from tlvs */
	};
};

enum bmp_status bmp_message_decode(const struct bmp_frame *frame,
				   enum bmp_v4 v4, struct bmp_message *out);

#endif
