/*
 * collector/http/cursor.h - the position in a paged list, as text in a URL
 *
 * A cursor is the bytes of a position (serial numbers of a worker), prefixed
 * with a seeded hash: a cursor that was not made by this run for this kind of
 * list is refused. So a position need not be validated again.
 */
#ifndef COLLECTOR_HTTP_CURSOR_H
#define COLLECTOR_HTTP_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum bytes of a position, and of the text with its NUL. */
#define HTTP_CURSOR_BYTES 64
#define HTTP_CURSOR_TEXT  (2 * (8 + HTTP_CURSOR_BYTES) + 1)

struct http_target;

/*
 * A seed for this request without its limit and cursor, so that a cursor of one
 * request is not valid for another.
 */
uint64_t http_cursor_seed(uint64_t seed, const struct http_target *t);

/* @len <= HTTP_CURSOR_BYTES. @kind is the kind of list. */
void http_cursor_write(uint64_t seed, uint8_t kind, const void *place,
		       size_t len, char out[HTTP_CURSOR_TEXT]);

/*
 * False, with *@place unchanged, if @text is not a cursor of ours with @len
 * bytes.
 */
bool http_cursor_read(uint64_t seed, uint8_t kind, const char *text,
		      void *place, size_t len);

#endif
