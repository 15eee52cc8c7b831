/*
 * egress/nats/api.h - requests to JetStream
 *
 * Private to the files of this folder. libnats has calls for all of these
 * requests (js_GetStreamInfo, js_KeyValue, js_Subscribe...), but libnats 3.4.1
 * dereferences NULL if an answer lacks a member, so anyone who may publish to
 * the client's inbox could crash it. Here answers are bytes until nats/reply.h
 * has parsed them.
 *
 * Blocking	All functions block.
 * Errors	-ETIMEDOUT, -ENOTCONN, -EACCES; -ENOENT: no such stream;
 *		-ENODATA: no such message; -EOPNOTSUPP: no JetStream; -ENOSPC:
 *		the server has no space for the stream; -EAGAIN: any other error
 *		from the server; -EPROTO: an answer that cannot be parsed;
 *		-EINVAL: an invalid name.
 */
#ifndef EGRESS_NATS_API_H
#define EGRESS_NATS_API_H

#include "egress/nats/client.h"
#include "egress/nats/reply.h"

#define NATS_API_SUBJECT_MAX 1024
#define NATS_API_BODY_MAX    4096

struct nats_api {
	struct nats_client *client;
	int64_t wait_ms;
};

/* True if @text is one line and needs no escaping in JSON. */
bool nats_api_is_plain(const char *text);

/* True if @text is plain as above and can be one token of a subject. */
bool nats_api_is_token(const char *text);

/* "$JS.API" or "$JS.<domain>.API", with the NUL. */
#define NATS_API_ROOT_MAX (NATS_DOMAIN_MAX + 16)

/* Write what the subjects of requests begin with. */
void nats_api_root(const struct nats_api *api, char out[NATS_API_ROOT_MAX]);

/*
 * Send a request to "<root>.<what>.<stream>". The answer is JSON without an
 * error; the caller destroys it. @body may be NULL.
 */
int nats_api_request(const struct nats_api *api, const char *what,
		     const char *stream, const char *body,
		     struct nats_error *why, struct nats_received **out);

/*
 * STREAM.INFO, or STREAM.CREATE with a @body. @out has views into *@reply,
 * which the caller destroys.
 */
int nats_api_stream(const struct nats_api *api, const char *what,
		    const char *stream, const char *body,
		    struct nats_error *why, struct nats_received **reply,
		    struct nats_reply_stream *out);

/* A message as the stream holds it. */
struct nats_api_message {
	uint64_t seq;
	struct wire_view headers; /* header block for nats_reply_header() */
	struct wire_view data;
	uint8_t *bytes; /* buffer that both refer to; the caller frees it */
};

/*
 * Get the message with sequence @seq, or with @seq 0 the last message of
 * @subject.
 */
int nats_api_message(const struct nats_api *api, const char *stream,
		     uint64_t seq, const char *subject, struct nats_error *why,
		     struct nats_api_message *out);

#endif
