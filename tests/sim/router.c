/*
 * Routers: each has tables that change, and a session with each collector.
 *
 * A change is made in the model and, at the same moment, put behind what each
 * open session has to send. A session begins with all that the router has.
 */
#include "world.h"

#include <spargio/address.h>
#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/net.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_WAIT (3 * SP_S)
#define RETRY	     (500 * SP_MS)
#define LOOK	     (100 * SP_MS)
#define BYTES_MAX    (8u << 20) /* a router has so much for a session */
#define SEND_MAX     8192
#define ROUTES_MAX   50 /* of one UPDATE */

static uint32_t draw(struct sim_router *r, uint32_t bound)
{
	return load_random_below(&r->random, bound);
}

static struct model_router *model_of(struct sim_router *r)
{
	return &r->world->model.routers[r->number];
}

/* Sessions */

/* Put a message behind the others of a session; without room it ends. */
static void session_put(struct sim_session *s, const void *bytes, size_t len)
{
	if (!s->open)
		return;
	if (s->size - s->len < len) {
		size_t size = s->size == 0 ? 65536 : 2 * s->size;
		uint8_t *grown;

		while (size - s->len < len)
			size *= 2;
		grown = size > BYTES_MAX ? NULL : realloc(s->bytes, size);
		if (grown == NULL) {
			s->open = false;
			return;
		}
		s->bytes = grown;
		s->size = size;
	}
	memcpy(s->bytes + s->len, bytes, len);
	s->len += len;
}

/* To one session, or to all if @s is NULL. */
static void put(struct sim_router *r, struct sim_session *s,
		const struct bmp_writer *w)
{
	for (uint32_t i = 0; i < r->world->collector_count; i++)
		if (s == NULL || s == &r->sessions[i])
			session_put(&r->sessions[i], w->p, w->len);
}

/* Messages */

static void put_peer_up(struct sim_router *r, struct sim_session *s,
			struct model_peer *peer)
{
	uint8_t buf[1024];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));

	/* The model wants to know how old a dump is. */
	load_peer_time(&peer->load, (uint64_t)sp_sim_time(r->world->sim));
	load_peer_up(&peer->load, &w);
	put(r, s, &w);
}

static void put_attribute(struct bmp_writer *w, uint8_t flags, uint8_t code,
			  const void *value, uint8_t len)
{
	bmp_put_u8(w, flags);
	bmp_put_u8(w, code);
	bmp_put_u8(w, len);
	bmp_put(w, value, len);
}

static void put_attributes(struct bmp_writer *w, const struct model_peer *peer,
			   uint32_t med)
{
	static const uint8_t origin[1] = { 0 };
	uint8_t path[10] = { 2, 2 };
	uint8_t value[4];

	wire_put_u32(path + 2, peer->load.header.as);
	wire_put_u32(path + 6, 64500 + med % 7);
	wire_put_u32(value, med);
	put_attribute(w, 0x40, 1, origin, sizeof(origin));
	put_attribute(w, 0x40, 2, path, sizeof(path));
	put_attribute(w, 0x40, 3, peer->load.next_hop4, 4);
	put_attribute(w, 0x80, 4, value, sizeof(value));
}

void router_write_update(struct bmp_writer *w, const struct model *m,
			 const struct model_peer *peer,
			 const uint32_t *prefixes, uint32_t count, uint32_t med)
{
	size_t start = w->len;
	size_t pdu = start + LOAD_HEAD_LEN - BGP_HEADER_LEN;
	size_t at;

	bmp_put(w, peer->load.head, LOAD_HEAD_LEN);
	at = w->len;
	bmp_put_u16(w, 0); /* withdrawn routes */
	if (med != 0) {
		at = w->len;
		bmp_put_u16(w, 0);
		put_attributes(w, peer, med);
		bmp_patch_u16(w, at, w->len - at - 2);
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t *p = model_prefix(m, prefixes[i]);

		bmp_put(w, p, load_prefix_size(p));
	}
	if (med == 0) {
		bmp_patch_u16(w, at, w->len - at - 2);
		bmp_put_u16(w, 0); /* attributes */
	}
	bmp_patch_u32(w, start + 1, w->len - start);
	bmp_patch_u16(w, pdu + 16, w->len - pdu);
}

static void put_update(struct sim_router *r, struct sim_session *s,
		       const struct model_peer *peer, const uint32_t *prefixes,
		       uint32_t count, uint32_t med)
{
	uint8_t buf[4096 + 64];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));

	router_write_update(&w, &r->world->model, peer, prefixes, count, med);
	put(r, s, &w);
}

