#include "collector/policy/acl.h"

#include "collector/base/ip.h"

#include "bmp/bytes.h"
#include "bmp/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bits before the IPv4 address in the IPv4-mapped form. */
#define MAPPED_BITS 96u

/* Split "address/length"; without a slash *@length stays NULL. */
static int network_split(const char *text, char address[INET6_ADDRSTRLEN],
			 const char **length)
{
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);

	if (len >= INET6_ADDRSTRLEN)
		return -EINVAL;
	memcpy(address, text, len);
	address[len] = '\0';
	*length = slash ? slash + 1 : NULL;
	return 0;
}

static int parse_length(const char *text, unsigned int max, unsigned int *out)
{
	char *end;
	unsigned long v;

	if (text == NULL) {
		*out = max;
		return 0;
	}
	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	v = strtoul(text, &end, 10);
	if (*end != '\0' || v > max)
		return -EINVAL;
	*out = (unsigned int)v;
	return 0;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	unsigned int bytes = bits / 8;
	uint8_t mask = (uint8_t)(0xff00 >> bits % 8);

	return memcmp(a, b, bytes) == 0 &&
	       (bits % 8 == 0 || ((a[bytes] ^ b[bytes]) & mask) == 0);
}

static bool bits_beyond(const struct acl_network *n)
{
	uint8_t masked[16] = { 0 };
	unsigned int bytes = n->len / 8;

	memcpy(masked, n->addr, bytes);
	if (n->len % 8 != 0)
		masked[bytes] =
			(uint8_t)(n->addr[bytes] & (0xff00 >> n->len % 8));
	return memcmp(masked, n->addr, sizeof(masked)) != 0;
}

static int parse_network(const char *text, struct acl_network *out)
{
	struct acl_network n;
	char address[INET6_ADDRSTRLEN];
	const char *length;
	unsigned int len, before;
	int family, err = network_split(text, address, &length);

	if (err < 0)
		return err;
	family = ip_parse(address, n.addr);
	if (family < 0)
		return family;
	before = family == AF_INET ? MAPPED_BITS : 0;
	err = parse_length(length, 128 - before, &len);
	if (err < 0)
		return err;
	n.len = (uint8_t)(before + len);
	if (bits_beyond(&n))
		return -EINVAL;
	*out = n;
	return 0;
}

int acl_list_add(struct acl_list *list, const char *text)
{
	struct acl_network *grown;
	struct acl_network n;
	int err = parse_network(text, &n);

	if (err < 0)
		return err;
	grown = reallocarray(list->networks, list->count + 1, sizeof(n));
	if (grown == NULL)
		return -ENOMEM;
	grown[list->count] = n;
	list->networks = grown;
	list->count++;
	return 0;
}

void acl_release(struct acl *acl)
{
	free(acl->allow.networks);
	free(acl->deny.networks);
	*acl = ACL_INIT;
}

size_t acl_network_format(const struct acl_network *n, char *out, size_t cap)
{
	bool v4 = n->len >= MAPPED_BITS && wire_is_mapped(n->addr);
	struct text t = text_start(out, cap);

	if (v4)
		text_ipv4(&t, n->addr + 12);
	else
		text_ipv6(&t, n->addr);
	text_char(&t, '/');
	text_u64(&t, v4 ? n->len - MAPPED_BITS : n->len);
	return text_end(&t);
}

bool acl_network_has(const struct acl_network *n, const uint8_t addr[16])
{
	/*
	 * A network that is shorter than the mapped prefix was written as IPv6,
	 * for example ::/0, and contains no IPv4 addresses.
	 */
	if (n->len < MAPPED_BITS && wire_is_mapped(addr))
		return false;
	return same_bits(addr, n->addr, n->len);
}

bool acl_list_has(const struct acl_list *list, const uint8_t addr[16])
{
	for (size_t i = 0; i < list->count; i++)
		if (acl_network_has(&list->networks[i], addr))
			return true;
	return false;
}

bool acl_permits(const struct acl *acl, const uint8_t addr[16])
{
	if (acl_list_has(&acl->deny, addr))
		return false;
	return acl->allow.count == 0 || acl_list_has(&acl->allow, addr);
}
