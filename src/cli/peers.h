/*
 * cli/peers.h - the peers of one BMP session, and their decode contexts
 *
 * Within a session a peer is identified by type, distinguisher and address (RFC
 * 7854 4.2); all its views share the data of the Peer Up.
 */
#ifndef CLI_PEERS_H
#define CLI_PEERS_H

#include "bmp/decode_context.h"

struct bmp_message;

#define PEER_NAME_MAX 255

struct peer {
	uint8_t type;
	uint64_t distinguisher;
	uint8_t address[16];
	struct bgp_context context;
	uint8_t table_name_len;
	uint8_t table_name[PEER_NAME_MAX]; /* RFC 9069 5.2.1 */
};

/* All zero is an empty table. */
struct peers {
	struct peer **slots; /* open addressing */
	size_t size;	     /* a power of two, or 0 */
	size_t count;
};

void peers_fini(struct peers *peers);

/* The peer of @header; a new one is created if necessary. */
struct peer *peers_get(struct peers *peers, const struct bmp_peer *header);

/*
 * Update the peer for a Peer Up; @message must be usable (bmp_status_usable()).
 */
void peers_up(struct peers *peers, const struct bmp_message *message);

void peers_down(struct peers *peers, const struct bmp_message *message);

#endif
