/*
 * cli/decode_fields.h - JSON members that lines and summaries of decode share
 *
 * Each function adds members to the object that is open in @j.
 */
#ifndef CLI_DECODE_FIELDS_H
#define CLI_DECODE_FIELDS_H

#include "bmp/peer.h"
#include "collector/base/json.h"

/*
 * Write the members that identify a peer: address, AS, BGP identifier, type,
 * distinguisher.
 */
void decode_peer_identity(struct json *j, const struct bmp_peer *header);
/*
 * Write these members, the RIB of the peer that the message is about, and the
 * time.
 */
void decode_peer(struct json *j, const struct bmp_peer *header);

#endif