static void put_peer_down(struct sim_router *r, const struct model_peer *peer,
			  uint32_t reason)
{
	uint8_t buf[256];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));

	if (reason < BMP_DOWN_DECONFIGURED)
		load_peer_down(&peer->load, reason - 1, &w);
	else
		bmp_write_peer_down(&w, &peer->load.header, (uint8_t)reason, 0,
				    (struct wire_view){ 0 });
	put(r, NULL, &w);
}

/* The whole table; routes with equal MEDs share an UPDATE. */
static void put_table(struct sim_router *r, struct sim_session *s,
		      const struct model_peer *peer)
{
	uint32_t count = r->world->model.prefix_count;
	uint8_t buf[256];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));

	for (uint32_t i = 0; i < count;) {
		uint32_t prefixes[ROUTES_MAX], n = 0;
		uint32_t med = peer->meds[i];

		while (i < count && n < ROUTES_MAX && peer->meds[i] == med)
			prefixes[n++] = i++;
		if (med != 0)
			put_update(r, s, peer, prefixes, n, med);
	}
	if (!r->ends_ribs)
		return;
	load_peer_end_of_rib(&peer->load, LOAD_IPV4, &w);
	put(r, s, &w);
}

static void put_beginning(struct sim_router *r, struct sim_session *s)
{
	struct model_router *m = model_of(r);
	uint8_t buf[256];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	char name[32];

	snprintf(name, sizeof(name), "router-%u", r->number);
	bmp_write_initiation(&w, "simulated", name);
	put(r, s, &w);
	for (uint32_t i = 0; i < r->world->model.peer_count; i++) {
		if (!m->peers[i].up)
			continue;
		put_peer_up(r, s, &m->peers[i]);
		put_table(r, s, &m->peers[i]);
	}
}

/* Changes */

/* Some routes beginning at a random one get a new MED, or go. */
static void change_routes(struct sim_router *r, struct model_peer *peer,
			  bool announce)
{
	uint32_t prefixes[ROUTES_MAX];
	uint32_t total = r->world->model.prefix_count;
	uint32_t count = 1 + draw(r, ROUTES_MAX);
	uint32_t first = draw(r, total);
	uint32_t med = announce ? ++peer->last_med : 0;

	if (count > total)
		count = total;
	for (uint32_t i = 0; i < count; i++) {
		prefixes[i] = (first + i) % total;
		model_set(peer, prefixes[i], med, sp_sim_time(r->world->sim));
	}
	put_update(r, NULL, peer, prefixes, count, med);
}

/* Announce something again as it is, or as it was before. */
static void repeat_routes(struct sim_router *r, struct model_peer *peer)
{
	uint32_t first = draw(r, r->world->model.prefix_count);

	if (peer->meds[first] == 0)
		return;
	put_update(r, NULL, peer, &first, 1, peer->meds[first]);
}

static void fill_table(struct sim_router *r, struct model_peer *peer)
{
	uint32_t total = r->world->model.prefix_count;

	for (uint32_t i = 0; i < total; i++) {
		if (i % 20 == 0)
			peer->last_med++;
		model_set(peer, i, draw(r, 10) == 0 ? 0 : peer->last_med,
			  sp_sim_time(r->world->sim));
	}
}

static void clear_table(struct sim_router *r, struct model_peer *peer)
{
	for (uint32_t i = 0; i < r->world->model.prefix_count; i++)
		model_set(peer, i, 0, sp_sim_time(r->world->sim));
}

static void raise_peer(struct sim_router *r, struct model_peer *peer)
{
	peer->up = true;
	fill_table(r, peer);
	put_peer_up(r, NULL, peer);
	put_table(r, NULL, peer);
}

static void lower_peer(struct sim_router *r, struct model_peer *peer)
{
	uint32_t reason = 1 + draw(r, BMP_DOWN_DECONFIGURED);

	peer->up = false;
	clear_table(r, peer);
	put_peer_down(r, peer, reason);
}

