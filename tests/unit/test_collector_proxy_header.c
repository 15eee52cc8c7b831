#include "check.h"

#include "collector/base/ip.h"
#include "collector/ingest/proxy_header.h"

#include <string.h>

#define V2 "\r\n\r\n\0\r\nQUIT\n"

/* A header, what follows it, and what it says. */
struct row {
	const char *name;
	const char *bytes;
	size_t len;
	enum proxy_status status;
	size_t header;
	const char *source; /* NULL = none */
	uint16_t port;
};

#define HEADER(text) .bytes = (text), .len = sizeof(text) - 1

static const struct row rows[] = {
	{ .name = "version 1, IPv4",
	  HEADER("PROXY TCP4 192.0.2.7 198.51.100.1 56324 11019\r\nrest"),
	  .status = PROXY_WHOLE,
	  .header = 47,
	  .source = "192.0.2.7",
	  .port = 56324 },
	{ .name = "version 1, IPv6",
	  HEADER("PROXY TCP6 2001:db8::7 2001:db8::1 65535 0\r\n"),
	  .status = PROXY_WHOLE,
	  .header = 44,
	  .source = "2001:db8::7",
	  .port = 65535 },
	{ .name = "version 1, UNKNOWN",
	  HEADER("PROXY UNKNOWN\r\n\3"),
	  .status = PROXY_WHOLE,
	  .header = 15 },
	{ .name = "version 1, UNKNOWN with addresses, which are to be ignored",
	  HEADER("PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n"),
	  .status = PROXY_WHOLE,
	  .header = 43 },
	{ .name = "version 1, incomplete",
	  HEADER("PROXY TCP4 192.0.2.7 198.51.100.1 56324 11019\r"),
	  .status = PROXY_PARTIAL },
	{ .name = "one byte", HEADER("P"), .status = PROXY_PARTIAL },
	{ .name = "nothing", HEADER(""), .status = PROXY_PARTIAL },
	{ .name = "version 1, 107 bytes without an end",
	  HEADER("PROXY UNKNOWN                                         "
		 "                                                     "),
	  .status = PROXY_BAD },
	{ .name = "version 1, LF without CR",
	  HEADER("PROXY UNKNOWN\n"),
	  .status = PROXY_BAD },
	{ .name = "version 1, LF at once",
	  HEADER("PROXY \n"),
	  .status = PROXY_BAD },
	{ .name = "version 1, an address of the other family",
	  HEADER("PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n"),
	  .status = PROXY_BAD },
	{ .name = "version 1, a port above 65535",
	  HEADER("PROXY TCP4 192.0.2.7 198.51.100.1 65536 1\r\n"),
	  .status = PROXY_BAD },
	{ .name = "version 1, a port with a leading zero",
	  HEADER("PROXY TCP4 192.0.2.7 198.51.100.1 01 1\r\n"),
	  .status = PROXY_BAD },
	{ .name = "version 1, a word too many",
	  HEADER("PROXY TCP4 192.0.2.7 198.51.100.1 1 2 3\r\n"),
	  .status = PROXY_BAD },
	{ .name = "version 1, a word too few",
	  HEADER("PROXY TCP4 192.0.2.7 198.51.100.1 1\r\n"),
	  .status = PROXY_BAD },
	{ .name = "version 1, two spaces",
	  HEADER("PROXY TCP4  192.0.2.7 198.51.100.1 1 2\r\n"),
	  .status = PROXY_BAD },
	{ .name = "version 1, a NUL",
	  HEADER("PROXY TCP4 192.0.2.7\0 198.51.100.1 1 2\r\n"),
	  .status = PROXY_BAD },
	{ .name = "version 1, a family that is none",
	  HEADER("PROXY UDP4 192.0.2.7 198.51.100.1 1 2\r\n"),
	  .status = PROXY_BAD },
	{ .name = "version 2, IPv4",
	  HEADER(V2 "\x21\x11\0\x0c\xc0\0\2\7\xc6\x33\x64\1\xdc\4\x2b\x0brest"),
	  .status = PROXY_WHOLE,
	  .header = 28,
	  .source = "192.0.2.7",
	  .port = 56324 },
	{ .name = "version 2, IPv4 and a TLV of three bytes",
	  HEADER(V2 "\x21\x11\0\x10\xc0\0\2\7\xc6\x33\x64\1\xdc\4\x2b\x0b"
		    "\4\0\1xrest"),
	  .status = PROXY_WHOLE,
	  .header = 32,
	  .source = "192.0.2.7",
	  .port = 56324 },
	{ .name = "version 2, IPv6",
	  HEADER(V2 "\x21\x21\0\x24\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\7"
		    "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1\xff\xff\0\0"),
	  .status = PROXY_WHOLE,
	  .header = 52,
	  .source = "2001:db8::7",
	  .port = 65535 },
	{ .name = "version 2, LOCAL",
	  HEADER(V2 "\x20\0\0\0"),
	  .status = PROXY_WHOLE,
	  .header = 16 },
	{ .name = "version 2, a Unix socket",
	  HEADER(V2 "\x21\x31\0\2ab"),
	  .status = PROXY_WHOLE,
	  .header = 18 },
	{ .name = "version 2, UDP",
	  HEADER(V2 "\x21\x12\0\x0c\xc0\0\2\7\xc6\x33\x64\1\xdc\4\x2b\x0b"),
	  .status = PROXY_WHOLE,
	  .header = 28 },
	{ .name = "version 2, incomplete",
	  HEADER(V2 "\x21\x11\0\x0c\xc0\0\2\7\xc6\x33\x64\1\xdc\4\x2b"),
	  .status = PROXY_PARTIAL },
	{ .name = "version 2, no length yet",
	  HEADER(V2 "\x21\x11\0"),
	  .status = PROXY_PARTIAL },
	{ .name = "version 2, too short for IPv4",
	  HEADER(V2 "\x21\x11\0\x0b\xc0\0\2\7\xc6\x33\x64\1\xdc\4\x2b\x0b"),
	  .status = PROXY_BAD },
	{ .name = "version 2, too short for IPv6",
	  HEADER(V2 "\x21\x21\0\x0c\xc0\0\2\7\xc6\x33\x64\1\xdc\4\x2b\x0b"),
	  .status = PROXY_BAD },
	{ .name = "version 2, longer than we read",
	  HEADER(V2 "\x21\x11\x0f\xf1"),
	  .status = PROXY_BAD },
	{ .name = "version 2, the longest that we read",
	  HEADER(V2 "\x21\x11\x0f\xf0"),
	  .status = PROXY_PARTIAL },
	{ .name = "version 3", HEADER(V2 "\x31\x11\0\0"), .status = PROXY_BAD },
	{ .name = "version 2, a command that is none",
	  HEADER(V2 "\x22\x11\0\0"),
	  .status = PROXY_BAD },
	{ .name = "BMP", HEADER("\3\0\0\0\6\4"), .status = PROXY_BAD },
};

static void test_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct proxy_header got;
		uint8_t source[16];
		enum proxy_status status =
			proxy_header_parse((const uint8_t *)row->bytes,
					   row->len, &got);

		CHECK(status == row->status, "%s: status %d", row->name,
		      status);
		if (status != PROXY_WHOLE)
			continue;
		CHECK(got.len == row->header, "%s: %zu bytes", row->name,
		      got.len);
		CHECK(got.has_source == (row->source != NULL), "%s", row->name);
		if (row->source == NULL)
			continue;
		assert_true(ip_parse(row->source, source) > 0);
		CHECK(memcmp(source, got.address, 16) == 0 &&
			      got.port == row->port,
		      "%s: wrong source", row->name);
	}
}

/* However the bytes arrive, a header is incomplete until its last byte. */
static void test_every_piece_of_a_header_is_partial(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct proxy_header got;

		if (row->status != PROXY_WHOLE)
			continue;
		for (size_t len = 0; len < row->header; len++)
			CHECK(proxy_header_parse((const uint8_t *)row->bytes,
						 len, &got) == PROXY_PARTIAL,
			      "%s: %zu bytes", row->name, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_every_piece_of_a_header_is_partial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
