/*
 * collector/http/cursor.h - the position in a paged list, as text in a URL
 *
 * A cursor consists of a seeded hash and the bytes of a position (serial
 * numbers of a worker). Because of the hash, a cursor is refused unless this
 * run has made it for this kind of list. So the position itself need not be
 * checked.
 */
#ifndef COLLECTOR_HTTP_CURSOR_H
#define COLLECTOR_HTTP_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum bytes of a position, and of the text of a cursor with its NUL. */
#define HTTP_CURSOR_BYTES 64
#define HTTP_CURSOR_TEXT  (2 * (8 + HTTP_CURSOR_BYTES) + 1)

struct http_target;

/*
 * Make a seed from the request, without its limit and cursor, so that the
 * cursor of one request is not valid for another.
 */
uint64_t http_cursor_seed(uint64_t seed, const struct http_target *t);

/*
 * Write a cursor for the position @place of @len bytes, at most
 * HTTP_CURSOR_BYTES. @kind is the kind of list.
 */
void http_cursor_write(uint64_t seed, uint8_t kind, const void *place,
		       size_t len, char out[HTTP_CURSOR_TEXT]);

/*
 * Read a cursor. False, with *@place unchanged, if @text is not a cursor of
 * ours with a position of @len bytes.
 */
bool http_cursor_read(uint64_t seed, uint8_t kind, const char *text,
		      void *place, size_t len);

#endif
