/*
 * Feeds the publisher with numbered batches, for tests that pull the broker
 * from under it. One line of JSON every 50 ms on standard output:
 *
 *	{"state": "ready", "pushed": 100, "safe": 64, ...}
 *
 * "safe" is the last number before a fence that came back: all up to it must
 * be in the stream or the journal in the end, whatever happens to us. When
 * standard input ends, or --count batches were pushed and it reads "stop", the
 * publisher is stopped; the exit code is 0 if all was safe by then.
 */
#include "egress/codec.h"
#include "egress/bridge.h"
#include "egress/encode/encode_update.h"
#include "egress/journal/cursor.h"
#include "egress/nats/client.h"
#include "egress/log_reader.h"
#include "egress/publisher/publisher.h"

#include "bmp/attr.h"
#include "bmp/family.h"

#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK_EVERY 16
#define REPORT_NS  (50 * SP_MS)
#define NUMBER_LEN 20
#define SUBJECT	   "arancini.updates.v4_192_0_2_1.64500.1_1"
#define PAUSE_US   200
#define HOLDS_MAX  4

struct driver {
	struct publisher_options publisher;
	struct egress_bridge *bridge;
	struct publisher *p;
	uint64_t count; /* 0: no end */
	uint32_t size;	/* of a batch */
	uint32_t rate;	/* batches a second; 0: as fast as it goes */
	uint32_t bridge_size;
	uint64_t holds[HOLDS_MAX]; /* at each, push no more until SIGUSR1 */
	int hold_count;
	int64_t drain_ns;
	int64_t next_report;
	uint64_t pushed;
	uint64_t safe;
	struct log_position log_position; /* of the last fence that came back */
	int encoding;	 /* enum egress_encoding; -1: numbers, no updates */
	uint32_t routes; /* in a batch of updates */
	struct egress_codec *codec;
	bool restore; /* read the log from here on first */
	struct log_position from;
	struct egress_batch *spare;
	uint32_t spares;
	int64_t began;
};

enum driver_option {
	OPT_SERVER = 256,
	OPT_STREAM,
	OPT_COLLECTOR,
	OPT_JOURNAL,
	OPT_COUNT,
	OPT_SIZE,
	OPT_RATE,
	OPT_WINDOW,
	OPT_ACK_MS,
	OPT_SPOOL_AFTER_MS,
	OPT_STUCK_MS,
	OPT_SPOOL_MAX,
	OPT_SEGMENT,
	OPT_TAKE_OVER,
	OPT_NO_CREATE,
	OPT_USER,
	OPT_PASSWORD,
	OPT_TOKEN,
	OPT_CREDS,
	OPT_NKEY,
	OPT_NKEY_SEED,
	OPT_CA,
	OPT_CERT,
	OPT_KEY,
	OPT_REPLICAS,
	OPT_MAX_BYTES,
	OPT_DISCARD_NEW,
	OPT_DUPLICATE_S,
	OPT_DRAIN_MS,
	OPT_BRIDGE,
	OPT_WRITE_MS,
	OPT_WAIT_MS,
	OPT_ENCODE,
	OPT_ROUTES,
	OPT_RESTORE,
	OPT_HOLD_AT,
	OPT_ACKED_TAIL,
};

