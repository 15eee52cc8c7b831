#include "check.h"

#include <spargio/accept_loop.h>
#include <spargio/address.h>
#include <spargio/channel.h>
#include <spargio/datagram.h>
#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/net.h>
#include <spargio/path.h>
#include <spargio/pool.h>
#include <spargio/rstream.h>
#include <spargio/runtime.h>
#include <spargio/select.h>
#include <spargio/sim.h>
#include <spargio/socket.h>
#include <spargio/sync.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEEDS	200
#define PORT	4000
#define COUNTED 20

/* Fibers cannot use cmocka's checks: a failure ends the run. */
#define HOLDS(condition)                                                    \
	do {                                                                \
		if (!(condition))                                           \
			sp_sim_fail(sp_sim_self(), "line %d: %s", __LINE__, \
				    #condition);                            \
	} while (0)

static struct sp_sim *new_sim(uint64_t seed, const struct sp_sim_plan *plan)
{
	struct sp_sim_opts opts = { .seed = seed };
	struct sp_sim *sim;

	if (plan != NULL)
		opts.plan = *plan;
	opts.quiet_at = 20 * SP_S;
	assert_int_equal(sp_sim_new(&opts, &sim), 0);
	return sim;
}

static struct sp_sim_host *new_host(struct sp_sim *sim, const char *name,
				    const char *address)
{
	struct sp_sim_host *host;

	assert_int_equal(sp_sim_host_new(sim, name, address, &host), 0);
	return host;
}

static void expect_over(struct sp_sim *sim, enum sp_sim_end want)
{
	enum sp_sim_end end = sp_sim_run(sim, 600 * SP_S);

	if (end != want)
		(void)sp_sim_report(sim, STDERR_FILENO);
	assert_int_equal(end, want);
}

/* A little of everything on two shards */

static int add_numbers(void *arg)
{
	struct sp_chan *chan = arg;

	for (int i = 0; i < COUNTED; i++) {
		HOLDS(sp_chan_send(chan, &i) == 0);
		if (i % 7 == 0)
			HOLDS(sp_sleep(SP_MS) == 0);
	}
	return 0;
}

static int block_briefly(void *arg)
{
	*(int *)arg += 1;
	return 7;
}

static int shards_main(void *arg)
{
	struct sp_task tasks[4];
	struct sp_chan *chan;
	int sum = 0, item, ret, blocked = 0;
	int64_t before = sp_now();

	(void)arg;
	HOLDS(sp_chan_new(sizeof(int), 3, &chan) == 0);
	for (int i = 0; i < 4; i++)
		HOLDS(sp_go(add_numbers, chan, &tasks[i]) == 0);
	for (int i = 0; i < 4 * COUNTED; i++) {
		HOLDS(sp_chan_recv(chan, &item) == 0);
		sum += item;
	}
	for (int i = 0; i < 4; i++)
		HOLDS(sp_join(tasks[i], NULL) == 0);
	sp_chan_free(chan);
	HOLDS(sum == 4 * COUNTED * (COUNTED - 1) / 2);
	HOLDS(sp_block(block_briefly, &blocked, &ret) == 0);
	HOLDS(ret == 7 && blocked == 1);
	HOLDS(sp_sleep(3600 * SP_S) == 0);
	HOLDS(sp_now() - before >= 3600 * SP_S);
	return 42;
}

static uint64_t run_shards(uint64_t seed)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_sim_plan plan;
	struct sp_sim *sim;
	struct sp_sim_host *host;
	uint64_t hash;

	sp_sim_plan_draw(seed, NULL, &plan);
	plan.ppm[SP_SIM_CRASH] = plan.ppm[SP_SIM_KILL] = 0;
	sim = new_sim(seed, &plan);
	host = new_host(sim, "a", NULL);
	opts.shards = 3;
	assert_int_equal(sp_sim_host_start(host, &opts, shards_main, NULL), 0);
	if (sp_sim_run(sim, 7200 * SP_S) != SP_SIM_OVER) {
		(void)sp_sim_report(sim, STDERR_FILENO);
		fail();
	}
	assert_int_equal(sp_sim_host_result(host), 42);
	hash = sp_sim_hash(sim);
	sp_sim_free(sim);
	return hash;
}

