/*
 * rib/identity.h - what makes a router the same router
 *
 * Its name if it has one, else its address.
 */
#ifndef RIB_IDENTITY_H
#define RIB_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes of a name, without the NUL. */
#define RIB_NAME_MAX 128

struct rib_identity {
	uint8_t address[16]; /* where its session comes from; IPv4 mapped */
	char name[RIB_NAME_MAX + 1]; /* "": the address is the identity */
};

static inline bool rib_identity_named(const struct rib_identity *id)
{
	return id->name[0] != '\0';
}

static inline bool rib_identity_equal(const struct rib_identity *a,
				      const struct rib_identity *b)
{
	if (rib_identity_named(a) || rib_identity_named(b))
		return strcmp(a->name, b->name) == 0;
	return memcmp(a->address, b->address, sizeof(a->address)) == 0;
}

#endif
