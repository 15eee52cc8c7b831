/*
 * cli/decode_bgpdump.h - one line of text a route, as "bgpdump -m" prints it
 *
 *	BGP4MP|1427846400|A|192.0.2.1|64500|203.0.113.0/24|64500 64501|IGP|192.0.2.1|0|0|64500:1|NAG||
 *
 * Fields that are separated by bars: record, time, what (A announced, W
 * withdrawn, B of a table, STATE), peer, its AS, prefix, and of an
 * announcement AS path, origin, next hop, local preference, MED, communities,
 * atomic aggregate, aggregator. Only unicast and multicast routes have a line.
 */
#ifndef CLI_DECODE_BGPDUMP_H
#define CLI_DECODE_BGPDUMP_H

#include "bmp/peer.h"
#include "cli/decode.h"

/*
 * What the lines of a record begin with. @record is "TABLE_DUMP_V2", or
 * "BGP4MP" for what is not MRT.
 */
struct bgpdump_origin {
	const char *record;
	uint64_t time_ns;
	bool microseconds; /* the record has them */
	bool add_path;	   /* of a subtype of RFC 8050 */
};

void decode_bgpdump_begin(struct decode *d, const struct bgpdump_origin *origin,
			  const struct bmp_peer *peer);

/* The routes of part @s of the UPDATE; @path_id as in decode_rib_entry(). */
void decode_bgpdump_routes(struct decode *d, const struct bgp_update *u,
			   enum bgp_nlri_part_id s, const uint32_t *path_id);

void decode_bgpdump_state(struct decode *d, unsigned old_state,
			  unsigned new_state);

#endif
