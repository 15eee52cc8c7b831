#include "collector/base/ip.h"

#include "bmp/bytes.h"

#include <arpa/inet.h>
#include <errno.h>

int ip_parse(const char *text, uint8_t out[16])
{
	uint8_t address[16];

	if (inet_pton(AF_INET, text, address) == 1) {
		wire_put_mapped(out, address);
		return AF_INET;
	}
	if (inet_pton(AF_INET6, text, address) != 1)
		return -EINVAL;
	memcpy(out, address, sizeof(address));
	return AF_INET6;
}

void ip_to_sockaddr(const uint8_t address[16], uint16_t port,
		    struct sp_addr *out)
{
	memset(out, 0, sizeof(*out));
	if (wire_is_mapped(address)) {
		out->len = sizeof(out->in4);
		out->in4.sin_family = AF_INET;
		out->in4.sin_port = htons(port);
		memcpy(&out->in4.sin_addr, address + 12, 4);
		return;
	}
	out->len = sizeof(out->in6);
	out->in6.sin6_family = AF_INET6;
	out->in6.sin6_port = htons(port);
	memcpy(&out->in6.sin6_addr, address, 16);
}

void ip_from_sockaddr(const struct sockaddr *from, uint8_t out[16])
{
	if (from->sa_family == AF_INET)
		wire_put_mapped(out, (const uint8_t *)&(
					     (const struct sockaddr_in *)from)
					     ->sin_addr);
	else
		memcpy(out, &((const struct sockaddr_in6 *)from)->sin6_addr,
		       16);
}
