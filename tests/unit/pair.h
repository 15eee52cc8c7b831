/*
 * pair.h - two ends of something that bytes go through in order
 *
 * What reads and writes any descriptor is tried with each kind.
 */
#ifndef TESTS_PAIR_H
#define TESTS_PAIR_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

enum pair_kind {
	PAIR_PIPE,
	PAIR_PIPE_NONBLOCK,
	PAIR_SOCKET,
	PAIR_SOCKET_NONBLOCK,
	PAIR_KINDS,
};

/* fds[0] is to be read, fds[1] to be written; closed on exec. */
static inline int pair_open(enum pair_kind kind, int fds[2])
{
	switch (kind) {
	case PAIR_PIPE:
		return pipe2(fds, O_CLOEXEC);
	case PAIR_PIPE_NONBLOCK:
		return pipe2(fds, O_CLOEXEC | O_NONBLOCK);
	case PAIR_SOCKET:
		return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
	default:
		return socketpair(AF_UNIX,
				  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
				  fds);
	}
}

#endif
