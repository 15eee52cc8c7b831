/*
 * The connections of egress to a model of a broker, on the simulation. How the
 * model decides is compared with a real server in
 * tests/system/test_broker_model.py; here is what only the simulation has:
 * virtual time, lost acknowledgements, crashes, and which files are linked.
 */
#include "check.h"

#include "broker.h"
#include "egress/nats/client.h"
#include "egress/nats/conn.h"
#include "egress/nats/kv.h"
#include "egress/nats/reader.h"
#include "egress/nats/resend.h"
#include "egress/nats/stream.h"

#include <spargio/fiber.h>
#include <spargio/pool.h>
#include <spargio/sim.h>
#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ADDRESS "10.0.0.9:4222"
#define STREAM	"S"
#define SUBJECT "a.updates"

/* Fibers cannot use cmocka's checks: a failure ends the run. */
#define HOLDS(condition)                                                   \
	do {                                                               \
		if (!(condition))                                          \
			sp_sim_fail(sp_sim_self(), "line %d: %s; %s",      \
				    __LINE__, #condition, world.why.text); \
	} while (0)

static struct {
	struct broker *broker;
	struct nats_conn *link;
	struct nats_error why;
	struct nats_answer answers[64];
	unsigned answered;
	unsigned rung;
	bool ended; /* the reader of the connection */
	int err;
} world;

static const struct nats_options to_broker = {
	.servers = { "nats://" ADDRESS },
	.server_count = 1,
	.name = "c",
};

static const struct nats_stream_options stream_options = {
	.name = STREAM,
	.subjects = { "a.>" },
	.subject_count = 1,
};

static void ring(void *arg)
{
	(void)arg;
	world.rung++;
}

/* Jobs of the pool */

static int open_link(void *arg)
{
	struct nats_wakeup wakeup = { ring, ring, NULL };

	(void)arg;
	return nats_conn_open(&to_broker, 64, wakeup, &world.why, &world.link);
}

static int close_link(void *arg)
{
	(void)arg;
	nats_conn_close(world.link);
	world.link = NULL;
	return 0;
}

static int prepare(void *arg)
{
	return nats_stream_prepare(world.link, &stream_options, "a.epoch",
				   &world.why, arg);
}

static int block(int (*fn)(void *), void *arg)
{
	int ret = 0;
	int err = sp_block(fn, arg, &ret);

	return err < 0 ? err : ret;
}

/* As publisher/socket_io.c reads. */
static int read_main(void *arg)
{
	(void)arg;
	while (!nats_conn_lost(world.link) &&
	       nats_conn_wait_readable(world.link) == 0) {
		nats_conn_read(world.link);
		while (nats_conn_take(
			world.link,
			&world.answers[world.answered % COUNT(world.answers)]))
			world.answered++;
	}
	world.ended = true;
	return 0;
}

static int publish(unsigned number, const char *after)
{
	char id[32];
	struct nats_message m = {
		.subject = SUBJECT,
		.bytes = "bytes",
		.len = 5,
		.id = id,
		.after = after,
		.collector = "c",
		.schema = "1",
		.token = number,
	};

	snprintf(id, sizeof(id), "id-%u", number);
	return nats_conn_publish(world.link, &m);
}

static void wait_answers(unsigned n)
{
	for (int i = 0; i < 1000 && world.answered < n; i++)
		(void)sp_sleep(10 * SP_MS);
}

static void connect_and_read(struct sp_task *reader)
{
	struct nats_tail tail = { 0 };

	HOLDS(block(open_link, NULL) == 0);
	HOLDS(block(prepare, &tail) == 0);
	HOLDS(sp_go(read_main, NULL, reader) == 0);
}

static void stop_reading(struct sp_task reader)
{
	sp_cancel(reader);
	sp_join(reader, NULL);
	HOLDS(world.ended);
	HOLDS(block(close_link, NULL) == 0);
}

/* Run @fn on a host. */
static void run(int (*fn)(void *), int64_t latency)
{
	struct sp_sim_opts opts = { .seed = 1 };
	struct broker_options how = {
		.address = ADDRESS,
		.latency_min = latency,
		.latency_max = latency,
	};
	struct sp_sim_host *host;
	struct sp_sim *sim;

	memset(&world, 0, sizeof(world));
	assert_int_equal(sp_sim_new(&opts, &sim), 0);
	how.sim = sim;
	assert_int_equal(broker_start(&how, &world.broker), 0);
	assert_int_equal(sp_sim_host_new(sim, "c", "10.0.0.1", &host), 0);
	assert_int_equal(sp_sim_host_start(host, NULL, fn, NULL), 0);
	if (sp_sim_run(sim, 3600 * SP_S) != SP_SIM_OVER) {
		(void)sp_sim_report(sim, 2);
		fail();
	}
	assert_int_equal(sp_sim_host_result(host), 0);
	sp_sim_free(sim);
	broker_free(world.broker);
}

/* Time */

static int acks_main(void *arg)
{
	struct sp_task reader;
	int64_t sent;

	(void)arg;
	connect_and_read(&reader);
	sent = sp_now();
	HOLDS(publish(1, NULL) == 0 && publish(2, "id-1") == 0);
	wait_answers(2);
	HOLDS(world.answered == 2);
	HOLDS(sp_now() - sent >= 10 * SP_MS);
	HOLDS(sp_now() - sent < 100 * SP_MS);
	HOLDS(world.answers[0].has_token && world.answers[0].token == 1);
	HOLDS(world.answers[1].ack.seq == 2 && world.rung > 0);
	HOLDS(publish(3, "id-1") == 0 && publish(2, NULL) == 0);
	wait_answers(4);
	HOLDS(world.answers[2].ack.error == 10070);
	HOLDS(world.answers[3].ack.duplicate);
	stop_reading(reader);
	return 0;
}

static void test_acknowledgements_take_the_latency(void **state)
{
	(void)state;
	run(acks_main, 5 * SP_MS);
}

static int slow_main(void *arg)
{
	struct sp_task reader;
	int64_t sent;

	(void)arg;
	connect_and_read(&reader);
	broker_delay_acks(world.broker, 3 * SP_S);
	sent = sp_now();
	HOLDS(publish(1, NULL) == 0);
	wait_answers(1);
	HOLDS(world.answered == 1 && sp_now() - sent >= 3 * SP_S);
	broker_delay_acks(world.broker, 0);
	broker_lose_acks(world.broker, 1);
	HOLDS(publish(2, NULL) == 0 && publish(3, NULL) == 0);
	wait_answers(2);
	HOLDS(world.answered == 2 && world.answers[1].token == 3);
	HOLDS(broker_count(world.broker).acks_lost == 1);
	broker_set_pace(world.broker, SP_S);
	sent = sp_now();
	for (unsigned i = 4; i < 8; i++)
		HOLDS(publish(i, NULL) == 0);
	wait_answers(6);
	HOLDS(world.answered == 6 && sp_now() - sent >= 3 * SP_S);
	stop_reading(reader);
	return 0;
}

static void test_acknowledgements_are_late_or_lost(void **state)
{
	(void)state;
	run(slow_main, SP_MS);
}

/* Crashes */

static uint64_t last_stored(void)
{
	struct broker_state state = { 0 };

	HOLDS(broker_look(world.broker, STREAM, &state));
	return state.last_seq;
}

static void reconnect(struct sp_task *reader)
{
	world.ended = false;
	world.answered = 0;
	connect_and_read(reader);
}

static int crash_main(void *arg)
{
	struct sp_task reader;

	(void)arg;
	connect_and_read(&reader);
	HOLDS(publish(1, NULL) == 0);
	wait_answers(1);
	broker_sync(world.broker);
	HOLDS(publish(2, NULL) == 0);
	wait_answers(2);
	/* One more is on its way. */
	HOLDS(publish(3, NULL) == 0);
	broker_crash(world.broker);
	(void)sp_sleep(SP_S);
	HOLDS(world.ended && nats_conn_lost(world.link));
	HOLDS(block(close_link, NULL) == 0);
	HOLDS(block(open_link, NULL) == -ECONNREFUSED);
	broker_restart(world.broker);
	HOLDS(last_stored() == 2);
	/* What it stored is younger than the window: it knows the ids. */
	reconnect(&reader);
	HOLDS(publish(2, NULL) == 0);
	wait_answers(1);
	HOLDS(world.answers[0].ack.duplicate);
	HOLDS(publish(3, "id-2") == 0);
	wait_answers(2);
	HOLDS(world.answers[1].ack.error == 0);
	broker_crash(world.broker);
	broker_lose_unsynced(world.broker);
	broker_restart(world.broker);
	/* The restart read, and so synced, two. */
	HOLDS(last_stored() == 2);
	HOLDS(broker_count(world.broker).lost == 1);
	(void)sp_sleep(SP_S);
	HOLDS(block(close_link, NULL) == 0);
	return 0;
}

static void test_a_crash_loses_what_was_not_synced(void **state)
{
	(void)state;
	run(crash_main, SP_MS);
}

/* nats-server forgets the last id where no message is in the window. */
static int silent_main(void *arg)
{
	struct sp_task reader;

	(void)arg;
	connect_and_read(&reader);
	HOLDS(publish(1, NULL) == 0);
	wait_answers(1);
	(void)sp_sleep(130 * SP_S);
	broker_crash(world.broker);
	broker_restart(world.broker);
	(void)sp_sleep(SP_S);
	HOLDS(block(close_link, NULL) == 0);
	reconnect(&reader);
	HOLDS(publish(2, "id-1") == 0);
	wait_answers(1);
	HOLDS(world.answers[0].ack.error == 10070);
	stop_reading(reader);
	return 0;
}

static void test_a_restart_after_silence_forgets_the_last_id(void **state)
{
	(void)state;
	run(silent_main, SP_MS);
}

static int partition_main(void *arg)
{
	struct sp_task reader;

	(void)arg;
	connect_and_read(&reader);
	broker_partition(world.broker, "c", true);
	HOLDS(publish(1, NULL) == 0);
	(void)sp_sleep(5 * SP_S);
	HOLDS(world.answered == 0 && last_stored() == 0);
	broker_partition(world.broker, "c", false);
	wait_answers(1);
	HOLDS(world.answered == 1);
	broker_partition(world.broker, NULL, true);
	(void)sp_sleep(60 * SP_S);
	HOLDS(world.ended);
	HOLDS(block(close_link, NULL) == 0);
	HOLDS(block(open_link, NULL) == -ETIMEDOUT);
	broker_partition(world.broker, NULL, false);
	HOLDS(block(open_link, NULL) == 0);
	HOLDS(block(close_link, NULL) == 0);
	return 0;
}

static void test_a_partition_delays_and_then_breaks(void **state)
{
	(void)state;
	run(partition_main, SP_MS);
}

/* Rights and streams */

static int rights_main(void *arg)
{
	struct nats_tail tail = { 0 };
	struct nats_error why;
	struct sp_task reader;

	(void)arg;
	connect_and_read(&reader);
	broker_deny(world.broker, "$JS.API.STREAM.INFO.>");
	HOLDS(block(prepare, &tail) == -EACCES);
	HOLDS(strstr(world.why.text, "$JS.API.STREAM.INFO.S") != NULL);
	broker_allow_all(world.broker);
	broker_deny(world.broker, SUBJECT);
	HOLDS(publish(1, NULL) == 0);
	(void)sp_sleep(SP_S);
	HOLDS(nats_conn_refused(world.link, &why));
	HOLDS(strstr(why.text, SUBJECT) != NULL);
	broker_allow_all(world.broker);
	HOLDS(broker_delete_stream(world.broker, STREAM));
	HOLDS(publish(2, NULL) == 0);
	wait_answers(1);
	HOLDS(!world.answers[0].has_token);
	HOLDS(world.answers[0].ack.error == NATS_ACK_NO_RESPONDERS);
	broker_change_leader(world.broker, 10 * SP_S);
	HOLDS(block(prepare, &tail) == -ETIMEDOUT);
	(void)sp_sleep(11 * SP_S);
	HOLDS(block(prepare, &tail) == 0);
	broker_set_room(world.broker, 0);
	HOLDS(publish(3, NULL) == 0 && publish(4, NULL) == 0);
	wait_answers(3);
	HOLDS(world.answers[2].ack.error == 10023);
	stop_reading(reader);
	return 0;
}

static void test_rights_streams_and_room(void **state)
{
	(void)state;
	run(rights_main, SP_MS);
}

/* Key-value buckets and readers */

static int count_key(void *arg, const char *key)
{
	HOLDS(strncmp(key, "k.", 2) == 0);
	++*(int *)arg;
	return 0;
}

static int kv_job(void *arg)
{
	struct nats_error why = { "" };
	struct nats_kv *kv = NULL;
	uint64_t revision = 0;
	void *bytes = NULL;
	size_t len = 0;
	int keys = 0;

	(void)arg;
	HOLDS(nats_kv_open(&to_broker, "b", 1, &why, &kv) == 0);
	HOLDS(nats_kv_get(kv, "k.1", &why, &bytes, &len, &revision) == -ENOENT);
	HOLDS(nats_kv_put(kv, "k.1", "one", 3, &why) == 0);
	HOLDS(nats_kv_replace(kv, "k.2", "two", 3, 0, &why) == 0);
	HOLDS(nats_kv_replace(kv, "k.2", "2", 1, 0, &why) == -ENOTCONN);
	HOLDS(nats_kv_get(kv, "k.1", &why, &bytes, &len, &revision) == 0);
	HOLDS(len == 3 && memcmp(bytes, "one", 3) == 0 && revision == 1);
	free(bytes);
	HOLDS(nats_kv_replace(kv, "k.1", "1", 1, revision, &why) == 0);
	HOLDS(nats_kv_keys(kv, count_key, &keys, &why) == 0 && keys == 2);
	HOLDS(nats_kv_purge(kv, "k.*", &why) == 0);
	HOLDS(nats_kv_get(kv, "k.1", &why, &bytes, &len, &revision) == -ENOENT);
	/* The next call connects again. */
	broker_disconnect(world.broker, "c");
	HOLDS(nats_kv_put(kv, "k.3", "3", 1, &why) == 0);
	nats_kv_close(kv);
	return 0;
}

static int kv_main(void *arg)
{
	return block(kv_job, arg);
}

static void test_buckets(void **state)
{
	(void)state;
	run(kv_main, SP_MS);
}

static int reader_job(void *arg)
{
	struct nats_reader_options how = {
		.nats = to_broker,
		.stream = STREAM,
		.filter = "a.>",
		.from = NATS_FROM_SEQ,
		.at = 2,
	};
	struct nats_error why = { "" };
	struct nats_reader *r = NULL;
	struct nats_read read;

	(void)arg;
	HOLDS(nats_reader_open(&how, &why, &r) == 0);
	for (uint64_t seq = 2; seq <= 5; seq++) {
		HOLDS(nats_reader_next(r, 1000, &read) == 1);
		HOLDS(read.seq == seq && read.pending == 5 - seq);
		HOLDS(read.len == 5 && strcmp(read.subject, SUBJECT) == 0);
	}
	HOLDS(nats_reader_next(r, 20000, &read) == 0);
	broker_crash(world.broker);
	broker_restart(world.broker);
	HOLDS(nats_reader_next(r, 1000, &read) == 0);
	nats_reader_close(r);
	return 0;
}

static int reader_main(void *arg)
{
	struct sp_task reader;

	connect_and_read(&reader);
	for (unsigned i = 1; i <= 5; i++)
		HOLDS(publish(i, NULL) == 0);
	wait_answers(5);
	stop_reading(reader);
	return block(reader_job, arg);
}

static void test_a_stream_is_read_in_order(void **state)
{
	(void)state;
	run(reader_main, SP_MS);
}

/* What is linked */

static void test_there_is_no_libnats(void **state)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	(void)state;
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps) != NULL)
		CHECK(strstr(line, "libnats") == NULL, "mapped: %s", line);
	fclose(maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acknowledgements_take_the_latency),
		cmocka_unit_test(test_acknowledgements_are_late_or_lost),
		cmocka_unit_test(test_a_crash_loses_what_was_not_synced),
		cmocka_unit_test(
			test_a_restart_after_silence_forgets_the_last_id),
		cmocka_unit_test(test_a_partition_delays_and_then_breaks),
		cmocka_unit_test(test_rights_streams_and_room),
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_a_stream_is_read_in_order),
		cmocka_unit_test(test_there_is_no_libnats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