static const struct option options[] = {
	{ "server", 1, NULL, OPT_SERVER },
	{ "stream", 1, NULL, OPT_STREAM },
	{ "collector", 1, NULL, OPT_COLLECTOR },
	{ "journal", 1, NULL, OPT_JOURNAL },
	{ "count", 1, NULL, OPT_COUNT },
	{ "size", 1, NULL, OPT_SIZE },
	{ "rate", 1, NULL, OPT_RATE },
	{ "window", 1, NULL, OPT_WINDOW },
	{ "ack-ms", 1, NULL, OPT_ACK_MS },
	{ "spool-after-ms", 1, NULL, OPT_SPOOL_AFTER_MS },
	{ "stuck-ms", 1, NULL, OPT_STUCK_MS },
	{ "spool-max", 1, NULL, OPT_SPOOL_MAX },
	{ "segment", 1, NULL, OPT_SEGMENT },
	{ "take-over", 0, NULL, OPT_TAKE_OVER },
	{ "no-create", 0, NULL, OPT_NO_CREATE },
	{ "user", 1, NULL, OPT_USER },
	{ "password", 1, NULL, OPT_PASSWORD },
	{ "token", 1, NULL, OPT_TOKEN },
	{ "creds", 1, NULL, OPT_CREDS },
	{ "nkey", 1, NULL, OPT_NKEY },
	{ "nkey-seed", 1, NULL, OPT_NKEY_SEED },
	{ "ca", 1, NULL, OPT_CA },
	{ "cert", 1, NULL, OPT_CERT },
	{ "key", 1, NULL, OPT_KEY },
	{ "replicas", 1, NULL, OPT_REPLICAS },
	{ "max-bytes", 1, NULL, OPT_MAX_BYTES },
	{ "discard-new", 0, NULL, OPT_DISCARD_NEW },
	{ "duplicate-s", 1, NULL, OPT_DUPLICATE_S },
	{ "drain-ms", 1, NULL, OPT_DRAIN_MS },
	{ "bridge", 1, NULL, OPT_BRIDGE },
	{ "write-ms", 1, NULL, OPT_WRITE_MS },
	{ "wait-ms", 1, NULL, OPT_WAIT_MS },
	{ "encode", 1, NULL, OPT_ENCODE },
	{ "routes", 1, NULL, OPT_ROUTES },
	{ "restore", 1, NULL, OPT_RESTORE },
	{ "hold-at", 1, NULL, OPT_HOLD_AT },
	{ "acked-tail", 1, NULL, OPT_ACKED_TAIL },
	{ NULL, 0, NULL, 0 },
};

static volatile sig_atomic_t released; /* times that SIGUSR1 came */

static void release(int signal)
{
	(void)signal;
	released++;
}

static long long number(const char *text)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno != 0 || *end != '\0') {
		fprintf(stderr, "publish_driver: not a number: %s\n", text);
		exit(2);
	}
	return value;
}

/* "identity:position" */
static struct log_position log_position_of(const char *text)
{
	struct log_position where = { .journal = false };
	char *end;

	where.identity = strtoull(text, &end, 10);
	if (*end != ':')
		exit(2);
	where.position = (uint64_t)number(end + 1);
	return where;
}

static void set_nats(struct nats_options *n, int option, const char *value)
{
	switch (option) {
	case OPT_SERVER:
		if (n->server_count < NATS_SERVERS_MAX)
			n->servers[n->server_count++] = value;
		break;
	case OPT_USER:
		n->user = value;
		break;
	case OPT_PASSWORD:
		n->password = value;
		break;
	case OPT_TOKEN:
		n->token = value;
		break;
	case OPT_CREDS:
		n->creds = value;
		break;
	case OPT_NKEY:
		n->nkey = value;
		break;
	case OPT_NKEY_SEED:
		n->nkey_seed = value;
		break;
	case OPT_CA:
		n->tls_ca = value;
		break;
	case OPT_CERT:
		n->tls_cert = value;
		break;
	case OPT_KEY:
		n->tls_key = value;
		break;
	case OPT_WRITE_MS:
		n->write_ms = number(value);
		break;
	default:
		break;
	}
}

static void set_stream(struct nats_stream_options *s, int option,
		       const char *value)
{
	switch (option) {
	case OPT_STREAM:
		s->name = value;
		break;
	case OPT_NO_CREATE:
		s->no_create = true;
		break;
	case OPT_REPLICAS:
		s->replicas = number(value);
		break;
	case OPT_MAX_BYTES:
		s->max_bytes = number(value);
		break;
	case OPT_DISCARD_NEW:
		s->discard_new = true;
		break;
	case OPT_DUPLICATE_S:
		s->duplicate_s = number(value);
		break;
	case OPT_WAIT_MS:
		s->wait_ms = number(value);
		break;
	default:
		break;
	}
}

static void set_publisher(struct publisher_options *o, int option,
			  const char *value)
{
	switch (option) {
	case OPT_COLLECTOR:
		o->collector = value;
		break;
	case OPT_JOURNAL:
		o->journal_dir = value;
		break;
	case OPT_WINDOW:
		o->window = (uint32_t)number(value);
		break;
	case OPT_ACK_MS:
		o->ack_timeout_ns = number(value) * SP_MS;
		break;
	case OPT_SPOOL_AFTER_MS:
		o->spool_after_ns = number(value) * SP_MS;
		break;
	case OPT_STUCK_MS:
		o->stuck_ns = number(value) * SP_MS;
		break;
	case OPT_SPOOL_MAX:
		o->spool_max = (uint64_t)number(value);
		break;
	case OPT_ACKED_TAIL:
		o->acked_tail = (uint64_t)number(value);
		break;
	case OPT_SEGMENT:
		o->segment_bytes = (uint64_t)number(value);
		break;
	case OPT_TAKE_OVER:
		o->take_over = true;
		break;
	default:
		break;
	}
}

