/*
 * The rib against the model (rib_run.h): random routers, and after every step
 * what the rib published is what the model says, route by route and in order.
 *
 *	test_rib_random [OPERATIONS [SEED]]
 */
#include "rib_run.h"

#include <stdlib.h>
#include <string.h>

static uint64_t operations = FEWER_IF_SANITIZED(600000);
static uint64_t first_seed = 1;

/* So long that every kind of step has been taken many times. */
#define WHOLE_RUN 20000

/* Steps */

static void forget_truth(struct run *r, unsigned router, unsigned peer)
{
	memset(&r->truth[router][peer], 0, sizeof(struct known_peer));
}

static uint8_t random_view(struct run *r, unsigned peer)
{
	static const uint8_t views[] = { BMP_VIEW_IN_PRE, BMP_VIEW_IN_POST,
					 BMP_VIEW_OUT_POST };

	return world_is_loc_rib(peer) ? BMP_VIEW_LOC_RIB
				      : views[run_below(r, COUNT(views))];
}

static void random_routes(struct run *r, const struct world_update *u,
			  struct world_route *routes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		routes[i] = (struct world_route){
			.key = (uint8_t)run_below(r, WORLD_KEYS),
			.value = (uint8_t)(world_has_values(u->family)
						   ? run_below(r, WORLD_VALUES)
						   : 0),
			.path_id = u->session.add_path ? run_below(r, 3) : 0,
		};
}

static void tell_truth(struct run *r, unsigned router,
		       const struct world_update *u)
{
	struct known_table *t =
		&r->truth[router][u->peer].tables[u->view][u->family];
	bool cut = u->fault == WORLD_CUT_NLRI;

	if (cut && world_family(u->family) == BGP_IPV4_UNICAST)
		return;
	for (size_t i = 0; i < u->withdrawn; i++) {
		const struct world_route *w = &u->withdraws[i];

		t->routes[w->key][model_path(u, w)].present = false;
	}
	for (size_t i = 0; i < u->announced && !cut; i++) {
		const struct world_route *a = &u->announces[i];

		t->routes[a->key][model_path(u, a)] =
			(struct known){ u->fault == WORLD_SOUND,
					(uint8_t)u->set, a->value };
	}
}

/* Routes of a peer that did not come up: an implied one begins. */
static void before_monitoring(struct run *r, unsigned router, unsigned peer)
{
	if (r->model.routers[router].peers[peer].up)
		return;
	forget_truth(r, router, peer);
	/* Without a Peer Up nobody knows of path identifiers. */
	r->sessions[router][peer].add_path = false;
}

static void random_update(struct run *r, struct world_update *u)
{
	enum bgp_family family = world_family(u->family);

	u->withdrawn = run_one_in(r, 3) ? run_below(r, 8) : 0;
	u->announced = 1 + run_below(r, run_one_in(r, 10) ? 39 : 6);
	if (run_one_in(r, 5)) {
		u->announced = 0;
		u->withdrawn = 1 + run_below(r, 8);
	}
	/* Of an unknown family the whole field is one route. */
	if (family == BGP_FAMILY_UNKNOWN) {
		u->withdrawn = u->withdrawn > 0;
		u->announced = u->announced > 0;
	}
	if (u->announced > 0 && run_one_in(r, 50))
		u->fault = WORLD_BAD_ATTRIBUTE;
	if (u->announced > 0 && run_one_in(r, 50) &&
	    bgp_family_info(family)->kind == BGP_NLRI_PREFIX)
		u->fault = WORLD_CUT_NLRI;
	random_routes(r, u, u->withdraws, u->withdrawn);
	random_routes(r, u, u->announces, u->announced);
}

static void do_update(struct run *r, unsigned router, unsigned peer)
{
	uint8_t bytes[8192];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));
	struct world_update u = {
		.peer = peer,
		.view = random_view(r, peer),
		.family = run_below(r, WORLD_FAMILIES),
		.set = run_below(r, WORLD_SETS),
		.reversed = run_one_in(r, 2),
	};

	before_monitoring(r, router, peer);
	u.session = r->sessions[router][peer];
	random_update(r, &u);
	world_write_update(r->world, &w, &u);
	run_apply(r, router, &w);
	r->did[DID_SEND] += u.withdrawn + u.announced;
	model_update(&r->model, router, &u, r->when.now_ns);
	tell_truth(r, router, &u);
	run_compare(r);
}