static void test_the_same_seed_gives_the_same_run(void **state)
{
	uint64_t before = 0, all = 0;
	void *moved = NULL;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t first = run_shards(seed), second;

		/* Other addresses the second time. */
		free(moved);
		moved = malloc(seed * 1000);
		second = run_shards(seed);
		CHECK(first == second, "seed %d differs", (int)seed);
		assert_true(first != before);
		before = first;
		all = all * 31 + first;
	}
	free(moved);
	/* tools/compare-sim.sh compares these lines of different builds. */
	print_message("schedules %016" PRIx64 "\n", all);
}

/* Two hosts and a connection */

static int echo_conn(struct sp_conn *conn, void *arg)
{
	char data[256];
	int n;

	(void)arg;
	while ((n = sp_recv(conn->fd, data, sizeof(data))) > 0)
		if (sp_send_all(conn->fd, data, (size_t)n) < 0)
			break;
	return 0;
}

static int server_main(void *arg)
{
	struct sp_addr at;
	int listener;

	(void)arg;
	HOLDS(sp_addr_parse("0.0.0.0", PORT, &at) == 0);
	if (sp_listen(&at, NULL, &listener) < 0)
		return 0; /* no descriptors: it stays down */
	(void)sp_accept_loop(listener, SP_HOME_NEXT, NULL, echo_conn, NULL);
	return 0;
}

static int try_echo(const struct sp_addr *to, uint32_t number)
{
	char sent[5000], heard[sizeof(sent)];
	int64_t deadline = sp_in(5 * SP_S);
	struct sp_segment segment = { NULL, 0 };
	struct sp_rstream *rs;
	struct sp_conn conn;
	int err = sp_connect_until(to, SP_HOME_HERE, deadline, &conn);

	if (err < 0)
		return err;
	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (char)(number + i * 7 + i / 256);
	err = sp_rstream_open(conn.fd, 0, &rs);
	if (err == 0)
		err = sp_send_all_until(conn.fd, sent, sizeof(sent), deadline);
	if (err == 0)
		err = sp_rstream_peek_until(rs, sizeof(sent), deadline,
					    &segment);
	if (err == (int)sizeof(sent)) {
		memcpy(heard, segment.data, sizeof(heard));
		HOLDS(memcmp(sent, heard, sizeof(sent)) == 0);
		err = 0;
	} else if (err >= 0) {
		err = -EPIPE;
	}
	sp_rstream_close(rs);
	sp_close(conn.fd);
	return err;
}

static int client_main(void *arg)
{
	uint32_t *echoes = arg;
	struct sp_addr to;

	HOLDS(sp_addr_parse("10.0.0.1", PORT, &to) == 0);
	while (*echoes < 10) {
		if (try_echo(&to, *echoes) == 0)
			++*echoes;
		else
			HOLDS(sp_sleep(100 * SP_MS) == 0);
	}
	return 0;
}

static uint64_t run_echo(uint64_t seed, const struct sp_sim_plan *plan)
{
	struct sp_sim *sim = new_sim(seed, plan);
	struct sp_sim_host *server = new_host(sim, "server", "10.0.0.1");
	struct sp_sim_host *client = new_host(sim, "client", "10.0.0.2");
	uint32_t echoes = 0;
	uint64_t hash;

	assert_int_equal(sp_sim_host_start(server, NULL, server_main, NULL), 0);
	assert_int_equal(sp_sim_host_start(client, NULL, client_main, &echoes),
			 0);
	(void)sp_sim_run(sim, 120 * SP_S);
	CHECK(echoes == 10 && !sp_sim_host_is_up(client), "seed %d: %d echoes",
	      (int)seed, (int)echoes);
	hash = sp_sim_hash(sim);
	sp_sim_free(sim);
	return hash;
}

