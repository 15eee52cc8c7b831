/*
 * collector/base/router_identity.h - which router this is, and which shard owns it
 *
 *	address (default)	where the session comes from
 *	sysname			the sysName of its Initiation
 *	bgp-id			the BGP identifier of the OPEN it sent (Peer Up)
 *
 * The last two are for routers behind NAT, where the address says nothing. An
 * alias from the configuration, by address and port or by address, comes
 * before all three and makes a name of its own.
 *
 * An identity is an address or a name. Two forms of one address (192.0.2.1 and
 * ::ffff:192.0.2.1) are one identity, because addresses are 16 bytes here. A
 * name that looks like an address is still a name.
 *
 * Owner shard	A hash over the identity that never changes, not from run to
 *		run and not from version to version; so a reconnect finds its
 *		state whichever listener it comes to. See identity_hash().
 * Token	The word for a router in subjects and file names. No two
 *		identities share one:
 *
 *			192.0.2.1	v4_192_0_2_1
 *			core-1		id_core-1
 *			core1.example	id_core1_2eexample
 *
 *		Letters, digits and "-" of a name stay; every other byte is
 *		"_" and two hex digits, "_" too, so that a token can be read
 *		back. A name whose token would be too long is refused rather
 *		than cut: a cut could meet another one.
 *
 * Pure: nothing waits, allocates or is shared.
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

/* Bytes of a token, without the NUL. */
#define IDENTITY_TOKEN_MAX 192

void identity_from_address(const uint8_t address[16], struct rib_identity *out);

/*
 * -EINVAL if the name is empty or has a control character, -ENAMETOOLONG if it
 * or its token does not fit. Then *@out is untouched.
 */
int identity_from_name(const uint8_t address[16], const char *name, size_t len,
		       struct rib_identity *out);

/*
 * Look into @msg for what @mode wants. 1 and *@out is filled, 0 if this
 * message does not say it, or as identity_from_name().
 */
int identity_from_message(enum identity_mode mode, const uint8_t address[16],
			  const struct bmp_message *msg,
			  struct rib_identity *out);

/* The router's own BGP identifier, or 0 if @msg does not say it. */
uint32_t identity_bgp_id(const struct bmp_message *msg);

/*
 * FNV-1a of 64 bits over one byte, 'A' or 'N', and the 16 bytes of the address
 * or the bytes of the name; then the finaliser of MurmurHash3, for FNV is weak
 * in its high bits. tests/unit/test_collector_router_identity.c has fixed values.
 *
 * Not seeded, on purpose. A router that chooses its name can choose its shard,
 * and that is all it can choose: tables inside a shard hash with a seed.
 */
uint64_t identity_hash(const struct rib_identity *id);

/* @shards > 0. The high half of the hash, scaled: below @shards. */
uint32_t identity_shard(const struct rib_identity *id, uint32_t shards);

/* The token, terminated. Returns its length. */
size_t identity_token(const struct rib_identity *id,
		      char out[IDENTITY_TOKEN_MAX + 1]);

/* What a token stands for. -EINVAL if no identity has it. */
int identity_from_token(const char *token, struct rib_identity *out);

/* For people: the name or the address. Returns the length. */
size_t identity_text(const struct rib_identity *id, char *out, size_t cap);

#endif
