#include "spargio/sim/socket.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENT_MAX 65536
#define RETRY_MIN   (200 * SP_MS)
#define RETRY_MAX   (10 * SP_S)
#define GIVE_UP	    (900 * SP_S) /* as tcp_retries2 */
#define SYN_RETRY   (1 * SP_S)
#define SYN_MAX	    6 /* 127 s, as tcp_syn_retries */

enum segment_type {
	SEGMENT_DATA,
	SEGMENT_FIN,
	SEGMENT_RST,
	SEGMENT_SYN,	  /* has no receiving socket yet */
	SEGMENT_REFUSED,  /* answer to SEGMENT_SYN */
	SEGMENT_ACCEPTED, /* answer to SEGMENT_SYN */
};

struct segment {
	enum segment_type type;
	uint32_t tries;
	int64_t sent;
	struct sp__sim_socket *from, *to; /* or NULL */
	size_t len;
	uint8_t data[];
};

static const char *const segment_names[] = {
	[SEGMENT_DATA] = "gets data",	    [SEGMENT_FIN] = "gets FIN",
	[SEGMENT_RST] = "gets RST",	    [SEGMENT_SYN] = "gets SYN",
	[SEGMENT_REFUSED] = "gets refusal", [SEGMENT_ACCEPTED] = "gets SYN-ACK",
};

static void free_segment(void *arg)
{
	struct segment *g = arg;

	if (g->from != NULL)
		sp__sim_socket_put(g->from);
	if (g->to != NULL)
		sp__sim_socket_put(g->to);
	free(g);
}

static void segment_arrives(struct sp_sim *sim, void *arg);

static void schedule_segment(struct sp_sim *sim, struct segment *g,
			     int64_t when)
{
	sp__sim_schedule(sim, &(struct sp__sim_event){ .when = when,
						       .fire = segment_arrives,
						       .drop = free_segment,
						       .arg = g });
}

static struct segment *new_segment(enum segment_type type,
				   struct sp__sim_socket *from,
				   struct sp__sim_socket *to, size_t len)
{
	struct segment *g = sp__sim_malloc(sizeof(*g) + len);

	if (g == NULL)
		return NULL;
	*g = (struct segment){
		.type = type, .from = from, .to = to, .len = len
	};
	if (from != NULL)
		from->refs++;
	if (to != NULL)
		to->refs++;
	return g;
}

/* The time at which a segment of @len bytes that is sent now arrives. */
static int64_t arrival_of(struct sp__sim_socket *from,
			  const struct sp_sim_host *to, size_t len)
{
	struct sp_sim *sim = from->file.host->sim;
	int64_t when;

	if (from->departs < sim->now)
		from->departs = sim->now;
	from->departs += (int64_t)(len * SP_S / sim->opts.bandwidth);
	when = from->departs + sp__sim_latency(from->file.host, to);
	if (sp__sim_strikes(sim, SP__SIM_NETWORK, SP_SIM_SLOW_SEGMENT))
		when += RETRY_MIN;
	if (when < from->arrives)
		when = from->arrives;
	from->arrives = when;
	return when;
}

/* Send the first @len bytes of @b as a segment. False if out of memory. */
static bool send_segment(enum segment_type type, struct sp__sim_socket *from,
			 const struct sp__sim_bytes *b, size_t len)
{
	struct sp_sim *sim = from->file.host->sim;
	struct segment *g = new_segment(type, from, from->other, len);

	if (g == NULL)
		return false;
	g->sent = sim->now;
	if (len > 0)
		sp__sim_bytes_get(b, g->data, len);
	schedule_segment(sim, g, arrival_of(from, from->other->file.host, len));
	return true;
}

/* Arrival */

static int append_bytes(struct sp__sim_socket *s, const uint8_t *data,
			size_t len)
{
	if (s->in_begin == s->in_end)
		s->in_begin = s->in_end = 0;
	if (s->in_size - s->in_end < len) {
		size_t size = s->in_size == 0 ? 4096 : s->in_size;
		uint8_t *grown;

		while (size - s->in_end < len)
			size *= 2;
		grown = sp__sim_realloc(s->in, size);
		if (grown == NULL)
			return -ENOMEM;
		s->in = grown;
		s->in_size = size;
	}
	memcpy(s->in + s->in_end, data, len);
	s->in_end += len;
	return 0;
}

