/*
 * collector/http/cursor.h - where a list goes on, as a word in a URL
 *
 * A cursor is the bytes of a place (numbers of a worker's own), with a seeded
 * hash before them: what was not written by this run, for this kind of list,
 * is not read back. So a place need not be judged again.
 */
#ifndef COLLECTOR_HTTP_CURSOR_H
#define COLLECTOR_HTTP_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a place, and of the word with its NUL. */
#define HTTP_CURSOR_BYTES 64
#define HTTP_CURSOR_TEXT  (2 * (8 + HTTP_CURSOR_BYTES) + 1)

struct http_target;

/*
 * A seed of its own for what was asked, limit and cursor aside: the place of
 * one question is none of another.
 */
uint64_t http_cursor_seed(uint64_t seed, const struct http_target *t);

/* @len <= HTTP_CURSOR_BYTES. @kind tells lists apart. */
void http_cursor_write(uint64_t seed, uint8_t kind, const void *place,
		       size_t len, char out[HTTP_CURSOR_TEXT]);

/* False, and *@place untouched, if it is not one of ours of @len bytes. */
bool http_cursor_read(uint64_t seed, uint8_t kind, const char *text,
		      void *place, size_t len);

#endif
