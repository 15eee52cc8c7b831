#include "model.h"

#include "egress/encode/decode.h"
#include "rib/event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLACK INT64_C(100000000) /* ns, as clocks drift */

/* The truth */

static int router_init(struct model *m, uint32_t number)
{
	struct model_router *r = &m->routers[number];
	const uint8_t address[16] = {
		[10] = 0xff, 0xff, 10, 1, 0, (uint8_t)(number + 1)
	};

	memcpy(r->address, address, sizeof(address));
	for (uint32_t i = 0; i <= m->peer_count; i++) {
		struct model_peer *p = &r->peers[i];

		load_peer_init(&p->load, m->table, 0x0a010001 + number, i * 4);
		p->meds = calloc(m->prefix_count, sizeof(p->meds[0]));
		p->since_ns = calloc(m->prefix_count, sizeof(p->since_ns[0]));
		if (p->meds == NULL || p->since_ns == NULL)
			return -ENOMEM;
	}
	return 0;
}

int model_init(struct model *m, uint64_t seed, uint32_t routers, uint32_t peers,
	       uint32_t prefixes)
{
	struct load_plan plan = LOAD_PLAN_INIT;
	int err;

	*m = (struct model){ .router_count = routers,
			     .peer_count = peers,
			     .prefix_count = prefixes };
	plan.seed = seed;
	plan.prefixes = prefixes;
	plan.v6_share = 0;
	err = load_table_new(&plan, &m->table);
	for (uint32_t i = 0; err == 0 && i < routers; i++)
		err = router_init(m, i);
	return err;
}

void model_fini(struct model *m)
{
	for (uint32_t r = 0; r < m->router_count; r++)
		for (uint32_t p = 0; p <= m->peer_count; p++) {
			free(m->routers[r].peers[p].meds);
			free(m->routers[r].peers[p].since_ns);
		}
	load_table_free(m->table);
}

void model_set(struct model_peer *peer, uint32_t prefix, uint32_t med,
	       int64_t now_ns)
{
	if (peer->meds[prefix] == med)
		return;
	peer->meds[prefix] = med;
	peer->since_ns[prefix] = now_ns;
}

const uint64_t *model_prefix(const struct model *m, uint32_t number)
{
	return &m->table->halves[LOAD_IPV4].prefixes.nlri[number];
}

/* The first bytes of a prefix: its address, then its length. */
static uint64_t prefix_key(const uint8_t *address, uint8_t len)
{
	uint64_t key = 0;

	for (size_t i = 0; i < 4; i++)
		key = key << 8 | (i * 8 < len ? address[i] : 0);
	return key << 8 | len;
}

