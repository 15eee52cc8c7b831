#include "collector/http/server_internal.h"

#include "collector/http/sse.h"

#include <errno.h>

void http_get_events(struct http_request *r)
{
	const char *last =
		MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND,
					    "Last-Event-ID");
	struct MHD_Response *response;
	int err = sse_stream(r->http->sse, r->connection, last, &response);

	if (err == -EAGAIN) {
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "too many streams of events", "close one");
		return;
	}
	if (err < 0) {
		http_ask_failed(r, err);
		return;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				"text/event-stream");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
				"no-store");
	/* Without this header nginx would buffer the events. */
	MHD_add_response_header(response, "X-Accel-Buffering", "no");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	r->response = response;
}