static void set_driver(struct driver *d, int option, const char *value)
{
	switch (option) {
	case OPT_COUNT:
		d->count = (uint64_t)number(value);
		break;
	case OPT_SIZE:
		d->size = (uint32_t)number(value);
		break;
	case OPT_RATE:
		d->rate = (uint32_t)number(value);
		break;
	case OPT_DRAIN_MS:
		d->drain_ns = number(value) * SP_MS;
		break;
	case OPT_HOLD_AT:
		if (d->hold_count < HOLDS_MAX)
			d->holds[d->hold_count++] = (uint64_t)number(value);
		break;
	case OPT_ENCODE: {
		enum egress_encoding encoding;

		if (egress_encoding_find(value, strlen(value), &encoding) < 0)
			exit(2);
		d->encoding = (int)encoding;
		break;
	}
	case OPT_RESTORE:
		d->restore = true;
		d->publisher.hold = true;
		d->from = log_position_of(value);
		break;
	case OPT_ROUTES:
		d->routes = (uint32_t)number(value);
		break;
	case OPT_BRIDGE:
		d->bridge_size = (uint32_t)number(value);
		break;
	default:
		break;
	}
}

static void print_notice(void *arg, const struct publisher_notice *n)
{
	(void)arg;
	fprintf(stderr, "%s%s%s%s\n", publisher_state_name(n->state),
		n->spooling ? ", spooling" : "", n->text != NULL ? ": " : "",
		n->text != NULL ? n->text : "");
}

static void take_home(struct driver *d)
{
	struct egress_batch *list = egress_bridge_take_back(d->bridge, 0);

	while (list != NULL) {
		struct egress_batch *next = list->next;

		list->next = d->spare;
		d->spare = list;
		d->spares++;
		list = next;
	}
	list = egress_bridge_take_fence(d->bridge, 0);
	while (list != NULL) {
		struct egress_batch *next = list->next;

		d->safe = list->fence_number;
		d->log_position.position = list->position;
		egress_batch_free(list);
		list = next;
	}
}

/*
 * @count announcements of 10.0.0.0/24 and so on behind what is in @b, the first
 * of which has @n before it.
 */
static void add_updates(struct egress_batch *b, uint64_t n, size_t count)
{
	struct rib_router_info router = {
		.address = { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 },
		.port = 4000,
	};
	struct rib_table_info table = {
		.router = &router,
		.afi = 1,
		.safi = 1,
		.family = BGP_IPV4_UNICAST,
		.peer_address = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 },
		.peer_as = 64500,
	};
	struct bgp_attrs attrs = { 0 };
	struct rib_route routes[RIB_CHANGE_MAX];
	struct rib_change change = {
		.table = &table,
		.received_ns = UINT64_C(1794790000000000000),
		.announced = true,
		.kind = BGP_NLRI_PREFIX,
		.attrs = &attrs,
		.count = count,
		.routes = routes,
	};
	struct egress_encoded done;

	for (size_t i = 0; i < count; i++, n++) {
		routes[i] = (struct rib_route){
			.sequence = n + 1,
			.prefix_len = 24,
			.address = { [10] = 0xff,
				     [11] = 0xff,
				     10,
				     (uint8_t)(n >> 8),
				     (uint8_t)n,
				     0 },
		};
	}
	done = egress_encode_update(&change, 0, count, b->bytes + b->len,
				    b->cap - b->len);
	if (done.routes != count)
		abort();
	b->updates += (uint32_t)count;
	b->len += (uint32_t)done.bytes;
}

static void fill_updates(struct driver *d, struct egress_batch *b)
{
	uint64_t before = d->pushed * d->routes;

	b->len = b->updates = 0;
	while (b->updates < d->routes) {
		size_t left = d->routes - b->updates;

		add_updates(b, before + b->updates,
			    left < RIB_CHANGE_MAX ? left : RIB_CHANGE_MAX);
	}
	b->plain_len = b->len;
	if (d->encoding != EGRESS_PLAIN &&
	    egress_codec_close(d->codec, d->encoding, b) < 0)
		abort();
}

