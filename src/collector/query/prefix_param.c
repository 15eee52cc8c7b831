#include "collector/query/prefix_param.h"

#include "collector/base/ip.h"

#include <arpa/inet.h>
#include <string.h>

/* Parse a length up to @max: at most three digits, without leading zeros. */
static bool parse_len(const char *text, unsigned max, uint8_t *out)
{
	unsigned value = 0;
	size_t n = strspn(text, "0123456789");

	if (n == 0 || n > 3 || text[n] != '\0' || (n > 1 && text[0] == '0'))
		return false;
	for (size_t i = 0; i < n; i++)
		value = value * 10 + (unsigned)(text[i] - '0');
	*out = (uint8_t)value;
	return value <= max;
}

static bool parse_address(const char *text, struct query_prefix *p)
{
	int family = ip_parse(text, p->address);

	p->ipv6 = family == AF_INET6;
	return family >= 0;
}

static bool has_host_bits(const struct query_prefix *p)
{
	unsigned bits = p->len + (p->ipv6 ? 0U : 96U);

	for (unsigned i = bits; i < 128; i++)
		if (p->address[i / 8] & 0x80 >> i % 8)
			return true;
	return false;
}

const char *query_prefix_parse(const char *text, struct query_prefix *out)
{
	struct query_prefix p = { .len = 0 };
	const char *slash = strchr(text, '/');
	size_t len = slash != NULL ? (size_t)(slash - text) : strlen(text);
	char address[INET6_ADDRSTRLEN];

	if (len >= sizeof(address))
		return "not a prefix";
	memcpy(address, text, len);
	address[len] = '\0';
	if (!parse_address(address, &p))
		return "not a prefix";
	p.is_address = slash == NULL;
	p.len = p.ipv6 ? 128 : 32;
	if (slash != NULL && !parse_len(slash + 1, p.len, &p.len))
		return "not a prefix length";
	if (has_host_bits(&p))
		return "a prefix with bits set beyond its length";
	*out = p;
	return NULL;
}
