/*
 * collector/http/target.h - path and parameters of a request
 *
 *	/api/v1/peers/v4_192_0_2_1/0-0-192.0.2.7?limit=10&filter=a%20b
 *	 segments: api v1 peers v4_192_0_2_1 0-0-192.0.2.7
 *	 parameters: limit "10", filter "a b"
 *
 * The parser is stricter than browsers: an invalid escape, a control character,
 * invalid UTF-8 and a duplicate parameter are errors. Pure functions. The input
 * may be any bytes.
 */
#ifndef COLLECTOR_HTTP_TARGET_H
#define COLLECTOR_HTTP_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_TARGET_MAX	  4096
#define HTTP_SEGMENTS_MAX 8
#define HTTP_PARAMS_MAX	  16

enum http_target_status {
	HTTP_TARGET_OK,
	HTTP_TARGET_TOO_LONG,
	HTTP_TARGET_NO_PATH,	/* the path does not begin with a slash */
	HTTP_TARGET_BAD_ESCAPE, /* a "%" is not followed by two hex digits */
	/* the text has control characters, or is not UTF-8 */
	HTTP_TARGET_BAD_TEXT,
	HTTP_TARGET_TOO_MANY, /* too many parameters */
	HTTP_TARGET_TWICE,    /* a parameter was given twice */
	HTTP_TARGET_NO_NAME,  /* a parameter's name is empty */
	HTTP_TARGET_STATUSES
};

struct http_param {
	const char *name;
	const char *value; /* "" if there was no "=" */
};

struct http_target {
	/* number of segments; HTTP_SEGMENTS_MAX + 1 if there are more */
	size_t segment_count;
	size_t param_count;
	const char *segments[HTTP_SEGMENTS_MAX];
	struct http_param params[HTTP_PARAMS_MAX];
	/* decoded text that the pointers refer to */
	char text[HTTP_TARGET_MAX + 1];
};

/* Parse @target. *@out is always initialised. */
enum http_target_status http_target_parse(const char *target,
					  struct http_target *out);

/* A sentence for the client about the status. */
const char *http_target_words(enum http_target_status status);

/* The value of a parameter, or NULL. */
const char *http_target_param(const struct http_target *t, const char *name);

#endif
