/*
 * A whole collector, real sockets, its journal: once it is warm, a million
 * messages that each change a route allocate nothing on its shards, and no byte
 * is copied but of messages that lie across two buffers. A disk that is slower
 * than ever before needs more batches at a time: they are made once, and what
 * is made for them is counted and taken off.
 *
 * malloc() and its kin stand in front of the C library's and count by thread;
 * shards are asked for the count of theirs. The publisher's thread and the
 * sender's do as they like.
 */
#include "tempdir.h"

#include "collector/base/log.h"
#include "collector/collector.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/config/errors.h"
#include "collector/config/loader.h"
#include "collector/worker_state.h"
#include "bmp/bgp_writer.h"
#include "bmp/writer.h"
#include "egress/batcher.h"
#include "egress/publisher/publisher.h"

#include <spargio/fiber.h>
#include <spargio/stats.h>
#include <spargio/time.h>

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* glibc's own names for what we hide. NOLINTBEGIN(bugprone-reserved-identifier) */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
/* NOLINTEND(bugprone-reserved-identifier) */

static _Thread_local uint64_t made;

void *malloc(size_t size)
{
	made++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	made++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	made++;
	return __libc_realloc(p, size);
}

#define PREFIXES 2000
#define OTHERS	 16  /* allocations that are none of the messages' */
#define ROUNDS	 500 /* of PREFIXES messages: a million */
#define WARM	 50

/* A round: every prefix, with the same MED. */
struct round {
	uint8_t bytes[PREFIXES * 160];
	size_t len;
};

static struct round rounds[2];

static const struct bmp_peer peer = {
	.type = BMP_PEER_GLOBAL,
	.as = 64500,
	.bgp_id = 64500,
	.address = { [10] = 0xff, [11] = 0xff, [12] = 192, [15] = 9 },
};

static void write_message(struct bmp_writer *w, uint32_t number, uint32_t med)
{
	static const uint8_t path[] = { 2, 1, 0, 0, 0xfb, 0xf4 };
	static const uint8_t hop[] = { 192, 0, 2, 1 };
	struct bgp_nlri n = { .afi = 1,
			      .safi = 1,
			      .kind = BGP_NLRI_PREFIX,
			      .family = BGP_IPV4_UNICAST,
			      .prefix_len = 24 };
	struct bgp_attrs attrs = { .med = med,
				   .next_hop = hop,
				   .next_hop_len = sizeof(hop) };
	struct bgp_update_parts parts = { .attrs = &attrs };
	uint8_t pdu[128];
	struct bmp_writer inner = bmp_writer_on(pdu, sizeof(pdu));

	memcpy(n.address, (const uint8_t[16]){ [10] = 0xff, 0xff, 10 }, 16);
	n.address[13] = (uint8_t)(number >> 8);
	n.address[14] = (uint8_t)number;
	attrs.as_path.path = (struct wire_view){ path, sizeof(path) };
	attrs.as_path.width = 4;
	bgp_attrs_set(&attrs, BGP_ORIGIN);
	bgp_attrs_set(&attrs, BGP_AS_PATH);
	bgp_attrs_set(&attrs, BGP_MED);
	bgp_attrs_set(&attrs, BGP_NEXT_HOP);
	parts.nlri_parts[BGP_PART_NLRI] = (struct bgp_routes){ &n, 1 };
	bgp_write_update(&inner, &parts);
	bmp_write_route_monitoring(w, &peer,
				   (struct wire_view){ pdu, inner.len });
}

static void make_rounds(void)
{
	for (uint32_t r = 0; r < 2; r++) {
		struct bmp_writer w =
			bmp_writer_on(rounds[r].bytes, sizeof(rounds[r].bytes));

		for (uint32_t i = 0; i < PREFIXES; i++)
			write_message(&w, i, r + 1);
		assert_false(w.full);
		rounds[r].len = w.len;
	}
}

/* The collector */

static struct collector *start(struct config *config, struct log *log)
{
	char *argv[] = { "--listen",
			 "127.0.0.1:0",
			 "--workers",
			 "2",
			 "--state",
			 "state",
			 "--http",
			 "off",
			 "--snapshot-interval",
			 "1h",
			 "--log-level",
			 "error",
			 "--journal-max-bytes",
			 "128M" };
	char *env[] = { NULL };
	struct config_errors errors = CONFIG_ERRORS_INIT;
	struct config_request request;
	struct collector *c;

	assert_int_equal(config_load(COUNT(argv), argv, env, &errors, &request,
				     config),
			 0);
	config_errors_release(&errors);
	log_init(log, STDERR_FILENO, LOG_FORMAT_TEXT, LOG_LEVEL_ERROR);
	assert_int_equal(collector_start(config, log, NULL, &c), 0);
	return c;
}

