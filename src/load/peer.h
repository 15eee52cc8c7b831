/*
 * load/peer.h - one peer of a simulated router
 *
 * Peer @number of the whole load has the address 10.x.y.z or, every fourth,
 * 2001:db8::x:y:z, and its own AS from 4200000000 up (RFC 6996).
 */
#ifndef LOAD_PEER_H
#define LOAD_PEER_H

#include "bmp/writer.h"
#include "load/table.h"

/*
 * Length of the headers of a Route Monitoring message, up to the length of the
 * withdrawn routes.
 */
#define LOAD_HEAD_LEN (BMP_HEADER_LEN + BMP_PEER_HEADER_LEN + BGP_HEADER_LEN)

struct load_peer {
	struct bmp_peer header;
	uint32_t router; /* BGP identifier of the router */
	uint8_t head[LOAD_HEAD_LEN];
	uint8_t next_hop4[4];
	uint8_t next_hop6[16];
	/*
	 * All peers share one list of attribute sets; each peer starts at a
	 * different offset in it.
	 */
	uint32_t shift[LOAD_HALVES];
	/*
	 * State of each block: 0 = as in the table, LOAD_WITHDRAWN, or 1 + the
	 * index of its churn set. NULL without churn.
	 */
	uint32_t *states[LOAD_HALVES];
	uint64_t routes; /* current number of routes */
};

#define LOAD_WITHDRAWN UINT32_MAX

void load_peer_init(struct load_peer *peer, const struct load_table *table,
		    uint32_t router, uint32_t number);

/* Set the time in the headers of the next messages. */
void load_peer_time(struct load_peer *peer, uint64_t time_ns);

/* Whole messages */

void load_peer_up(const struct load_peer *peer, struct bmp_writer *w);
/* Write a Peer Down; @nth selects its reason. */
void load_peer_down(const struct load_peer *peer, uint32_t nth,
		    struct bmp_writer *w);
void load_peer_end_of_rib(const struct load_peer *peer, enum load_half_id half,
			  struct bmp_writer *w);
/* Write a Statistics Report with the present number of routes of the peer. */
void load_peer_statistics(const struct load_peer *peer, struct bmp_writer *w);

#endif
