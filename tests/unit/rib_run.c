#include "apply_messages.h"
#include "rib_run.h"

#include "rib/peer.h"
#include "rib/rib_internal.h"

#include <stdio.h>
#include <string.h>

uint32_t run_random(struct run *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return (uint32_t)(r->random >> 32);
}

unsigned run_below(struct run *r, unsigned n)
{
	return run_random(r) % n;
}

bool run_one_in(struct run *r, unsigned n)
{
	return run_below(r, n) == 0;
}

const char *run_describe(const struct model_result *m)
{
	static char text[200];

	snprintf(text, sizeof(text),
		 "%s router %u peer %u view %u family %u key %u path %u "
		 "set %u value %u reason %u",
		 m->announced ? "announce" : "withdraw", m->router, m->peer,
		 m->view, m->family, m->key, m->path, m->set, m->value,
		 m->reason);
	return text;
}

/* What the rib publishes */

static void keep(struct run *r, const struct logged *entry)
{
	if (r->n_log == r->log_cap) {
		r->log_cap = r->log_cap == 0 ? 4096 : 2 * r->log_cap;
		r->log = realloc(r->log, r->log_cap * sizeof(*r->log));
		SURE(r, r->log != NULL, "no memory for the log");
	}
	r->log[r->n_log++] = *entry;
}

/* Where only presence is kept, what is told again has no attributes. */
static bool is_bare(const struct run *r, bool resync)
{
	return resync && r->model.config.mode == RIB_MODE_PRESENCE;
}

static void consume(struct run *r, const struct logged *entry, bool resync)
{
	const struct model_result *m = &entry->result;
	struct known_table *t =
		&r->consumer[m->router][m->peer].tables[m->view][m->family];
	struct known *k = &t->routes[m->key][m->path];

	SURE(r,
	     entry->sequence == t->sequence + 1 ||
		     (entry->sequence > t->sequence &&
		      (t->sequence == 0 || r->restarted ||
		       r->purged[m->router][m->peer])),
	     "sequence %llu follows %llu: %s",
	     (unsigned long long)entry->sequence,
	     (unsigned long long)t->sequence, run_describe(m));
	t->sequence = entry->sequence;
	keep(r, entry);
	if (resync) {
		SURE(r,
		     k->present && (is_bare(r, resync) ||
				    (k->set == m->set && k->value == m->value)),
		     "again, but otherwise: %s", run_describe(m));
		r->resynced++;
		return;
	}
	SURE(r, m->announced || k->present, "was not there: %s",
	     run_describe(m));
	r->did[DID_PUBLISH]++;
	r->did[DID_SWEEP] += m->reason == RIB_REASON_STALE_SWEEP;
	r->did[DID_FLOOD] += m->reason == RIB_REASON_PEER_DOWN ||
			     m->reason == RIB_REASON_SESSION_LOST;
	*k = (struct known){ m->announced, m->set, m->value };
	SURE(r, r->n_got < GOT_MAX, "too much at once");
	r->got[r->n_got++] = *m;
}

/* What all routes of a change share. */
static struct model_result read_change(struct run *r,
				       const struct rib_change *c)
{
	unsigned router = 0, peer = 0, family = 0, set = 0;

	SURE(r, world_find_router(c->table->router, &router), "what router?");
	SURE(r, world_find_peer(c->table, &peer), "what peer?");
	SURE(r, world_find_family(c->table, &family), "what family?");
	SURE(r, c->count >= 1 && c->count <= RIB_CHANGE_MAX, "how many?");
	SURE(r, c->announced == (c->attrs != NULL), "attributes or not");
	SURE(r, c->synthetic == (c->reason != RIB_REASON_NONE), "synthetic");
	if (c->announced && !is_bare(r, c->resync))
		SURE(r,
		     world_find_set(r->world, family, c->attrs, &c->next_hop,
				    &set),
		     "family %u: what attributes?", family);
	return (struct model_result){
		.announced = c->announced,
		.reason = c->reason,
		.router = (uint8_t)router,
		.peer = (uint8_t)peer,
		.view = c->table->view,
		.family = (uint8_t)family,
		.set = (uint8_t)set,
	};
}

