/*
 * spargio/resolve.h - names to addresses
 *
 * The system's resolver blocks, for seconds if a name server does not answer.
 * It therefore runs on a thread of the blocking pool (pool.h) and occupies
 * that thread until the resolver returns, even if the caller's deadline passes
 * earlier. All other functions of the runtime take addresses, not names.
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
 * Look up at most @max addresses of @host for stream sockets, and add @port to
 * each. They are in the order in which to try them. An address literal
 * (address.h) needs no lookup. Returns the number of addresses. Yields.
 *
 *	-ENOENT	the name does not exist or has no address
 *	-EAGAIN	temporary failure: a name server failed, or the pool is full
 *	-EINVAL	@host is empty or too long, or @max is 0
 */
int sp_resolve(const char *host, uint16_t port, struct sp_addr *out,
	       size_t max);
int sp_resolve_until(const char *host, uint16_t port, int64_t deadline,
		     struct sp_addr *out, size_t max);

#ifdef __cplusplus
}
#endif

#endif
