/*
 * A UDP service that counts.
 *
 *	udp_counter ADDRESS
 *
 * A datagram "add NAME N" adds N to the counter NAME, "get NAME" asks for it;
 * the answer is "NAME VALUE", or "error" and a reason. A fiber on shard 0 owns
 * the counters, so they need no lock. SIGTERM ends the service.
 *
 * This program is C and C++.
 */
#include <spargio/spargio.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define COUNTERS_MAX 256
#define NAME_MAX_LEN 31

struct counter {
	char name[NAME_MAX_LEN + 1];
	long long value;
};

static struct service {
	struct sp_signals *signals;
	int fd;
	size_t used;
	struct counter counters[COUNTERS_MAX];
} service;

/* NULL if there is no more room for a new one. */
static struct counter *find_counter(const char *name)
{
	for (size_t i = 0; i < service.used; i++)
		if (strcmp(service.counters[i].name, name) == 0)
			return &service.counters[i];
	if (service.used == COUNTERS_MAX)
		return NULL;
	strcpy(service.counters[service.used].name, name);
	return &service.counters[service.used++];
}

static void answer(const char *request, char *text, size_t size)
{
	char name[NAME_MAX_LEN + 1], rest;
	struct counter *counter;
	long long n = 0;

	if (sscanf(request, "add %31s %18lld %c", name, &n, &rest) != 2 &&
	    sscanf(request, "get %31s %c", name, &rest) != 1) {
		snprintf(text, size, "error request");
		return;
	}
	counter = find_counter(name);
	if (counter == NULL ||
	    __builtin_add_overflow(counter->value, n, &counter->value)) {
		snprintf(text, size, "error full");
		return;
	}
	snprintf(text, size, "%s %lld", counter->name, counter->value);
}

static int serve(void *arg)
{
	char request[128], text[128];
	struct sp_addr from;
	int n;

	(void)arg;
	/* Yields; ends when it is cancelled. */
	while ((n = sp_recvfrom(service.fd, request, sizeof(request) - 1,
				&from)) >= 0) {
		if ((size_t)n > sizeof(request) - 1)
			n = 0; /* it was truncated */
		request[n] = '\0';
		answer(request, text, sizeof(text));
		/* A client may be gone: that is its own affair. */
		(void)sp_sendto(service.fd, text, strlen(text), &from);
	}
	return n;
}

static int body(void *arg)
{
	struct sp_signal signal;
	struct sp_addr at;
	char text[SP_ADDR_TEXT];
	int err = sp_addr_local(service.fd, &at);

	(void)arg;
	if (err == 0)
		err = sp_go_on(NULL, 0, serve, NULL, NULL);
	if (err < 0)
		return err;
	printf("listening on %s\n", sp_addr_format(&at, text));
	fflush(stdout);
	return sp_signals_wait(service.signals, &signal); /* yields */
}

int main(int argc, char **argv)
{
	struct sp_addr at;
	sigset_t set;
	int err = argc == 2 ? sp_addr_parse(argv[1], 0, &at) : -EINVAL;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	if (err == 0)
		err = sp_datagram_open(&at, NULL, &service.fd);
	if (err == 0)
		err = sp_signals_new(&set, &service.signals);
	if (err == 0)
		err = sp_run(NULL, body, NULL);
	if (err < 0)
		fprintf(stderr, "udp_counter ADDRESS: %s\n", strerror(-err));
	return err < 0 ? 1 : 0;
}