static void fill_number(struct driver *d, struct egress_batch *b)
{
	b->updates = 1;
	b->len = d->size;
	b->plain_len = d->size;
	memset(b->bytes, '.', d->size);
	snprintf((char *)b->bytes, NUMBER_LEN + 1, "%0*" PRIu64, NUMBER_LEN,
		 d->pushed + 1);
	b->bytes[NUMBER_LEN] = '.';
}

static struct egress_batch *make_batch(struct driver *d)
{
	struct egress_batch *b = d->spare;

	if (b != NULL)
		d->spare = b->next;
	else
		b = egress_batch_new(d->size);
	if (b == NULL || egress_batch_grow(b, d->size) < 0)
		abort();
	b->kind = EGRESS_BATCH_UPDATES;
	b->encoding = EGRESS_PLAIN;
	b->worker = 0;
	if (d->encoding < 0)
		fill_number(d, b);
	else
		fill_updates(d, b);
	b->subject_len = sizeof(SUBJECT) - 1;
	memcpy(b->subject, SUBJECT, sizeof(SUBJECT));
	return b;
}

static void report_if_due(struct driver *d);

static void push_fence(struct driver *d)
{
	struct egress_batch *m = egress_batch_new(0);

	if (m == NULL)
		abort();
	m->kind = EGRESS_BATCH_FENCE;
	m->fence_number = d->pushed;
	while (egress_bridge_push(d->bridge, 0, m) == -EAGAIN) {
		take_home(d);
		report_if_due(d);
		usleep(PAUSE_US);
	}
}

static bool may_push(const struct driver *d)
{
	if (d->count != 0 && d->pushed >= d->count)
		return false;
	if (released < d->hold_count && d->pushed >= d->holds[released])
		return false;
	return d->rate == 0 ||
	       (double)d->pushed <
		       (double)(sp_now() - d->began) / 1e9 * d->rate;
}

/* False if the bridge is full. */
static bool push_one(struct driver *d)
{
	struct egress_batch *b = make_batch(d);

	if (egress_bridge_push(d->bridge, 0, b) < 0) {
		b->next = d->spare;
		d->spare = b;
		return false;
	}
	d->pushed++;
	if (d->pushed % MARK_EVERY == 0 || d->pushed == d->count)
		push_fence(d);
	return true;
}

/*
 * The most memory we ever had, in KiB. Not getrusage(2): there a process
 * begins with the most that its parent had.
 */
static long peak_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (f != NULL && kb < 0 && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "VmHWM:", 6) == 0)
			kb = strtol(line + 6, NULL, 10);
	if (f != NULL)
		fclose(f);
	return kb;
}

static void report(struct driver *d)
{
	struct publisher_stats s;

	publisher_stats(d->p, &s);
	publisher_log_position(d->p, &d->log_position);
	printf("{\"state\": \"%s\", \"spooling\": %s, \"pushed\": %" PRIu64
	       ", \"safe\": %" PRIu64 ", \"messages\": %" PRIu64
	       ", \"spooled\": %" PRIu64 ", \"spool_left\": %" PRIu64
	       ", \"timeouts\": %" PRIu64 ", \"duplicates\": %" PRIu64
	       ", \"refused\": %" PRIu64 ", \"recoveries\": %" PRIu64
	       ", \"connects\": %" PRIu64 ", \"disk_full\": %s"
	       ", \"epoch\": %" PRIu64 ", \"position\": %" PRIu64
	       ", \"identity\": %" PRIu64 ", \"rollbacks\": %" PRIu64
	       ", \"resent\": %" PRIu64 ", \"acked_tail\": %" PRIu64
	       ", \"max_payload\": %" PRIu64 ", \"max_rss_kb\": %ld}\n",
	       publisher_state_name(s.state), s.spooling ? "true" : "false",
	       d->pushed, d->safe, s.messages, s.journal_messages, s.spool_left,
	       s.timeouts, s.duplicates, s.refused, s.recoveries, s.connects,
	       s.disk_full ? "true" : "false", s.epoch,
	       d->log_position.position, d->log_position.identity, s.rollbacks,
	       s.resent, s.acked_tail_size, s.max_payload, peak_kb());
	fflush(stdout);
}

