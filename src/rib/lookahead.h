/*
 * rib/lookahead.h - read some messages before the first of them is applied
 *
 * What a message changes may lie anywhere in memory, and a message with one
 * route has nothing else to do while it waits for it. So messages are read
 * some at a time, in passes over all of them: each pass asks for what the one
 * before has brought near.
 *
 *	pass	looks at		asks for
 *	1	the message		slots in the indices of prefixes and
 *					of attribute sets
 *	2	the slots		the prefix, its route, the set
 *	3	the route		the set it has now
 *
 * Nothing is changed and nothing is decided here: when it is its turn, each
 * message is applied as if nobody had looked. That is why what is found may
 * be wrong by then, and why only messages can be read ahead whose reading no
 * message before them can change: Route Monitoring of peers that are up.
 */
#ifndef RIB_LOOKAHEAD_H
#define RIB_LOOKAHEAD_H

#include "rib/types.h"

struct bgp_overrides;
struct bmp_message;

/*
 * Read as many of @msgs as can be, into router->rib->lookahead; returns how many.
 * 0: apply the first as it is.
 */
size_t rib_lookahead_read(struct rib_router *router,
			  const struct bmp_message *msgs, size_t n,
			  const struct bgp_overrides *over);

#endif
