/*
 * Bytes that a client sends to the HTTP server of a whole collector with a
 * router, a peer and some routes: one request, several, half of one or none.
 * Whatever they are, no answer is a 500, and the server goes on answering
 * others. The collector is started once and serves
 * all inputs; its token is that of TOKEN, so that actions are reached, too.
 */
#include "collector/base/log.h"
#include "collector/collector.h"
#include "collector/config/config.h"
#include "collector/config/errors.h"
#include "collector/config/loader.h"
#include "bmp/bgp_writer.h"
#include "bmp/writer.h"

#include <spargio/time.h>

#include <arpa/inet.h>
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN	  "0123456789abcdef0123456789abcdef"
#define WAIT_MS	  20000
#define INPUT_MAX (64 * 1024)
#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))

static struct collector *collector;
static struct config collector_config;
static struct log collector_log;
static char folder[] = "/tmp/arancini-fuzz-XXXXXX";

/*
 * What only the stack of a resting fiber points to is no leak, but a checker
 * that looks between two inputs cannot see that.
 */
int __lsan_is_turned_off(void); /* NOLINT(bugprone-reserved-identifier) */
int __lsan_is_turned_off(void)	/* NOLINT(bugprone-reserved-identifier) */
{
	return 1;
}

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_http_request: %s\n", what);
	abort();
}

/* Sockets */

static int dial(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err;

	/*
	 * libFuzzer's alarm may interrupt it. The kernel connects nevertheless;
	 * a second call waits for that.
	 */
	do
		err = connect(fd, (struct sockaddr *)&to, sizeof(to));
	while (err < 0 && errno == EINTR);
	demand(err == 0 || errno == EISCONN, "cannot connect");
	return fd;
}

static void send_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len > 0) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		/* It may refuse to read on, and that is its right. */
		if (n < 0)
			return;
		p += n;
		len -= (size_t)n;
	}
}

/* Read on. 0: the end; it may be a reset, if it did not read all of it. */
static size_t receive(int fd, char *to, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ready;
	ssize_t n;

	/* libFuzzer has an alarm, twice in each of its -timeout. */
	do
		ready = poll(&p, 1, WAIT_MS);
	while (ready < 0 && errno == EINTR);
	demand(ready == 1, "no answer and no end");
	n = recv(fd, to, size, 0);
	return n < 0 ? 0 : (size_t)n;
}

/* The collector */

static void write_token(char path[static 64])
{
	FILE *f;

	snprintf(path, 64, "%s/token", folder);
	f = fopen(path, "we");
	demand(f != NULL && fchmod(fileno(f), 0600) == 0 &&
		       fputs(TOKEN "\n", f) >= 0 && fclose(f) == 0,
	       "cannot write the token");
}

static void announce(uint16_t port)
{
	static const uint8_t path[] = { 2, 1, 0, 0, 0xfb, 0xf4 };
	static const uint8_t hop[] = { 192, 0, 2, 1 };
	static const struct bmp_peer peer = {
		.type = BMP_PEER_GLOBAL,
		.as = 64500,
		.address = { [10] = 0xff, 0xff, 192, 0, 2, 9 },
	};
	struct bgp_nlri n = { .afi = 1,
			      .safi = 1,
			      .kind = BGP_NLRI_PREFIX,
			      .family = BGP_IPV4_UNICAST,
			      .address = { [10] = 0xff, 0xff, 10 },
			      .prefix_len = 24 };
	struct bgp_attrs attrs = { .next_hop = hop,
				   .next_hop_len = sizeof(hop) };
	struct bgp_update_parts parts = { .attrs = &attrs };
	uint8_t bytes[4096], pdu[256];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));

	attrs.as_path.path = (struct wire_view){ path, sizeof(path) };
	attrs.as_path.width = 4;
	bgp_attrs_set(&attrs, BGP_ORIGIN);
	bgp_attrs_set(&attrs, BGP_AS_PATH);
	bgp_attrs_set(&attrs, BGP_NEXT_HOP);
	parts.nlri_parts[BGP_PART_NLRI] = (struct bgp_routes){ &n, 1 };
	for (uint8_t i = 0; i < 10; i++) {
		struct bmp_writer inner = bmp_writer_on(pdu, sizeof(pdu));

		n.address[13] = i;
		bgp_write_update(&inner, &parts);
		bmp_write_route_monitoring(&w, &peer,
					   (struct wire_view){ pdu,
							       inner.len });
	}
	/* It stays open: a router that is up. */
	send_all(dial(port), w.p, w.len);
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

