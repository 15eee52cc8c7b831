/*
 * arancini/naming.h - find out who has come, and send it to its owner
 *
 * An alias or an address is known at once. For the others the first messages
 * are read here, on the shard that accepted, with plain receives: at most
 * NAMING_BYTES_MAX of them and no longer than --handshake-timeout.
 *
 * Threads	The accepting shard.
 */
#ifndef ARANCINI_NAMING_H
#define ARANCINI_NAMING_H

#include "arancini/arrival.h"

/* A Peer Up with all its capabilities stands near the start. */
#define NAMING_BYTES_MAX (256 * 1024)

/* Takes over @a. Does not wait. */
void naming_begin(struct worker *w, struct arrival *a);

#endif
