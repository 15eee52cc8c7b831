/*
 * spargio/net/net.h - what listening and serving share
 */
#ifndef SPARGIO_NET_NET_H
#define SPARGIO_NET_NET_H

#include <stdbool.h>
#include <stdint.h>

struct sp_rt;

/* The shard that @home means, for a caller in a fiber. -EINVAL: none such. */
int sp__home(uint32_t home, uint32_t *out);

/* This connection failed before it was taken: the next may be well. */
bool sp__accept_again(int err);

#endif
