/*
 * egress/nats/ack.h - parse JetStream acknowledgements
 *
 *	{"stream":"ARANCINI","seq":42}
 *	{"stream":"ARANCINI","seq":42,"duplicate":true}
 *	{"error":{"code":400,"err_code":10070,
 *	 "description":"wrong last msg ID: x"},"stream":"ARANCINI","seq":0}
 *
 * Only the fields that the publisher needs are parsed. Pure function.
 */
#ifndef EGRESS_NATS_ACK_H
#define EGRESS_NATS_ACK_H

#include "bmp/wire.h"

#include <stdbool.h>
#include <stdint.h>

/* Values for nats_ack.error that are not error codes of JetStream. */
#define NATS_ACK_NO_RESPONDERS 503 /* no server accepted the message */
#define NATS_ACK_UNREADABLE    1

#define NATS_ACK_TEXT_MAX 128

struct nats_ack {
	/* sequence of the message in the stream */
	uint64_t seq;
	uint32_t error;		      /* 0 = the message was stored */
	bool duplicate;		      /* the message had been stored before */
	char text[NATS_ACK_TEXT_MAX]; /* the server's error text */
};

/* Parse @json. If it cannot be parsed, out->error is NATS_ACK_UNREADABLE. */
void nats_ack_parse(struct wire_view json, struct nats_ack *out);

#endif
