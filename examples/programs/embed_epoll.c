/*
 * A program with an epoll loop of its own that embeds the runtime.
 *
 *	embed_epoll ADDRESS
 *
 * The loop accepts connections and reads a request from each: a number of
 * milliseconds in a line. Fibers do the work, which here is to wait so long,
 * and the loop sends the answer and hangs up. Requests and replies cross by an
 * RPC queue, whose calls do not block; an eventfd wakes the loop. SIGTERM ends
 * the program.
 *
 * This program is C and C++.
 */
#include <spargio/spargio.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define CALLS	    128
#define REQUEST_MAX 32

/* A connection. Only the loop uses it, but ms, which the fiber reads. */
struct client {
	struct client *next; /* in the list of those who wait for a reply */
	struct sp_call *call;
	int64_t ms;
	int fd;
	size_t len;
	char request[REQUEST_MAX];
};

static struct loop {
	struct sp_rpc *rpc;
	struct client *waiting;
	int epoll, listener, replies, signals;
} loop;

/* The side of the runtime */

static int do_request(void *arg)
{
	struct sp_request *request = (struct sp_request *)arg;
	struct client *client = (struct client *)request->value;

	if (sp_sleep(client->ms * SP_MS) < 0) /* yields */
		return sp_rpc_refuse(request, -ECANCELED);
	return sp_rpc_reply(request, NULL);
}

/* A fiber for each request: they wait at the same time. */
static int take_requests(void *arg)
{
	struct sp_request request;
	int err;

	(void)arg;
	while ((err = sp_rpc_recv(loop.rpc, &request)) == 0) { /* yields */
		err = sp_go_copy(NULL, NULL, do_request, &request,
				 sizeof(request), NULL);
		if (err < 0)
			(void)sp_rpc_refuse(&request, err);
	}
	return err;
}

/* The side of the loop */

/* In the thread that replied. */
static void wake_loop(void *arg)
{
	uint64_t one = 1;

	(void)arg;
	(void)!write(loop.replies, &one, sizeof(one));
}

static int watch(int fd, void *what)
{
	struct epoll_event event;

	memset(&event, 0, sizeof(event));
	event.events = EPOLLIN;
	event.data.ptr = what;
	return epoll_ctl(loop.epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno
								    : 0;
}

static void drop_client(struct client *client)
{
	close(client->fd);
	free(client);
}

static void accept_client(void)
{
	int fd = accept4(loop.listener, NULL, NULL,
			 SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct client *client;

	if (fd < 0)
		return;
	client = (struct client *)calloc(1, sizeof(*client));
	if (client == NULL) {
		close(fd);
		return;
	}
	client->fd = fd;
	if (watch(fd, client) < 0)
		drop_client(client);
}

/* A whole line goes to the runtime. */
static void read_client(struct client *client)
{
	ssize_t n = recv(client->fd, client->request + client->len,
			 REQUEST_MAX - 1 - client->len, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n > 0) {
		client->len += (size_t)n;
		client->request[client->len] = '\0';
		if (strchr(client->request, '\n') == NULL &&
		    client->len < REQUEST_MAX - 1)
			return;
		client->ms = strtol(client->request, NULL, 10);
		(void)epoll_ctl(loop.epoll, EPOLL_CTL_DEL, client->fd, NULL);
		if (sp_rpc_submit(loop.rpc, client, wake_loop, NULL,
				  &client->call) == 0) {
			client->next = loop.waiting;
			loop.waiting = client;
			return;
		}
	}
	drop_client(client); /* it hung up, or there are too many requests */
}

static void send_replies(void)
{
	struct client **at = &loop.waiting;
	uint64_t count;

	(void)!read(loop.replies, &count, sizeof(count));
	while (*at != NULL) {
		struct client *client = *at;
		int err = sp_call_poll(client->call, NULL);
		const char *text = err == 0 ? "done\n" : "failed\n";

		if (err == -EAGAIN) {
			at = &client->next;
			continue;
		}
		*at = client->next;
		sp_call_free(client->call);
		(void)!send(client->fd, text, strlen(text), MSG_NOSIGNAL);
		drop_client(client);
	}
}

static void run_loop(void)
{
	struct epoll_event event;

	for (;;) {
		int n = epoll_wait(loop.epoll, &event, 1, -1);

		if (n < 0 && errno != EINTR)
			return;
		if (n < 1)
			continue;
		if (event.data.ptr == &loop.signals)
			return;
		if (event.data.ptr == &loop.listener)
			accept_client();
		else if (event.data.ptr == &loop.replies)
			send_replies();
		else
			read_client((struct client *)event.data.ptr);
	}
}

static int open_loop(const char *address)
{
	struct sp_addr at;
	sigset_t set;
	int err = sp_addr_parse(address, 0, &at);

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	if (err == 0)
		err = sp_signals_block(&set); /* before there are threads */
	if (err == 0)
		err = sp_listen(&at, NULL, &loop.listener);
	if (err < 0)
		return err;
	loop.epoll = epoll_create1(EPOLL_CLOEXEC);
	loop.replies = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	loop.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (loop.epoll < 0 || loop.replies < 0 || loop.signals < 0)
		return -errno;
	err = watch(loop.listener, &loop.listener);
	if (err == 0)
		err = watch(loop.replies, &loop.replies);
	if (err == 0)
		err = watch(loop.signals, &loop.signals);
	return err;
}

static int run_program(const char *address)
{
	struct sp_rt *rt = NULL;
	struct sp_addr at;
	char text[SP_ADDR_TEXT];
	int err = open_loop(address);

	if (err == 0)
		err = sp_rpc_new(CALLS, &loop.rpc);
	if (err == 0)
		err = sp_start(NULL, &rt);
	if (err == 0)
		err = sp_go_on(rt, 0, take_requests, NULL, NULL);
	if (err == 0)
		err = sp_addr_local(loop.listener, &at);
	if (err == 0) {
		printf("listening on %s\n", sp_addr_format(&at, text));
		fflush(stdout);
		run_loop();
	}
	sp_rpc_close(loop.rpc);
	(void)sp_stop(rt, sp_in(SP_S)); /* no fiber uses a client any more */
	send_replies();
	sp_rpc_free(loop.rpc);
	return err;
}

int main(int argc, char **argv)
{
	int err = argc == 2 ? run_program(argv[1]) : -EINVAL;

	if (err < 0)
		fprintf(stderr, "embed_epoll ADDRESS: %s\n", strerror(-err));
	return err < 0 ? 1 : 0;
}
