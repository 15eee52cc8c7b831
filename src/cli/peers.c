#include "cli/peers.h"

#include "cli/xalloc.h"

#include "bmp/message.h"
#include "bmp/peer.h"

#define FIRST_SIZE 64

void peers_fini(struct peers *peers)
{
	for (size_t i = 0; i < peers->size; i++)
		free(peers->slots[i]);
	free(peers->slots);
	*peers = (struct peers){ 0 };
}

static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t hash_of(uint8_t type, uint64_t distinguisher,
			const uint8_t address[16])
{
	uint64_t hash = mix_hash(type, distinguisher);

	hash = mix_hash(hash, wire_get_u64(address));
	return mix_hash(hash, wire_get_u64(address + 8));
}

static bool is_same_peer(const struct peer *peer, const struct bmp_peer *header)
{
	return peer->type == header->type &&
	       peer->distinguisher == header->distinguisher &&
	       memcmp(peer->address, header->address, 16) == 0;
}

static void grow_slots(struct peers *peers)
{
	size_t size = peers->size > 0 ? 2 * peers->size : FIRST_SIZE;
	struct peer **slots = memory_must(calloc(size, sizeof(struct peer *)));

	for (size_t i = 0; i < peers->size; i++) {
		struct peer *peer = peers->slots[i];
		uint64_t at;

		if (peer == NULL)
			continue;
		at = hash_of(peer->type, peer->distinguisher, peer->address);
		while (slots[at & (size - 1)] != NULL)
			at++;
		slots[at & (size - 1)] = peer;
	}
	free(peers->slots);
	peers->slots = slots;
	peers->size = size;
}

struct peer *peers_get(struct peers *peers, const struct bmp_peer *header)
{
	struct peer **slot;
	uint64_t at;

	if (2 * (peers->count + 1) > peers->size)
		grow_slots(peers);
	at = hash_of(header->type, header->distinguisher, header->address);
	for (;; at++) {
		slot = &peers->slots[at & (peers->size - 1)];
		if (*slot == NULL)
			break;
		if (is_same_peer(*slot, header))
			return *slot;
	}
	*slot = memory_must(calloc(1, sizeof(**slot)));
	(*slot)->type = header->type;
	(*slot)->distinguisher = header->distinguisher;
	memcpy((*slot)->address, header->address, 16);
	bgp_context_init(&(*slot)->context);
	peers->count++;
	return *slot;
}

static void set_table_name(struct peer *peer, const struct bmp_message *message)
{
	struct tlv tlv;

	if (!tlv_find(message->tlvs, message->tlv_form, BMP_PEER_UP_TABLE_NAME,
		      &tlv) ||
	    tlv.value.len > PEER_NAME_MAX)
		return;
	peer->table_name_len = (uint8_t)tlv.value.len;
	memcpy(peer->table_name, tlv.value.p, tlv.value.len);
}

void peers_up(struct peers *peers, const struct bmp_message *message)
{
	struct peer *peer = peers_get(peers, &message->peer);

	bgp_context_peer_up(&peer->context, &message->peer, &message->up);
	set_table_name(peer, message);
}

void peers_down(struct peers *peers, const struct bmp_message *message)
{
	struct peer *peer = peers_get(peers, &message->peer);

	bgp_context_reset(&peer->context);
}
