#include "collector/output.h"

#include "collector/base/log.h"
#include "collector/config/config.h"
#include "egress/bridge.h"
#include "egress/nats/durability.h"
#include "egress/nats/reader.h"
#include "egress/publisher/publisher.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Strings that the publisher reads while it runs. */
enum text {
	TEXT_JOURNAL,
	TEXT_STREAM,
	TEXT_UPDATES,
	TEXT_EVENTS,
	TEXT_EPOCH,
	TEXTS
};

struct output {
	struct publisher *publisher;
	struct nats_options nats;
	struct log *log;
	uint64_t acked_tail;
	/* durability was logged; only for the publisher's thread */
	bool was_ready;
	char *texts[TEXTS];
	_Atomic uint32_t max_batch;
	void *loss_arg; /* written before on_loss */
	int (*_Atomic on_loss)(void *arg, struct publisher_events *events);
	_Atomic(void (*)(void *)) listener;
	void *listener_arg; /* set before the listener */
};

char *output_journal(const struct config *config)
{
	char *path;

	if (config->journal.directory[0] != '\0')
		return strdup(config->journal.directory);
	if (config_state_is_url(config))
		return strdup("journal");
	if (asprintf(&path, "%s/journal", config->snapshot.state) < 0)
		return NULL;
	return path;
}

/*
 * Return @prefix with "{collector}" replaced, then "." and @rest. NULL if out
 * of memory.
 */
static char *expand_below(const struct config *config, const char *prefix,
			  const char *rest)
{
	char *expanded = config_expand(config, prefix);
	char *text = NULL;

	if (expanded != NULL && asprintf(&text, "%s.%s", expanded, rest) < 0)
		text = NULL;
	free(expanded);
	return text;
}

static int make_texts(struct output *o, const struct config *c)
{
	o->texts[TEXT_JOURNAL] = output_journal(c);
	o->texts[TEXT_STREAM] = config_expand(c, c->nats.stream);
	o->texts[TEXT_UPDATES] = expand_below(c, c->egress.updates, ">");
	o->texts[TEXT_EVENTS] = expand_below(c, c->egress.events, ">");
	o->texts[TEXT_EPOCH] =
		expand_below(c, c->egress.events, "collector.epoch");
	for (size_t i = 0; i < TEXTS; i++)
		if (o->texts[i] == NULL)
			return -ENOMEM;
	return 0;
}

static void set_servers(const struct config *c, struct publisher_options *o)
{
	for (size_t i = 0; i < c->nats.urls.count && i < NATS_SERVERS_MAX; i++)
		o->nats.servers[o->nats.server_count++] = c->nats.urls.at[i];
}

/*
 * Convert text for libnats: an option that is not set is "" here, but NULL
 * there.
 */
static const char *or_null(const char *text)
{
	return text == NULL || text[0] == '\0' ? NULL : text;
}

static void set_broker(const struct config *c, struct publisher_options *o)
{
	set_servers(c, o);
	o->nats.name = c->identity.collector;
	o->nats.inbox_prefix = c->nats.inbox_prefix;
	o->nats.domain = or_null(c->nats.domain);
	o->nats.user = or_null(c->nats.user);
	o->nats.password = c->nats.password.value;
	o->nats.token = c->nats.token.value;
	o->nats.creds = or_null(c->nats.creds);
	o->nats.nkey = or_null(c->nats.nkey);
	o->nats.nkey_seed = or_null(c->nats.nkey_seed);
	o->nats.tls = c->nats.tls;
	o->nats.tls_ca = or_null(c->nats.tls_ca);
	o->nats.tls_cert = or_null(c->nats.tls_cert);
	o->nats.tls_key = or_null(c->nats.tls_key);
	o->take_over = c->nats.take_over;
	o->window = (uint32_t)c->nats.window;
	if (c->egress.batch_bytes > PUBLISHER_BATCH_BYTES)
		o->batch_bytes = (uint32_t)c->egress.batch_bytes;
	o->ack_timeout_ns = c->nats.ack_timeout;
}

