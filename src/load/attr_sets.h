/*
 * load/attr_sets.h - distinct sets of path attributes, ready to be copied
 *
 *	ORIGIN	AS_PATH: [peer] transit ... origin	NEXT_HOP   the others
 *	4	5 bytes, then the first AS at 9		(IPv4)
 *
 * A set is encoded once. What differs from peer to peer, the first AS and the
 * next hop, is at known places to be patched: the first AS at LOAD_SET_AS_AT,
 * the next hop of IPv4 where the set says. Sets for IPv6 have no NEXT_HOP;
 * theirs is in MP_REACH, which stands before them (RFC 7606 5.1).
 *
 * No two sets of one struct load_sets are equal, with whatever peer they are
 * used; see attr_sets.c.
 */
#ifndef LOAD_ATTR_SETS_H
#define LOAD_ATTR_SETS_H

#include "bmp/family.h"
#include "load/random.h"

#include <stddef.h>

#define LOAD_SET_AS_AT 9

/* No set is longer: all of shape.h's largest values at once. */
#define LOAD_SET_MAX 448

struct load_set {
	uint32_t at; /* in bytes */
	uint16_t len;
	uint16_t next_hop_at; /* in the set; 0: it has none */
};

struct load_sets {
	uint8_t *bytes;
	size_t size;
	size_t len;
	struct load_set *list;
	uint32_t count;
};

/* -ENOMEM; -ERANGE if they would take more than 4 GiB. */
int load_sets_init(struct load_sets *sets, enum bgp_family family,
		   uint32_t count, struct load_random *random);

void load_sets_fini(struct load_sets *sets);

#endif
