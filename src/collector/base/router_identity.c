#include "collector/base/router_identity.h"

#include "collector/base/ip.h"

#include "bmp/open.h"
#include "bmp/text.h"
#include "egress/subject.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static_assert(IDENTITY_TOKEN_MAX + 1 == SUBJECT_ROUTER_MAX,
	      "a token is one and the same here and in subjects");

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x00000100000001b3)

void identity_from_address(const uint8_t address[16], struct rib_identity *out)
{
	*out = (struct rib_identity){ 0 };
	memcpy(out->address, address, sizeof(out->address));
}

/*
 * True if the name is UTF-8 without control characters, because it is sent as
 * text in messages.
 */
static bool is_clean_text(const char *name, size_t len)
{
	struct wire_view rest = { (const uint8_t *)name, len };

	while (rest.len > 0) {
		size_t n = text_utf8_len(rest);

		if (n == 0 || rest.p[0] < 0x20 || rest.p[0] == 0x7f)
			return false;
		rest.p += n;
		rest.len -= n;
	}
	return true;
}

int identity_from_name(const uint8_t address[16], const char *name, size_t len,
		       struct rib_identity *out)
{
	struct rib_identity id = { 0 };
	char token[IDENTITY_TOKEN_MAX + 1];

	/* Some routers send a NUL at the end, some pad with blanks. */
	while (len > 0 && (name[len - 1] == '\0' || name[len - 1] == ' '))
		len--;
	if (len == 0 || !is_clean_text(name, len))
		return -EINVAL;
	if (len > RIB_NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(id.address, address, sizeof(id.address));
	memcpy(id.name, name, len);
	if (subject_router_named(id.name, token) == 0)
		return -ENAMETOOLONG;
	*out = id;
	return 0;
}

static int from_sys_name(const uint8_t address[16],
			 const struct bmp_message *msg,
			 struct rib_identity *out)
{
	struct tlv_iter it = tlv_start(msg->tlvs, msg->tlv_form);
	struct tlv tlv;
	int err;

	if (msg->type != BMP_INITIATION)
		return 0;
	while (tlv_next(&it, &tlv)) {
		if (tlv.type != BMP_INIT_SYS_NAME)
			continue;
		err = identity_from_name(address, (const char *)tlv.value.p,
					 tlv.value.len, out);
		return err < 0 ? err : 1;
	}
	return 0;
}

/*
 * True if the peer belongs to the global routing instance. Other instances may
 * have their own BGP identifiers, which do not identify the router.
 */
static bool is_global(const struct bmp_peer *peer)
{
	return peer->type == BMP_PEER_GLOBAL ||
	       (peer->type == BMP_PEER_LOC_RIB && peer->distinguisher == 0);
}

uint32_t identity_bgp_id(const struct bmp_message *msg)
{
	struct bgp_open open;

	if (!msg->has_peer || !is_global(&msg->peer))
		return 0;
	/*
	 * RFC 9069 4.1: the header of a Loc-RIB has the router's own
	 * identifier.
	 */
	if (msg->peer.type == BMP_PEER_LOC_RIB)
		return msg->peer.bgp_id;
	if (msg->type != BMP_PEER_UP || msg->up.sent_open.whole.len == 0)
		return 0;
	if (bgp_open_decode(msg->up.sent_open.body, &open) >= BGP_OPEN_SHORT)
		return 0;
	return open.bgp_id;
}

static int from_bgp_id(const uint8_t address[16], const struct bmp_message *msg,
		       struct rib_identity *out)
{
	uint32_t bgp_id = identity_bgp_id(msg);
	uint8_t wire[4];
	char name[INET_ADDRSTRLEN];
	struct text t = text_start(name, sizeof(name));
	int err;

