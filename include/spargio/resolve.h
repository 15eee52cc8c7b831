/*
 * spargio/resolve.h - names to addresses
 *
 * The system's resolver blocks, for seconds if a name server is away. So it
 * runs in the blocking pool (pool.h), where it takes a thread for as long as
 * it needs, however soon the caller gives up. Everything else in the runtime
 * takes addresses, not names: this is the only way to ask.
 */
#ifndef SPARGIO_RESOLVE_H
#define SPARGIO_RESOLVE_H

#include <spargio/address.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The addresses of @host for stream sockets, with @port, in the order they
 * should be tried; at most @max. A literal (address.h) is answered at once.
 * Returns how many there are. Yields.
 *
 * -ENOENT	there is no such name, or it has no address.
 * -EAGAIN	no answer now: a name server failed, or the pool is full.
 * -EINVAL	no name.
 */
int sp_resolve(const char *host, uint16_t port, struct sp_addr *out,
	       size_t max);
int sp_resolve_until(const char *host, uint16_t port, int64_t deadline,
		     struct sp_addr *out, size_t max);

#ifdef __cplusplus
}
#endif

#endif
