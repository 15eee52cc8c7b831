/*
 * cli/decode_text.h - a line of JSON as a line for reading
 *
 *	2015-04-01 00:00:01.123456 AS64500 192.0.2.1 + 203.0.113.0/24 via 192.0.2.1 [64500 64501] origin IGP
 *
 * Time (UTC), who, what (+ announced, - withdrawn, * something else), then all
 * members that are not said by these, each behind its name.
 */
#ifndef CLI_DECODE_TEXT_H
#define CLI_DECODE_TEXT_H

#include <stddef.h>

/*
 * The text of a line of JSON, with a newline; the caller frees it. What a
 * router sends and could obey a terminal becomes question marks. NULL without
 * memory.
 */
char *decode_text_line(const char *json, size_t len, size_t *text_len);

#endif