static void send_end_of_rib(struct run *r, unsigned router, unsigned peer,
			    uint8_t view, unsigned family)
{
	struct world_session *session = &r->sessions[router][peer];
	uint8_t bytes[256];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));

	before_monitoring(r, router, peer);
	world_write_end_of_rib(&w, peer, view, session, family);
	run_apply(r, router, &w);
	model_end_of_rib(&r->model, router, peer, view, session, family,
			 r->when.now_ns);
	run_compare(r);
}

static void change_session(struct run *r, struct world_session *s)
{
	if (run_one_in(r, 4))
		s->as ^= 1;
	if (run_one_in(r, 4))
		s->bgp_id ^= 1;
	if (run_one_in(r, 4))
		s->add_path = !s->add_path;
}

static void send_peer_up(struct run *r, unsigned router, unsigned peer)
{
	const struct world_session *s = &r->sessions[router][peer];
	uint8_t bytes[2048];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));

	world_write_peer_up(&w, peer, random_view(r, peer), s);
	run_apply(r, router, &w);
	r->did[DID_PEER_UP]++;
	model_peer_up(&r->model, router, peer, s, r->when.now_ns);
	run_compare(r);
}

static void do_peer_up(struct run *r, unsigned router, unsigned peer)
{
	struct world_session *s = &r->sessions[router][peer];
	const struct model_peer *p = &r->model.routers[router].peers[peer];
	bool is_up = p->up && !p->implied;
	bool repeat = is_up && run_one_in(r, 2);
	/* Of a Loc-RIB that is up: one more peer that is emulated for it. */
	bool merge = is_up && world_is_loc_rib(peer);
	/* Sometimes so often that generations are numbered anew. */
	unsigned times = run_one_in(r, 20) ? 12 + run_below(r, 8) : 1;

	if (!repeat && !merge) {
		change_session(r, s);
		forget_truth(r, router, peer);
	}
	for (unsigned i = 0; i < times; i++) {
		if (!repeat)
			s->port++;
		send_peer_up(r, router, peer);
	}
}

static void do_peer_down(struct run *r, unsigned router, unsigned peer)
{
	uint8_t bytes[256];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));
	uint8_t reason = (uint8_t)(1 + run_below(r, 6));

	world_write_peer_down(&w, peer, &r->sessions[router][peer], reason);
	run_apply(r, router, &w);
	r->did[DID_PEER_DOWN]++;
	forget_truth(r, router, peer);
	model_peer_down(&r->model, router, peer);
	if (reason == BMP_DOWN_DECONFIGURED)
		r->purged[router][peer] = true;
	run_compare(r);
}

static void do_purge(struct run *r, unsigned router, unsigned peer)
{
	struct bmp_peer header =
		world_peer(peer, 0, &r->sessions[router][peer]);

	(void)rib_peer_purge(r->routers[router], &r->when, &header);
	model_peer_purge(&r->model, router, peer);
	forget_truth(r, router, peer);
	r->purged[router][peer] = true;
	run_compare(r);
}

static void do_session(struct run *r, unsigned router)
{
	uint8_t address[16];

	r->did[DID_SESSION]++;
	world_router_address(router, address);
	if (r->model.routers[router].open) {
		rib_session_close(r->routers[router], &r->when, 1, "test");
		model_session_close(&r->model, router, r->when.now_ns);
		for (unsigned p = 0; p < WORLD_PEERS; p++)
			forget_truth(r, router, p);
	} else {
		rib_session_open(r->routers[router], &r->when, address, 4000,
				 "test");
		model_session_open(&r->model, router, r->when.now_ns);
	}
	run_compare(r);
}

static void pass(struct run *r, uint64_t seconds)
{
	r->when.now_ns += seconds * SECOND;
	r->when.wall_ns += seconds * SECOND;
}

static void do_time(struct run *r)
{
	static const unsigned seconds[] = { 1, 5, 20, 31, 100, 301, 601 };

	pass(r, seconds[run_below(r, COUNT(seconds))]);
}

static void consumer_forget(void *run, const struct model_result *m)
{
	struct run *r = run;

	r->consumer[m->router][m->peer]
		.tables[m->view][m->family]
		.routes[m->key][m->path]
		.present = false;
	/* A snapshot may have it, and the log does not say that it went. */
	run_forget_snapshots(r);
}

/* Everything a router has is told once more, and nothing else. */
static void do_resync(struct run *r, unsigned router)
{
	size_t want;

	run_drain(r);
	want = r->model.config.mode == RIB_MODE_PRESENCE
		       ? model_stored(&r->model, router)
		       : model_known(&r->model, router);
	r->resynced = 0;
	rib_resync(r->routers[router], &r->when);
	model_forget_unknown(&r->model, router, consumer_forget, r);
	run_drain(r);
	SURE(r, r->resynced == want, "%zu routes were told again, not %zu",
	     r->resynced, want);
	r->did[DID_RESYNC]++;
}

