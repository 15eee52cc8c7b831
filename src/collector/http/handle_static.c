#include "collector/http/server_internal.h"

#include "collector/http/static_files.h"

#include <string.h>

/* No content from other sites, and no embedding in frames. */
#define POLICY                                                          \
	"default-src 'self'; img-src 'self' data:; object-src 'none'; " \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/* True if the path is that of @page; "/" is the start page. */
static bool is_page(const struct http_target *t, const struct static_file *page)
{
	const char *p = page->path;

	if (t->segment_count == 0)
		return strcmp(p, "/index.html") == 0;
	if (t->segment_count > HTTP_SEGMENTS_MAX)
		return false;
	for (size_t i = 0; i < t->segment_count; i++) {
		size_t len = strlen(t->segments[i]);

		if (*p++ != '/' || strncmp(p, t->segments[i], len) != 0)
			return false;
		p += len;
	}
	return *p == '\0';
}

static const struct static_file *static_page_find(const struct http_target *t)
{
	for (size_t i = 0; i < page_count; i++)
		if (is_page(t, &pages[i]))
			return &pages[i];
	return NULL;
}

bool http_page_exists(const struct http_target *t)
{
	return static_page_find(t) != NULL;
}

static void add_headers(struct MHD_Response *response,
			const struct static_file *page, bool packed)
{
	const char *const headers[][2] = {
		{ MHD_HTTP_HEADER_CONTENT_TYPE, page->type },
		{ MHD_HTTP_HEADER_ETAG, page->etag },
		/*
		 * Browsers may store the page, but must ask each time whether
		 * its ETag is still valid: another version has other content.
		 */
		{ MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache" },
		{ MHD_HTTP_HEADER_VARY, "Accept-Encoding" },
		{ "Content-Security-Policy", POLICY },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
	if (packed)
		MHD_add_response_header(response,
					MHD_HTTP_HEADER_CONTENT_ENCODING,
					"gzip");
}

void http_get_page(struct http_request *r)
{
	const struct static_file *page = static_page_find(&r->target);
	const char *known =
		MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND,
					    MHD_HTTP_HEADER_IF_NONE_MATCH);
	bool packed =
		http_takes_gzip(r->connection) && page->packed_len < page->len;
	bool same = known != NULL && strstr(known, page->etag) != NULL;
	struct MHD_Response *response = MHD_create_response_from_buffer(
		same ? 0 : (packed ? page->packed_len : page->len),
		(void *)(packed ? page->packed : page->bytes),
		MHD_RESPMEM_PERSISTENT);

	if (response == NULL) {
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory",
			   NULL);
		return;
	}
	add_headers(response, page, packed && !same);
	r->status = same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK;
	r->response = response;
}