/* For leak checkers: nothing is to be left. */
static void stop_collector(void)
{
	demand(collector_stop(collector, sp_in(30 * SP_S),
			      COLLECTOR_MEMORY_FREE) == 0,
	       "it does not stop");
	log_fini(&collector_log);
	config_release(&collector_config);
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void start_collector(void)
{
	static char state[64], token[64];
	char *argv[] = { "--listen",
			 "127.0.0.1:0",
			 "--workers",
			 "2",
			 "--state",
			 state,
			 "--http",
			 "127.0.0.1:0",
			 "--http-token-file",
			 token,
			 "--log-level",
			 "error",
			 "--snapshot-interval",
			 "1h" };
	char *env[] = { NULL };
	struct config_errors errors = CONFIG_ERRORS_INIT;
	struct config_request request;

	demand(mkdtemp(folder) != NULL && atexit(stop_collector) == 0,
	       "no folder");
	snprintf(state, sizeof(state), "%s/state", folder);
	write_token(token);
	demand(config_load((int)COUNT(argv), argv, env, &errors, &request,
			   &collector_config) == 0,
	       "the configuration is wrong");
	config_errors_release(&errors);
	log_init(&collector_log, STDERR_FILENO, LOG_FORMAT_TEXT,
		 LOG_LEVEL_ERROR);
	demand(collector_start(&collector_config, &collector_log, NULL,
			       &collector) == 0,
	       "it does not start");
	announce(collector_port(collector, 0));
}

/* Requests */

/* Of an answer's first line, and of those behind it in the same bytes. */
static void check_answers(const char *bytes, size_t len)
{
	static const char start[] = "HTTP/1.1 ";
	const char *end = bytes + len;

	while ((bytes = memmem(bytes, (size_t)(end - bytes), start,
			       sizeof(start) - 1)) != NULL) {
		bytes += sizeof(start) - 1;
		demand(end - bytes < 3 || memcmp(bytes, "500", 3) != 0,
		       "an answer of 500");
	}
}

/* What is there by now. */
static void read_answers(int fd)
{
	char bytes[16 * 1024];
	ssize_t n;

	while ((n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		check_answers(bytes, (size_t)n);
}

static void close_hard(int fd)
{
	struct linger now = { .l_onoff = 1 };

	/* Millions of ports in TIME_WAIT would be too many. */
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

/* Another client, which asks in between: health, and what a fiber answers. */
static void ask_other(bool fiber)
{
	static int fd = -1;
	char text[128], answer[4096];
	int len = snprintf(text, sizeof(text),
			   "HEAD %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
			   fiber ? "/api/v1/status" : "/healthz");
	size_t n;

	if (fd < 0)
		fd = dial(collector_http_port(collector));
	send_all(fd, text, (size_t)len);
	n = receive(fd, answer, sizeof(answer));
	/* It was idle for too long, or made room for another. */
	if (n == 0) {
		close(fd);
		fd = -1;
		return;
	}
	demand(n > 12 && memcmp(answer, "HTTP/1.1 200", 12) == 0,
	       "others are not answered");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static unsigned runs;
	int fd;

	if (len > INPUT_MAX)
		return 0;
	if (collector == NULL)
		start_collector();
	fd = dial(collector_http_port(collector));
	send_all(fd, data, len);
	/* One thread reads all of them, in order: it has seen the input now. */
	ask_other(runs++ % 16 == 0);
	read_answers(fd);
	close_hard(fd);
	return 0;
}
