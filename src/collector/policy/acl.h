/*
 * collector/policy/acl.h - which addresses may open a session
 *
 * Two lists of networks. A denied address is refused; otherwise it is admitted
 * if the allow list is empty or contains it. The lists are checked once for
 * each accepted socket, before a byte is read, so a linear search is fast
 * enough.
 *
 * Addresses have 16 bytes, IPv4-mapped; 192.0.2.0/24 is stored as
 * ::ffff:192.0.2.0/120, so one comparison serves both families. An IPv6 network
 * contains no IPv4 address, not even ::/0.
 */
#ifndef COLLECTOR_POLICY_ACL_H
#define COLLECTOR_POLICY_ACL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct acl_network {
	uint8_t addr[16];
	uint8_t len; /* length in bits, 0 to 128 */
};

struct acl_list {
	struct acl_network *networks;
	size_t count;
};

struct acl {
	struct acl_list allow;
	struct acl_list deny;
};

#define ACL_INIT ((struct acl){ 0 })

/*
 * Append the network in @text: "192.0.2.0/24", "2001:db8::/32", or a single
 * address. -EINVAL if @text is invalid or has bits set beyond the length;
 * -ENOMEM.
 */
int acl_list_add(struct acl_list *list, const char *text);

void acl_release(struct acl *acl);

#define ACL_TEXT_MAX 64

/*
 * Write the text of @n, in the form for acl_list_add(). Returns its length, as
 * snprintf() would.
 */
size_t acl_network_format(const struct acl_network *n, char *out, size_t cap);

bool acl_network_has(const struct acl_network *n, const uint8_t addr[16]);

bool acl_list_has(const struct acl_list *list, const uint8_t addr[16]);

bool acl_permits(const struct acl *acl, const uint8_t addr[16]);

#endif
