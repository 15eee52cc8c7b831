#include "load/router.h"

#include "load/update.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define START_NS (UINT64_C(1767225600) * 1000000000) /* 2026-01-01 */

/*
 * Number of blocks by which prefetching is ahead: enough to hide the memory
 * latency, few enough that the data is still in the cache when it is used.
 */
#define AHEAD 16

/* Position of an iteration over the tables of peers. */
struct position {
	uint32_t peer;
	uint32_t half;
	uint32_t block;
	uint32_t peer_end; /* the iteration ends before this peer */
};

/* The target of an UPDATE: a block of the IPv4 or IPv6 half of a peer. */
struct target {
	struct load_peer *peer;
	enum load_half_id half;
	uint32_t block;
};

/*
 * An update to send later: its block, a random number below 2^16 that selects
 * its kind, and its churn set.
 */
struct choice {
	struct target target;
	uint32_t kind;
	uint32_t set;
};

struct load_router {
	const struct load_table *table;
	uint32_t index;
	uint32_t bgp_id;
	enum load_phase phase;
	struct position at;
	struct load_peer *peers;
	uint32_t *states;
	struct load_random random;
	struct load_counts counts;

	/* Churn */
	uint64_t churn; /* total routes to update */
	uint64_t churned;
	uint32_t blocks; /* number of blocks of both halves */
	/*
	 * ring of the next choices; drawn is the index of the next one, modulo
	 * AHEAD
	 */
	struct choice choices[AHEAD];
	uint32_t drawn;
	/* limits for the kind of a choice, of 2^16 */
	uint32_t below_change, below_duplicate;
	uint32_t flaps; /* total number of flaps */
	uint64_t next_flap;

	/* Time */
	uint64_t time_ns;
	uint64_t step_ns; /* time per route */
};

/* UPDATEs */

static struct load_routes routes_of(const struct load_router *r,
				    const struct target *t)
{
	const struct load_half *half = &r->table->halves[t->half];
	struct load_routes routes = { .half = t->half };

	routes.nlri = load_half_block(half, r->table->plan.per_update, t->block,
				      &routes.count);
	return routes;
}

/* Announce a block. @set is an index over table and churn sets. */
static size_t block_announce(struct load_router *r, const struct target *t,
			     uint32_t set, uint8_t *buf)
{
	struct load_routes routes = routes_of(r, t);

	r->counts.updates++;
	r->counts.announced += routes.count;
	return load_update_announce(t->peer, &routes,
				    &r->table->halves[t->half].sets, set, buf);
}

static size_t block_withdraw(struct load_router *r, const struct target *t,
			     uint8_t *buf)
{
	struct load_routes routes = routes_of(r, t);

	r->counts.updates++;
	r->counts.withdrawn += routes.count;
	return load_update_withdraw(t->peer, &routes, buf);
}

static uint32_t table_set(const struct load_router *r, const struct target *t)
{
	const struct load_half *half = &r->table->halves[t->half];
	uint32_t set = half->set_of[t->block] + t->peer->shift[t->half];

	return set < half->table_sets ? set : set - half->table_sets;
}

/* Prefetch a set: two cache lines, which hold most sets. */
static void prefetch_set(const struct load_router *r, enum load_half_id half,
			 uint32_t set)
{
	const struct load_sets *sets = &r->table->halves[half].sets;
	const uint8_t *bytes = sets->bytes + sets->list[set].at;

	__builtin_prefetch(bytes);
	__builtin_prefetch(bytes + 64);
}

/* Churn */

/*
 * Draw a random update. It does not depend on the state of the block, so it is
 * drawn early, and the memory that it will use is prefetched.
 */
static struct choice choice_draw(struct load_router *r)
{
	uint64_t where = load_random_next(&r->random);
	uint64_t what = load_random_next(&r->random);
	uint32_t block = (uint32_t)((where >> 32) * r->blocks >> 32);
	const struct load_half *half = &r->table->halves[LOAD_IPV4];
	struct choice c = {
		.target.peer =
			&r->peers[(where & UINT32_MAX) * r->table->plan.peers >>
				  32],
		.kind = what & 0xffff,
	};

