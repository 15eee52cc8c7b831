/*
 * bmp/text.h - write readable text into a buffer that may be too small
 *
 *	char buf[64];
 *	struct text t = text_start(buf, sizeof(buf));
 *
 *	text_ip(&t, nlri->address);
 *	text_char(&t, '/');
 *	text_u64(&t, nlri->prefix_len);
 *	return text_end(&t);
 *
 * Like snprintf(): what does not fit is left out, the buffer is always
 * terminated, and text_end() says how long the whole would have been.
 */
#ifndef BMP_TEXT_H
#define BMP_TEXT_H

#include "bmp/wire.h"

struct text {
	char *p;
	size_t cap; /* with the terminator; may be 0 */
	size_t len; /* of the whole text so far */
};

static inline struct text text_start(char *buf, size_t cap)
{
	return (struct text){ .p = buf, .cap = cap };
}

/* Terminate. Returns the length of the whole text, which may be >= cap. */
size_t text_end(struct text *t);

void text_char(struct text *t, char c);
void text_str(struct text *t, const char *s);
void text_u64(struct text *t, uint64_t v);
/* Bytes as hex digits, @between each two of them unless it is 0. */
void text_hex(struct text *t, const uint8_t *p, size_t n, char between);

/* Four bytes as dotted decimal. */
void text_ipv4(struct text *t, const uint8_t *p);
/* Sixteen bytes as RFC 5952 wants them. */
void text_ipv6(struct text *t, const uint8_t *p);
/* Sixteen bytes in the canonical form: IPv4 if it is mapped. */
void text_ip(struct text *t, const uint8_t *p);
/* The same with a port: "192.0.2.1:4000", "[2001:db8::1]:4000". */
void text_ip_port(struct text *t, const uint8_t *p, uint16_t port);
/* A route distinguisher, RFC 4364 4.2: "65000:1", "192.0.2.1:1". */
void text_rd(struct text *t, uint64_t rd);

/*
 * Bytes of a name that are kept, wherever a router sends one: a name comes once
 * and is repeated in each update.
 */
#define TEXT_NAME_MAX 255

/* The first @max bytes of @v at most, and no part of a UTF-8 sequence. */
struct wire_view text_cut(struct wire_view v, size_t max);

/* Length of the UTF-8 sequence at the start of @v, or 0 if it is none. */
size_t text_utf8_len(struct wire_view v);

/*
 * Whether the UTF-8 sequence of @len bytes at @p, whose code point is put in
 * *@code, must not go to a terminal, a log or a page as it is: a control, also
 * of C1 (U+0080 to U+009F, which a terminal may obey as it does an escape), or
 * a character that changes the direction of the text around it, with which a
 * router can make a line look like another one.
 */
bool text_is_unsafe(const uint8_t *p, size_t len, uint32_t *code);

#endif
