#include "spargio/sim/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DATAGRAM_MAX 65507
#define QUEUE_MAX    256

/* A datagram that was sent and has not arrived. */
struct packet {
	struct sp_sim_host *host;
	struct sp_addr to;
	struct sp__sim_datagram *datagram;
};

static void free_packet(void *arg)
{
	struct packet *p = arg;

	free(p->datagram);
	free(p);
}

static void packet_arrives(struct sp_sim *sim, void *arg)
{
	struct packet *p = arg;
	struct sp__sim_socket *s =
		p->host->up ? sp__sim_socket_at(p->host, &p->to, SOCK_DGRAM)
			    : NULL;
	struct sp__sim_datagram **last;

	sp__sim_note(sim, p->host, "gets datagram", p->datagram->len,
		     s != NULL);
	if (s != NULL && s->ndatagrams < QUEUE_MAX) {
		last = &s->datagrams;
		while (*last != NULL)
			last = &(*last)->next;
		*last = p->datagram;
		p->datagram = NULL;
		s->ndatagrams++;
		sp__sim_file_changed(&s->file);
	}
	free_packet(p);
}

static int send_packet(struct sp__sim_socket *s, const struct sp_addr *to,
		       struct sp_sim_host *host, const struct sp__sim_bytes *b)
{
	struct sp_sim *sim = s->file.host->sim;
	struct packet *p = sp__sim_calloc(1, sizeof(*p));

	if (p == NULL)
		return -ENOBUFS;
	p->datagram = sp__sim_malloc(sizeof(*p->datagram) + b->len);
	if (p->datagram == NULL) {
		free(p);
		return -ENOBUFS;
	}
	*p->datagram =
		(struct sp__sim_datagram){ .from = s->local, .len = b->len };
	sp__sim_bytes_get(b, p->datagram->data, b->len);
	p->host = host;
	p->to = *to;
	sp__sim_schedule(sim,
			 &(struct sp__sim_event){
				 .when = sim->now +
					 sp__sim_latency(s->file.host, host),
				 .fire = packet_arrives,
				 .drop = free_packet,
				 .arg = p });
	/* cppcheck-suppress memleak ; the event has it */
	return (int)b->len;
}

int sp__sim_sendto(struct sp__sim_socket *s, const struct sp__sim_bytes *b)
{
	struct sp_sim *sim = s->file.host->sim;
	struct sp_addr to = s->peer;
	struct sp_sim_host *host;
	int err;

	if (b->msg != NULL && b->msg->msg_name != NULL) {
		to.len = b->msg->msg_namelen;
		memcpy(&to.any, b->msg->msg_name, to.len);
	}
	if (to.len == 0)
		return -EDESTADDRREQ;
	if (b->len > DATAGRAM_MAX)
		return -EMSGSIZE;
	err = sp__sim_bind_for(s, &to);
	if (err < 0)
		return err;
	host = sp__sim_host_at(s->file.host, &to);
	/* The datagram is lost, but the sender gets no error. */
	if (host == NULL || sp__sim_is_lost(s->file.host, host) ||
	    sp__sim_strikes(sim, SP__SIM_NETWORK, SP_SIM_SLOW_SEGMENT))
		return (int)b->len;
	return send_packet(s, &to, host, b);
}

int sp__sim_recvfrom(struct sp__sim_socket *s, const struct sp__sim_bytes *b)
{
	struct sp__sim_datagram *d = s->datagrams;
	size_t n, len;

	if (d == NULL)
		return s->in_over ? 0 : -EAGAIN;
	len = d->len;
	n = len < b->len ? len : b->len;
	sp__sim_bytes_put(b, d->data, n);
	if (b->msg != NULL) {
		socklen_t most = b->msg->msg_namelen;

		if (b->msg->msg_name != NULL)
			memcpy(b->msg->msg_name, &d->from.any,
			       most < d->from.len ? most : d->from.len);
		b->msg->msg_namelen = d->from.len;
		b->msg->msg_flags = len > n ? MSG_TRUNC : 0;
	}
	if (!(b->flags & MSG_PEEK)) {
		s->datagrams = d->next;
		s->ndatagrams--;
		free(d);
	}
	return (int)(b->flags & MSG_TRUNC ? len : n);
}
