/*
 * The model on a real TCP port, so that one client can talk to it and to a real
 * nats-server. Its clock is the real one.
 *
 *	broker_server		prints the port, then reads commands from its
 *				standard input, and answers each with a line:
 *
 *	restart			crash, and start again
 *	power			the same, without what was not synced
 *	sync			sync
 *
 * The client's port stays open over a restart; its connections are closed.
 */
#include "broker_internal.h"

#include "egress/nats/json.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ADDRESS	    "model"
#define CLIENTS_MAX 64
#define LINE_MAX_   4096
#define WORDS_MAX   6
#define POLL_MS	    20

struct client {
	int fd; /* -1 = free */
	struct broker_conn *conn;
	struct broker_text in, out;
	bool headers; /* the client understands them */
	uint64_t refusals;
};

static struct client clients[CLIENTS_MAX];
static struct broker *broker;

static int64_t clock_now(void *arg)
{
	struct timespec now;

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Clients */

static void client_end(struct client *c)
{
	if (c->fd < 0)
		return;
	broker_conn_close(c->conn);
	close(c->fd);
	broker_text_free(&c->in);
	broker_text_free(&c->out);
	*c = (struct client){ .fd = -1 };
}

static void client_begin(int fd)
{
	struct client *c = clients;
	int on = 1;

	while (c < clients + CLIENTS_MAX && c->fd >= 0)
		c++;
	if (c == clients + CLIENTS_MAX) {
		close(fd);
		return;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*c = (struct client){ .fd = fd, .conn = broker_conn_new(broker, "") };
	broker_text_add(&c->out,
			"INFO {\"server_id\":\"MODEL\",\"server_name\":"
			"\"model\",\"version\":\"2.9.10\",\"proto\":1,"
			"\"headers\":true,\"max_payload\":%" PRId64
			",\"jetstream\":true}\r\n",
			broker->max_payload);
}

static struct broker_subscription *find_sid(struct client *c, uint64_t sid)
{
	struct broker_subscription *sub = c->conn->subs;

	while (sub != NULL && sub->sid != sid)
		sub = sub->next;
	return sub;
}

/* Split a line into words; the number of them. */
static size_t split(char *line, char *words[WORDS_MAX])
{
	size_t n = 0;

	for (char *w = strtok(line, " \t"); w != NULL && n < WORDS_MAX;
	     w = strtok(NULL, " \t"))
		words[n++] = w;
	return n;
}

static void handle_publish(struct client *c, char *words[], size_t n,
			   const char *bytes, size_t header_len, size_t total)
{
	bool has_reply = n == (words[0][0] == 'H' ? 5 : 4);
	struct wire_view headers = { (const uint8_t *)bytes, header_len };
	struct wire_view data = { (const uint8_t *)bytes + header_len,
				  total - header_len };

	if (total > (size_t)broker->max_payload) {
		broker_text_add(&c->out,
				"-ERR 'Maximum Payload Violation'\r\n");
		c->conn->lost = true;
		return;
	}
	broker_conn_send_now(c->conn,
			     broker_packet_new(words[1],
					       has_reply ? words[2] : "",
					       headers, data));
	/* A consumer may have something for others. */
	broker_consumers_run(broker);
}

static void handle_line(struct client *c, char *words[], size_t n)
{
	if (n == 0)
		return;
	if (strcasecmp(words[0], "PING") == 0) {
		broker_text_add(&c->out, "PONG\r\n");
	} else if (strcasecmp(words[0], "SUB") == 0 && n >= 3) {
		broker_conn_subscribe(c->conn, words[1],
				      strtoull(words[n - 1], NULL, 10));
		broker_consumers_run(broker);
	} else if (strcasecmp(words[0], "UNSUB") == 0 && n >= 2) {
		struct broker_subscription *sub =
			find_sid(c, strtoull(words[1], NULL, 10));

		if (sub != NULL)
			broker_conn_unsubscribe(c->conn, sub);
	}
}

/* Handle one line, with its payload; the bytes it took, 0 = not all is here. */
static size_t handle_input(struct client *c)
{
	char *words[WORDS_MAX], line[LINE_MAX_];
	const char *eol = memmem(c->in.at, c->in.len, "\r\n", 2);
	size_t n, len, total = 0, header_len = 0;
	bool publishes;

	if (eol == NULL || (size_t)(eol - c->in.at) >= sizeof(line))
		return 0;
	len = (size_t)(eol - c->in.at);
	memcpy(line, c->in.at, len);
	line[len] = '\0';
	len += 2;
	if (strncasecmp(line, "CONNECT", 7) == 0)
		return len;
	n = split(line, words);
	publishes = n >= 3 && (strcasecmp(words[0], "PUB") == 0 ||
			       strcasecmp(words[0], "HPUB") == 0);
	if (!publishes) {
		handle_line(c, words, n);
		return len;
	}
	total = strtoull(words[n - 1], NULL, 10);
	if (words[0][0] == 'H' || words[0][0] == 'h')
		header_len = strtoull(words[n - 2], NULL, 10);
	if (c->in.len < len + total + 2 || header_len > total)
		return 0;
	handle_publish(c, words, n, c->in.at + len, header_len, total);
	return len + total + 2;
}

static void client_read(struct client *c)
{
	char bytes[65536];
	ssize_t n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	size_t at = 0, used;

	if (n == 0 || (n < 0 && errno != EAGAIN)) {
		client_end(c);
		return;
	}
	if (n < 0)
		return;
	broker_run(broker);
	broker_text_bytes(&c->in, bytes, (size_t)n);
	while (!c->conn->lost && (used = handle_input(c)) > 0) {
		at = used;
		memmove(c->in.at, c->in.at + at, c->in.len - at);
		c->in.len -= at;
	}
}

/* Put what the broker sent into the client's buffer. */
static void client_collect(struct client *c)
{
	struct broker_conn *conn = c->conn;

	broker_conn_receive(conn, INT64_MAX);
	for (struct broker_subscription *s = conn->subs; s != NULL;
	     s = s->next) {
		struct broker_packet *p;

		while ((p = broker_queue_pop(&s->arrived)) != NULL) {
			const char *gap = p->reply[0] != '\0' ? " " : "";
			size_t total = p->header_len + p->data_len;

			if (p->header_len > 0)
				broker_text_add(&c->out,
						"HMSG %s %" PRIu64 "%s%s %zu "
						"%zu\r\n",
						p->subject, s->sid, gap,
						p->reply, p->header_len, total);
			else
				broker_text_add(&c->out,
						"MSG %s %" PRIu64
						"%s%s %zu\r\n",
						p->subject, s->sid, gap,
						p->reply, total);
			broker_text_bytes(&c->out, p->bytes, total);
			broker_text_bytes(&c->out, "\r\n", 2);
			broker_packet_free(p);
		}
	}
	if (conn->refusals != c->refusals)
		broker_text_add(&c->out, "-ERR '%s'\r\n", conn->refusal);
	c->refusals = conn->refusals;
}

static void client_write(struct client *c)
{
	ssize_t n;

	if (c->out.len == 0)
		return;
	n = send(c->fd, c->out.at, c->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN) {
		client_end(c);
		return;
	}
	if (n > 0) {
		memmove(c->out.at, c->out.at + n, c->out.len - (size_t)n);
		c->out.len -= (size_t)n;
	}
}

/* Commands */

static void restart(bool power)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		client_end(&clients[i]);
	broker_crash(broker);
	if (power)
		broker_lose_unsynced(broker);
	broker_restart(broker);
}

/* False at the end of the input. */
static bool command_read(void)
{
	char line[256];

	if (fgets(line, sizeof(line), stdin) == NULL)
		return false;
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, "restart") == 0)
		restart(false);
	else if (strcmp(line, "power") == 0)
		restart(true);
	else if (strcmp(line, "sync") == 0)
		broker_sync(broker);
	else
		return false;
	printf("ok\n");
	return true;
}

