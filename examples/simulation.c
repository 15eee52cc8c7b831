/*
 * Simulation: two replicas of a counter, with a bug that a power failure shows.
 *
 * A client counts up and has both replicas store each number. What a replica
 * has acknowledged it must have for ever, whatever happens to it.
 */
#include <spargio/address.h>
#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/net.h>
#include <spargio/path.h>
#include <spargio/runtime.h>
#include <spargio/sim.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define REPLICAS 2

/* What the world outside knows; it is part of no host. */
static uint32_t acknowledged[REPLICAS];
static bool has_bug;

static int store_number(uint32_t number)
{
	int fd, err;

	if (!has_bug) /* a new file, synced, renamed; its folder synced */
		return sp_write_file(AT_FDCWD, "counter", &number,
				     sizeof(number), 0644);
	fd = sp_openat(AT_FDCWD, "counter", O_WRONLY | O_CREAT, 0644);
	if (fd < 0)
		return fd;
	err = sp_pwrite_all(fd, &number, sizeof(number), 0);
	sp_close(fd);
	return err;
}

/* No file is a 0; any other error is none. */
static int load_number(uint32_t *out)
{
	int fd = sp_openat(AT_FDCWD, "counter", O_RDONLY, 0);
	ssize_t n;

	*out = 0;
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	n = sp_pread_full(fd, out, sizeof(*out), 0);
	sp_close(fd);
	return n < 0 ? (int)n : 0;
}

/* Say what we have, then store and acknowledge what comes. */
static void serve_client(int fd)
{
	uint32_t number;
	int err = load_number(&number);

	while (err == 0 && sp_send_all(fd, &number, sizeof(number)) == 0 &&
	       sp_recv_exact(fd, &number, sizeof(number)) == 1)
		err = store_number(number);
	sp_close(fd);
}

static int replica_main(void *arg)
{
	struct sp_conn conn;
	struct sp_addr at;
	int listener;

	(void)arg;
	(void)sp_addr_parse("0.0.0.0:7000", 0, &at);
	while (sp_listen(&at, NULL, &listener) < 0)
		sp_sleep(SP_S);
	while (!sp_cancelled()) {
		if (sp_accept(listener, SP_HOME_HERE, &conn) == 0)
			serve_client(conn.fd); /* one at a time */
		else
			sp_sleep(SP_MS);
	}
	sp_close(listener);
	return 0;
}

static void count_with(int fd, uint32_t replica)
{
	int64_t deadline = sp_in(SP_S);
	uint32_t number;

	if (sp_recv_exact_until(fd, &number, sizeof(number), deadline) != 1)
		return;
	if (number < acknowledged[replica])
		sp_sim_fail(sp_sim_self(), "replica %u forgot %u, it has %u",
			    replica, acknowledged[replica], number);
	number = acknowledged[replica] + 1;
	if (sp_send_all_until(fd, &number, sizeof(number), deadline) == 0 &&
	    sp_recv_exact_until(fd, &number, sizeof(number), deadline) == 1)
		acknowledged[replica] = number;
}

static int client_main(void *arg)
{
	static const char *const replicas[] = { "10.0.0.1:7000",
						"10.0.0.2:7000" };
	struct sp_conn conn;
	struct sp_addr to;

	(void)arg;
	for (uint32_t i = 0; !sp_cancelled(); i++) {
		(void)sp_addr_parse(replicas[i % REPLICAS], 0, &to);
		if (sp_connect_until(&to, SP_HOME_HERE, sp_in(SP_S), &conn) ==
		    0) {
			count_with(conn.fd, i % REPLICAS);
			sp_close(conn.fd);
		}
		sp_sleep(20 * SP_MS);
	}
	return 0;
}

/* One minute of the three hosts. True if a replica forgot a number. */
static bool run_fails(uint64_t seed, const struct sp_sim_plan *plan, void *arg)
{
	struct sp_sim_opts opts = { .seed = seed, .plan = *plan };
	struct sp_sim_host *a, *b, *client;
	enum sp_sim_end end = SP_SIM_FAILED;
	struct sp_sim *sim;

	for (int i = 0; i < REPLICAS; i++)
		acknowledged[i] = 0;
	if (sp_sim_new(&opts, &sim) < 0)
		return true;
	if (sp_sim_host_new(sim, "a", "10.0.0.1", &a) == 0 &&
	    sp_sim_host_new(sim, "b", "10.0.0.2", &b) == 0 &&
	    sp_sim_host_new(sim, "client", "10.0.0.3", &client) == 0 &&
	    sp_sim_host_start(a, NULL, replica_main, NULL) == 0 &&
	    sp_sim_host_start(b, NULL, replica_main, NULL) == 0 &&
	    sp_sim_host_start(client, NULL, client_main, NULL) == 0)
		end = sp_sim_run(sim, 60 * SP_S);
	if (end == SP_SIM_FAILED && arg != NULL)
		(void)sp_sim_report(sim, STDOUT_FILENO);
	sp_sim_free(sim);
	return end == SP_SIM_FAILED;
}

/* The first of 100 seeds that fails, or 0. */
static uint64_t find_failure(struct sp_sim_plan *plan)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		sp_sim_plan_draw(seed, NULL, plan);
		if (run_fails(seed, plan, NULL))
			return seed;
	}
	return 0;
}

int main(void)
{
	struct sp_sim_plan plan;
	bool show = true;
	uint64_t seed;

	has_bug = true;
	seed = find_failure(&plan);
	if (seed == 0)
		return 1;
	printf("seed %u fails\n", (unsigned int)seed);
	sp_sim_shrink(seed, &plan, run_fails, NULL);
	fflush(stdout);
	(void)run_fails(seed, &plan, &show);
	for (int i = 0; i < SP_SIM_FAULTS; i++)
		if (plan.ppm[i] != 0)
			printf("the bug needs: %s\n",
			       sp_sim_fault_name((enum sp_sim_fault)i));
	has_bug = false;
	if (find_failure(&plan) != 0)
		return 1;
	puts("without the bug no seed fails");
	return 0;
}
