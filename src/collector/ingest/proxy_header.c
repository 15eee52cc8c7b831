#include "collector/ingest/proxy_header.h"

#include "bmp/bytes.h"
#include "collector/base/ip.h"

#include <string.h>
#include <sys/socket.h>

/* Version 1, section 2.1 of the specification: at most 107 bytes with CR LF */

#define V1_MAX 107

static const char v1_begin[] = "PROXY ";

/* Version 2, section 2.2 */

#define V2_FIXED 16

static const uint8_t v2_begin[12] = { '\r', '\n', '\r', '\n', 0,   '\r',
				      '\n', 'Q',  'U',	'I',  'T', '\n' };

enum {
	V2_LOCAL = 0x20,
	V2_PROXY = 0x21
};
enum {
	V2_TCP4 = 0x11,
	V2_TCP6 = 0x21
};

/* Cut the next word off @line, which ends at a space. */
static const char *next_word(char **line)
{
	return *line == NULL ? "" : strsep(line, " ");
}

/* A decimal number without a sign or leading zeros. */
static bool parse_port(const char *text, uint16_t *out)
{
	uint32_t value = 0;

	if (*text == '\0' || (text[0] == '0' && text[1] != '\0'))
		return false;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = 10 * value + (uint32_t)(*text - '0');
		if (value > UINT16_MAX)
			return false;
	}
	*out = (uint16_t)value;
	return true;
}

/* PROXY TCP4|TCP6 SOURCE DESTINATION SOURCE-PORT DESTINATION-PORT */
static bool parse_v1_line(char *line, struct proxy_header *out)
{
	uint8_t destination[16];
	uint16_t destination_port;
	const char *family;
	int want;

	(void)next_word(&line);
	family = next_word(&line);
	if (strcmp(family, "UNKNOWN") == 0)
		return true;
	if (strcmp(family, "TCP4") == 0)
		want = AF_INET;
	else if (strcmp(family, "TCP6") == 0)
		want = AF_INET6;
	else
		return false;
	out->has_source = true;
	return ip_parse(next_word(&line), out->address) == want &&
	       ip_parse(next_word(&line), destination) == want &&
	       parse_port(next_word(&line), &out->port) &&
	       parse_port(next_word(&line), &destination_port) && line == NULL;
}

static enum proxy_status parse_v1(const uint8_t *bytes, size_t len,
				  struct proxy_header *out)
{
	size_t seen = len < V1_MAX ? len : V1_MAX;
	const uint8_t *end = memchr(bytes, '\n', seen);
	char line[V1_MAX];
	size_t length;

	if (end == NULL)
		return len < V1_MAX ? PROXY_PARTIAL : PROXY_BAD;
	length = (size_t)(end - bytes);
	/* The shortest line has more than six bytes before CR LF. */
	if (bytes[length - 1] != '\r' || memchr(bytes, 0, length) != NULL)
		return PROXY_BAD;
	memcpy(line, bytes, length - 1);
	line[length - 1] = '\0';
	*out = (struct proxy_header){ .len = length + 1 };
	return parse_v1_line(line, out) ? PROXY_WHOLE : PROXY_BAD;
}

/* @len is at least V2_FIXED. */
static enum proxy_status parse_v2(const uint8_t *bytes, size_t len,
				  struct proxy_header *out)
{
	uint8_t command = bytes[12], family = bytes[13];
	size_t rest = wire_get_u16(bytes + 14);

	if ((command != V2_LOCAL && command != V2_PROXY) ||
	    V2_FIXED + rest > PROXY_HEADER_MAX)
		return PROXY_BAD;
	if (len < V2_FIXED + rest)
		return PROXY_PARTIAL;
	*out = (struct proxy_header){ .len = V2_FIXED + rest };
	if (command == V2_LOCAL)
		return PROXY_WHOLE;
	bytes += V2_FIXED;
	if (family == V2_TCP4) {
		/* source, destination, source port, destination port */
		if (rest < 12)
			return PROXY_BAD;
		wire_put_mapped(out->address, bytes);
		out->port = wire_get_u16(bytes + 8);
	} else if (family == V2_TCP6) {
		if (rest < 36)
			return PROXY_BAD;
		memcpy(out->address, bytes, 16);
		out->port = wire_get_u16(bytes + 32);
	} else {
		return PROXY_WHOLE;
	}
	out->has_source = true;
	return PROXY_WHOLE;
}

/* True if @bytes can be the beginning of a header that begins with @begin. */
static bool begins_with(const uint8_t *bytes, size_t len, const void *begin,
			size_t size)
{
	return memcmp(bytes, begin, len < size ? len : size) == 0;
}

enum proxy_status proxy_header_parse(const uint8_t *bytes, size_t len,
				     struct proxy_header *out)
{
	size_t v1_size = sizeof(v1_begin) - 1;

	if (len == 0)
		return PROXY_PARTIAL;
	if (begins_with(bytes, len, v1_begin, v1_size))
		return len < v1_size ? PROXY_PARTIAL
				     : parse_v1(bytes, len, out);
	if (begins_with(bytes, len, v2_begin, sizeof(v2_begin)))
		return len < V2_FIXED ? PROXY_PARTIAL
				      : parse_v2(bytes, len, out);
	return PROXY_BAD;
}
