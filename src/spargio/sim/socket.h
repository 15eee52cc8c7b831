/*
 * spargio/sim/socket.h - simulated sockets
 *
 * A connection is two sockets, each with the bytes that it has received. A
 * send makes a segment, which arrives at the other socket later. Segments of
 * one direction arrive in order. While the network between the hosts is
 * partitioned or the receiver has no power, a segment is sent again, as by
 * TCP.
 *
 * The memory of a closed socket is freed when neither its peer nor a segment
 * refers to it.
 */
#ifndef SPARGIO_SIM_SOCKET_H
#define SPARGIO_SIM_SOCKET_H

#include "spargio/sim/file.h"

#include <sys/socket.h>
#include <sys/uio.h>

enum sp__sim_socket_state {
	SP__SIM_IDLE,
	SP__SIM_LISTENING,
	SP__SIM_CONNECTING,
	SP__SIM_OPEN,
};

struct sp__sim_datagram {
	struct sp__sim_datagram *next;
	struct sp_addr from;
	size_t len;
	uint8_t data[];
};

struct sp__sim_socket {
	struct sp__sim_file file; /* must be the first member */
	enum sp__sim_socket_state state;
	int family, type;
	bool bound, reuse_port;
	bool closed; /* the socket has no descriptor any more */
	uint32_t refs;
	struct sp_addr local, peer;
	int error; /* negative errno that the next call returns */

	/* Listener: connections that are not accepted yet, oldest first. */
	struct sp__sim_socket *queue;
	uint32_t queued, backlog;
	struct sp__sim_socket *next_queued;

	/* Connection. */
	struct sp__sim_socket *other;
	uint8_t *in; /* received bytes from in_begin to in_end */
	size_t in_begin, in_end, in_size;
	bool in_over;	  /* FIN arrived, shutdown(SHUT_RD), or broken */
	bool out_over;	  /* FIN sent, or broken */
	bool broken;	  /* RST sent or received, time-out or no memory */
	size_t unread;	  /* bytes sent that the peer has not read */
	int64_t arrives;  /* time at which the last sent segment arrives */
	int64_t departs;  /* time at which the link can send again */
	int64_t retry_at; /* time before which no sent segment arrives */
	uint32_t syns;
	/* time at which the last segment or answer to a probe arrived */
	int64_t heard;

	/* Keepalive: idle_s and every_s are in seconds, idle_s 0 = off. */
	int idle_s, every_s, count;
	uint32_t unanswered;
	uint64_t probe; /* number of the next probe; others are outdated */

	/* Datagrams, oldest first. */
	struct sp__sim_datagram *datagrams;
	uint32_t ndatagrams;
};

/* The bytes of an operation. */
struct sp__sim_bytes {
	struct iovec one;
	const struct iovec *iov;
	size_t count, len;
	struct msghdr *msg; /* or NULL */
	int flags;
};

extern const struct sp__sim_kind sp__sim_socket_kind;

/* NULL if out of memory. */
struct sp__sim_socket *sp__sim_socket_new(struct sp_sim_host *host, int family,
					  int type);
void sp__sim_socket_put(struct sp__sim_socket *s);
void sp__sim_bytes_of(const struct io_uring_sqe *sqe, struct sp__sim_bytes *b);
/*
 * Copy up to @len bytes: ..._get() from the operation's vector to @data,
 * ..._put() from @data to the vector.
 */
void sp__sim_bytes_get(const struct sp__sim_bytes *b, void *data, size_t len);
void sp__sim_bytes_put(const struct sp__sim_bytes *b, const void *data,
		       size_t len);

/* Addresses and distances */
struct sp_sim_host *sp__sim_host_at(struct sp_sim_host *from,
				    const struct sp_addr *to);
bool sp__sim_is_lost(const struct sp_sim_host *from,
		     const struct sp_sim_host *to);
int64_t sp__sim_latency(const struct sp_sim_host *from,
			const struct sp_sim_host *to);
/*
 * The listener or datagram socket of @host for the address @to, or NULL. If
 * several sockets share the address, one of them at random.
 */
struct sp__sim_socket *sp__sim_socket_at(struct sp_sim_host *host,
					 const struct sp_addr *to, int type);
/* Bind the socket to a free port and the address from which @to is reached. */
int sp__sim_bind_for(struct sp__sim_socket *s, const struct sp_addr *to);
int sp__sim_bind(struct sp__sim_socket *s, const struct sp_addr *at);

/* Connections; results as those of system calls. */
int sp__sim_connect(struct sp__sim_socket *s, const struct sp_addr *to);
int sp__sim_send(struct sp__sim_socket *s, const struct sp__sim_bytes *b);
int sp__sim_recv(struct sp__sim_socket *s, const struct sp__sim_bytes *b);
/* Send FIN, unless it was sent before. */
void sp__sim_send_end(struct sp__sim_socket *s);
/*
 * Start the keepalive probes of @s again, after an option of keepalive was
 * changed.
 */
void sp__sim_keep_alive(struct sp__sim_socket *s);
/* End the connection in both directions immediately; the peer gets RST. */
void sp__sim_break(struct sp__sim_socket *s);

/* Datagrams. */
int sp__sim_sendto(struct sp__sim_socket *s, const struct sp__sim_bytes *b);
int sp__sim_recvfrom(struct sp__sim_socket *s, const struct sp__sim_bytes *b);

#endif
