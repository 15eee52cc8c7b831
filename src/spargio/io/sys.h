/*
 * spargio/io/sys.h - system calls that a simulation replaces
 *
 * The calls on sockets and files that the runtime makes itself, beside SQEs.
 * They have the signatures and errors of libc.
 */
#ifndef SPARGIO_IO_SYS_H
#define SPARGIO_IO_SYS_H

#include "spargio/io/sync_ops.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>

/*
 * The first simulated descriptor. The kernel does not assign numbers that high
 * by default, so a real system call on a simulated descriptor fails with
 * EBADF.
 */
#define SP__SIM_FD_BASE (1 << 24)

struct sp__sys {
	__typeof__(socket) *socket;
	__typeof__(bind) *bind;
	__typeof__(listen) *listen;
	__typeof__(connect) *connect;
	__typeof__(setsockopt) *setsockopt;
	__typeof__(getsockopt) *getsockopt;
	__typeof__(getsockname) *getsockname;
	__typeof__(getpeername) *getpeername;
	__typeof__(shutdown) *shutdown;
	__typeof__(recv) *recv;
	__typeof__(poll) *poll;
	__typeof__(fstat) *fstat;
	int (*close)(int fd);
	int (*fcntl)(int fd, int command, int value);
	int (*unread)(int fd, int *bytes); /* ioctl(SIOCINQ) */
	ssize_t (*getrandom)(void *data, size_t len, unsigned int flags);
	__typeof__(sp__sqe_try) *sqe_try;
};

extern const struct sp__sys sp__sys_real;
extern const struct sp__sys *_Atomic sp__sys_table;

static inline const struct sp__sys *sp__sys(void)
{
	return atomic_load_explicit(&sp__sys_table, memory_order_relaxed);
}

#endif
