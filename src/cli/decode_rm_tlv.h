/*
 * cli/decode_rm_tlv.h - TLVs of a Route Monitoring in JSON
 */
#ifndef CLI_DECODE_RM_TLV_H
#define CLI_DECODE_RM_TLV_H

#include "bmp/message.h"
#include "collector/base/json.h"

/*
 * Write the member "tlvs": all TLVs of a usable Route Monitoring except the BGP
 * message, in their order. Nothing is written if there are none.
 */
void decode_rm_tlvs(struct json *j, const struct bmp_message *message,
		    enum bmp_v4 v4);

#endif
