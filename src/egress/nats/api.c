#include "egress/nats/api.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool nats_api_is_plain(const char *text)
{
	if (*text == '\0')
		return false;
	for (; *text != '\0'; text++)
		if (*text <= ' ' || *text > '~' || *text == '"' ||
		    *text == '\\')
			return false;
	return true;
}

bool nats_api_is_token(const char *text)
{
	return nats_api_is_plain(text) && strpbrk(text, ".*>") == NULL;
}

static int errno_of(uint32_t code)
{
	switch (code) {
	case 0:
		return -EPROTO;
	case NATS_JS_NO_STREAM:
		return -ENOENT;
	case NATS_JS_NO_MESSAGE:
		return -ENODATA;
	case NATS_JS_STORAGE_EXCEEDED:
	case NATS_JS_MEMORY_EXCEEDED:
	case NATS_JS_INSUFFICIENT_RESOURCES:
		return -ENOSPC;
	default:
		return -EAGAIN;
	}
}

static int reply_check(struct wire_view json, const char *what,
		       const char *stream, struct nats_error *why)
{
	struct nats_reply_error error;

	if (!nats_reply_failed(json, &error))
		return 0;
	snprintf(why->text, sizeof(why->text), "%s of %s: %s (%" PRIu32 ")",
		 what, stream, error.text, error.code);
	return errno_of(error.code);
}

void nats_api_root(const struct nats_api *api, char out[NATS_API_ROOT_MAX])
{
	const char *domain = nats_client_domain(api->client);

	if (domain == NULL)
		snprintf(out, NATS_API_ROOT_MAX, "$JS.API");
	else
		snprintf(out, NATS_API_ROOT_MAX, "$JS.%s.API", domain);
}

int nats_api_request(const struct nats_api *api, const char *what,
		     const char *stream, const char *body,
		     struct nats_error *why, struct nats_received **out)
{
	char subject[NATS_API_SUBJECT_MAX], root[NATS_API_ROOT_MAX];
	struct nats_received *reply = NULL;
	struct nats_send m = { .subject = subject };
	int err;

	if (!nats_api_is_token(stream)) {
		snprintf(why->text, sizeof(why->text),
			 "'%s' cannot be the name of a stream", stream);
		return -EINVAL;
	}
	nats_api_root(api, root);
	snprintf(subject, sizeof(subject), "%s.%s.%s", root, what, stream);
	if (body != NULL)
		m.data = (struct wire_view){ (const uint8_t *)body,
					     strlen(body) };
	err = nats_client_request(api->client, &m, api->wait_ms, what, why,
				  &reply);
	if (err < 0)
		return err;
	err = reply_check(nats_received_data(reply), what, stream, why);
	if (err < 0)
		nats_received_free(reply);
	else
		*out = reply;
	return err;
}

static int reply_unreadable(struct nats_received *reply, const char *what,
			    const char *stream, struct nats_error *why)
{
	snprintf(why->text, sizeof(why->text),
		 "%s of %s: the answer lacks something, or is of wrong types",
		 what, stream);
	nats_received_free(reply);
	return -EPROTO;
}

int nats_api_stream(const struct nats_api *api, const char *what,
		    const char *stream, const char *body,
		    struct nats_error *why, struct nats_received **reply,
		    struct nats_reply_stream *out)
{
	struct nats_received *msg = NULL;
	int err = nats_api_request(api, what, stream, body, why, &msg);

	if (err < 0)
		return err;
	if (!nats_reply_stream(nats_received_data(msg), stream, out))
		return reply_unreadable(msg, what, stream, why);
	*reply = msg;
	return 0;
}

/*
 * Decode base64. -EPROTO if @from is not base64; an empty text gives no bytes.
 */
static int base64_decode(struct wire_view from, uint8_t *to,
			 struct wire_view *out)
{
	size_t len = 0;

	if (from.len != 0 && !nats_json_base64(from, to, &len))
		return -EPROTO;
	*out = (struct wire_view){ to, len };
	return 0;
}

static int decode_message(const struct nats_reply_message *m,
			  struct nats_api_message *out)
{
	struct nats_api_message one = { .seq = m->seq };
	int err;

	/* Decoded data is shorter than its base64 text. */
	one.bytes = malloc(m->headers.len + m->data.len + 1);
	if (one.bytes == NULL)
		return -ENOMEM;
	err = base64_decode(m->headers, one.bytes, &one.headers);
	if (err == 0)
		err = base64_decode(m->data, one.bytes + m->headers.len,
				    &one.data);
	if (err < 0)
		free(one.bytes);
	else
		*out = one;
	return err;
}

int nats_api_message(const struct nats_api *api, const char *stream,
		     uint64_t seq, const char *subject, struct nats_error *why,
		     struct nats_api_message *out)
{
	static const char what[] = "STREAM.MSG.GET";
	char body[NATS_API_BODY_MAX];
	struct nats_reply_message m;
	struct nats_received *reply = NULL;
	int err;

	if (seq != 0)
		snprintf(body, sizeof(body), "{\"seq\":%" PRIu64 "}", seq);
	else if (!nats_api_is_plain(subject) ||
		 snprintf(body, sizeof(body), "{\"last_by_subj\":\"%s\"}",
			  subject) >= (int)sizeof(body))
		return -EINVAL;
	err = nats_api_request(api, what, stream, body, why, &reply);
	if (err < 0)
		return err;
	if (!nats_reply_message(nats_received_data(reply), &m) ||
	    (seq != 0 && m.seq != seq))
		return reply_unreadable(reply, what, stream, why);
	err = decode_message(&m, out);
	if (err == -EPROTO)
		return reply_unreadable(reply, what, stream, why);
	nats_received_free(reply);
	return err;
}