	if (bgp_id == 0)
		return 0;
	wire_put_u32(wire, bgp_id);
	text_ipv4(&t, wire);
	err = identity_from_name(address, name, text_end(&t), out);
	return err < 0 ? err : 1;
}

int identity_from_message(enum identity_mode mode, const uint8_t address[16],
			  const struct bmp_message *msg,
			  struct rib_identity *out)
{
	switch (mode) {
	case IDENTITY_SYSNAME:
		return from_sys_name(address, msg, out);
	case IDENTITY_BGP_ID:
		return from_bgp_id(address, msg, out);
	default:
		identity_from_address(address, out);
		return 1;
	}
}

static uint64_t fnv_hash(uint64_t h, const void *p, size_t len)
{
	const uint8_t *byte = p;

	for (size_t i = 0; i < len; i++)
		h = (h ^ byte[i]) * FNV_PRIME;
	return h;
}

static uint64_t hash_finalise(uint64_t h)
{
	h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
	h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 33;
}

uint64_t identity_hash(const struct rib_identity *id)
{
	if (rib_identity_named(id))
		return hash_finalise(fnv_hash(fnv_hash(FNV_OFFSET, "N", 1),
					      id->name, strlen(id->name)));
	return hash_finalise(fnv_hash(fnv_hash(FNV_OFFSET, "A", 1), id->address,
				      sizeof(id->address)));
}

uint32_t identity_shard(const struct rib_identity *id, uint32_t shards)
{
	return (uint32_t)((identity_hash(id) >> 32) * shards >> 32);
}

size_t identity_token(const struct rib_identity *id,
		      char out[IDENTITY_TOKEN_MAX + 1])
{
	if (rib_identity_named(id))
		return subject_router_named(id->name, out);
	return subject_router(id->address, out);
}

static int nibble_parse(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -EINVAL;
}

static int name_unescape(const char *s, char out[RIB_NAME_MAX + 1], size_t *len)
{
	size_t n = 0;

	for (; *s != '\0'; s++) {
		int high, low;

		if (n == RIB_NAME_MAX)
			return -EINVAL;
		if (*s != '_') {
			out[n++] = *s;
			continue;
		}
		high = nibble_parse(s[1]);
		low = high < 0 ? high : nibble_parse(s[2]);
		if (low < 0)
			return -EINVAL;
		out[n++] = (char)(high << 4 | low);
		s += 2;
	}
	*len = n;
	return 0;
}

static int address_of_token(const char *token, uint8_t out[16])
{
	bool v6 = strncmp(token, "v6_", 3) == 0;
	char text[SUBJECT_ROUTER_MAX];
	size_t len = strlen(token);

	if ((!v6 && strncmp(token, "v4_", 3) != 0) || len >= sizeof(text))
		return -EINVAL;
	memcpy(text, token, len + 1);
	for (char *s = text; *s != '\0'; s++)
		if (*s == '_')
			*s = v6 ? ':' : '.';
	return ip_parse(text + 3, out) == (v6 ? AF_INET6 : AF_INET) ? 0
								    : -EINVAL;
}

int identity_from_token(const char *token, struct rib_identity *out)
{
	char name[RIB_NAME_MAX + 1];
	char again[IDENTITY_TOKEN_MAX + 1];
	uint8_t address[16] = { 0 };
	struct rib_identity id = { 0 };
	size_t len;
	int err;

	if (strncmp(token, "id_", 3) == 0) {
		err = name_unescape(token + 3, name, &len);
		if (err == 0)
			err = identity_from_name(address, name, len, &id);
	} else {
		err = address_of_token(token, address);
		if (err == 0)
			identity_from_address(address, &id);
	}
	if (err < 0)
		return -EINVAL;
	/* Each router has exactly one token: refuse another spelling of it. */
	identity_token(&id, again);
	if (strcmp(again, token) != 0)
		return -EINVAL;
	*out = id;
	return 0;
}

size_t identity_text(const struct rib_identity *id, char *out, size_t cap)
{
	struct text t = text_start(out, cap);

	if (rib_identity_named(id))
		text_str(&t, id->name);
	else
		text_ip(&t, id->address);
	return text_end(&t);
}