/* They are in ascending order. The count if there is no such prefix. */
static uint32_t prefix_find(const struct model *m, const uint8_t *address,
			    uint8_t len)
{
	uint64_t wanted = prefix_key(address, len);
	uint32_t low = 0, high = m->prefix_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const uint8_t *p = (const uint8_t *)model_prefix(m, middle);
		uint64_t key = prefix_key(p + 1, p[0]);

		if (key == wanted)
			return middle;
		if (key < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return m->prefix_count;
}

/* A consumer's view */

int model_view_init(struct model_view *v, const struct model *m)
{
	*v = (struct model_view){ .model = m };
	for (uint32_t r = 0; r < m->router_count; r++)
		for (uint32_t p = 0; p <= m->peer_count; p++) {
			struct model_view_table *t = &v->tables[r][p];

			t->meds = calloc(m->prefix_count, sizeof(uint32_t));
			t->newest = calloc(m->prefix_count, sizeof(uint32_t));
			if (t->meds == NULL || t->newest == NULL)
				return -ENOMEM;
		}
	return 0;
}

void model_view_fini(struct model_view *v)
{
	for (uint32_t r = 0; r < MODEL_ROUTERS; r++)
		for (uint32_t p = 0; p < MODEL_TABLES; p++) {
			free(v->tables[r][p].meds);
			free(v->tables[r][p].newest);
		}
	free(v->ids);
}

static void table_clear(struct model_view *v, uint32_t r, uint32_t p)
{
	size_t size = v->model->prefix_count * sizeof(uint32_t);
	struct model_view_table *t = &v->tables[r][p];

	if (t->meds == NULL)
		return;
	memset(t->meds, 0, size);
	memset(t->newest, 0, size);
	t->up_ns = 0;
}

void model_view_clear(struct model_view *v)
{
	for (uint32_t r = 0; r < MODEL_ROUTERS; r++)
		for (uint32_t p = 0; p < MODEL_TABLES; p++) {
			table_clear(v, r, p);
			v->tables[r][p].sequence = 0;
			v->tables[r][p].begins = false;
			v->tables[r][p].partial = false;
		}
	memset(v->owed, 0, sizeof(v->owed));
	v->last_epoch = v->last_seq = 0;
	v->messages = v->updates = 0;
	v->wrong[0] = '\0';
}

void model_view_any(struct model_view *v)
{
	for (uint32_t r = 0; r < MODEL_ROUTERS; r++)
		for (uint32_t p = 0; p < MODEL_TABLES; p++) {
			struct model_view_table *t = &v->tables[r][p];

			t->begins = true;
			t->partial = true;
			t->up_ns = 0;
			if (t->newest != NULL)
				memset(t->newest, 0,
				       v->model->prefix_count *
					       sizeof(uint32_t));
		}
}

#define WRONG(v, ...)          \
	((v)->wrong[0] != '\0' \
		 ? 0           \
		 : snprintf((v)->wrong, sizeof((v)->wrong), __VA_ARGS__))

/* As docs/schema.md says: by the id, or by the address if there is no id. */
static uint32_t router_find(const struct model *m, struct wire_view id,
			    const uint8_t *address)
{
	static const char prefix[] = "router-";
	size_t len = sizeof(prefix) - 1;
	uint32_t r = 0;

	if (id.len != 0) {
		r = id.len == len + 1 && memcmp(id.p, prefix, len) == 0
			    ? (uint32_t)(id.p[len] - '0')
			    : m->router_count;
		return r < m->router_count ? r : m->router_count;
	}
	while (r < m->router_count &&
	       (address == NULL ||
		memcmp(m->routers[r].address, address, 16) != 0))
		r++;
	return r;
}

static uint32_t peer_find(const struct model *m, uint32_t router,
			  const uint8_t *address)
{
	uint32_t p = 0;

	while (p <= m->peer_count &&
	       (address == NULL ||
		memcmp(m->routers[router].peers[p].load.header.address, address,
		       16) != 0))
		p++;
	return p;
}

/* False if the update was seen before, where that may be. */
static bool check_sequence(struct model_view *v, uint32_t r, uint32_t p,
			   uint64_t sequence)
{
	struct model_view_table *t = &v->tables[r][p];

	if (v->lenient && sequence <= t->sequence)
		return false;
	if (sequence <= t->sequence)
		WRONG(v,
		      "router %u peer %u: sequence %" PRIu64 " behind %" PRIu64,
		      r, p, sequence, t->sequence);
	else if (t->sequence != 0 && sequence != t->sequence + 1 &&
		 !t->begins && v->lossy)
		v->owed[r] = true;
	else if (t->sequence != 0 && sequence != t->sequence + 1 && !t->begins)
		WRONG(v,
		      "router %u peer %u: a gap from sequence %" PRIu64
		      " to %" PRIu64,
		      r, p, t->sequence, sequence);
	if (sequence != t->sequence + 1)
		t->begins = false;
	t->sequence = sequence;
	return true;
}

static void check_announced(struct model_view *v, uint32_t r, uint32_t p,
			    uint32_t prefix, const struct egress_update *u)
{
	uint32_t *newest = &v->tables[r][p].newest[prefix];

	if (!u->has_multi_exit_disc)
		WRONG(v, "router %u peer %u: an announcement without a MED", r,
		      p);
	if (u->multi_exit_disc < *newest)
		WRONG(v,
		      "router %u peer %u: route %u is announced with MED %u, "
		      "which is older than %u before, sequence %" PRIu64,
		      r, p, prefix, u->multi_exit_disc, *newest, u->sequence);
	else
		*newest = u->multi_exit_disc;
}

/*
 * What the router had when the peer came up, and has had ever since, is in the
 * dump. Nobody knows that it is not there before the End-of-RIB, which follows
 * it, or a silence of sweep_quiet_ns.
 */
static void check_swept(struct model_view *v, uint32_t r, uint32_t p,
			uint32_t prefix, const struct egress_update *u)
{
	const struct model_peer *peer = &v->model->routers[r].peers[p];
	int64_t up = v->tables[r][p].up_ns;

	if (up == 0 || v->sweep_quiet_ns == 0 || peer->meds[prefix] == 0 ||
	    peer->since_ns[prefix] >= v->tables[r][p].sent_ns ||
	    (int64_t)u->time_received_ns - up > v->sweep_quiet_ns - SLACK)
		return;
	WRONG(v,
	      "router %u peer %u: route %u is swept %" PRId64
	      " ms after the peer came up, and the router had it all the time",
	      r, p, prefix, ((int64_t)u->time_received_ns - up) / 1000000);
}

static void apply_update(struct model_view *v, const struct egress_update *u)
{
	const struct model *m = v->model;
	uint32_t r = router_find(m, u->router_id, u->router_addr);
	uint32_t p = r < m->router_count ? peer_find(m, r, u->peer_addr) : 0;
	uint32_t prefix = m->prefix_count;

	if (r < m->router_count && p <= m->peer_count && u->prefix_addr != NULL)
		prefix = prefix_find(m, u->prefix_addr + 12, u->prefix_len);
	if (prefix == m->prefix_count) {
		WRONG(v, "an update of no known route");
		return;
	}
	v->updates++;
	if (v->trace != NULL)
		fprintf(v->trace,
			"  sequence %" PRIu64 " router %u peer %u route %u %s "
			"MED %u reason %u resync %d\n",
			u->sequence, r, p, prefix,
			u->announced ? "announced" : "withdrawn",
			u->multi_exit_disc, u->reason, u->resync);
	if (!check_sequence(v, r, p, u->sequence))
		return;
	if (u->announced)
		check_announced(v, r, p, prefix, u);
	if (!u->announced && u->reason == RIB_REASON_STALE_SWEEP)
		check_swept(v, r, p, prefix, u);
	if (!u->announced && u->synthetic && !v->lossy &&
	    !v->tables[r][p].partial && v->tables[r][p].meds[prefix] == 0)
		WRONG(v,
		      "router %u peer %u: a synthetic withdraw of a route "
		      "that consumers do not have: route %u, sequence %" PRIu64
		      ", reason %u",
		      r, p, prefix, u->sequence, u->reason);
	v->tables[r][p].meds[prefix] = u->announced ? u->multi_exit_disc : 0;
}

static void apply_event(struct model_view *v, const struct egress_event *e)
{
	const struct model *m = v->model;
	uint32_t r = router_find(m, e->router_id, e->router_addr);
	uint32_t p;

	if (v->trace != NULL)
		fprintf(v->trace,
			"  event %u router %u reason %u routes %" PRIu64 "\n",
			e->kind, r, e->reason, e->routes);
	if (r == m->router_count)
		return;
	if (e->kind == RIB_EVENT_RESYNC)
		v->owed[r] = false;
	if (e->kind == RIB_EVENT_RESYNC)
		for (p = 0; p <= m->peer_count; p++) {
			table_clear(v, r, p);
			v->tables[r][p].begins = true;
			v->tables[r][p].partial = true;
		}
	p = e->has_peer ? peer_find(m, r, e->peer_addr) : MODEL_TABLES;
	if (p > m->peer_count)
		return;
	if (e->kind == RIB_EVENT_PEER_UP) {
		v->tables[r][p].up_ns = (int64_t)e->time_received_ns;
		v->tables[r][p].sent_ns = (int64_t)e->time_bmp_header_ns;
	}
	if (e->kind == RIB_EVENT_SWEPT)
		v->tables[r][p].partial = false;
	if (e->kind == RIB_EVENT_PEER_DOWN &&
	    e->reason == BMP_DOWN_DECONFIGURED)
		v->tables[r][p].begins = true;
}

void model_view_apply(struct model_view *v, const char *subject,
		      struct wire_view bytes)
{
	struct egress_decoder decoder = egress_decode_start(bytes);
	bool events = strstr(subject, ".events.") != NULL;
	struct egress_message message;
	struct egress_update update;
	struct egress_event event;
	int got;

	while ((got = egress_decode_next(&decoder, &message)) > 0)
		if (events && egress_decode_event(&message, &event) == 0)
			apply_event(v, &event);
		else if (!events &&
			 egress_decode_update(&message, &update) == 0)
			apply_update(v, &update);
		else
			WRONG(v, "a message of %s cannot be read", subject);
	if (got < 0)
		WRONG(v, "a batch of %s cannot be read", subject);
}

void model_view_message(struct model_view *v, uint64_t epoch, uint64_t seq)
{
	if (epoch < v->last_epoch ||
	    (epoch == v->last_epoch && seq <= v->last_seq && v->messages > 0))
		WRONG(v,
		      "message %" PRIu64 "-%" PRIu64 " behind %" PRIu64
		      "-%" PRIu64,
		      epoch, seq, v->last_epoch, v->last_seq);
	if (v->trace != NULL)
		fprintf(v->trace, "message %" PRIu64 "-%" PRIu64 "\n", epoch,
			seq);
	v->last_epoch = epoch;
	v->last_seq = seq;
	v->messages++;
}

/* FNV-1a; never 0. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash | 1;
}

static bool id_insert(struct model_view *v, uint64_t hash)
{
	uint64_t mask = (UINT64_C(1) << v->ids_bits) - 1;
	uint64_t i = (hash >> 8) & mask;

	while (v->ids[i] != 0 && v->ids[i] != hash)
		i = (i + 1) & mask;
	if (v->ids[i] == hash)
		return false;
	v->ids[i] = hash;
	v->ids_count++;
	return true;
}

static bool ids_grow(struct model_view *v)
{
	uint64_t *old = v->ids;
	uint64_t size = old == NULL ? 0 : UINT64_C(1) << v->ids_bits;

	v->ids_bits = old == NULL ? 10 : v->ids_bits + 1;
	v->ids_count = 0;
	v->ids = calloc(UINT64_C(1) << v->ids_bits, sizeof(*v->ids));
	for (uint64_t i = 0; i < size && v->ids != NULL; i++)
		if (old[i] != 0)
			(void)id_insert(v, old[i]);
	free(old);
	return v->ids != NULL;
}

void model_view_id(struct model_view *v, const char *id)
{
	v->messages++;
	if (v->trace != NULL)
		fprintf(v->trace, "message %s\n", id);
	if ((v->ids == NULL || 2 * v->ids_count >= UINT64_C(1)
							   << v->ids_bits) &&
	    !ids_grow(v))
		return;
	if (!id_insert(v, hash_text(id)))
		WRONG(v, "message id %s comes twice", id);
}

bool model_view_equals(const struct model_view *v, char *out, size_t size)
{
	const struct model *m = v->model;

	/* One that followed a rollback has missed what it replaced. */
	for (uint32_t r = 0; r < m->router_count && !v->lenient; r++)
		if (v->owed[r]) {
			snprintf(out, size,
				 "router %u: a gap, and no resync after it", r);
			return false;
		}
	for (uint32_t r = 0; r < m->router_count; r++)
		for (uint32_t p = 0; p <= m->peer_count; p++)
			for (uint32_t i = 0; i < m->prefix_count; i++) {
				uint32_t has = v->tables[r][p].meds[i];
				uint32_t truth = m->routers[r].peers[p].meds[i];

				if (has == truth)
					continue;
				snprintf(out, size,
					 "router %u peer %u route %u: the "
					 "consumer has %u, the router %u",
					 r, p, i, has, truth);
				return false;
			}
	return true;
}
