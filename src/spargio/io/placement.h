/*
 * spargio/io/placement.h - which shard has a lease of which descriptor
 *
 * One word for each descriptor that was ever leased, changed by
 * compare-and-swap:
 *
 *	 63      48 47       32 31                 0
 *	+----------+-----------+--------------------+
 *	| shard    | in flight | last dropped, ms   |
 *	+----------+-----------+--------------------+
 *
 * The table grows by pieces that stay until the runtime ends. If a descriptor
 * is closed and its number used again soon, the new descriptor has the old
 * lease; the only effect is that another shard may be chosen.
 */
#ifndef SPARGIO_IO_PLACEMENT_H
#define SPARGIO_IO_PLACEMENT_H

#include <stdatomic.h>
#include <stdint.h>

enum {
	SP__LEASES_PIECE = 1024,
	SP__LEASES_PIECES = 1024, /* enough for a million descriptors */
};

struct sp__leases {
	_Atomic uint64_t *_Atomic pieces[SP__LEASES_PIECES];
	/* shard at which the search for the least loaded one begins */
	_Atomic uint32_t turn;
	/* refused requests of threads that are not shards */
	_Atomic uint64_t refused;
};

int sp__leases_new(struct sp__leases **out);
void sp__leases_free(struct sp__leases *leases);

#endif
