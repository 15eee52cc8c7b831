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
 * True if @err concerns only the connection that was to be accepted, not the
 * listener: accept the next connection.
 */
bool sp__accept_again(int err);

#endif
