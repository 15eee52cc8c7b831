#include "cli/doctor_broker.h"

#include "egress/nats/client.h"
#include "egress/nats/durability.h"

#include <errno.h>
#include <inttypes.h>

static void stream_check(const char *stream, const struct nats_durability *d,
			 struct tuning_check *out)
{
	*out = (struct tuning_check){
		.status =
			d->memory || d->replicas < 2 ? TUNING_WARN : TUNING_OK,
		.wanted = "file, 3 replicas on hosts of their own",
	};
	snprintf(out->name, sizeof(out->name), "stream %.48s", stream);
	snprintf(out->value, sizeof(out->value), "%s, %" PRId64 " replica%s",
		 d->memory ? "memory" : "file", d->replicas,
		 d->replicas == 1 ? "" : "s");
	if (out->status != TUNING_OK)
		snprintf(out->fix, sizeof(out->fix),
			 "--nats-replicas 3; with one copy a power failure "
			 "takes what is not synced");
}

/*
 * Fill in the check if the broker could not be queried. A missing stream is
 * only a warning: the collector creates it.
 */
static void failure_check(const char *stream, int err,
			  const struct nats_error *why,
			  struct tuning_check *out)
{
	*out = (struct tuning_check){
		.status = err == -ENOENT ? TUNING_WARN : TUNING_FAIL,
		.wanted = "a stream that answers",
	};
	snprintf(out->name, sizeof(out->name), "stream %.48s", stream);
	snprintf(out->value, sizeof(out->value), "%.90s",
		 err == -ENOENT ? "not there yet" : why->text);
	if (err != -ENOENT)
		snprintf(out->fix, sizeof(out->fix),
			 "the server, its JetStream, or the rights of this "
			 "user");
}

/*
 * Fill in the check of the server's sync_interval. Clients cannot get its
 * value, so the result is always a warning.
 */
static size_t sync_check(struct tuning_check *out)
{
	*out = (struct tuning_check){
		.status = TUNING_WARN,
		.name = "sync_interval of the server",
		.value = "not told to clients; default 2m, acknowledged before",
		.wanted = "--acked-tail on, or sync_interval: always",
		.fix = "--acked-tail sends the rest again; " NATS_SYNC_PRICE,
	};
	return 1;
}

size_t doctor_broker(const char *url, const char *stream,
		     struct tuning_check *out)
{
	struct nats_options options = {
		.servers = { url },
		.server_count = 1,
		.name = "arancini-doctor",
	};
	struct nats_error why = { "" };
	struct nats_durability durability;
	int err = nats_durability(&options, stream, &why, &durability);

	nats_finish();
	if (err < 0)
		failure_check(stream, err, &why, out);
	else
		stream_check(stream, &durability, out);
	return 1 + sync_check(out + 1);
}
