#include "spargio/io/sys.h"
#include "spargio/sched/runtime.h"

#include <spargio/group.h>
#include <spargio/accept_loop.h>
#include <spargio/time.h>

#include <errno.h>
#include <unistd.h>

#define SPAWN_PAUSE (1 * SP_MS)

/* Spawn the fiber; if there are too many fibers, wait and try again. */
static int spawn_session(const struct sp_conn *conn, const struct sp_attr *attr,
			 int (*fn)(struct sp_conn *conn, void *arg), void *arg)
{
	int err;

	while ((err = sp_conn_go(conn, attr, fn, arg, NULL)) == -EAGAIN ||
	       err == -ENOMEM) {
		err = sp_sleep(SPAWN_PAUSE);
		if (err < 0)
			break;
	}
	return err;
}

int sp_accept_loop(int listener, uint32_t home, const struct sp_attr *attr,
		   int (*fn)(struct sp_conn *conn, void *arg), void *arg)
{
	struct sp_acceptor *acceptor;
	struct sp_conn conn;
	int err = sp_acceptor_open(listener, &acceptor);

	if (err < 0)
		return err;
	while (err == 0) {
		err = sp_acceptor_next(acceptor, home, &conn);
		if (err < 0)
			break;
		err = spawn_session(&conn, attr, fn, arg);
		if (err < 0)
			sp__sys()->close(conn.fd);
	}
	sp_acceptor_close(acceptor);
	return err;
}

int sp_listen_many(const struct sp_addr *at, const struct sp_listen_opts *opts,
		   size_t count, int *out)
{
	struct sp_listen_opts shared = { 0 };
	struct sp_addr here = *at;
	int err = 0;

	if (opts != NULL)
		shared = *opts;
	shared.reuse_port = true;
	for (size_t i = 0; i < count; i++) {
		err = sp_listen(&here, &shared, &out[i]);
		/*
		 * If the port is 0, the kernel has chosen one for the first
		 * listener: the others use it, too.
		 */
		if (err == 0 && i == 0)
			err = sp_addr_local(out[0], &here);
		if (err < 0) {
			while (i-- > 0)
				sp__sys()->close(out[i]);
			break;
		}
	}
	return err;
}

/* The arguments of an accept fiber. The fiber of each shard gets a copy. */
struct server {
	int listener;
	const struct sp_attr *attr;
	int (*fn)(struct sp_conn *conn, void *arg);
	void *arg;
	struct sp_group *group;
};

static int server_main(void *arg)
{
	const struct server *s = arg;
	int err = sp_accept_loop(s->listener, SP_HOME_HERE, s->attr, s->fn,
				 s->arg);

	sp_group_cancel(s->group);
	return err;
}

int sp_accept_loop_shards(const int *listeners, const struct sp_attr *attr,
			  int (*fn)(struct sp_conn *conn, void *arg), void *arg)
{
	struct sp_rt *rt = sp_runtime();
	struct server server = { .attr = attr, .fn = fn, .arg = arg };
	struct sp_attr on = { .place = SP_PINNED, .name = "serve" };
	int err;

	if (rt == NULL)
		return -EPERM;
	err = sp_group_new(&server.group);
	if (err < 0)
		return err;
	on.group = server.group;
	for (uint32_t i = 0; i < rt->nshards && err == 0; i++) {
		server.listener = listeners[i];
		on.shard = i;
		err = sp_go_copy(NULL, &on, server_main, &server,
				 sizeof(server), NULL);
	}
	if (err == 0)
		err = sp_group_wait(server.group);
	sp_group_free(server.group);
	return err;
}
