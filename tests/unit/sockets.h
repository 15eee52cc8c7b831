/*
 * sockets.h - listeners and connected pairs on the loopback interface
 */
#ifndef TESTS_SOCKETS_H
#define TESTS_SOCKETS_H

#include "runtime.h"

#include <spargio/net.h>
#include <spargio/socket.h>

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Listen at a free port of 127.0.0.1. */
static inline int listen_somewhere(struct sp_addr *at)
{
	int fd = -1;

	EXPECT_EQ(sp_addr_parse("127.0.0.1:0", 0, at), 0);
	EXPECT_EQ(sp_listen(at, NULL, &fd), 0);
	EXPECT_EQ(sp_addr_local(fd, at), 0);
	return fd;
}

/* Two ends of one TCP connection, in a fiber. */
static inline void tcp_pair(int fds[2])
{
	struct sp_conn client = { -1, 0 }, server = { -1, 0 };
	struct sp_addr at;
	int listener = listen_somewhere(&at);

	EXPECT_EQ(sp_connect(&at, SP_HOME_HERE, &client), 0);
	EXPECT_EQ(sp_accept(listener, SP_HOME_HERE, &server), 0);
	close(listener);
	fds[0] = client.fd;
	fds[1] = server.fd;
}

/* Let them hold little, so that a sender must wait for its receiver. */
static inline void make_narrow(int fds[2])
{
	struct sp_tcp_opts narrow = { .send_buffer = 65536,
				      .recv_buffer = 65536 };

	EXPECT_EQ(sp_tcp_set(fds[0], &narrow), 0);
	EXPECT_EQ(sp_tcp_set(fds[1], &narrow), 0);
}

static inline void close_pair(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* Descriptors this process has. */
static inline int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = -1; /* the directory's own */

	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

/* Make close() send a reset. */
static inline void close_with_reset(int fd)
{
	struct linger linger = { .l_onoff = 1 };

	EXPECT_EQ(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger,
			     sizeof(linger)),
		  0);
	close(fd);
}

/* Let a socket hear nothing any more, as if its host had gone. */
static inline void make_deaf(int fd)
{
	struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog deaf = { .len = 1, .filter = &drop };

	EXPECT_EQ(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &deaf,
			     sizeof(deaf)),
		  0);
}

/* Have the kernel give it up with ETIMEDOUT after a fraction of a second. */
static inline void make_hasty(int fd)
{
	struct sp_tcp_opts hasty = { .user_timeout_ms = 100 };

	EXPECT_EQ(sp_tcp_set(fd, &hasty), 0);
}

/* Two ends: of what fds[1] has sent nothing is ever acknowledged. */
static inline void half_open_pair(int fds[2])
{
	tcp_pair(fds);
	make_hasty(fds[1]);
	make_deaf(fds[0]);
	EXPECT_EQ(sp_send_all(fds[1], "?", 1), 0);
}

#endif
