/*
 * collector/base/json_bgp_pdu.h - OPENs and NOTIFICATIONs as JSON objects
 *
 * The functions write values, after a key. docs/json.md has the members.
 */
#ifndef COLLECTOR_BASE_JSON_BGP_PDU_H
#define COLLECTOR_BASE_JSON_BGP_PDU_H

#include "collector/base/json.h"
#include "bmp/pdu.h"
#include "bmp/tlv.h"

/*
 * Write the object for a capability: "code", "name", "value" in hex, "fields"
 * if they are known.
 */
void json_bgp_capability(struct json *j, const struct tlv *capability);

/*
 * Write the object for the body of an OPEN. If a part of the body cannot be
 * parsed, the member "error" describes it.
 */
void json_bgp_open(struct json *j, struct wire_view body);

/*
 * Write the object for the body of a NOTIFICATION; it has no members if the
 * body is too short. Data with a known meaning is also shown as text.
 */
void json_bgp_notification(struct json *j, struct wire_view body);

/*
 * Write the members for a BGP message of any type: "bgpType", "open" or
 * "notification", "bgpMessage" in hex.
 */
void json_bgp_pdu(struct json *j, const struct bgp_pdu *pdu);

/* Write the members for a TLV of a Route Mirroring, without its type. */
void json_bgp_mirrored(struct json *j, const struct tlv *tlv);

/* Write "fsmEvent" of a Peer Down, and the name of the event if it has one. */
void json_bgp_fsm_event(struct json *j, unsigned event);

#endif
