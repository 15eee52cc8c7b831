/*
 * collector/base/json_bgp_pdu.h - OPENs and NOTIFICATIONs as JSON objects
 *
 * Values, written behind a key; docs/json.md has their members.
 */
#ifndef COLLECTOR_BASE_JSON_BGP_PDU_H
#define COLLECTOR_BASE_JSON_BGP_PDU_H

#include "collector/base/json.h"
#include "bmp/pdu.h"

/* @body is that of an OPEN; "error" says what cannot be read of it. */
void json_bgp_open(struct json *j, struct wire_view body);

/* @body is that of a NOTIFICATION; one that is too short is an empty object. */
void json_bgp_notification(struct json *j, struct wire_view body);

#endif