/* Convert to seconds for the stream: at least one; -1 for SP_NEVER. */
static int64_t duration_seconds(int64_t ns)
{
	if (ns == SP_NEVER)
		return -1; /* never */
	return ns < SP_S ? 1 : ns / SP_S;
}

static void set_stream(const struct output *output, const struct config *c,
		       struct publisher_options *o)
{
	o->stream.name = output->texts[TEXT_STREAM];
	o->stream.subjects[0] = output->texts[TEXT_UPDATES];
	o->stream.subjects[1] = output->texts[TEXT_EVENTS];
	o->stream.subject_count = 2;
	o->stream.no_create = c->nats.no_create;
	o->stream.memory = c->nats.storage == CONFIG_STORAGE_MEMORY;
	o->stream.replicas = (int64_t)c->nats.replicas;
	o->stream.max_age_s = duration_seconds(c->nats.max_age);
	o->stream.max_bytes =
		c->nats.max_bytes == 0 ? -1 : (int64_t)c->nats.max_bytes;
	o->stream.duplicate_s = duration_seconds(c->nats.duplicate_window);
}

static void set_journal(const struct output *output, const struct config *c,
			struct publisher_options *o)
{
	o->journal_dir = output->texts[TEXT_JOURNAL];
	o->segment_bytes = c->journal.segment_bytes;
	o->spool_max = c->journal.spool_max;
	o->acked_tail = c->journal.acked_tail;
	o->journal_max = c->journal.max_bytes;
	o->journal_age_ns =
		c->journal.max_age == SP_NEVER ? 0 : c->journal.max_age;
	o->sync_ns = c->journal.sync_interval;
	o->sync_bytes = c->journal.sync_bytes;
}

/* Log once how durable acknowledged messages are. */
static void log_durability(struct output *o)
{
	struct log_line line;

	o->was_ready = true;
	if (!log_begin(o->log, LOG_LEVEL_INFO, "broker", &line))
		return;
	log_text(&line, "sync", NATS_SYNC_MEANING);
	log_u64(&line, "acked_tail", o->acked_tail);
	log_text(&line, "hint",
		 o->acked_tail > 0
			 ? "what a power failure takes is sent again"
			 : "what a power failure takes is lost until a resync; "
			   "see --acked-tail");
	log_text(&line, "price", NATS_SYNC_PRICE);
	log_end(&line);
}

static void listener_call(struct output *o)
{
	void (*fn)(void *arg) = atomic_load(&o->listener);

	if (fn != NULL)
		fn(o->listener_arg);
}

/* Log a notice of the publisher. Runs on its thread. */
static void notice_log(void *arg, const struct publisher_notice *n)
{
	struct output *o = arg;
	enum log_level level = LOG_LEVEL_INFO;
	struct log_line line;

	if (n->max_payload > NATS_HEADERS_MAX && n->max_payload < UINT32_MAX)
		atomic_store_explicit(&o->max_batch,
				      (uint32_t)n->max_payload -
					      NATS_HEADERS_MAX,
				      memory_order_relaxed);
	if (n->state == PUBLISHER_READY && !o->was_ready)
		log_durability(o);
	listener_call(o);
	if (n->state == PUBLISHER_REFUSED || n->state == PUBLISHER_SUPERSEDED)
		level = LOG_LEVEL_ERROR;
	else if (n->spooling || n->text != NULL)
		level = LOG_LEVEL_WARNING;
	if (!log_begin(o->log, level, "publisher", &line))
		return;
	log_text(&line, "state", publisher_state_name(n->state));
	log_bool(&line, "spooling", n->spooling);
	if (n->text != NULL)
		log_text(&line, "text", n->text);
	log_end(&line);
}

