/*
 * Work stealing with connections: all of them come to one shard, and what they
 * ask for takes time. Their fibers are stealable, so the other shard helps.
 */
#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/accept_loop.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define CLIENTS 8

static atomic_uint answered[2]; /* by shard */

/* Something that keeps a CPU busy for a while. */
static uint64_t compute(uint64_t x)
{
	for (int i = 0; i < 200000; i++)
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return x;
}

static int answer(struct sp_conn *conn, void *arg)
{
	uint64_t question;
	int err;

	(void)arg;
	while ((err = sp_recv_exact(conn->fd, &question, sizeof(question))) >
	       0) {
		/* When the bytes had come an idle shard could take us. */
		uint64_t result = compute(question);

		atomic_fetch_add(&answered[sp_shard()], 1);
		err = sp_send_all(conn->fd, &result, sizeof(result));
		if (err < 0)
			break;
	}
	return err == -ECANCELED ? 0 : err;
}

static int serve(void *arg)
{
	/* Every connection is at home on shard 0, but may be helped with. */
	struct sp_attr attr = { .place = SP_PREFER, .name = "answer" };

	return sp_accept_loop(*(int *)arg, 0, &attr, answer, NULL);
}

static int ask(const struct sp_conn *conns)
{
	for (uint64_t i = 0; i < CLIENTS; i++) {
		int err = sp_send_all(conns[i].fd, &i, sizeof(i));

		if (err < 0)
			return err;
	}
	for (uint64_t i = 0; i < CLIENTS; i++) {
		uint64_t result = 0;
		int err = sp_recv_exact(conns[i].fd, &result, sizeof(result));

		if (err < 1 || result != compute(i))
			return err < 0 ? err : -EPROTO;
	}
	return 0;
}

static int run_clients(const struct sp_addr *at)
{
	struct sp_addr to[CLIENTS];
	struct sp_conn conns[CLIENTS];
	int64_t give_up = sp_in(20 * SP_S);
	int err = 0;

	for (int i = 0; i < CLIENTS; i++)
		to[i] = *at;
	if (sp_connect_many(to, CLIENTS, SP_HOME_HERE, give_up, conns) !=
	    CLIENTS)
		return -ENOTCONN;
	/* Until it was seen: a busy machine may take its time. */
	while (err == 0 && atomic_load(&answered[1]) == 0 && sp_now() < give_up)
		err = ask(conns);
	for (int i = 0; i < CLIENTS; i++)
		close(conns[i].fd);
	return err;
}

static int body(void *arg)
{
	struct sp_task server = { 0 };
	struct sp_addr at;
	int listener = -1;
	int err = sp_addr_parse("127.0.0.1:0", 0, &at);

	(void)arg;
	if (err == 0)
		err = sp_listen(&at, NULL, &listener);
	if (err == 0)
		err = sp_addr_local(listener, &at);
	if (err == 0)
		err = sp_go_on(NULL, 0, serve, &listener, &server);
	if (err == 0)
		err = run_clients(&at);
	if (err < 0)
		return err;
	printf("answers: %u by shard 0, %u by shard 1\n",
	       atomic_load(&answered[0]), atomic_load(&answered[1]));
	if (atomic_load(&answered[1]) > 0)
		puts("shard 1 helped");
	sp_cancel(server);
	sp_join(server, NULL);
	close(listener);
	return 0;
}

int main(void)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	return sp_run(&opts, body, NULL) == 0 ? 0 : 1;
}