	if (block >= half->blocks) {
		block -= half->blocks;
		half = &r->table->halves[LOAD_IPV6];
		c.target.half = LOAD_IPV6;
	}
	c.target.block = block;
	c.set = (uint32_t)((what >> 32) * half->churn_sets >> 32);
	__builtin_prefetch(&c.target.peer->states[c.target.half][block], 1);
	__builtin_prefetch(half->prefixes.nlri +
			   (size_t)block * r->table->plan.per_update);
	__builtin_prefetch(&half->sets.list[half->table_sets + c.set]);
	return c;
}

/* Return the next choice, and draw another one in its place. */
static struct choice next_choice(struct load_router *r)
{
	uint32_t at = r->drawn++ % AHEAD;
	const struct choice *near = &r->choices[(at + AHEAD / 2) % AHEAD];
	struct choice c = r->choices[at];

	r->choices[at] = choice_draw(r);
	prefetch_set(r, near->target.half,
		     r->table->halves[near->target.half].table_sets +
			     near->set);
	return c;
}

/*
 * Announce the block with the drawn set, or with the next set if the block
 * already has the drawn one.
 */
static size_t block_change(struct load_router *r, const struct choice *c,
			   uint8_t *buf)
{
	const struct target *t = &c->target;
	const struct load_half *half = &r->table->halves[t->half];
	uint32_t *state = &t->peer->states[t->half][t->block];
	uint32_t set = c->set;

	if (*state == 1 + set)
		set = (set + 1) % half->churn_sets;
	*state = 1 + set;
	return block_announce(r, t, half->table_sets + set, buf);
}

static size_t block_repeat(struct load_router *r, const struct target *t,
			   uint8_t *buf)
{
	uint32_t state = t->peer->states[t->half][t->block];

	if (state == 0)
		return block_announce(r, t, table_set(r, t), buf);
	return block_announce(r, t,
			      r->table->halves[t->half].table_sets + state - 1,
			      buf);
}

/* Make one UPDATE for a random block. A withdrawn block is announced again. */
static size_t update_churn(struct load_router *r, uint8_t *buf)
{
	struct choice c = next_choice(r);
	struct target *t = &c.target;
	uint32_t *state = &t->peer->states[t->half][t->block];
	uint64_t n = routes_of(r, t).count;
	size_t len;

	load_peer_time(t->peer, r->time_ns);
	if (*state == LOAD_WITHDRAWN) {
		r->counts.returns += n;
		t->peer->routes += n;
		len = block_change(r, &c, buf);
	} else if (c.kind < r->below_change) {
		r->counts.changes += n;
		len = block_change(r, &c, buf);
	} else if (c.kind < r->below_duplicate) {
		r->counts.duplicates += n;
		len = block_repeat(r, t, buf);
	} else {
		r->counts.withdraws += n;
		t->peer->routes -= n;
		*state = LOAD_WITHDRAWN;
		len = block_withdraw(r, t, buf);
	}
	r->churned += n;
	r->time_ns += n * r->step_ns;
	return len;
}

/* Creation */

static int make_states(struct load_router *r)
{
	const struct load_half *halves = r->table->halves;
	uint32_t *next;

	r->states = calloc((size_t)r->blocks * r->table->plan.peers,
			   sizeof(*r->states));
	if (r->states == NULL)
		return -ENOMEM;
	next = r->states;
	for (uint32_t p = 0; p < r->table->plan.peers; p++) {
		for (int h = 0; h < LOAD_HALVES; h++) {
			r->peers[p].states[h] = next;
			next += halves[h].blocks;
		}
	}
	return 0;
}

static void plan_churn(struct load_router *r)
{
	const struct load_plan *plan = &r->table->plan;
	uint64_t sum =
		(uint64_t)plan->changes + plan->duplicates + plan->withdraws;

	r->next_flap = LOAD_NO_END;
	r->churn = load_plan_part(plan, plan->churn, r->index);
	if (r->churn == 0)
		return;
	r->below_change = (uint32_t)(((uint64_t)plan->changes << 16) / sum);
	r->below_duplicate =
		(uint32_t)((((uint64_t)plan->changes + plan->duplicates)
			    << 16) /
			   sum);
	r->flaps = (uint32_t)load_plan_part(plan, plan->flaps, r->index);
	if (r->flaps > 0)
		r->next_flap = r->churn / (r->flaps + 1);
	r->step_ns = plan->rate == 0 ? 1000
				     : UINT64_C(1000000000) * plan->routers /
					       plan->rate;
}

