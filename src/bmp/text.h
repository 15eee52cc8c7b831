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
 * Like snprintf(): text that does not fit is left out, the buffer is always
 * terminated, and text_end() returns the length of the whole text.
 */
#ifndef BMP_TEXT_H
#define BMP_TEXT_H

#include "bmp/wire.h"

struct text {
	char *p;
	size_t cap; /* with the terminator; may be 0 */
	size_t len; /* length of the whole text, may exceed cap */
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
/* Write bytes as hex digits, with @between between two bytes unless it is 0. */
void text_hex(struct text *t, const uint8_t *p, size_t n, char between);

/* Write four bytes as dotted decimal. */
void text_ipv4(struct text *t, const uint8_t *p);
/* Write sixteen bytes as an IPv6 address (RFC 5952). */
void text_ipv6(struct text *t, const uint8_t *p);
/*
 * Write sixteen bytes as an IPv4 address if they are IPv4-mapped, else as IPv6.
 */
void text_ip(struct text *t, const uint8_t *p);
/* As text_ip(), with a port: "192.0.2.1:4000", "[2001:db8::1]:4000". */
void text_ip_port(struct text *t, const uint8_t *p, uint16_t port);
/* Write a route distinguisher, RFC 4364 4.2: "65000:1", "192.0.2.1:1". */
void text_rd(struct text *t, uint64_t rd);

/*
 * The maximum bytes of a name from a router; longer names are truncated,
 * because a name that a router sends once is repeated in each update.
 */
#define TEXT_NAME_MAX 255

/* The first @max bytes of @v, or fewer, so that no UTF-8 sequence is split. */
struct wire_view text_cut(struct wire_view v, size_t max);

/* The length of the UTF-8 sequence at the start of @v; 0 if there is none. */
size_t text_utf8_len(struct wire_view v);

/*
 * True if the UTF-8 sequence of @len bytes at @p must not be written to a
 * terminal, a log or a page: it is a control character, also of C1 (U+0080 to
 * U+009F, which a terminal may obey as an escape sequence), or it changes the
 * direction of the text around it, so that a router could make one line look
 * like another. *@code gets its code point.
 */
bool text_is_unsafe(const uint8_t *p, size_t len, uint32_t *code);

#endif
