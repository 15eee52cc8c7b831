/*
 * egress/subject.h - the subjects of updates and events
 *
 *	arancini.updates.v4_192_0_2_1.64500.1_1
 *	<prefix>.<router>.<peer AS>.<afi>_<safi>
 *
 *	arancini.events.id_core1_2eexample_2enet.peerDown
 *	<prefix>.<router>.<kind>
 *
 * The router is one token, so a consumer can filter by it with a plain
 * wildcard. An address is written with all its groups, so that a router has
 * exactly one token. Events of the collector itself have the token "collector".
 */
#ifndef EGRESS_SUBJECT_H
#define EGRESS_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

/* "id_", the escaped name and a NUL. Tokens of addresses are shorter. */
#define SUBJECT_ROUTER_MAX 193

/* The longest accepted prefix; the rest of a subject is shorter than 224. */
#define SUBJECT_PREFIX_MAX 128
#define SUBJECT_MAX	   (SUBJECT_PREFIX_MAX + 224)

#define SUBJECT_COLLECTOR "collector"

/*
 * Write the token of a router identified by @addr, which has 16 bytes, an IPv4
 * address in its IPv4-mapped form. Returns its length without the NUL.
 */
size_t subject_router(const uint8_t addr[16], char out[SUBJECT_ROUTER_MAX]);

/*
 * Write the token of a router identified by @name: letters, digits and "-"
 * stay, every other byte becomes "_" and two hex digits. No two names share a
 * token. Returns its length without the NUL, or 0 and an empty token if it
 * would be too long: a truncated token could equal another one.
 */
size_t subject_router_named(const char *name, char out[SUBJECT_ROUTER_MAX]);

/*
 * Make a prefix from the configured pattern: "{collector}" is replaced by the
 * token of @collector. -EINVAL if the result is not a valid prefix (it has
 * blanks, wildcards or empty tokens), -ENAMETOOLONG if it is too long; @out is
 * then unchanged.
 */
int subject_prefix(const char *pattern, const char *collector,
		   char out[SUBJECT_PREFIX_MAX + 1]);

/*
 * Write the subject of an update. Returns its length without the NUL, or
 * -ENAMETOOLONG with @out unchanged.
 */
int subject_update(const char *prefix, const char *router, uint32_t peer_as,
		   uint16_t afi, uint8_t safi, char out[SUBJECT_MAX]);

/*
 * Write the subject of an event; @kind is enum rib_event_kind. Returns as
 * subject_update().
 */
int subject_event(const char *prefix, const char *router, unsigned kind,
		  char out[SUBJECT_MAX]);

/* The name of a kind of event, as in the schema and in JSON. */
const char *subject_event_kind(unsigned kind);

#endif