int load_router_new(const struct load_table *table, uint32_t index,
		    struct load_router **out)
{
	const struct load_plan *plan = &table->plan;
	struct load_router *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (r == NULL)
		return -ENOMEM;
	r->table = table;
	r->index = index;
	r->bgp_id = UINT32_C(0x0aff0001) + index; /* 10.255.0.1 and up */
	r->random = load_random_fork(plan->seed, UINT64_C(2) << 32 | index);
	r->time_ns = START_NS;
	for (int h = 0; h < LOAD_HALVES; h++)
		r->blocks += table->halves[h].blocks;
	r->peers = calloc(plan->peers, sizeof(*r->peers));
	if (r->peers == NULL)
		goto fail;
	for (uint32_t p = 0; p < plan->peers; p++) {
		load_peer_init(&r->peers[p], table, r->bgp_id,
			       index * plan->peers + p);
		load_peer_time(&r->peers[p], r->time_ns);
	}
	plan_churn(r);
	if (r->churn > 0) {
		err = make_states(r);
		if (err < 0)
			goto fail;
		for (int i = 0; i < AHEAD; i++)
			r->choices[i] = choice_draw(r);
	}
	*out = r;
	return 0;

fail:
	load_router_free(r);
	return err;
}

void load_router_free(struct load_router *router)
{
	if (router == NULL)
		return;
	free(router->peers);
	free(router->states);
	free(router);
}

/* The functions of the phases: each writes one step and returns its length. */

static size_t initiation_write(struct load_router *r, struct bmp_writer *w)
{
	char descr[64], name[32];

	snprintf(descr, sizeof(descr), "arancini generate, seed %llu",
		 (unsigned long long)r->table->plan.seed);
	snprintf(name, sizeof(name), "generated-%u", r->index + 1);
	bmp_write_initiation(w, descr, name);
	r->phase = LOAD_PEERS_UP;
	r->at.peer = 0;
	return w->len;
}

static size_t peers_up(struct load_router *r, struct bmp_writer *w)
{
	load_peer_up(&r->peers[r->at.peer], w);
	if (++r->at.peer == r->table->plan.peers) {
		r->at = (struct position){ .peer_end = r->at.peer };
		r->phase = LOAD_TABLE;
	}
	return w->len;
}

/*
 * End the current half of a peer's table (enum load_half_id: IPv4 or IPv6) with
 * its End-of-RIB; after the last half, send the statistics and go to the next
 * peer.
 */
static size_t end_of_half(struct load_router *r, struct load_peer *peer,
			  struct bmp_writer *w)
{
	enum load_half_id half = (enum load_half_id)r->at.half;

	r->at.block = 0;
	r->at.half++;
	if (half < LOAD_HALVES) {
		load_peer_end_of_rib(peer, half, w);
		return w->len;
	}
	load_peer_statistics(peer, w);
	r->at.half = 0;
	if (++r->at.peer == r->at.peer_end)
		r->phase = LOAD_CHURN;
	return w->len;
}

/*
 * Prefetch the sets of blocks that follow @t; prefixes are read in order and
 * need no prefetch.
 */
static void prefetch_table(const struct load_router *r, const struct target *t)
{
	const struct load_half *half = &r->table->halves[t->half];
	struct target ahead = *t;

	ahead.block += AHEAD;
	if (ahead.block >= half->blocks)
		return;
	__builtin_prefetch(&half->sets.list[table_set(r, &ahead)]);
	ahead.block -= AHEAD / 2;
	prefetch_set(r, t->half, table_set(r, &ahead));
}