/* Log a change of the output state. Runs on the publisher's thread. */
static void log_output(void *arg, const struct output_state *state)
{
	static const enum log_level levels[] = {
		[OUTPUT_OK] = LOG_LEVEL_INFO,
		[OUTPUT_DEGRADED] = LOG_LEVEL_WARNING,
		[OUTPUT_STOPPED] = LOG_LEVEL_ERROR,
	};
	const struct output_cause_row *row = output_cause_row(state->cause);
	struct output *o = arg;
	char why[OUTPUT_WHY_MAX];
	struct log_line line;

	if (!log_begin(o->log, levels[row->status], "output", &line))
		return;
	log_text(&line, "status", output_status_name(row->status));
	if (state->cause != OUTPUT_CAUSE_NONE) {
		output_state_why(state, why);
		log_text(&line, "cause", row->name);
		log_text(&line, "why", why);
		log_text(&line, "action", row->action);
	}
	log_end(&line);
}

/*
 * Call the function of output_on_loss(), if it is set. Runs on a pool thread of
 * the publisher.
 */
static int loss_resync(void *arg, struct publisher_events *events)
{
	struct output *o = arg;
	int (*fn)(void *, struct publisher_events *) =
		atomic_load_explicit(&o->on_loss, memory_order_acquire);

	return fn == NULL ? 0 : fn(o->loss_arg, events);
}

void output_on_loss(struct output *o,
		    int (*resync)(void *arg, struct publisher_events *events),
		    void *arg)
{
	o->loss_arg = arg;
	/* The release order makes loss_arg visible to loss_resync(). */
	atomic_store_explicit(&o->on_loss, resync, memory_order_release);
}

void output_free(struct output *o)
{
	if (o == NULL)
		return;
	publisher_free(o->publisher);
	for (size_t i = 0; i < TEXTS; i++)
		free(o->texts[i]);
	free(o);
}

static int publish_start(struct output *o, const struct config *c,
			 struct egress_bridge *bridge, struct sp_rt *rt,
			 uint32_t shard)
{
	struct publisher_options options = {
		.collector = c->identity.collector,
		.epoch_subject = o->texts[TEXT_EPOCH],
		.hold = true,
		.rt = rt,
		.shard = shard,
		.notice = notice_log,
		.output_changed = log_output,
		.notice_arg = o,
		.resync = loss_resync,
		.resync_arg = o,
	};
	struct nats_error why = { "" };
	struct log_line line;
	int err;

	if (c->egress.discard) {
		options.discard = true;
	} else {
		set_broker(c, &options);
		set_stream(o, c, &options);
		set_journal(o, c, &options);
	}
	o->nats = options.nats;
	o->acked_tail = options.acked_tail;
	err = publisher_start(&options, bridge, &why, &o->publisher);
	if (err < 0 &&
	    log_begin(o->log, LOG_LEVEL_ERROR, "cannot_publish", &line)) {
		log_error(&line, "error", err);
		log_text(&line, "why", why.text);
		log_text(&line, "journal", o->texts[TEXT_JOURNAL]);
		log_end(&line);
	}
	return err;
}

int output_start(const struct config *config, struct log *log,
		 struct egress_bridge *bridge, struct sp_rt *rt, uint32_t shard,
		 struct output **out)
{
	struct output *o = calloc(1, sizeof(*o));
	int err;

	if (o == NULL)
		return -ENOMEM;
	o->log = log;
	atomic_init(&o->max_batch, UINT32_MAX);
	err = make_texts(o, config);
	if (err == 0)
		err = publish_start(o, config, bridge, rt, shard);
	if (err < 0) {
		output_free(o);
		return err;
	}
	*out = o;
	return 0;
}

void output_listen(struct output *o, void (*fn)(void *arg), void *arg)
{
	o->listener_arg = arg;
	atomic_store(&o->listener, fn);
}

int output_drain(struct output *o, int64_t deadline)
{
	return publisher_drain(o->publisher, deadline);
}

struct publisher *output_publisher(struct output *o)
{
	return o->publisher;
}

const _Atomic uint32_t *output_max_batch(const struct output *o)
{
	return &o->max_batch;
}

void output_reader(const struct output *o, struct nats_reader_options *out)
{
	*out = (struct nats_reader_options){
		.nats = o->nats,
		.stream = o->texts[TEXT_STREAM],
	};
}

const char *output_journal_dir(const struct output *o)
{
	return o->texts[TEXT_JOURNAL];
}