static void on_change(void *arg, const struct rib_change *c)
{
	struct run *r = arg;
	struct logged entry = {
		.result = read_change(r, c),
		.peer_as = c->table->peer_as,
		.peer_bgp_id = c->table->peer_bgp_id,
	};
	struct model_result *m = &entry.result;

	r->bytes += 40 * c->count;
	for (size_t i = 0; i < c->count; i++) {
		struct world_route route = { 0 };

		SURE(r,
		     world_find_route(r->world, m->family,
				      c->announced && !is_bare(r, c->resync),
				      &c->routes[i], &route),
		     "family %u: what route?", m->family);
		m->key = route.key;
		m->value = world_has_values(m->family) ? route.value : 0;
		m->path = (uint8_t)(c->has_path_id ? route.path_id + 1 : 0);
		SURE(r, m->path < MODEL_PATHS, "what path id?");
		entry.sequence = c->routes[i].sequence;
		consume(r, &entry, c->resync);
	}
}

static void on_event(void *arg, const struct rib_event *e)
{
	struct run *r = arg;

	SURE(r, e->kind < RIB_EVENTS, "what event?");
}

static void print_all(const struct run *r)
{
	for (size_t i = 0; i < r->model.n_results; i++)
		print_error("wanted %s\n", run_describe(&r->model.results[i]));
	for (size_t i = 0; i < r->n_got; i++)
		print_error("   got %s\n", run_describe(&r->got[i]));
}