static int listen_anywhere(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) < 0) {
		perror("broker_server");
		exit(1);
	}
	printf("%u\n", ntohs(a.sin_port));
	return fd;
}

/* Wait for input, and handle all there is. False at the end. */
static bool turn(int listener)
{
	struct pollfd fds[CLIENTS_MAX + 2] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = listener, .events = POLLIN },
	};

	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		fds[i + 2].fd = clients[i].fd;
		fds[i + 2].events = POLLIN;
		if (clients[i].out.len > 0)
			fds[i + 2].events |= POLLOUT;
	}
	(void)poll(fds, CLIENTS_MAX + 2, POLL_MS);
	broker_run(broker);
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (clients[i].fd >= 0 && (fds[i + 2].revents & ~POLLOUT) != 0)
			client_read(&clients[i]);
	if ((fds[1].revents & POLLIN) != 0)
		client_begin(accept(listener, NULL, NULL));
	if (fds[0].revents != 0 && !command_read())
		return false;
	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		if (clients[i].fd < 0)
			continue;
		client_collect(&clients[i]);
		client_write(&clients[i]);
		if (clients[i].fd >= 0 && clients[i].conn->lost)
			client_end(&clients[i]);
	}
	return true;
}

int main(void)
{
	struct broker_options options = {
		.address = ADDRESS,
		.clock = clock_now,
		.wall_ns = 1, /* the clock has it already */
		.latency_min = 1,
		.latency_max = 1,
	};
	int listener;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		clients[i].fd = -1;
	if (broker_start(&options, &broker) < 0)
		return 1;
	listener = listen_anywhere();
	while (turn(listener))
		;
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		client_end(&clients[i]);
	broker_free(broker);
	close(listener);
	return 0;
}
