/*
 * spargio/net/net.h - helpers shared by listening and serving
 */
#ifndef SPARGIO_NET_NET_H
#define SPARGIO_NET_NET_H

#include <stdbool.h>
#include <stdint.h>

struct sp_rt;

/*
 * Resolve @home to a shard, for a caller in a fiber. -EINVAL if there is no
 * such shard.
 */
int sp__home(uint32_t home, uint32_t *out);

/*
 * True if only this connection failed before it was accepted: try the next one.
 */
bool sp__accept_again(int err);

#endif
