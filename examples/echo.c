/*
 * An echo server: one listener, a fiber for each connection, the shards in
 * turn. Here it is its own client, too.
 */
#include <spargio/fiber.h>
#include <spargio/group.h>
#include <spargio/runtime.h>
#include <spargio/accept_loop.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CLIENTS 3

/* One connection; it is closed when this returns. */
static int echo(struct sp_conn *conn, void *arg)
{
	char data[4096];
	int n;

	(void)arg;
	while ((n = sp_recv(conn->fd, data, sizeof(data))) > 0) { /* yields */
		n = sp_send_all(conn->fd, data, (size_t)n);	  /* yields */
		if (n < 0)
			break;
	}
	return n == -ECANCELED ? 0 : n;
}

struct server {
	int listener;
	struct sp_group *sessions;
};

static int serve(void *arg)
{
	struct server *server = arg;
	struct sp_attr attr = { .place = SP_PINNED,
				.name = "echo",
				.group = server->sessions };

	/* Until we are cancelled, or the listener fails. */
	return sp_accept_loop(server->listener, SP_HOME_NEXT, &attr, echo,
			      NULL);
}

/* Say something and hear it again, in a second at most. */
static int client(const struct sp_addr *server, const char *word)
{
	int64_t deadline = sp_in(SP_S);
	struct sp_conn conn;
	char heard[32] = "";
	int err;

	err = sp_connect_until(server, SP_HOME_HERE, deadline, &conn);
	if (err < 0)
		return err;
	err = sp_send_all_until(conn.fd, word, strlen(word), deadline);
	if (err == 0)
		err = sp_recv_exact_until(conn.fd, heard, strlen(word),
					  deadline);
	close(conn.fd);
	if (err < 1)
		return err < 0 ? err : -EPIPE;
	return strcmp(heard, word) == 0 ? 0 : -EPROTO;
}

static int open_listener(struct sp_addr *at, int *listener)
{
	int err = sp_addr_parse("127.0.0.1:0", 0, at);

	if (err == 0)
		err = sp_listen(at, NULL, listener);
	/* Port 0 has become a free one. */
	if (err == 0)
		err = sp_addr_local(*listener, at);
	return err;
}

static int body(void *arg)
{
	struct server server = { .listener = -1 };
	struct sp_addr at;
	struct sp_task task = { 0 };
	char text[SP_ADDR_TEXT];
	int err = open_listener(&at, &server.listener);

	(void)arg;
	if (err == 0)
		err = sp_group_new(&server.sessions);
	if (err == 0)
		err = sp_go(serve, &server, &task);
	if (err < 0)
		return err;
	printf("serving at %s\n", sp_addr_format(&at, text));
	for (int i = 0; i < CLIENTS && err == 0; i++)
		err = client(&at, "is anybody there?");
	if (err == 0)
		printf("%d clients heard themselves\n", CLIENTS);
	sp_cancel(task);
	sp_join(task, NULL);
	sp_group_free(server.sessions);
	close(server.listener);
	return err;
}

int main(void)
{
	return sp_run(NULL, body, NULL) == 0 ? 0 : 1;
}
