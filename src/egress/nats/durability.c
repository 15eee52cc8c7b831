#include "egress/nats/durability.h"

#include "egress/nats/api.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WAIT_MS 5000

/* Parse the answer. False if it lacks a field that every stream has. */
static bool config_read(struct wire_view json, struct nats_durability *out)
{
	struct wire_view config, value;
	char storage[16];

	if (!nats_json_member(json, "config", &config) ||
	    !nats_json_member(config, "num_replicas", &value) ||
	    !nats_json_int(value, &out->replicas) ||
	    !nats_json_member(config, "storage", &value) ||
	    !nats_json_string(value, storage, sizeof(storage)))
		return false;
	out->memory = strcmp(storage, "memory") == 0;
	return true;
}

int nats_durability(const struct nats_options *options, const char *stream,
		    struct nats_error *why, struct nats_durability *out)
{
	struct nats_api api = { .wait_ms = WAIT_MS };
	struct nats_durability got;
	struct nats_received *reply = NULL;
	int err = nats_client_open(options, why, &api.client);

	if (err < 0)
		return err;
	err = nats_api_request(&api, "STREAM.INFO", stream, NULL, why, &reply);
	if (err == 0 && !config_read(nats_received_data(reply), &got)) {
		snprintf(why->text, sizeof(why->text),
			 "STREAM.INFO of %s: the answer cannot be read",
			 stream);
		err = -EPROTO;
	}
	if (err == 0)
		*out = got;
	nats_received_free(reply);
	nats_client_close(api.client);
	return err;
}
