/*
 * collector/base/router_identity.h - the identity of a router, and the shard
 * that owns it
 *
 *	address (default)	source address of the session
 *	sysname			the sysName of its Initiation
 *	bgp-id			BGP identifier of the router's OPEN (in Peer Up)
 *
 * The last two modes are for routers behind NAT, whose address is not unique.
 * An alias from the configuration, by address and port or by address, overrides
 * all three.
 *
 * An identity is an address or a name. Two forms of one address (192.0.2.1 and
 * ::ffff:192.0.2.1) are one identity, because addresses are 16 bytes here. A
 * name that looks like an address is still a name.
 *
 * Owner shard	A hash of the identity selects it. The hash is the same in all
 *		runs and versions, so a reconnect reaches the same shard from
 *		any listener. See identity_hash().
 * Token	The name of a router in subjects and file names. No two
 *		identities share one:
 *
 *			192.0.2.1	v4_192_0_2_1
 *			core-1		id_core-1
 *			core1.example	id_core1_2eexample
 *
 *		Letters, digits and "-" of a name stay; every other byte is
 *		"_" and two hex digits, "_" too, so that the name can be
 *		restored from the token. A name whose token would be too long is
 *		refused rather than truncated: two truncated tokens could be
 *		equal.
 *
 * Pure functions: no waiting, no allocation, no shared state.
 */
#ifndef COLLECTOR_BASE_ROUTER_IDENTITY_H
#define COLLECTOR_BASE_ROUTER_IDENTITY_H

#include "bmp/message.h"
#include "rib/types.h"

enum identity_mode {
	IDENTITY_ADDRESS,
	IDENTITY_SYSNAME,
	IDENTITY_BGP_ID,
	IDENTITY_MODES
};

/* Bytes of a token, not counting the NUL. */
#define IDENTITY_TOKEN_MAX 192

void identity_from_address(const uint8_t address[16], struct rib_identity *out);

/*
 * Make an identity from a name. -EINVAL if it is empty or has a control
 * character, -ENAMETOOLONG if it or its token is too long. *@out is then
 * unchanged.
 */
int identity_from_name(const uint8_t address[16], const char *name, size_t len,
		       struct rib_identity *out);

/*
 * Look in @msg for the identity that @mode needs. Returns 1 if *@out was set, 0
 * if this message does not contain it, or an error of identity_from_name().
 */
int identity_from_message(enum identity_mode mode, const uint8_t address[16],
			  const struct bmp_message *msg,
			  struct rib_identity *out);

/* The router's own BGP identifier, or 0 if @msg does not contain it. */
uint32_t identity_bgp_id(const struct bmp_message *msg);

/*
 * FNV-1a of 64 bits over one byte, 'A' or 'N', and the 16 bytes of the address
 * or the bytes of the name; then the finaliser of MurmurHash3, because the high
 * bits of FNV are weak. tests/unit/test_collector_router_identity.c has fixed
 * values.
 *
 * The hash has no seed, on purpose. A router that chooses its name can choose
 * its shard, but nothing more: tables inside a shard hash with a seed.
 */
uint64_t identity_hash(const struct rib_identity *id);

/*
 * The shard that owns the identity: the high half of the hash, scaled to less
 * than @shards, which is above 0.
 */
uint32_t identity_shard(const struct rib_identity *id, uint32_t shards);

/* Write the token, NUL-terminated. Returns its length. */
size_t identity_token(const struct rib_identity *id,
		      char out[IDENTITY_TOKEN_MAX + 1]);

/*
 * Set *@out to the identity of the router with this token. -EINVAL if @token is
 * not a valid token.
 */
int identity_from_token(const char *token, struct rib_identity *out);

/* Write the name or the address, for display. Returns the length. */
size_t identity_text(const struct rib_identity *id, char *out, size_t cap);

#endif