static void change_something(struct sim_router *r)
{
	struct model_router *m = model_of(r);
	struct model_peer *peer =
		&m->peers[draw(r, r->world->model.peer_count)];
	uint32_t what = draw(r, 100);

	r->world->changes++;
	/* The larger the tables, the more rarely all of one changes. */
	if (what >= 88 && draw(r, 1 + r->world->model.prefix_count / 100) != 0)
		what %= 88;
	if (!peer->up) {
		if (what < 50)
			raise_peer(r, peer);
	} else if (what < 55) {
		change_routes(r, peer, true);
	} else if (what < 80) {
		change_routes(r, peer, false);
	} else if (what < 88) {
		repeat_routes(r, peer);
	} else if (what < 92) {
		lower_peer(r, peer);
	} else if (what < 96) {
		lower_peer(r, peer);
		raise_peer(r, peer);
	} else if (what < 98) {
		/* Route refresh: the table again, without a Peer Up. */
		put_table(r, NULL, peer);
	}
}

/* The session ends, at once or within a message. */
static void break_session(struct sim_router *r)
{
	struct sim_session *s =
		&r->sessions[draw(r, r->world->collector_count)];

	if (s->open && s->len > 1)
		s->len = 1 + draw(r, (uint32_t)s->len - 1);
	s->open = false;
}

static int churn_main(void *arg)
{
	struct sim_router *r = arg;
	struct world *w = r->world;

	while (sp_sim_time(w->sim) < w->still_at) {
		if (sp_sleep(1 + draw(r, (uint32_t)(2 * r->change_ns / SP_US)) *
					 SP_US) < 0)
			break;
		if (sp_sim_time(w->sim) >= w->still_at)
			break;
		change_something(r);
		if (sp_sim_time(w->sim) < w->quiet_at && draw(r, 200) == 0)
			break_session(r);
	}
	return 0;
}

/* Connections */

/* Send what there is; 0 when the session is over. */
static int send_some(struct sim_session *s, int fd)
{
	uint8_t some[SEND_MAX];
	size_t len = s->len < sizeof(some) ? s->len : sizeof(some);
	int n;

	if (len == 0) {
		/* A collector sends nothing: anything is the end. */
		n = sp_recv_until(fd, some, 1, sp_in(LOOK));
		return n == -ETIMEDOUT;
	}
	/* A copy, as others append meanwhile. */
	memcpy(some, s->bytes, len);
	n = sp_send_until(fd, some, len, sp_in(SP_S)); /* yields */
	if (n == -ETIMEDOUT)
		return 1;
	if (n <= 0)
		return 0;
	/* It may have been cut meanwhile. */
	len = (size_t)n < s->len ? (size_t)n : s->len;
	memmove(s->bytes, s->bytes + len, s->len - len);
	s->len -= len;
	return 1;
}

static void run_session(struct sim_session *s, int fd)
{
	s->len = 0;
	s->open = true;
	put_beginning(s->router, s);
	while (s->open && send_some(s, fd))
		;
	/* Closed by us: what is left is sent, and the end may cut a message. */
	if (!s->open && s->len > 0)
		(void)sp_send_all_until(fd, s->bytes, s->len, sp_in(SP_S));
	s->open = false;
}

static int session_main(void *arg)
{
	struct sim_session *s = arg;
	struct sim_router *r = s->router;
	struct sp_conn conn;
	struct sp_addr to;
	char at[32];

	snprintf(at, sizeof(at), "10.0.0.%u:4000", s->collector + 1);
	(void)sp_addr_parse(at, 0, &to);
	while (!sp_cancelled()) {
		if (sp_connect_until(&to, SP_HOME_HERE, sp_in(CONNECT_WAIT),
				     &conn) == 0) {
			run_session(s, conn.fd);
			sp_close(conn.fd);
		}
		if (sp_sleep((1 + draw(r, 4)) * RETRY) < 0)
			break;
	}
	return 0;
}

int router_main(void *arg)
{
	struct sim_router *r = arg;
	struct model_router *m = model_of(r);
	uint32_t collectors = r->world->collector_count;

	/* It has restarted: tables are new, some peers do not come back. */
	for (uint32_t i = 0; i < r->world->model.peer_count; i++) {
		m->peers[i].up = draw(r, 8) != 0;
		if (m->peers[i].up)
			fill_table(r, &m->peers[i]);
		else
			clear_table(r, &m->peers[i]);
	}
	for (uint32_t i = 0; i < collectors; i++) {
		r->sessions[i].open = false;
		if (sp_go_on(NULL, 0, session_main, &r->sessions[i], NULL) < 0)
			return 0;
	}
	churn_main(r);
	while (sp_sleep(3600 * SP_S) == 0)
		;
	return 0;
}