static bool same_result(const struct model_result *a,
			const struct model_result *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/*
 * A flood that is small is published at once, and so a withdraw that the model
 * has right before an announcement may come sooner.
 */
static bool comes_early(struct run *r, const struct model_result *got,
			size_t want, bool early[MODEL_RESULTS])
{
	if (got->announced || got->reason == RIB_REASON_NONE)
		return false;
	for (; want < r->model.n_results; want++)
		if (!early[want] && same_result(got, &r->model.results[want])) {
			early[want] = true;
			return true;
		}
	return false;
}

void run_compare(struct run *r)
{
	const struct model *m = &r->model;
	bool early[MODEL_RESULTS] = { false };
	size_t want = 0;

	for (size_t i = 0; i < r->n_got; i++) {
		const struct model_result *got = &r->got[i];

		while (want < m->n_results && early[want])
			want++;
		if (want < m->n_results &&
		    same_result(got, &m->results[want])) {
			want++;
			continue;
		}
		if (model_take(&r->model, got) ||
		    comes_early(r, got, want, early))
			continue;
		print_all(r);
		SURE(r, false, "number %zu is wrong: %s", i, run_describe(got));
	}
	while (want < m->n_results && early[want])
		want++;
	SURE(r, want == m->n_results, "missing: %s",
	     run_describe(&m->results[want]));
	r->n_got = 0;
	r->model.n_results = 0;
}

/*
 * What moves must be waited for, and what a session would wait for then is not
 * what the model does: such messages are applied whole.
 */
static bool can_be_sliced(struct rib_router *to, const struct bmp_message *msg)
{
	const struct rib_peer *peer = rib_peer_find(to, &msg->peer);

	return !rib_router_subject_changing(to) && peer != NULL &&
	       rib_peer_phase_up(peer->phase);
}

static void apply_in_slices(struct run *r, unsigned router,
			    const struct bmp_message *msg)
{
	struct rib_router *to = r->routers[router];
	struct rib_progress progress = { 0 };
	uint64_t failed = 0;
	size_t done = 0;

	for (unsigned slices = 0; done == 0; slices++) {
		struct rib_budget budget = {
			.routes = 1 + run_below(r, 6),
			.bytes_end = r->bytes + 1 + run_below(r, 400),
		};

		SURE(r, slices < 100000, "slices without an end");
		done = apply_some_messages(to, &r->when, msg, 1, NULL, &budget,
					   &progress, &failed, NULL);
		r->did[DID_APPLY_SLICE] += done == 0;
	}
	SURE(r, failed == 0, "no memory");
	SURE(r,
	     progress.part == 0 && progress.offset == 0 && progress.routes == 0,
	     "something is left");
}

void run_apply(struct run *r, unsigned router, const struct bmp_writer *w)
{
	struct wire_view bytes = { w->p, w->len };
	struct bmp_frame frame;
	struct bmp_message msg;
	size_t need;

	SURE(r,
	     !w->full && bmp_frame_next(bytes, BMP_MAX_FRAME_DEFAULT, &frame,
					&need) == BMP_FRAME_WHOLE,
	     "no frame");
	SURE(r, bmp_status_usable(bmp_message_decode(&frame, BMP_V4_OFF, &msg)),
	     "no message");
	/* Whether it is read ahead, or in slices, makes no difference. */
	if (run_below(r, 3) == 0 && can_be_sliced(r->routers[router], &msg))
		apply_in_slices(r, router, &msg);
	else if (run_below(r, 2) == 0)
		SURE(r,
		     apply_message(r->routers[router], &r->when, &msg, NULL) ==
			     0,
		     "no memory");
	else
		SURE(r,
		     apply_messages(r->routers[router], &r->when, &msg, 1,
				    NULL) == 0,
		     "no memory");
	r->did[DID_SEND_IN_SLICES] += r->more;
	r->did[DID_SEND_IN_SNAPSHOT] += r->saved[router].taking != NULL;
}

bool run_work(struct run *r, size_t budget)
{
	struct rib_background work;

	model_tick(&r->model, r->when.now_ns);
	work = rib_background(r->rib, &r->when, budget);
	run_compare(r);
	r->more = work.more;
	r->did[DID_SLICE] += work.more;
	return work.more;
}

void run_drain(struct run *r)
{
	unsigned slices = 0;

	while (run_work(r, 1 + run_below(r, 200)))
		SURE(r, slices++ < 1000000, "work without an end");
	SURE(r, model_owed(&r->model) == 0, "%zu withdraws are missing",
	     model_owed(&r->model));
}

/* Everything */

static void compare_tables(struct run *r, const struct known_table *consumer,
			   const struct known_table *truth, const char *where)
{
	bool presence = r->model.config.mode == RIB_MODE_PRESENCE;

	for (unsigned k = 0; k < WORLD_KEYS; k++)
		for (unsigned i = 0; i < MODEL_PATHS; i++) {
			const struct known *a = &consumer->routes[k][i];
			const struct known *b = &truth->routes[k][i];

			SURE(r, a->present == b->present,
			     "%s: key %u path %u is %s", where, k, i,
			     a->present ? "a ghost" : "missing");
			SURE(r,
			     !a->present || presence ||
				     (a->set == b->set && a->value == b->value),
			     "%s: key %u path %u differs", where, k, i);
		}
}

static void compare_peers(struct run *r, unsigned router, unsigned peer)
{
	for (unsigned v = 0; v < BMP_VIEWS; v++)
		for (unsigned f = 0; f < WORLD_FAMILIES; f++) {
			char where[80];

			snprintf(where, sizeof(where),
				 "router %u peer %u view %u family %u", router,
				 peer, v, f);
			compare_tables(r,
				       &r->consumer[router][peer].tables[v][f],
				       &r->truth[router][peer].tables[v][f],
				       where);
		}
}

void run_compare_truth(struct run *r)
{
	for (unsigned router = 0; router < WORLD_ROUTERS; router++)
		for (unsigned p = 0; p < WORLD_PEERS; p++)
			compare_peers(r, router, p);
}

static void compare_model_table(struct run *r, const struct known_table *c,
				const struct model_table *m)
{
	bool presence = r->model.config.mode == RIB_MODE_PRESENCE;

	for (unsigned k = 0; k < WORLD_KEYS; k++)
		for (unsigned i = 0; i < MODEL_PATHS; i++) {
			const struct known *a = &c->routes[k][i];
			const struct model_route *b = &m->routes[k][i];

			SURE(r, a->present == b->present, "key %u path %u", k,
			     i);
			SURE(r,
			     !a->present || b->unknown || presence ||
				     (a->set == b->set && a->value == b->value),
			     "key %u path %u differs from the model", k, i);
		}
}

void run_compare_model(struct run *r)
{
	for (unsigned i = 0; i < WORLD_ROUTERS; i++) {
		struct model_router *m = &r->model.routers[i];
		uint64_t stored = rib_router_routes(r->routers[i]);

		for (unsigned p = 0; p < WORLD_PEERS; p++)
			for (unsigned v = 0; v < BMP_VIEWS; v++)
				for (unsigned f = 0; f < WORLD_FAMILIES; f++)
					compare_model_table(
						r,
						&r->consumer[i][p].tables[v][f],
						&m->peers[p].tables[v][f]);
		SURE(r, stored == model_stored(&r->model, i),
		     "router %u has %llu routes, not %zu", i,
		     (unsigned long long)stored, model_stored(&r->model, i));
	}
}

/* Beginning and end */

void run_new_rib(struct run *r)
{
	struct rib_sink sink = { .change = on_change,
				 .event = on_event,
				 .change_arg = r,
				 .event_arg = r,
				 .bytes = &r->bytes };

	SURE(r, rib_new(&r->model.config, &sink, &r->rib) == 0, "no rib");
	for (unsigned i = 0; i < WORLD_ROUTERS; i++) {
		struct rib_identity id = { 0 };

		if (i == 2)
			strcpy(id.name, "named");
		world_router_address(i, id.address);
		SURE(r, rib_router_get(r->rib, &id, &r->routers[i]) == 0,
		     "no router");
	}
}

void run_begin(struct run *r, uint64_t seed, const struct rib_config *config)
{
	memset(r, 0, sizeof(*r));
	r->seed = seed;
	r->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	r->when = (struct rib_time){ 1000 * SECOND, 1700000000 * SECOND };
	r->world = world_new();
	model_init(&r->model, config);
	run_new_rib(r);
}

/* clang-format off */
static const char *const deeds[RUN_DEEDS] = {
	[DID_SEND] = "routes sent",
	[DID_PUBLISH] = "routes published",
	[DID_SWEEP] = "withdraws by sweeps",
	[DID_FLOOD] = "withdraws by floods",
	[DID_SLICE] = "slices",
	[DID_SEND_IN_SLICES] = "messages between slices",
	[DID_APPLY_SLICE] = "parts of messages",
	[DID_PEER_UP] = "Peer Ups",
	[DID_PEER_DOWN] = "Peer Downs",
	[DID_SESSION] = "sessions opened or lost",
	[DID_SNAPSHOT] = "snapshots",
	[DID_SEND_IN_SNAPSHOT] = "messages inside a snapshot",
	[DID_RESTART] = "restarts",
	[DID_SEE_TAIL] = "updates of the tail",
	[DID_ASK] = "queries",
	[DID_RESYNC] = "resyncs",
	[DID_SETTLE] = "times the truth came out",
};
/* clang-format on */

static void tell_deeds(struct run *r, bool whole)
{
	for (unsigned i = 0; i < RUN_DEEDS; i++) {
		print_message("# %10llu %s\n", (unsigned long long)r->did[i],
			      deeds[i]);
		SURE(r, !whole || r->did[i] > 0, "no %s in all of the run",
		     deeds[i]);
	}
}

void run_end(struct run *r, bool whole)
{
	tell_deeds(r, whole);
	run_forget_snapshots(r);
	rib_free(r->rib);
	world_free(r->world);
	free(r->log);
}