static void reset_socket(struct sp__sim_socket *s, int error)
{
	if (s->closed || s->broken)
		return;
	s->error = error;
	s->broken = s->in_over = s->out_over = true;
	sp__sim_file_changed(&s->file);
}

static void take_segment(struct segment *g)
{
	struct sp__sim_socket *to = g->to;

	to->heard = to->file.host->sim->now;

	if (to->closed) {
		/* The receiver has closed its socket: answer data by RST. */
		if (g->type == SEGMENT_DATA && g->from != NULL)
			reset_socket(g->from, -ECONNRESET);
		return;
	}
	switch (g->type) {
	case SEGMENT_DATA:
		if (!to->broken && append_bytes(to, g->data, g->len) < 0)
			reset_socket(to, -ENOMEM);
		break;
	case SEGMENT_FIN:
		to->in_over = true;
		break;
	case SEGMENT_RST:
		reset_socket(to, -ECONNRESET);
		break;
	case SEGMENT_REFUSED:
		to->state = SP__SIM_IDLE;
		to->error = -ECONNREFUSED;
		break;
	case SEGMENT_ACCEPTED:
		to->state = SP__SIM_OPEN;
		break;
	case SEGMENT_SYN:
		break;
	}
	sp__sim_file_changed(&to->file);
}

static void answer_syn(struct sp__sim_socket *client, enum segment_type type)
{
	struct sp_sim_host *host = client->file.host;
	struct segment *g = new_segment(type, NULL, client, 0);

	if (g == NULL)
		reset_socket(client, -ENOMEM);
	else
		schedule_segment(host->sim, g,
				 host->sim->now + sp__sim_latency(host, host));
}

static void retry_syn(struct sp_sim *sim, struct segment *g)
{
	struct sp__sim_socket *client = g->from;

	if (client->syns++ >= SYN_MAX) {
		client->state = SP__SIM_IDLE;
		client->error = -ETIMEDOUT;
		sp__sim_file_changed(&client->file);
		free_segment(g);
		return;
	}
	schedule_segment(sim, g, sim->now + (SYN_RETRY << (client->syns - 1)));
}

/*
 * Make the server's socket and add it to the queue of the listener. False if
 * out of memory.
 */
static bool join_ends(struct sp__sim_socket *listener,
		      struct sp__sim_socket *client)
{
	struct sp__sim_socket **last = &listener->queue;
	struct sp__sim_socket *s =
		sp__sim_socket_new(listener->file.host, listener->family,
				   SOCK_STREAM);

	if (s == NULL)
		return false;
	s->state = SP__SIM_OPEN;
	s->local = client->peer;
	s->peer = client->local;
	s->heard = s->file.host->sim->now;
	s->other = client;
	client->refs++;
	client->other = s;
	s->refs++;
	while (*last != NULL)
		last = &(*last)->next_queued;
	*last = s;
	listener->queued++;
	sp__sim_file_changed(&listener->file);
	return true;
}

static void syn_arrives(struct sp_sim *sim, struct segment *g)
{
	struct sp__sim_socket *client = g->from;
	struct sp_sim_host *host =
		sp__sim_host_at(client->file.host, &client->peer);
	struct sp__sim_socket *listener;

	if (client->closed || client->state != SP__SIM_CONNECTING) {
		free_segment(g);
		return;
	}
	if (host == NULL || sp__sim_is_lost(client->file.host, host)) {
		retry_syn(sim, g);
		return;
	}
	sp__sim_note(sim, host, segment_names[g->type], 0, 0);
	listener = sp__sim_socket_at(host, &client->peer, SOCK_STREAM);
	if (listener == NULL) {
		answer_syn(client, SEGMENT_REFUSED);
	} else if (listener->queued > listener->backlog ||
		   !join_ends(listener, client)) {
		retry_syn(sim, g);
		return;
	} else {
		answer_syn(client, SEGMENT_ACCEPTED);
	}
	free_segment(g);
}

