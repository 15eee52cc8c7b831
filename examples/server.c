/*
 * The skeleton of a server: a listener, a fiber for each connection, and an
 * end in order when SIGTERM comes. Here it is its own client, too, and sends
 * itself the signal.
 */
#include <spargio/fiber.h>
#include <spargio/group.h>
#include <spargio/op.h>
#include <spargio/runtime.h>
#include <spargio/signal.h>
#include <spargio/time.h>

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 3
#define GRACE	SP_S /* for connections to end by themselves */

struct server {
	struct sp_signals *signals;
	struct sp_group *sessions;
	int listener;
};

/* Descriptors here do not block; what is not ready is waited for. */

static int read_some(int fd, void *data, size_t len)
{
	for (;;) {
		ssize_t n = read(fd, data, len);
		int err = n < 0 ? -sp_errno() : 0;

		if (err != -EAGAIN)
			return err < 0 ? err : (int)n;
		err = sp_wait_fd(fd, POLLIN); /* yields */
		if (err < 0)
			return err;
	}
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);
		int err = n < 0 ? -sp_errno() : 0;

		if (err == -EAGAIN)
			err = sp_wait_fd(fd, POLLOUT); /* yields */
		if (err < 0)
			return err;
		data += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Echo until the peer closes or we are cancelled. */
static int session(void *arg)
{
	int fd = *(int *)arg;
	char data[256];
	int n;

	while ((n = read_some(fd, data, sizeof(data))) > 0) { /* yields */
		n = write_all(fd, data, (size_t)n);	      /* yields */
		if (n < 0)
			break;
	}
	close(fd);
	return n == -ECANCELED ? 0 : n;
}

static int start_session(struct server *server, int fd)
{
	/* Pinned in turn: what a session touches needs no lock. */
	struct sp_attr attr = { .place = SP_ROUND_ROBIN,
				.name = "session",
				.group = server->sessions };
	int err = sp_go_copy(NULL, &attr, session, &fd, sizeof(fd), NULL);

	if (err < 0)
		close(fd); /* -EAGAIN: too busy for one more */
	return err;
}

static int listen_main(void *arg)
{
	struct server *server = arg;
	int err;

	while ((err = sp_wait_fd(server->listener, POLLIN)) > 0) { /* yields */
		int fd = accept4(server->listener, NULL, NULL,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			(void)start_session(server, fd);
	}
	return err;
}

/* No new connections, some time for those that are there, then no more. */
static int shut_down(struct server *server, struct sp_task listener)
{
	int err;

	sp_cancel(listener);
	sp_join(listener, NULL);
	close(server->listener);
	err = sp_group_wait_until(server->sessions, sp_in(GRACE)); /* yields */
	if (err == -ETIMEDOUT)
		puts("some sessions had to be cut off");
	sp_group_free(server->sessions); /* cancels what is left; yields */
	return err == -ETIMEDOUT ? 0 : err;
}

static int open_listener(struct sockaddr_in *address)
{
	socklen_t len = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*address = (struct sockaddr_in){ .sin_family = AF_INET };
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 &&
	    bind(fd, (struct sockaddr *)address, sizeof(*address)) == 0 &&
	    listen(fd, 16) == 0 &&
	    getsockname(fd, (struct sockaddr *)address, &len) == 0)
		return fd;
	return -sp_errno();
}

/* The other side, to have something to serve. */

static int client(void *arg)
{
	const struct sockaddr_in *address = arg;
	char answer[8] = "";
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -sp_errno();
	err = connect(fd, (const struct sockaddr *)address, sizeof(*address));
	err = err < 0 && sp_errno() != EINPROGRESS ? -sp_errno() : 0;
	if (err == 0)
		err = sp_wait_fd(fd, POLLOUT); /* yields */
	if (err >= 0)
		err = write_all(fd, "hello", 5);
	if (err >= 0)
		err = read_some(fd, answer, sizeof(answer) - 1);
	close(fd);
	return err < 0 ? err : 0;
}

static int clients(void *arg)
{
	int err = 0;

	for (int i = 0; i < CLIENTS && err == 0; i++)
		err = client(arg);
	printf("%d clients served: %s\n", CLIENTS, err == 0 ? "yes" : "no");
	kill(getpid(), SIGTERM);
	return err;
}

static int body(void *arg)
{
	struct server server = { .signals = arg };
	struct sockaddr_in address;
	struct sp_signal signal = { 0 };
	struct sp_task listener = { 0 };
	int err;

	server.listener = open_listener(&address);
	if (server.listener < 0)
		return server.listener;
	err = sp_group_new(&server.sessions);
	if (err == 0)
		err = sp_go(listen_main, &server, &listener);
	if (err == 0)
		err = sp_go(clients, &address, NULL);
	if (err == 0)
		err = sp_signals_wait(server.signals, &signal); /* yields */
	if (err < 0)
		return err;
	printf("signal %d: shutting down\n", signal.number);
	err = shut_down(&server, listener);
	if (err == 0)
		puts("shut down in order");
	return err;
}

int main(void)
{
	struct sp_signals *signals;
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* Before there is any other thread: see signal.h. */
	err = sp_signals_new(&set, &signals);
	if (err < 0)
		return 1;
	err = sp_run(NULL, body, signals);
	sp_signals_free(signals);
	return err == 0 ? 0 : 1;
}