static void test_bytes_arrive_in_spite_of_faults(void **state)
{
	uint64_t all = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct sp_sim_plan plan;
		uint64_t hash;

		sp_sim_plan_draw(seed, NULL, &plan);
		plan.ppm[SP_SIM_NO_FDS] = 0;
		hash = run_echo(seed, &plan);
		CHECK(hash == run_echo(seed, &plan), "seed %d differs",
		      (int)seed);
		all = all * 31 + hash;
	}
	print_message("echoes %016" PRIx64 "\n", all);
}

/* The disk after a power failure */

enum content {
	CONTENT_NONE,
	CONTENT_OLD,
	CONTENT_NEW,
	CONTENT_OTHER,
};

struct power {
	bool sync_file, sync_folder;
	int starts;
	enum content found;
};

static enum content read_content(void)
{
	char text[8] = "";
	int fd = sp_openat(AT_FDCWD, "f", O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return CONTENT_NONE;
	HOLDS(sp_pread_full(fd, text, 4, 0) >= 0);
	sp_close(fd);
	if (text[0] == '\0')
		return CONTENT_OTHER;
	return strcmp(text, "new!") == 0 ? CONTENT_NEW : CONTENT_OLD;
}

static int power_main(void *arg)
{
	struct power *p = arg;
	int fd, root;

	if (p->starts++ > 0) {
		p->found = read_content();
		return 0;
	}
	root = sp_openat(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0);
	fd = sp_openat(AT_FDCWD, "f", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	HOLDS(root >= 0 && fd >= 0);
	HOLDS(sp_pwrite_all(fd, "old!", 4, 0) == 0);
	if (p->sync_file)
		HOLDS(sp_fsync(fd) == 0);
	if (p->sync_folder)
		HOLDS(sp_fsync(root) == 0);
	HOLDS(sp_pwrite_all(fd, "new!", 4, 0) == 0);
	HOLDS(read_content() == CONTENT_NEW);
	return sp_sleep(3600 * SP_S);
}

static void cut_power(void *arg)
{
	sp_sim_host_crash(arg);
	assert_false(sp_sim_host_is_up(arg));
	assert_int_equal(sp_sim_host_restart(arg), 0);
}

static enum content found_after_power_loss(uint64_t seed, bool sync_file,
					   bool sync_folder, uint32_t kept)
{
	struct sp_sim_plan plan = { .ppm = { [SP_SIM_KEEP] = kept } };
	struct power p = { .sync_file = sync_file, .sync_folder = sync_folder };
	struct sp_sim *sim = new_sim(seed, &plan);
	struct sp_sim_host *host = new_host(sim, "a", NULL);

	assert_int_equal(sp_sim_host_start(host, NULL, power_main, &p), 0);
	assert_int_equal(sp_sim_at(sim, SP_S, cut_power, host), 0);
	expect_over(sim, SP_SIM_OVER);
	sp_sim_free(sim);
	return p.found;
}

static void test_what_was_not_synced_is_lost(void **state)
{
	bool seen[CONTENT_OTHER + 1] = { false };

	(void)state;
	assert_int_equal(found_after_power_loss(1, false, false, 0),
			 CONTENT_NONE);
	assert_int_equal(found_after_power_loss(1, true, false, 0),
			 CONTENT_NONE);
	assert_int_equal(found_after_power_loss(1, false, true, 0),
			 CONTENT_OTHER);
	assert_int_equal(found_after_power_loss(1, true, true, 0), CONTENT_OLD);
	/* Or it is kept, by chance. */
	for (uint64_t seed = 1; seed < 40; seed++)
		seen[found_after_power_loss(seed, true, false, 500000)] = true;
	assert_true(seen[CONTENT_NONE]);
	assert_true(seen[CONTENT_OLD]);
	assert_true(seen[CONTENT_NEW]);
}

/* Hosts and their clocks */

static int clock_main(void *arg)
{
	int64_t *out = arg;
	int64_t wall = sp_wall_now(), mono = sp_now();

	HOLDS(sp_sleep(10 * SP_S) == 0);
	out[0] = sp_now() - mono;
	out[1] = sp_wall_now() - wall;
	return 0;
}

static void step_clock(void *arg)
{
	sp_sim_host_step_clock(arg, 100 * SP_S);
	sp_sim_host_pause(arg, sp_sim_time(sp_sim_self()) + 20 * SP_S);
}

static void test_clocks_step_drift_and_stop(void **state)
{
	struct sp_sim *sim = new_sim(1, NULL);
	struct sp_sim_host *host = new_host(sim, "a", NULL);
	struct sp_sim_host *fast = new_host(sim, "b", NULL);
	int64_t out[2], quick[2];

	(void)state;
	assert_int_equal(sp_sim_host_start(host, NULL, clock_main, out), 0);
	assert_int_equal(sp_sim_host_start(fast, NULL, clock_main, quick), 0);
	sp_sim_host_set_drift(fast, 500000);
	assert_int_equal(sp_sim_at(sim, SP_S, step_clock, host), 0);
	expect_over(sim, SP_SIM_OVER);
	/* The pause is longer than the sleep; the step is not in sp_now(). */
	assert_in_range(out[0], 21 * SP_S - SP_MS, 21 * SP_S + SP_MS);
	assert_in_range(out[1], 121 * SP_S - SP_MS, 121 * SP_S + SP_MS);
	assert_in_range(quick[0], 10 * SP_S, 10 * SP_S + SP_MS);
	assert_in_range(sp_sim_time(sim), 21 * SP_S - SP_MS, 21 * SP_S + SP_MS);
	sp_sim_free(sim);
}

static int wait_for_ever(void *arg)
{
	struct sp_chan *chan;
	int item;

	(void)arg;
	HOLDS(sp_chan_new(sizeof(int), 1, &chan) == 0);
	return sp_chan_recv(chan, &item);
}

static int fail_at_once(void *arg)
{
	(void)arg;
	sp_sim_fail(sp_sim_self(), "the number is %d", 7);
	abort(); /* not reached */
}

static void test_a_run_that_cannot_go_on_says_why(void **state)
{
	struct sp_sim *sim = new_sim(3, NULL);
	char text[4096];
	int pipes[2];
	ssize_t n;

	(void)state;
	assert_int_equal(sp_sim_host_start(new_host(sim, "a", NULL), NULL,
					   wait_for_ever, NULL),
			 0);
	expect_over(sim, SP_SIM_STUCK);
	sp_sim_free(sim);
	sim = new_sim(3, NULL);
	assert_int_equal(sp_sim_host_start(new_host(sim, "a", NULL), NULL,
					   fail_at_once, NULL),
			 0);
	assert_int_equal(sp_sim_run(sim, SP_S), SP_SIM_FAILED);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(sp_sim_report(sim, pipes[1]), 0);
	n = read(pipes[0], text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_non_null(strstr(text, "seed 3 "));
	assert_non_null(strstr(text, "failure: the number is 7"));
	close(pipes[0]);
	close(pipes[1]);
	sp_sim_free(sim);
}

/* Plans */

static bool fails_with_two(uint64_t seed, const struct sp_sim_plan *plan,
			   void *arg)
{
	++*(int *)arg;
	assert_int_equal(seed, 5);
	return plan->ppm[SP_SIM_RESET] != 0 && plan->ppm[SP_SIM_EIO] != 0;
}

static void test_a_plan_shrinks_to_what_is_needed(void **state)
{
	struct sp_sim_plan plan;
	int tries = 0, left = 0;

	(void)state;
	for (int i = 0; i < SP_SIM_FAULTS; i++) {
		assert_non_null(sp_sim_fault_name((enum sp_sim_fault)i));
		plan.ppm[i] = 1;
	}
	assert_null(sp_sim_fault_name(SP_SIM_FAULTS));
	sp_sim_shrink(5, &plan, fails_with_two, &tries);
	for (int i = 0; i < SP_SIM_FAULTS; i++)
		left += plan.ppm[i] != 0;
	assert_int_equal(left, 2);
	assert_true(tries < 3 * SP_SIM_FAULTS);
}

/* What a fiber that is cut off, a script or a job did to the thread. */

static struct sp_sim_host *upward;

static void round_upward(void *arg)
{
	HOLDS(fegetround() == FE_TONEAREST);
	fesetround(FE_UPWARD);
	if (arg != NULL)
		sp_sim_host_crash(arg);
}

static int round_upward_and_crash(void *arg)
{
	(void)arg;
	round_upward(upward);
	return 0;
}

static int block_upward(void *arg)
{
	round_upward(arg);
	return 0;
}

static int expect_nearest(void *arg)
{
	int ret = -1;

	(void)arg;
	for (int i = 0; i < 10; i++) {
		HOLDS(fegetround() == FE_TONEAREST);
		HOLDS(sp_block(block_upward, NULL, &ret) == 0 && ret == 0);
		HOLDS(fegetround() == FE_TONEAREST);
		HOLDS(sp_sleep(SP_MS) == 0);
	}
	return 0;
}

static void test_the_rounding_mode_stays_where_it_was_set(void **state)
{
	struct sp_sim *sim;

	(void)state;
	assert_int_equal(sp_sim_new(NULL, &sim), 0);
	upward = new_host(sim, "a", "10.0.0.1");
	assert_int_equal(sp_sim_host_start(upward, NULL, round_upward_and_crash,
					   NULL),
			 0);
	assert_int_equal(sp_sim_host_start(new_host(sim, "b", "10.0.0.2"), NULL,
					   expect_nearest, NULL),
			 0);
	assert_int_equal(sp_sim_at(sim, 2 * SP_MS, round_upward, NULL), 0);
	expect_over(sim, SP_SIM_OVER);
	assert_int_equal(fegetround(), FE_TONEAREST);
	sp_sim_free(sim);
}

static int sleep_with_an_array(void *arg)
{
	char array[256];

	*(char **)arg = array;
	memset(array, 0, sizeof(array));
	return sp_sleep(3600 * SP_S) + array[0];
}

static void crash(void *host)
{
	sp_sim_host_crash(host);
}

/* Under ASan: marks around the array must not outlive the stack. */
static void test_the_memory_of_a_stack_can_be_mapped_again(void **state)
{
	size_t len = 4096;
	char *array = NULL, *again;
	struct sp_sim_host *host;
	struct sp_sim *sim;

	(void)state;
	assert_int_equal(sp_sim_new(NULL, &sim), 0);
	host = new_host(sim, "a", "10.0.0.1");
	assert_int_equal(sp_sim_host_start(host, NULL, sleep_with_an_array,
					   &array),
			 0);
	assert_int_equal(sp_sim_at(sim, SP_S, crash, host), 0);
	expect_over(sim, SP_SIM_OVER);
	sp_sim_free(sim);
	again = mmap((void *)((uintptr_t)array & ~(uintptr_t)(len - 1)), len,
		     PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_true(again != MAP_FAILED);
	for (size_t i = 0; i < len; i++)
		again[i] = 1;
	munmap(again, len);
}

static int do_nothing(void *arg)
{
	(void)arg;
	return 7;
}

static void test_a_misspelt_seed_is_refused(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.backend = SP_BACKEND_SIM;
	setenv("SP_SIM_SEED", "12x", 1);
	assert_int_equal(sp_run(&opts, do_nothing, NULL), -EINVAL);
	setenv("SP_SIM_SEED", "0x12", 1);
	assert_int_equal(sp_run(&opts, do_nothing, NULL), 7);
	unsetenv("SP_SIM_SEED");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_seed_gives_the_same_run),
		cmocka_unit_test(test_bytes_arrive_in_spite_of_faults),
		cmocka_unit_test(test_what_was_not_synced_is_lost),
		cmocka_unit_test(test_clocks_step_drift_and_stop),
		cmocka_unit_test(test_a_run_that_cannot_go_on_says_why),
		cmocka_unit_test(test_a_plan_shrinks_to_what_is_needed),
		cmocka_unit_test(test_the_rounding_mode_stays_where_it_was_set),
		cmocka_unit_test(
			test_the_memory_of_a_stack_can_be_mapped_again),
		cmocka_unit_test(test_a_misspelt_seed_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
