/*
 * egress/nats/ack.h - parse JetStream acknowledgements
 *
 *	{"stream":"ARANCINI","seq":42}
 *	{"stream":"ARANCINI","seq":42,"duplicate":true}
 *	{"error":{"code":400,"err_code":10070,"description":"wrong last msg ID: x"},
 *	 "stream":"ARANCINI","seq":0}
 *
 * Only the fields that the publisher needs are parsed. Pure function.
 */
#ifndef EGRESS_NATS_ACK_H
#define EGRESS_NATS_ACK_H

#include "bmp/wire.h"

#include <stdbool.h>
#include <stdint.h>

/* Used instead of an error code of JetStream. */
#define NATS_ACK_NO_RESPONDERS 503 /* no server accepted the message */
#define NATS_ACK_UNREADABLE    1

#define NATS_ACK_TEXT_MAX 128

struct nats_ack {
	uint64_t seq;		      /* sequence in the stream */
	uint32_t error;		      /* 0 = stored */
	bool duplicate;		      /* it had been stored before */
	char text[NATS_ACK_TEXT_MAX]; /* the server's error text */
};

/* An answer that cannot be parsed gives NATS_ACK_UNREADABLE. */
void nats_ack_parse(struct wire_view json, struct nats_ack *out);

#endif
