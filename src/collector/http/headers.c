/*
 * Refuses requests that two servers can parse differently: a proxy could check
 * one request while this server answers another (RFC 9112 11.2). libmicrohttpd
 * accepts such requests.
 */
#include "collector/http/server_internal.h"

#include <string.h>
#include <strings.h>

struct header_counts {
	unsigned hosts;
	unsigned lengths;
	unsigned encodings;
	bool bad_name;
};

/*
 * True if @name is a token of RFC 9110 5.6.2. A blank before the colon is not
 * part of a token.
 */
static bool is_token(const char *name, size_t len)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < len; i++) {
		char c = name[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		      (c >= 'A' && c <= 'Z') ||
		      (c != '\0' && strchr(others, c) != NULL)))
			return false;
	}
	return len > 0;
}

static bool is_header(const char *name, size_t len, const char *wanted)
{
	return len == strlen(wanted) && strncasecmp(name, wanted, len) == 0;
}

static enum MHD_Result count_header(void *counts, enum MHD_ValueKind kind,
				    const char *name, size_t name_len,
				    const char *value, size_t value_len)
{
	struct header_counts *n = counts;

	(void)kind;
	(void)value;
	(void)value_len;
	n->bad_name |= !is_token(name, name_len);
	n->hosts += is_header(name, name_len, MHD_HTTP_HEADER_HOST);
	n->lengths += is_header(name, name_len, MHD_HTTP_HEADER_CONTENT_LENGTH);
	n->encodings +=
		is_header(name, name_len, MHD_HTTP_HEADER_TRANSFER_ENCODING);
	return MHD_YES;
}

bool http_headers_check(struct http_request *r)
{
	struct header_counts n = { 0 };
	const char *error = NULL;

	MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND,
				    count_header, &n);
	if (n.bad_name)
		error = "a header has a name that is none";
	else if (n.hosts > 1)
		error = "Host is there twice";
	else if (n.lengths > 1)
		error = "Content-Length is there twice";
	else if (n.encodings > 1)
		error = "Transfer-Encoding is there twice";
	else if (n.lengths == 1 && n.encodings == 1)
		error = "Content-Length and Transfer-Encoding are both there";
	if (error == NULL)
		return true;
	http_error(r, MHD_HTTP_BAD_REQUEST, error, NULL);
	return false;
}
