/*
 * egress/subject.h - where in the stream an update goes
 *
 *	arancini.updates.v4_192_0_2_1.64500.1_1
 *	<prefix>.<router>.<peer AS>.<afi>_<safi>
 *
 * The router is a token of its own, so a consumer filters by it with a plain
 * wildcard. An address is written group by group with nothing left out, so
 * that one router has exactly one token.
 */
#ifndef EGRESS_SUBJECT_H
#define EGRESS_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

/* "v6_" and eight groups of four with seven separators, and a NUL. */
#define SUBJECT_ROUTER_MAX 43

/* The longest prefix we take; the rest of a subject is shorter than 64. */
#define SUBJECT_PREFIX_MAX 128
#define SUBJECT_MAX	   (SUBJECT_PREFIX_MAX + 64)

/*
 * Write the token for @addr, 16 bytes, IPv4 in its mapped form. Returns its
 * length without the NUL.
 */
size_t subject_router(const uint8_t addr[16], char out[SUBJECT_ROUTER_MAX]);

/*
 * Write a whole subject. Returns its length without the NUL, or -ENAMETOOLONG
 * with @out untouched.
 */
int subject_update(const char *prefix, const char *router, uint32_t peer_as,
		   uint16_t afi, uint8_t safi, char out[SUBJECT_MAX]);

#endif