static size_t table_write(struct load_router *r, struct bmp_writer *w)
{
	struct load_peer *peer = &r->peers[r->at.peer];
	struct target t = { peer, (enum load_half_id)r->at.half, r->at.block };
	uint64_t before = r->counts.announced;
	size_t len;

	if (r->at.half == LOAD_HALVES ||
	    r->at.block == r->table->halves[r->at.half].blocks)
		return end_of_half(r, peer, w);
	prefetch_table(r, &t);
	len = block_announce(r, &t, table_set(r, &t), w->p);
	peer->routes += r->counts.announced - before;
	r->at.block++;
	return len;
}

/*
 * Take a peer down and up, and send its table again, without the changes made
 * since.
 */
static size_t peer_flap(struct load_router *r, struct bmp_writer *w)
{
	uint32_t nth = (uint32_t)r->counts.flaps++;
	uint32_t number = nth % r->table->plan.peers;
	struct load_peer *peer = &r->peers[number];

	r->next_flap =
		r->counts.flaps < r->flaps
			? (r->counts.flaps + 1) * (r->churn / (r->flaps + 1))
			: LOAD_NO_END;
	load_peer_time(peer, r->time_ns);
	load_peer_down(peer, nth, w);
	load_peer_up(peer, w);
	peer->routes = 0;
	/* The states of both halves are contiguous. */
	memset(peer->states[LOAD_IPV4], 0, r->blocks * sizeof(uint32_t));
	r->at = (struct position){ .peer = number, .peer_end = number + 1 };
	r->phase = LOAD_TABLE;
	r->counts.messages++; /* two messages in one step */
	return w->len;
}

static size_t termination_write(struct load_router *r, struct bmp_writer *w)
{
	if (r->at.peer < r->table->plan.peers && r->churned > 0) {
		struct load_peer *peer = &r->peers[r->at.peer++];

		load_peer_time(peer, r->time_ns);
		load_peer_statistics(peer, w);
		return w->len;
	}
	r->phase = LOAD_DONE;
	if (r->table->plan.stay)
		return 0;
	bmp_write_termination(w, BMP_TERM_ADMIN);
	return w->len;
}

/*
 * Write one step of the session into @buf, which has LOAD_MESSAGE_MAX bytes.
 * Returns its length; 0 if there is nothing to send now.
 */
static size_t router_step(struct load_router *r, uint64_t until, uint8_t *buf)
{
	struct bmp_writer w = bmp_writer_on(buf, LOAD_MESSAGE_MAX);

	switch (r->phase) {
	case LOAD_INITIATION:
		return initiation_write(r, &w);
	case LOAD_PEERS_UP:
		return peers_up(r, &w);
	case LOAD_TABLE:
		return table_write(r, &w);
	case LOAD_CHURN:
		if (r->churned >= r->next_flap)
			return peer_flap(r, &w);
		if (r->churned >= r->churn) {
			r->phase = LOAD_LEAVING;
			r->at.peer = 0;
			return termination_write(r, &w);
		}
		if (r->churned >= until)
			return 0;
		return update_churn(r, buf);
	case LOAD_LEAVING:
		return termination_write(r, &w);
	case LOAD_DONE:
		break;
	}
	return 0;
}

size_t load_router_fill(struct load_router *router, uint64_t until,
			uint8_t *buf, size_t size)
{
	size_t len = 0;

	while (size - len >= LOAD_MESSAGE_MAX) {
		size_t n = router_step(router, until, buf + len);

		if (n == 0)
			break;
		len += n;
		router->counts.messages++;
	}
	router->counts.bytes += len;
	return len;
}

enum load_phase load_router_phase(const struct load_router *router)
{
	return router->phase;
}

uint64_t load_router_churned(const struct load_router *router)
{
	return router->churned;
}

const struct load_counts *load_router_counts(const struct load_router *router)
{
	return &router->counts;
}

void load_router_time(struct load_router *router, uint64_t time_ns)
{
	router->time_ns = time_ns;
	router->step_ns = 0;
	for (uint32_t p = 0; p < router->table->plan.peers; p++)
		load_peer_time(&router->peers[p], time_ns);
}

void load_router_stop(struct load_router *router)
{
	router->churn = router->churned;
	router->next_flap = LOAD_NO_END;
}
