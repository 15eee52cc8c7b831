/*
 * Bytes of a broker: answers of JetStream, acknowledgements, headers, ids and
 * reply subjects. Whatever they are, they are read or refused, and every view
 * that comes out lies within them.
 */
#include "egress/message_id.h"
#include "egress/nats/ack.h"
#include "egress/nats/reply.h"

#include <stdlib.h>
#include <string.h>

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static void demand_within(struct wire_view part, struct wire_view whole)
{
	demand(part.len == 0 ||
	       (part.p >= whole.p && part.p + part.len <= whole.p + whole.len));
}

static void try_stream(struct wire_view json)
{
	struct nats_reply_stream stream;
	struct wire_view rest, value;
	char text[64];

	if (!nats_reply_stream(json, "ARANCINI", &stream))
		return;
	demand_within(stream.subjects, json);
	rest = stream.subjects;
	while (nats_json_next(&rest, NULL, &value)) {
		demand_within(value, json);
		if (nats_json_string(value, text, sizeof(text)))
			demand(strlen(text) < sizeof(text));
	}
}

static void try_subjects(struct wire_view json)
{
	struct wire_view subjects, key, value;
	uint64_t total;

	if (!nats_reply_subjects(json, &total, &subjects))
		return;
	while (nats_json_next(&subjects, &key, &value))
		demand_within(key, json);
}

static void try_block(struct wire_view block)
{
	char id[MESSAGE_ID_MAX], collector[COLLECTOR_ID_MAX];
	struct message_id parsed;
	struct record_id record;

	if (!nats_reply_header(block, "Nats-Msg-Id", id, sizeof(id)))
		return;
	demand(strlen(id) < sizeof(id));
	if (message_id_parse(id, collector, &parsed))
		demand(collector_id_valid(collector));
	(void)record_id_parse(id, &record);
}

static void try_message(struct wire_view json)
{
	struct nats_reply_message m;
	uint8_t *bytes;
	size_t len;

	if (!nats_reply_message(json, &m))
		return;
	demand_within(m.headers, json);
	bytes = malloc(m.headers.len + 1);
	demand(bytes != NULL);
	if (nats_json_base64(m.headers, bytes, &len)) {
		demand(len <= m.headers.len);
		try_block((struct wire_view){ bytes, len });
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_view all = { data, size };
	char name[NATS_CONSUMER_NAME_MAX];
	struct nats_reply_error error;
	struct nats_reply_place place;
	struct nats_ack ack;
	int64_t ns;
	char *text = malloc(size + 1);

	demand(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	(void)nats_reply_failed(all, &error);
	nats_ack_parse(all, &ack);
	demand(ack.error != 0 || ack.seq != 0);
	try_stream(all);
	try_subjects(all);
	try_message(all);
	try_block(all);
	if (nats_reply_consumer(all, name))
		demand(strpbrk(name, ".*> ") == NULL);
	(void)nats_reply_success(all);
	(void)nats_reply_place(text, &place);
	(void)nats_json_time(all, &ns);
	free(text);
	return 0;
}
