/*
 * egress/nats/api.h - requests to JetStream
 *
 * Private to nats_*.c. libnats has calls for all of these (js_GetStreamInfo,
 * js_KeyValue, js_Subscribe...), but libnats 3.4.1 follows pointers that are
 * NULL where an answer lacks a member, and so can be crashed by whoever may
 * publish to our inbox. Here answers are bytes until nats_reply.h has read
 * them.
 *
 * Blocking	Everything.
 * Errors	-ETIMEDOUT, -ENOTCONN, -EACCES; -ENOENT: no such stream;
 *		-ENODATA: no such message; -EOPNOTSUPP: no JetStream; -ENOSPC:
 *		the server has no room for the stream; -EAGAIN: any other error
 *		that the server answered; -EPROTO: an answer that cannot be
 *		read; -EINVAL: a name that cannot be asked for.
 */
#ifndef EGRESS_NATS_API_H
#define EGRESS_NATS_API_H

#include "egress/nats/reply.h"
#include "egress/nats/auth.h"

#include <nats/nats.h>

#define NATS_API_SUBJECT_MAX 1024
#define NATS_API_BODY_MAX    4096

struct nats_api {
	natsConnection *nc;
	int64_t wait_ms;
};

/* Whether @text can stand in JSON as it is, and in one line. */
bool nats_api_is_plain(const char *text);

/* Whether it can also be one part of a subject. */
bool nats_api_is_token(const char *text);

struct wire_view nats_api_bytes(const natsMsg *msg);

/*
 * Ask "$JS.API.<what>.<stream>". The answer is JSON and no error; yours to
 * destroy. @body may be NULL.
 */
int nats_api_request(const struct nats_api *api, const char *what,
		     const char *stream, const char *body,
		     struct nats_error *why, natsMsg **out);

/*
 * STREAM.INFO, or STREAM.CREATE with a @body. @out has views into *@reply, which
 * is yours to destroy.
 */
int nats_api_stream(const struct nats_api *api, const char *what,
		    const char *stream, const char *body,
		    struct nats_error *why, natsMsg **reply,
		    struct nats_reply_stream *out);

/* A message as it is stored. */
struct nats_api_message {
	uint64_t seq;
	struct wire_view headers; /* a block for nats_reply_header() */
	struct wire_view data;
	uint8_t *bytes; /* that hold both; yours to free */
};

/* By its sequence, or the last one of a subject with @seq 0. */
int nats_api_message(const struct nats_api *api, const char *stream,
		     uint64_t seq, const char *subject, struct nats_error *why,
		     struct nats_api_message *out);

#endif
