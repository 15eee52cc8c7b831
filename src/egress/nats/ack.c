#include "egress/nats/ack.h"

#include "egress/nats/reply.h"

#include <stdio.h>

_Static_assert(NATS_ACK_TEXT_MAX == NATS_REPLY_TEXT_MAX, "one is copied");

/* Hot: once per message. bench/egress, jetstream_acked. */
void nats_ack_parse(struct wire_view json, struct nats_ack *out)
{
	struct nats_reply_error error;
	struct wire_view value;

	*out = (struct nats_ack){ 0 };
	if (nats_reply_failed(json, &error)) {
		out->error = error.code != 0 ? error.code : NATS_ACK_UNREADABLE;
		snprintf(out->text, sizeof(out->text), "%s", error.text);
		return;
	}
	if (!nats_json_member(json, "seq", &value) ||
	    !nats_json_uint(value, &out->seq) || out->seq == 0) {
		out->seq = 0;
		out->error = NATS_ACK_UNREADABLE;
		snprintf(out->text, sizeof(out->text),
			 "an acknowledgement without a sequence");
		return;
	}
	if (nats_json_member(json, "duplicate", &value) &&
	    !nats_json_bool(value, &out->duplicate))
		out->duplicate = false;
}
