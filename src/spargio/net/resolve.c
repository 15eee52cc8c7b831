#include "spargio/sched/pool.h"

#include <spargio/resolve.h>
#include <spargio/time.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#define HOST_MAX 1025 /* NI_MAXHOST */

/* A lookup in the pool; it may outlive a caller that stops waiting. */
struct question {
	char host[HOST_MAX];
	uint16_t port;
	size_t max;
	struct addrinfo *answer;
};

static void free_request(void *arg)
{
	struct question *q = arg;

	if (q->answer != NULL)
		freeaddrinfo(q->answer);
	free(q);
}

static int error_of(int code)
{
	switch (code) {
	case EAI_NONAME:
	case EAI_NODATA:
	case EAI_ADDRFAMILY:
		return -ENOENT;
	case EAI_MEMORY:
		return -ENOMEM;
	case EAI_SYSTEM:
		return errno == 0 ? -EAGAIN : -errno;
	default:
		return -EAGAIN;
	}
}

static int resolve_name(void *arg)
{
	struct question *q = arg;
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
				  .ai_socktype = SOCK_STREAM };
	int code = getaddrinfo(q->host, NULL, &hints, &q->answer);

	if (code == 0)
		return 0;
	q->answer = NULL;
	return error_of(code);
}

static int copy_out(const struct question *q, struct sp_addr *out)
{
	size_t n = 0;

	for (const struct addrinfo *a = q->answer; a != NULL && n < q->max;
	     a = a->ai_next) {
		if (a->ai_addrlen > sizeof(out->un))
			continue;
		out[n] = (struct sp_addr){ .len = a->ai_addrlen };
		memcpy(&out[n].any, a->ai_addr, a->ai_addrlen);
		out[n++].in4.sin_port = htons(q->port);
	}
	return n == 0 ? -ENOENT : (int)n;
}

int sp_resolve(const char *host, uint16_t port, struct sp_addr *out, size_t max)
{
	return sp_resolve_until(host, port, SP_NEVER, out, max);
}

int sp_resolve_until(const char *host, uint16_t port, int64_t deadline,
		     struct sp_addr *out, size_t max)
{
	size_t len = strlen(host);
	struct question *q;
	int err, ret = 0;

	if (len == 0 || len >= HOST_MAX || max == 0)
		return -EINVAL;
	if (sp_addr_parse(host, port, out) == 0)
		return 1;
	q = calloc(1, sizeof(*q));
	if (q == NULL)
		return -ENOMEM;
	memcpy(q->host, host, len + 1);
	q->port = port;
	q->max = max;
	err = sp__block(resolve_name, q, free_request, deadline, &ret);
	if (err < 0)
		return err; /* the lookup is freed now or when it ends */
	if (ret == 0)
		ret = copy_out(q, out);
	free_request(q);
	return ret;
}
