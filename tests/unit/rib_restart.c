/*
 * The end of a process at any moment: what a snapshot and the stream's tail
 * bring back is what consumers have.
 */
#include "rib_run.h"

#include "rib/snapshot.h"
#include "rib/snapshot_reader.h"

#include <string.h>

static void add(struct run *r, struct saved *s, struct wire_view v)
{
	s->next = realloc(s->next, s->next_len + v.len + 1);
	SURE(r, s->next != NULL, "no memory for a snapshot");
	if (v.len != 0)
		memcpy(s->next + s->next_len, v.p, v.len);
	s->next_len += v.len;
}

static void begin(struct run *r, unsigned router)
{
	struct saved *s = &r->saved[router];
	uint8_t mark[8];

	wire_put_u64(mark, r->n_log);
	s->next_start = r->n_log;
	s->next_len = 0;
	SURE(r,
	     rib_snapshot_new(r->routers[router], &r->when,
			      (struct wire_view){ mark, 8 }, &s->taking) == 0,
	     "no snapshot");
}

static void finish(struct run *r, unsigned router)
{
	struct saved *s = &r->saved[router];
	struct wire_view v;
	uint8_t mark[8];

	wire_put_u64(mark, r->n_log);
	SURE(r,
	     rib_snapshot_finish(s->taking, (struct wire_view){ mark, 8 },
				 &v) == 0,
	     "no end of a snapshot");
	add(r, s, v);
	rib_snapshot_free(s->taking);
	free(s->file);
	s->file = s->next;
	s->len = s->next_len;
	s->start = s->next_start;
	r->did[DID_SNAPSHOT]++;
	s->taking = NULL;
	s->next = NULL;
}

static bool step(struct run *r, unsigned router)
{
	struct saved *s = &r->saved[router];
	struct wire_view v;
	int more = rib_snapshot_step(s->taking, &v);

	SURE(r, more >= 0, "no memory for a slice");
	add(r, s, v);
	return more > 0;
}

void run_snapshot(struct run *r, unsigned router)
{
	struct saved *s = &r->saved[router];

	if (s->taking == NULL)
		begin(r, router);
	else if (!step(r, router))
		finish(r, router);
}

static void forget_taking(struct saved *s)
{
	rib_snapshot_free(s->taking);
	free(s->next);
	s->taking = NULL;
	s->next = NULL;
}

void run_forget_snapshots(struct run *r)
{
	for (unsigned i = 0; i < WORLD_ROUTERS; i++) {
		forget_taking(&r->saved[i]);
		free(r->saved[i].file);
		r->saved[i].file = NULL;
	}
}

/* Restoring */

static void read_file(struct run *r, unsigned router)
{
	struct saved *s = &r->saved[router];
	struct wire_view v = { s->file, s->len };
	const struct rib_snapshot_facts *facts;
	struct rib_snapshot_reader *reader;
	size_t used;

	SURE(r, rib_snapshot_reader_new(r->rib, &reader) == 0, "no reader");
	while (v.len != 0) {
		SURE(r,
		     rib_snapshot_reader_feed(reader, v, &used) ==
			     RIB_SNAPSHOT_MORE,
		     "a bad snapshot");
		v.p += used;
		v.len -= used;
	}
	SURE(r, rib_snapshot_reader_end(reader) == RIB_SNAPSHOT_OK,
	     "a bad end of a snapshot");
	facts = rib_snapshot_reader_facts(reader);
	SURE(r, facts->router == r->routers[router], "another router");
	SURE(r, wire_get_u64(facts->start_mark.p) == s->start, "its mark");
	rib_snapshot_reader_free(reader);
}

/* The route of an update, as the stream has it. */
static struct rib_stored stored_of(struct run *r, const struct model_result *m,
				   uint8_t extra[64])
{
	struct bgp_nlri n = *world_nlri(r->world, m->family, m->key);
	struct bmp_writer w = bmp_writer_on(extra, 64);
	struct rib_stored route = {
		.has_path_id = m->path != 0,
		.path_id = m->path != 0 ? m->path - 1u : 0,
		.key = world_key(r->world, m->family, m->key),
	};

	if (n.kind != BGP_NLRI_PREFIX) {
		bgp_write_nlri(&w, &n);
		route.extra = (struct wire_view){ extra, w.len };
	}
	return route;
}

