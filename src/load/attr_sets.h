/*
 * load/attr_sets.h - distinct sets of path attributes, ready to be copied
 *
 *	ORIGIN	AS_PATH: [peer] transit ... origin	NEXT_HOP   the others
 *	4	5 bytes, then the first AS at 9		(IPv4)
 *
 * A set is encoded once. The parts that differ between peers are patched at
 * known offsets: the first AS at LOAD_SET_AS_AT, the IPv4 next hop at
 * next_hop_at. Sets for IPv6 have no NEXT_HOP: their next hop is in MP_REACH,
 * which precedes the set (RFC 7606 5.1).
 *
 * No two sets of one struct load_sets are equal, for any peer; see attr_sets.c.
 */
#ifndef LOAD_ATTR_SETS_H
#define LOAD_ATTR_SETS_H

#include "bmp/family.h"
#include "load/random.h"

#include <stddef.h>

#define LOAD_SET_AS_AT 9

/* Maximum bytes of a set, if each value of shape.h is the largest. */
#define LOAD_SET_MAX 448

struct load_set {
	uint32_t at; /* offset in load_sets.bytes */
	uint16_t len;
	uint16_t next_hop_at; /* offset in the set; 0 = none */
};

struct load_sets {
	uint8_t *bytes;
	size_t size;
	size_t len;
	struct load_set *list;
	uint32_t count;
};

/* Make @count sets. -ENOMEM; -ERANGE if they would take more than 4 GiB. */
int load_sets_init(struct load_sets *sets, enum bgp_family family,
		   uint32_t count, struct load_random *random);

void load_sets_fini(struct load_sets *sets);

#endif