static void report_if_due(struct driver *d)
{
	if (sp_now() < d->next_report)
		return;
	report(d);
	d->next_report = sp_now() + REPORT_NS;
}

/* Standard input has ended, or asks for the end. */
static bool asked_to_stop(void)
{
	char bytes[64];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));

	return n >= 0;
}

static void drive(struct driver *d)
{
	d->began = sp_now();
	while (!asked_to_stop()) {
		int n = 0;

		take_home(d);
		while (n < MARK_EVERY && may_push(d) && push_one(d))
			n++;
		report_if_due(d);
		if (n == 0)
			usleep(PAUSE_US);
	}
}

/* One line for each message of the log, with its number. */
static int print_read(void *arg, const struct log_message *m)
{
	if (m->updates)
		printf("{\"%s\": %llu, \"router\": \"%.*s\"}\n",
		       (const char *)arg,
		       strtoull((const char *)m->bytes.p, NULL, 10),
		       (int)m->router.len, (const char *)m->router.p);
	return 0;
}

static int read_spool(void *arg)
{
	struct driver *d = arg;
	struct nats_error why;

	return log_read_journal(d->publisher.journal_dir, JOURNAL_OLDEST,
				print_read, "spool", &why);
}

/* As the collector does at its start, before it listens. */
static void restore(struct driver *d)
{
	struct nats_reader_options reader = {
		.nats = d->publisher.nats,
		.stream = d->publisher.stream.name,
	};
	struct nats_error why = { "" };
	struct sp_opts opts = SP_OPTS_INIT;
	struct log_position epoch;
	int err;

	if (publisher_wait_epoch(d->p, sp_in(60 * SP_S), &epoch) < 0)
		exit(3);
	err = log_read_stream(&reader, &d->from, epoch.position, 10 * SP_S,
			      print_read, "stream", &why);
	printf("{\"restored\": %d}\n", err);
	opts.shards = 1;
	opts.stack_size = 256 << 10;
	err = sp_run(&opts, read_spool, d);
	printf("{\"spool_read\": %d}\n", err);
	fflush(stdout);
	publisher_go(d->p);
}

static int finish(struct driver *d)
{
	int err;

	egress_bridge_close(d->bridge, 0);
	err = publisher_drain(d->p, sp_in(d->drain_ns));
	publisher_free(d->p);
	take_home(d);
	printf("{\"stopped\": %d, \"pushed\": %" PRIu64 ", \"safe\": %" PRIu64
	       "}\n",
	       err, d->pushed, d->safe);
	egress_bridge_free(d->bridge);
	egress_batch_free_all(d->spare);
	egress_codec_free(d->codec);
	nats_finish();
	return err == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct driver d = {
		.publisher = { .collector = "test",
			       .notice = print_notice,
			       .stream = { .name = "ARANCINI",
					   .subjects = { "arancini.updates.>",
							 "arancini.events.>" },
					   .subject_count = 2 } },
		.size = 512,
		.encoding = -1,
		.routes = 10,
		.drain_ns = 30 * SP_S,
		.bridge_size = 256,
	};
	struct nats_error why = { "" };
	int option;
	int err;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == '?')
			return 2;
		set_nats(&d.publisher.nats, option, optarg);
		set_stream(&d.publisher.stream, option, optarg);
		set_publisher(&d.publisher, option, optarg);
		set_driver(&d, option, optarg);
	}
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	signal(SIGUSR1, release);
	if (d.encoding >= 0)
		d.size = (64 << 10) + 200 * d.routes;
	if (d.size > PUBLISHER_BATCH_BYTES)
		d.publisher.batch_bytes = d.size;
	err = egress_codec_new(&d.codec);
	if (err == 0)
		err = egress_bridge_new(1, d.bridge_size, &d.bridge);
	if (err == 0)
		egress_bridge_set_batch_bytes(d.bridge, d.size);
	if (err == 0)
		err = publisher_start(&d.publisher, d.bridge, &why, &d.p);
	if (err < 0) {
		fprintf(stderr, "publish_driver: %s: %s\n", strerror(-err),
			why.text);
		return 1;
	}
	if (d.restore)
		restore(&d);
	drive(&d);
	return finish(&d);
}