static void see(struct run *r, const struct logged *entry)
{
	const struct model_result *m = &entry->result;
	struct world_session session = { 0 };
	struct bmp_peer header = world_peer(m->peer, m->view, &session);
	const struct bgp_nlri *n = world_nlri(r->world, m->family, m->key);
	struct rib_peer_state state = {
		.type = header.type,
		.ipv6 = header.ipv6,
		.distinguisher = header.distinguisher,
		.as = entry->peer_as,
		.bgp_id = entry->peer_bgp_id,
	};
	uint8_t extra[64];
	struct rib_stored route = stored_of(r, m, extra);
	struct rib_table *table = NULL;
	struct rib_peer *peer = NULL;

	memcpy(state.address, header.address, 16);
	SURE(r,
	     rib_restore_peer(r->routers[m->router], &state, &peer) == 0 &&
		     rib_restore_table(peer, m->view, n->afi, n->safi, 0,
				       &table) == 0,
	     "no table for the tail");
	SURE(r,
	     rib_restore_seen(table, &route, m->announced, entry->sequence) ==
		     0,
	     "the tail does not fit: %s", run_describe(m));
}

static struct model_route *model_route(struct run *r,
				       const struct model_result *m)
{
	return &r->model.routers[m->router]
			.peers[m->peer]
			.tables[m->view][m->family]
			.routes[m->key][m->path];
}

static void forget_owed(struct model_table *t)
{
	for (unsigned k = 0; k < WORLD_KEYS; k++)
		for (unsigned i = 0; i < MODEL_PATHS; i++)
			if (t->routes[k][i].present) {
				t->routes[k][i].owed = RIB_REASON_NONE;
				t->routes[k][i].gone = false;
			}
}

/* What every process knows after its start: nothing of sessions and dumps. */
static void forget_sessions(struct run *r, unsigned router)
{
	struct model_router *m = &r->model.routers[router];

	m->open = false;
	for (unsigned p = 0; p < WORLD_PEERS; p++) {
		memset(&r->truth[router][p], 0, sizeof(r->truth[router][p]));
		m->peers[p].there = m->peers[p].up = false;
		m->peers[p].implied = false;
		m->peers[p].stale = true;
		m->peers[p].stale_ns = r->when.now_ns;
		for (unsigned v = 0; v < BMP_VIEWS; v++)
			for (unsigned f = 0; f < WORLD_FAMILIES; f++) {
				struct model_table *t =
					&m->peers[p].tables[v][f];

				t->there = t->seen = t->waiting = false;
				forget_owed(t);
			}
	}
}

/* Which peers there are, and their AS: what the files say, not the model. */
static void read_peers(struct run *r, unsigned router)
{
	struct rib_peer *peer = NULL;

	while ((peer = rib_peer_next(r->routers[router], peer)) != NULL) {
		struct rib_table *table = NULL;

		while ((table = rib_table_next(peer, table)) != NULL) {
			const struct rib_table_info *info =
				rib_table_info(table);
			struct model_peer *m;
			unsigned p = 0, f = 0;

			SURE(r,
			     world_find_peer(info, &p) &&
				     world_find_family(info, &f),
			     "what table was restored?");
			m = &r->model.routers[router].peers[p];
			m->there = true;
			m->session.as = (uint8_t)(info->peer_as - 65001);
			m->session.bgp_id =
				(uint8_t)(info->peer_bgp_id - 0x0a000001);
			m->tables[info->view][f].there = true;
		}
	}
}

static void restore(struct run *r, unsigned router)
{
	forget_sessions(r, router);
	read_file(r, router);
	for (size_t i = r->saved[router].start; i < r->n_log; i++)
		if (r->log[i].result.router == router) {
			see(r, &r->log[i]);
			r->did[DID_SEE_TAIL]++;
			model_route(r, &r->log[i].result)->unknown = true;
		}
	read_peers(r, router);
}

void run_restart(struct run *r)
{
	for (unsigned i = 0; i < WORLD_ROUTERS; i++) {
		while (r->saved[i].file == NULL)
			run_snapshot(r, i);
		forget_taking(&r->saved[i]);
	}
	r->restarted = true;
	r->more = false;
	r->did[DID_RESTART]++;
	rib_free(r->rib);
	run_new_rib(r);
	for (unsigned i = 0; i < WORLD_ROUTERS; i++)
		restore(r, i);
	rib_restore_done(r->rib, &r->when);
	/* As the epoch of a run is above those before it. */
	rib_restore_sequence_floor_new(r->rib,
				       (uint64_t)r->did[DID_RESTART] << 32);
	SURE(r, r->n_got == 0, "restoring publishes");
	SURE(r, rib_validate(r->rib), "broken by restoring");
	run_compare_model(r);
	/* The next crash starts from snapshots of this process. */
	run_forget_snapshots(r);
	r->n_log = 0;
}
