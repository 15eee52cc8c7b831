/*
 * bmp/rm_tlv.h - the TLVs of a Route Monitoring of BMP version 4
 *
 * The versions of draft-ietf-grow-bmp-tlv number the TLVs differently (enum
 * bmp_v4). The number of draft-ietf-grow-bmp-path-marking-tlv-05 is that of
 * another TLV in later versions, so path marking is known in the legacy
 * numbering only. All functions take a message whose TLVs are indexed; in other
 * messages they find no TLV.
 *
 *	TLV		value
 *	sequence	4 bytes: number of the message in its session
 *	timestamp	4 bytes of seconds, 4 of microseconds
 *	group		2 bytes for each NLRI in the group of the index
 *	stateless	capabilities as in an OPEN: how the UPDATE is read
 *	path marking	4 bytes of status bits, 2 of reason, if any
 */
#ifndef BMP_RM_TLV_H
#define BMP_RM_TLV_H

#include "bmp/decode_context.h"
#include "bmp/message.h"

enum bmp_rm_tlv {
	BMP_RM_UNKNOWN, /* also enterprise TLVs */
	BMP_RM_SEQUENCE,
	BMP_RM_EXTENDED_FLAGS,
	BMP_RM_TIMESTAMP,
	BMP_RM_GROUP,
	BMP_RM_TABLE_NAME,
	BMP_RM_STATELESS,
	BMP_RM_UPDATE,
	BMP_RM_PATH_MARKING,
	BMP_RM_TLVS
};

enum bmp_rm_tlv bmp_rm_tlv_find(enum bmp_v4 v4, uint16_t type);

/*
 * The index of a TLV is the number of an NLRI, from 1 on; 0 = all NLRI. With
 * this bit it is the number of a group of NLRI.
 */
#define BMP_RM_INDEX_GROUP 0x8000

/*
 * Counts the messages of a BMP session that the router did not send, by gaps in
 * their sequence numbers. Messages without a number are counted as received, so
 * a router that numbers only some of them is not reported to have dropped the
 * others.
 */
struct bmp_sequence {
	bool known;
	uint32_t last;	/* number in the last numbered message */
	uint32_t since; /* messages received since that message */
};

/*
 * Note that @msg was received. Returns the number of messages missing before
 * it.
 */
uint32_t bmp_sequence_take(struct bmp_sequence *s,
			   const struct bmp_message *msg, enum bmp_v4 v4);

/*
 * Change *@opts as the stateless-parsing TLVs of @msg say; @over has
 * precedence.
 */
void bmp_rm_decode_opts(const struct bmp_message *msg, enum bmp_v4 v4,
			const struct bgp_overrides *over,
			struct bgp_decode_opts *opts);

struct bmp_path_marking {
	uint32_t status; /* bits, see bmp_path_status_name() */
	bool has_reason;
	uint16_t reason;
};

/* Read a path marking. False if @value has an invalid length. */
bool bmp_path_marking_read(struct wire_view value,
			   struct bmp_path_marking *out);

#endif