/* What a shard knows. */
struct look {
	struct collector *collector;
	uint64_t made;
	uint64_t messages;
	uint64_t batches; /* made */
};

static int look_here(void *arg)
{
	struct look *l = arg;
	const struct worker *w =
		collector_env(l->collector)->workers[sp_shard()];
	struct egress_batcher_stats stats;

	egress_batcher_stats(w->batcher, &stats);
	l->batches += stats.made;
	l->made += made;
	l->messages += w->counts.sessions.messages[BMP_ROUTE_MONITORING];
	return 0;
}

/* Of both shards together. */
static struct look look(struct collector *c)
{
	struct look l = { .collector = c };
	int ret;

	for (uint32_t i = 0; i < collector_env(c)->worker_count; i++)
		assert_int_equal(sp_call_on(collector_env(c)->rt, i, look_here,
					    &l, &ret),
				 0);
	return l;
}

static uint64_t copied(struct collector *c, uint64_t *aside)
{
	struct sp_shard_stats stats;
	uint64_t sum = 0;

	*aside = 0;
	for (uint32_t i = 0; i < collector_env(c)->worker_count; i++) {
		sp_stats_shard(collector_env(c)->rt, i, &stats);
		sum += stats.recv_copied;
		*aside += stats.recv_aside;
	}
	return sum;
}

/* The router */

static int connect_to(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/* Let the shards run: there may be no other processor. */
static void nap(int64_t give_up)
{
	const struct timespec moment = { .tv_nsec = 200000 };

	assert_true(sp_now() < give_up);
	nanosleep(&moment, NULL);
}

/* Until the journal has all that was sent: each message changes a route. */
static void wait_safe(struct collector *c, uint64_t sent)
{
	int64_t give_up = sp_now() + 60 * SP_S;
	struct publisher_stats stats;

	publisher_stats(collector_env(c)->publisher, &stats);
	while (stats.journal_updates < sent) {
		nap(give_up);
		publisher_stats(collector_env(c)->publisher, &stats);
	}
}

/*
 * Send @n rounds, each when the one before was read. Every third waits for the
 * journal, so that the session never waits for its share of the bridge: what is
 * allocated under pressure is another matter.
 */
static void send_rounds(struct collector *c, int fd, uint64_t *sent, int n)
{
	for (int i = 0; i < n; i++) {
		const struct round *r = &rounds[*sent / PREFIXES % 2];
		int64_t give_up = sp_now() + 60 * SP_S;

		assert_int_equal(send(fd, r->bytes, r->len, MSG_NOSIGNAL),
				 (ssize_t)r->len);
		*sent += PREFIXES;
		while (look(c).messages < *sent)
			nap(give_up);
		if (i % 3 == 2)
			wait_safe(c, *sent);
	}
}

static void test_steady_state_allocates_nothing(void **state)
{
	uint64_t sent = 0, before_copied, bytes, aside, more_aside;
	struct look before, after;
	struct collector *c;
	struct config config;
	struct log log;
	int fd;

	(void)state;
	make_rounds();
	c = start(&config, &log);
	fd = connect_to(collector_port(c, 0));
	send_rounds(c, fd, &sent, WARM);
	before_copied = copied(c, &aside);
	before = look(c);
	send_rounds(c, fd, &sent, ROUNDS);
	after = look(c);
	bytes = copied(c, &more_aside) - before_copied;
	printf("# %llu messages, %llu allocations, %llu batches, "
	       "%llu bytes copied of %llu\n",
	       (unsigned long long)(after.messages - before.messages),
	       (unsigned long long)(after.made - before.made),
	       (unsigned long long)(after.batches - before.batches),
	       (unsigned long long)bytes,
	       (unsigned long long)ROUNDS * rounds[0].len);
	assert_int_equal(after.messages - before.messages,
			 (uint64_t)ROUNDS * PREFIXES);
	/*
	 * A batch is itself and its bytes. What else happens now and then on a
	 * busy machine, as a warning that a shard stalled, may allocate, too;
	 * what messages do would be a million times.
	 */
	assert_true(after.made - before.made <=
		    2 * (after.batches - before.batches) + OTHERS);
	/* A message is 2 % of the least that a buffer gets of a full socket. */
	assert_true(bytes < (uint64_t)ROUNDS * rounds[0].len / 20);
	/* On a busy machine the publisher may sleep while the bridge fills. */
	assert_true(more_aside - aside < (uint64_t)ROUNDS * rounds[0].len / 20);
	close(fd);
	assert_int_equal(collector_stop(c, sp_in(30 * SP_S),
					COLLECTOR_MEMORY_FREE),
			 0);
	log_fini(&log);
	config_release(&config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TEMPDIR(test_steady_state_allocates_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
