/*
 * Another router with the name of a router: its BMP sessions come from another
 * address, with a peer that the router does not have. From quiet_at on it is
 * gone, and so must be all that it has announced.
 */
#include "world.h"

#include <spargio/address.h>
#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/net.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <stdio.h>

#define CONNECT_WAIT (3 * SP_S)
#define PAUSE_MAX    8000 /* ms between two sessions */
#define STAY_MAX     6000 /* ms that a session lasts */
#define BYTES_MAX    16384
#define UPDATES_MAX  20
#define ROUTES_MAX   10 /* of one UPDATE */

static uint32_t draw(struct sim_impostor *i, uint32_t bound)
{
	return load_random_below(&i->random, bound);
}

static void write_session(struct sim_impostor *i, struct bmp_writer *w)
{
	struct model *m = &i->world->model;
	struct model_peer *peer = &m->routers[i->router].peers[m->peer_count];
	uint32_t updates = draw(i, UPDATES_MAX);
	char name[32];

	snprintf(name, sizeof(name), "router-%u", i->router);
	bmp_write_initiation(w, "simulated", name);
	load_peer_up(&peer->load, w);
	for (uint32_t u = 0; u < updates; u++) {
		uint32_t prefixes[ROUTES_MAX];
		uint32_t first = draw(i, m->prefix_count);
		uint32_t count = 1 + draw(i, ROUTES_MAX);

		if (count > m->prefix_count)
			count = m->prefix_count;
		for (uint32_t k = 0; k < count; k++)
			prefixes[k] = (first + k) % m->prefix_count;
		router_write_update(w, m, peer, prefixes, count, ++i->last_med);
	}
	if (draw(i, 2) == 0)
		load_peer_end_of_rib(&peer->load, LOAD_IPV4, w);
}

static void run_session(struct sim_impostor *i, int fd)
{
	uint8_t bytes[BYTES_MAX];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));
	size_t len;

	write_session(i, &w);
	/* Sometimes it ends within a message. */
	len = draw(i, 4) == 0 ? 1 + draw(i, (uint32_t)w.len) : w.len;
	if (sp_send_all_until(fd, bytes, len, sp_in(SP_S)) < 0)
		return;
	(void)sp_recv_until(fd, bytes, 1,
			    sp_in((1 + draw(i, STAY_MAX)) * SP_MS));
}

int impostor_main(void *arg)
{
	struct sim_impostor *i = arg;
	struct world *w = i->world;
	struct sp_conn conn;
	struct sp_addr to;
	char at[32];

	while (sp_sleep((1 + draw(i, PAUSE_MAX)) * SP_MS) == 0 &&
	       sp_sim_time(w->sim) < w->quiet_at) {
		snprintf(at, sizeof(at), "10.0.0.%u:4000",
			 1 + draw(i, w->collector_count));
		(void)sp_addr_parse(at, 0, &to);
		if (sp_connect_until(&to, SP_HOME_HERE, sp_in(CONNECT_WAIT),
				     &conn) < 0)
			continue;
		run_session(i, conn.fd);
		sp_close(conn.fd);
	}
	return 0;
}
