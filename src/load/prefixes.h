/*
 * load/prefixes.h - distinct prefixes, spread over the address space
 *
 *	0     1                       7    8
 *	+-----+-----------------------+----+
 *	| len | address, leading bytes| -- |	as an NLRI, in eight bytes
 *	+-----+-----------------------+----+
 *
 * The prefixes are in ascending order, with the lengths of shape.h. Each is
 * stored in wire format, so writing one is a copy of eight bytes and an advance
 * by load_prefix_size().
 */
#ifndef LOAD_PREFIXES_H
#define LOAD_PREFIXES_H

#include "bmp/family.h"
#include "load/random.h"

#include <stddef.h>

/* The longest prefix made here, /48, takes seven bytes on the wire. */
#define LOAD_PREFIX_SIZE_MAX 7

struct load_prefixes {
	uint64_t *nlri;
	uint32_t count;
};

/*
 * Make @count prefixes of IPv4 or IPv6 unicast. -ERANGE if the address space is
 * too small, -ENOMEM.
 */
int load_prefixes_init(struct load_prefixes *prefixes, enum bgp_family family,
		       uint32_t count, struct load_random *random);

void load_prefixes_fini(struct load_prefixes *prefixes);

/* The number of bytes of @nlri on the wire. */
static inline size_t load_prefix_size(const uint64_t *nlri)
{
	return 1 + (*(const uint8_t *)nlri + 7u) / 8;
}

#endif