static void retry_segment(struct sp_sim *sim, struct segment *g)
{
	struct sp__sim_socket *from = g->from;
	int64_t pause = g->tries >= 6 ? RETRY_MAX : RETRY_MIN << g->tries;

	g->tries++;
	if (sim->now - g->sent > GIVE_UP) {
		reset_socket(from, -ETIMEDOUT);
		free_segment(g);
		return;
	}
	from->retry_at = sim->now + pause;
	schedule_segment(sim, g, from->retry_at);
}

static void segment_arrives(struct sp_sim *sim, void *arg)
{
	struct segment *g = arg;

	if (g->type == SEGMENT_SYN) {
		syn_arrives(sim, g);
		return;
	}
	/* Wait behind an earlier segment that has to be sent again. */
	if (g->from != NULL && sim->now < g->from->retry_at) {
		schedule_segment(sim, g, g->from->retry_at);
		return;
	}
	if (g->from != NULL &&
	    sp__sim_is_lost(g->from->file.host, g->to->file.host)) {
		retry_segment(sim, g);
		return;
	}
	sp__sim_note(sim, g->to->file.host, segment_names[g->type], g->len, 0);
	take_segment(g);
	free_segment(g);
}

/* Calls */

static int connect_unix(struct sp__sim_socket *s, const struct sp_addr *to)
{
	struct sp__sim_socket *listener =
		sp__sim_socket_at(s->file.host, to, SOCK_STREAM);

	if (listener == NULL)
		return -ENOENT;
	if (listener->queued > listener->backlog)
		return -EAGAIN;
	s->peer = *to;
	if (!join_ends(listener, s))
		return -ENOMEM;
	s->state = SP__SIM_OPEN;
	return 0;
}

static int begin_connect(struct sp__sim_socket *s, const struct sp_addr *to)
{
	struct sp_sim_host *host = s->file.host;
	struct segment *g;
	int err;

	if (to->any.sa_family == AF_UNIX)
		return connect_unix(s, to);
	if (sp__sim_host_at(host, to) == NULL)
		return -ENETUNREACH;
	err = sp__sim_bind_for(s, to);
	if (err < 0)
		return err;
	g = new_segment(SEGMENT_SYN, s, NULL, 0);
	if (g == NULL)
		return -ENOMEM;
	s->peer = *to;
	s->state = SP__SIM_CONNECTING;
	s->syns = 0;
	schedule_segment(host->sim, g,
			 arrival_of(s, sp__sim_host_at(host, to), 0));
	return -EINPROGRESS;
}

int sp__sim_connect(struct sp__sim_socket *s, const struct sp_addr *to)
{
	int error = s->error;

	if (s->type == SOCK_DGRAM) {
		s->peer = *to;
		return sp__sim_bind_for(s, to);
	}
	if (error < 0) {
		s->error = 0;
		return error;
	}
	switch (s->state) {
	case SP__SIM_IDLE:
		return begin_connect(s, to);
	case SP__SIM_CONNECTING:
		return -EALREADY;
	case SP__SIM_LISTENING:
	case SP__SIM_OPEN:
		break;
	}
	return -EISCONN;
}

static int check_sender(struct sp__sim_socket *s)
{
	int error = s->error;

	if (error < 0) {
		s->error = 0;
		return error;
	}
	if (s->state == SP__SIM_CONNECTING)
		return -EAGAIN;
	if (s->state != SP__SIM_OPEN)
		return -ENOTCONN;
	return s->out_over ? -EPIPE : 0;
}

int sp__sim_send(struct sp__sim_socket *s, const struct sp__sim_bytes *b)
{
	struct sp_sim *sim = s->file.host->sim;
	size_t n = b->len, sent;
	int err = check_sender(s);

	if (err < 0 || n == 0)
		return err;
	if (s->unread >= sim->opts.window)
		return -EAGAIN;
	if (n > sim->opts.window - s->unread)
		n = sim->opts.window - s->unread;
	if (n > SEGMENT_MAX)
		n = SEGMENT_MAX;
	if (sp__sim_strikes(sim, SP__SIM_NETWORK, SP_SIM_SHORT_SEND))
		n = 1 + sp__sim_below(sim, SP__SIM_NETWORK, n);
	sent = n;
	if (sp__sim_strikes(sim, SP__SIM_NETWORK, SP_SIM_RESET))
		sent = sp__sim_below(sim, SP__SIM_NETWORK, n + 1);
	if (sent > 0 && !send_segment(SEGMENT_DATA, s, b, sent))
		return -ENOMEM;
	s->unread += n;
	if (sent < n)
		sp__sim_break(s);
	return (int)n;
}

