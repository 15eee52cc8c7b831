/*
 * collector/base/ip.h - addresses of 16 bytes, IPv4 mapped to IPv6
 *
 * 192.0.2.1 is ::ffff:192.0.2.1, so that both families have one form.
 * bmp/bytes.h has wire_is_mapped(), which tests for such an address, and
 * wire_put_mapped(), which makes one; text_ip() of bmp/text.h writes it.
 */
#ifndef COLLECTOR_BASE_IP_H
#define COLLECTOR_BASE_IP_H

#include <spargio/address.h>

#include <stdint.h>

/*
 * Parse an address without a port. Returns the family of the notation, AF_INET
 * or AF_INET6, or -EINVAL with @out unchanged. ::ffff:192.0.2.1 is AF_INET6.
 */
int ip_parse(const char *text, uint8_t out[16]);

void ip_to_sockaddr(const uint8_t address[16], uint16_t port,
		    struct sp_addr *out);

/* Convert a socket address, which must be AF_INET or AF_INET6. */
void ip_from_sockaddr(const struct sockaddr *from, uint8_t out[16]);

#endif