static void end_dumps(struct run *r, unsigned router, unsigned peer)
{
	const struct model_peer *p = &r->model.routers[router].peers[peer];

	for (unsigned v = 0; v < BMP_VIEWS; v++)
		for (unsigned f = 0; f < WORLD_FAMILIES; f++)
			if (p->up && p->tables[v][f].there)
				send_end_of_rib(r, router, peer, (uint8_t)v, f);
}

/* All dumps end, all work is done: then the truth is out. */
static void settle(struct run *r)
{
	for (unsigned router = 0; router < WORLD_ROUTERS; router++)
		for (unsigned p = 0; p < WORLD_PEERS; p++)
			if (r->model.routers[router].open)
				end_dumps(r, router, p);
	/* Routers that are away, and peers that did not come back. */
	pass(r, 700);
	run_drain(r);
	SURE(r, rib_validate(r->rib), "the rib is broken inside");
	run_compare_model(r);
	/* With limits, not all of the truth comes through. */
	if (r->model.config.max_routes == 0)
		run_compare_truth(r);
	r->did[DID_SETTLE]++;
}

static void step_router(struct run *r, unsigned router, unsigned dice)
{
	unsigned peer = run_below(r, WORLD_PEERS);
	bool up = r->model.routers[router].peers[peer].up;

	if (!r->model.routers[router].open)
		do_session(r, router);
	/* What a Loc-RIB without a Peer Up says about paths is a guess. */
	else if (dice < 880 && world_is_loc_rib(peer) && !up)
		do_peer_up(r, router, peer);
	else if (dice < 800)
		do_update(r, router, peer);
	else if (dice < 880)
		send_end_of_rib(r, router, peer, random_view(r, peer),
				run_below(r, WORLD_FAMILIES));
	else if (dice < 930)
		do_peer_up(r, router, peer);
	else if (dice < 980)
		do_peer_down(r, router, peer);
	else if (dice < 985)
		do_purge(r, router, peer);
	else
		do_session(r, router);
}

static void step(struct run *r)
{
	unsigned router = run_below(r, WORLD_ROUTERS);
	unsigned dice = run_below(r, 1000);

	/* Whole milliseconds: timers may be late by less than one. */
	r->when.now_ns += run_below(r, 3) * UINT64_C(1000000);
	if (dice < 830)
		step_router(r, router, run_below(r, 1000));
	else if (dice < 960)
		(void)run_work(r, 1 + run_below(r, 64));
	else if (dice < 970)
		do_time(r);
	else if (dice < 975)
		run_drain(r);
	else if (dice < 977)
		settle(r);
	else if (dice < 985)
		run_ask(r);
	else if (dice < 986)
		do_resync(r, router);
	else if (dice < 998)
		run_snapshot(r, router);
	else if (run_one_in(r, 4))
		run_restart(r);
}

static void run(const struct rib_config *config, uint64_t seed, uint64_t n)
{
	static struct run run; /* large */

	print_message("# mode %d, seed %llu, %llu operations\n", config->mode,
		      (unsigned long long)seed, (unsigned long long)n);
	run_begin(&run, seed, config);
	for (run.operation = 0; run.operation < n; run.operation++)
		step(&run);
	settle(&run);
	run_end(&run, n >= WHOLE_RUN);
}

static void test_attributes(void **state)
{
	struct rib_config config;

	(void)state;
	rib_config_defaults(&config);
	for (uint64_t i = 0; i < 4; i++) {
		config.seed = first_seed + i;
		run(&config, first_seed + i, operations / 8);
	}
}

static void test_presence(void **state)
{
	struct rib_config config;

	(void)state;
	rib_config_defaults(&config);
	config.mode = RIB_MODE_PRESENCE;
	run(&config, first_seed, operations / 4);
}

static void test_limits(void **state)
{
	struct rib_config config;

	(void)state;
	rib_config_defaults(&config);
	config.max_routes_peer = 200;
	config.max_routes_router = 700;
	config.max_routes = 1500;
	run(&config, first_seed, operations / 8);
}

/* Nothing is held, and sessions are swept soon. */
static void test_no_hold(void **state)
{
	struct rib_config config;

	(void)state;
	rib_config_defaults(&config);
	config.stale_hold_ns = 0;
	config.sweep_quiet_ns = SECOND;
	run(&config, first_seed, operations / 8);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_presence),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_no_hold),
	};

	if (argc > 1)
		operations = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		first_seed = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