int sp__sim_recv(struct sp__sim_socket *s, const struct sp__sim_bytes *b)
{
	struct sp_sim *sim = s->file.host->sim;
	size_t n = s->in_end - s->in_begin;
	int error = s->error;

	if (n == 0 && error < 0) {
		s->error = 0;
		return error;
	}
	if (n == 0 && s->in_over)
		return 0;
	if (s->state == SP__SIM_IDLE || s->state == SP__SIM_LISTENING)
		return -ENOTCONN;
	if (n == 0)
		return b->len == 0 ? 0 : -EAGAIN;
	if (n > b->len)
		n = b->len;
	if (n > 1 && sp__sim_strikes(sim, SP__SIM_NETWORK, SP_SIM_SHORT_RECV))
		n = 1 + sp__sim_below(sim, SP__SIM_NETWORK, n);
	sp__sim_bytes_put(b, s->in + s->in_begin, n);
	if (b->flags & MSG_PEEK)
		return (int)n;
	s->in_begin += n;
	if (s->other != NULL) {
		s->other->unread -= n < s->other->unread ? n : s->other->unread;
		if (!s->other->closed)
			sp__sim_file_changed(&s->other->file);
	}
	return (int)n;
}

void sp__sim_send_end(struct sp__sim_socket *s)
{
	if (s->state != SP__SIM_OPEN || s->out_over || s->other == NULL)
		return;
	s->out_over = true;
	(void)send_segment(SEGMENT_FIN, s, NULL, 0);
}

/* Keepalive */

struct probe {
	struct sp__sim_socket *socket;
	uint64_t number;
};

static void free_probe(void *arg)
{
	struct probe *p = arg;

	sp__sim_socket_put(p->socket);
	free(p);
}

static void probe_peer(struct sp_sim *sim, void *arg);

static void schedule_probe(struct sp_sim *sim, struct probe *p, int seconds)
{
	sp__sim_schedule(sim, &(struct sp__sim_event){ .when = sim->now +
							       seconds * SP_S,
						       .fire = probe_peer,
						       .drop = free_probe,
						       .arg = p,
						       .weather = true });
}

/*
 * Send a keepalive probe. If no partition loses it, the kernel of the other end
 * answers immediately: by an acknowledgement, or by RST if its socket is
 * closed. Ends the connection after too many unanswered probes.
 */
static void probe_peer(struct sp_sim *sim, void *arg)
{
	struct probe *p = arg;
	struct sp__sim_socket *s = p->socket;
	struct sp__sim_socket *other = s->other;

	if (s->closed || s->broken || p->number != s->probe || other == NULL) {
		free_probe(p);
		return;
	}
	if (!sp__sim_is_lost(s->file.host, other->file.host)) {
		if (other->closed && !other->out_over)
			reset_socket(s, -ECONNRESET);
		s->unanswered = 0;
		s->heard = sim->now;
	} else if (++s->unanswered >= (uint32_t)s->count && s->count > 0) {
		reset_socket(s, -ETIMEDOUT);
	}
	schedule_probe(sim, p, s->unanswered > 0 ? s->every_s : s->idle_s);
}

void sp__sim_keep_alive(struct sp__sim_socket *s)
{
	struct probe *p = sp__sim_malloc(sizeof(*p));

	s->probe++;
	if (p == NULL)
		return;
	*p = (struct probe){ s, s->probe };
	s->refs++;
	schedule_probe(s->file.host->sim, p, s->idle_s);
}

void sp__sim_break(struct sp__sim_socket *s)
{
	if (s->other != NULL && !s->broken)
		(void)send_segment(SEGMENT_RST, s, NULL, 0);
	reset_socket(s, -ECONNRESET);
}
