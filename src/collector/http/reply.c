#include "collector/http/server_internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A smaller reply is not compressed, because that would not pay. */
#define WORTH 1024

void http_error(struct http_request *r, unsigned status, const char *error,
		const char *hint)
{
	json_reset(&r->out);
	r->status = status;
	r->type = NULL;
	json_object(&r->out);
	json_string_at(&r->out, "error", error);
	if (hint != NULL)
		json_string_at(&r->out, "hint", hint);
	json_end_object(&r->out);
	json_end_line(&r->out);
}

void http_error_of(struct http_request *r, unsigned status, const char *error,
		   const char *value, const char *hint)
{
	char text[256];

	snprintf(text, sizeof(text), "%s: '%s'", error, value);
	http_error(r, status, text, hint);
}

/*
 * True if the header Accept-Encoding, for example "gzip, br;q=0.5", accepts
 * gzip.
 */
bool http_takes_gzip(struct MHD_Connection *connection)
{
	const char *p =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
					    MHD_HTTP_HEADER_ACCEPT_ENCODING);

	while (p != NULL && *p != '\0') {
		size_t len;

		p += strspn(p, " \t,");
		len = strcspn(p, " \t,;");
		if (len == 4 && strncasecmp(p, "gzip", 4) == 0) {
			p += len;
			p += strspn(p, " \t");
			return strncmp(p, ";q=0", 4) != 0 ||
			       strspn(p + 4, ".0") != strcspn(p + 4, " \t,");
		}
		p += strcspn(p, ",");
	}
	return false;
}

/*
 * Compress the body with gzip. NULL if the result would be larger, or on an
 * error.
 */
static void *compress_body(const char *bytes, size_t len, size_t *out_len)
{
	z_stream z = { .next_in = (void *)bytes, .avail_in = (unsigned)len };
	unsigned char *out = NULL;

	if (len > UINT_MAX ||
	    deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	out = malloc(len);
	if (out != NULL) {
		z.next_out = out;
		z.avail_out = (unsigned)len;
		if (deflate(&z, Z_FINISH) != Z_STREAM_END) {
			free(out);
			out = NULL;
		}
		*out_len = z.total_out;
	}
	deflateEnd(&z);
	return out;
}

static struct MHD_Response *make_response(struct http_request *r)
{
	struct MHD_Response *response;
	size_t len = r->out.len;
	void *packed = NULL;

	if (r->out.failed)
		return NULL;
	if (len >= WORTH && http_takes_gzip(r->connection))
		packed = compress_body(r->out.bytes, r->out.len, &len);
	if (packed != NULL) {
		response =
			MHD_create_response_from_buffer(len, packed,
							MHD_RESPMEM_MUST_FREE);
		if (response != NULL)
			MHD_add_response_header(
				response, MHD_HTTP_HEADER_CONTENT_ENCODING,
				"gzip");
		return response;
	}
	response = MHD_create_response_from_buffer(r->out.len, r->out.bytes,
						   MHD_RESPMEM_MUST_FREE);
	if (response != NULL)
		r->out = (struct json){ 0 };
	return response;
}

static void add_headers(struct http_request *r, struct MHD_Response *response)
{
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				r->type != NULL ? r->type : "application/json");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
				"no-store");
	MHD_add_response_header(response, MHD_HTTP_HEADER_VARY,
				"Accept-Encoding");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (r->close)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION,
					"close");
	if (r->allow != NULL)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
					r->allow);
	if (r->status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(response,
					MHD_HTTP_HEADER_WWW_AUTHENTICATE,
					"Basic realm=\"arancini: any user, the "
					"token as password\"");
}

/*
 * True if the limit on the memory of unread replies permits to hold this one
 * until the client has read it.
 */
static bool may_hold(const struct http_request *r)
{
	size_t most = HTTP_HELD_BYTES;

	if (r->route != NULL && r->route->flags & HTTP_RESERVED)
		most *= 2;
	/* A small reply, for example an error, is always sent. */
	return r->out.len < WORTH || r->http->held + r->out.len <= most;
}

enum MHD_Result http_reply(struct http_request *r)
{
	struct MHD_Response *response = r->response;
	enum MHD_Result queued;

	if (response == NULL) {
		if (!may_hold(r)) {
			r->close = true;
			http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "too many answers wait to be read",
				   "read them, or ask again");
		}
		r->held = r->out.len;
		r->http->held += r->held;
		response = make_response(r);
		if (response == NULL)
			return MHD_NO;
		add_headers(r, response);
	}
	queued = MHD_queue_response(r->connection, r->status, response);
	MHD_destroy_response(response);
	r->response = NULL;
	return queued;
}
