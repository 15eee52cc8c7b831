#include "net_churn.h"
#include "fibers.h"

#include <spargio/group.h>
#include <spargio/accept_loop.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	CLIENTS = 8,
	SHARDS = 2,
	HOT = 144,
	LIGHT = 16,
	AT_ONCE = 16,
	SMALL = 256,
};

static struct sp_addr at;

/* The server */

static int answer(struct sp_conn *conn, void *arg)
{
	char data[SMALL];

	(void)arg;
	if (sp_recv_exact(conn->fd, data, SMALL) != 1 ||
	    sp_send_all(conn->fd, data, SMALL) < 0)
		return -1;
	/* Until it is reset: who closes last has no port that lingers. */
	return sp_recv(conn->fd, data, SMALL);
}

static int serve(void *arg)
{
	struct sp_attr attr = { .place = SP_PINNED };
	int listener = (int)(intptr_t)arg;

	(void)sp_accept_loop(listener, SP_HOME_NEXT, &attr, answer, NULL);
	close(listener);
	return 0;
}

void net_churn_serve(struct sp_rt *rt)
{
	int listener = -1;

	fibers_check(sp_addr_parse("127.0.0.1:0", 0, &at) == 0 &&
			     sp_listen(&at, NULL, &listener) == 0 &&
			     sp_addr_local(listener, &at) == 0 &&
			     sp_go_on(rt, 0, serve, (void *)(intptr_t)listener,
				      NULL) == 0,
		     "no server for short connections");
}

/* The clients */

static void use(int fd, char first)
{
	const struct linger reset = { .l_onoff = 1 };
	char out[SMALL], in[SMALL];

	memset(out, first, SMALL);
	fibers_check(sp_send_all(fd, out, SMALL) == 0 &&
			     sp_recv_exact(fd, in, SMALL) == 1 &&
			     memcmp(in, out, SMALL) == 0,
		     "a short connection");
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(fd);
}

static void make_one(int count)
{
	for (int i = 0; i < count; i++) {
		struct sp_conn conn;

		fibers_check(sp_connect(&at, SP_HOME_HERE, &conn) == 0,
			     "connect");
		use(conn.fd, (char)i);
	}
}

static void make_many(int count)
{
	struct sp_addr to[AT_ONCE];
	struct sp_conn conns[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++)
		to[i] = at;
	for (int done = 0; done < count; done += AT_ONCE) {
		fibers_check(sp_connect_many(to, AT_ONCE, SP_HOME_HERE,
					     SP_NEVER, conns) == AT_ONCE,
			     "connect many");
		for (int i = 0; i < AT_ONCE; i++)
			use(conns[i].fd, (char)(done + i));
	}
}

struct client {
	int count;
	bool many;
};

static int client_main(void *arg)
{
	const struct client *c = arg;

	if (c->many)
		make_many(c->count);
	else
		make_one(c->count);
	return 0;
}

void net_churn(uint64_t iterations, bool many)
{
	struct client clients[CLIENTS];

	for (uint64_t n = 0; n < iterations; n++) {
		struct sp_group *group;

		fibers_check(sp_group_new(&group) == 0, "no group");
		for (uint32_t i = 0; i < CLIENTS; i++) {
			struct sp_attr attr = { .place = SP_PREFER,
						.shard = i % SHARDS,
						.group = group };

			clients[i] = (struct client){
				.count = i == 0 ? HOT : LIGHT,
				.many = many,
			};
			fibers_check(sp_go_attr(NULL, &attr, client_main,
						&clients[i], NULL) == 0,
				     "spawn");
		}
		fibers_check(sp_group_wait(group) == 0, "a client failed");
		sp_group_free(group);
	}
}
