/*
 * Random updates or events, twice: as our encoder writes them, and as text
 * for the tool of Cap'n Proto, made from the same values without it.
 *
 *	encode_random updates|events COUNT SEED BYTES TEXT PACKED
 *
 * tests/system/test_encode.py lets the tool encode the text and compares.
 */
#include "random_change.h"

#include "egress/encode/encode_update.h"
#include "egress/capnp/packed.h"

#include "bmp/nlri.h"

#include <inttypes.h>
#include <stdio.h>

static const char *text_bool(bool b)
{
	return b ? "true" : "false";
}

static void put_data(FILE *f, const char *name, const uint8_t *p, size_t n)
{
	if (n == 0)
		return;
	fprintf(f, ", %s = 0x\"", name);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%02x", p[i]);
	fprintf(f, "\"");
}

static void put_numbers(FILE *f, const char *name, const uint32_t *n,
			size_t count)
{
	if (count == 0)
		return;
	fprintf(f, ", %s = [", name);
	for (size_t i = 0; i < count; i++)
		fprintf(f, "%s%" PRIu32, i == 0 ? "" : ", ", n[i]);
	fprintf(f, "]");
}

static void put_table(FILE *f, const struct random_change *r)
{
	const struct rib_table_info *t = &r->table;

	put_data(f, "routerAddr", r->router.address, 16);
	put_data(f, "peerAddr", t->peer_address, 16);
	fprintf(f, ", routerPort = %u, peerBgpId = %" PRIu32, r->router.port,
		t->peer_bgp_id);
	fprintf(f, ", peerAsn = %" PRIu32 ", peerType = %u", t->peer_as,
		t->peer_type);
	fprintf(f, ", isPostPolicy = %s, isAdjRibOut = %s, isLocRib = %s",
		text_bool(t->view == 1 || t->view == 3),
		text_bool(t->view == 2 || t->view == 3),
		text_bool(t->view == 4));
	fprintf(f, ", isFiltered = %s, afi = %u, safi = %u",
		text_bool(t->filtered), t->afi, t->safi);
	fprintf(f, ", peerDistinguisher = %" PRIu64, t->distinguisher);
	if (r->router.name != NULL)
		fprintf(f, ", routerId = \"%s\"", r->router.name);
	if (t->table_name.len != 0)
		fprintf(f, ", tableName = \"vrf\"");
}

static void put_change(FILE *f, const struct rib_change *c)
{
	static const char *const reasons[] = {
		"none",	       "peerDown",	  "staleSweep",
		"sessionLost", "treatAsWithdraw", "admin"
	};

	fprintf(f, ", timeReceivedNs = %" PRIu64 ", timeBmpHeaderNs = %" PRIu64,
		c->received_ns, c->bmp_ns);
	fprintf(f, ", announced = %s, synthetic = %s, resync = %s",
		text_bool(c->announced), text_bool(c->synthetic),
		text_bool(c->resync));
	fprintf(f, ", hasPathId = %s, reason = %s", text_bool(c->has_path_id),
		reasons[c->reason]);
	fprintf(f, ", mpReachAfi = %u, mpReachSafi = %u", c->mp_reach_afi,
		c->mp_reach_safi);
	fprintf(f, ", mpUnreachAfi = %u, mpUnreachSafi = %u", c->mp_unreach_afi,
		c->mp_unreach_safi);
	if (c->next_hop.has_address)
		put_data(f, "nextHop", c->next_hop.address, 16);
	if (c->next_hop.has_link_local)
		put_data(f, "nextHopLinkLocal", c->next_hop.link_local, 16);
}

static void put_attr_number(FILE *f, const struct bgp_attrs *a, uint8_t code,
			    const char *has, const char *name, uint32_t value)
{
	if (bgp_attrs_has(a, code))
		fprintf(f, ", %s = true, %s = %" PRIu32, has, name, value);
}

static void put_attr_numbers(FILE *f, const struct bgp_attrs *a)
{
	static const char *const origins[] = { "IGP", "EGP", "INCOMPLETE" };

	if (bgp_attrs_has(a, BGP_ORIGIN))
		fprintf(f, ", origin = \"%s\"", origins[a->origin]);
	put_attr_number(f, a, BGP_MED, "hasMultiExitDisc", "multiExitDisc",
			a->med);
	put_attr_number(f, a, BGP_LOCAL_PREF, "hasLocalPreference",
			"localPreference", a->local_pref);
	put_attr_number(f, a, BGP_OTC, "hasOnlyToCustomer", "onlyToCustomer",
			a->otc);
	put_attr_number(f, a, BGP_ORIGINATOR_ID, "hasOriginatorId",
			"originatorId", a->originator_id);
	put_attr_number(f, a, BGP_AGGREGATOR, "hasAggregator", "aggregatorAsn",
			a->aggregator_as);
	if (bgp_attrs_has(a, BGP_AGGREGATOR))
		fprintf(f, ", aggregatorBgpId = %" PRIu32, a->aggregator_id);
	if (bgp_attrs_has(a, BGP_ATOMIC_AGGREGATE))
		fprintf(f, ", atomicAggregate = true");
}

static void put_path(FILE *f, const struct random_change *r)
{
	static const char *const types[] = { "", "asSet", "asSequence",
					     "confedSequence", "confedSet" };
	uint32_t flat[4 * RANDOM_LIST] = { 0 };
	size_t count = 0;
	bool plain = true, has_set = false;

	for (size_t i = 0; i < r->segment_count; i++) {
		const struct random_segment *s = &r->segments[i];

		memcpy(flat + count, s->asns, 4 * (size_t)s->count);
		count += s->count;
		plain &= s->type == BGP_AS_SEQUENCE;
		has_set |=
			s->type == BGP_AS_SET || s->type == BGP_AS_CONFED_SET;
	}
	put_numbers(f, "asPath", flat, count);
	fprintf(f, ", hasAsSet = %s", text_bool(has_set));
	if (plain)
		return;
	fprintf(f, ", asPathSegments = [");
	for (size_t i = 0; i < r->segment_count;) {
		const struct random_segment *s = &r->segments[i];

		/* Sequences that follow one another are one. */
		count = 0;
		do {
			memcpy(flat + count, r->segments[i].asns,
			       4 * (size_t)r->segments[i].count);
			count += r->segments[i++].count;
		} while (i < r->segment_count &&
			 r->segments[i].type == s->type &&
			 bgp_as_type_is_sequence(s->type));
		fprintf(f, "%s(type = %s", s == r->segments ? "" : ", ",
			types[s->type]);
		put_numbers(f, "asns", flat, count);
		fprintf(f, ")");
	}
	fprintf(f, "]");
}

static void put_communities(FILE *f, const struct random_change *r)
{
	if (r->community_count != 0)
		fprintf(f, ", communities = [");
	for (size_t i = 0; i < r->community_count; i++)
		fprintf(f, "(asn = %u, value = %u)%s", r->communities[i] >> 16,
			r->communities[i] & 0xffff,
			i + 1 == r->community_count ? "]" : ", ");
	if (r->ext_count != 0)
		fprintf(f, ", extendedCommunities = [");
	for (size_t i = 0; i < r->ext_count; i++) {
		fprintf(f, "(typeHigh = %u, typeLow = %u", r->ext[i][0],
			r->ext[i][1]);
		put_data(f, "value", r->ext[i] + 2, 6);
		fprintf(f, ")%s", i + 1 == r->ext_count ? "]" : ", ");
	}
	if (r->large_count != 0)
		fprintf(f, ", largeCommunities = [");
	for (size_t i = 0; i < r->large_count; i++)
		fprintf(f,
			"(globalAdmin = %u, localDataPart1 = %u,"
			" localDataPart2 = %u)%s",
			r->large[i][0], r->large[i][1], r->large[i][2],
			i + 1 == r->large_count ? "]" : ", ");
}

static void put_unknown(FILE *f, const struct random_change *r)
{
	if (r->unknown_count != 0)
		fprintf(f, ", unknownAttributes = [");
	for (size_t i = 0; i < r->unknown_count; i++) {
		const struct random_tlv *t = &r->unknown[i];

		fprintf(f, "(flags = %u, type = %u", t->flags, t->code);
		put_data(f, "value", t->value, t->len);
		fprintf(f, ")%s", i + 1 == r->unknown_count ? "]" : ", ");
	}
	if (r->ipv6_ext_count != 0)
		fprintf(f, ", ipv6ExtendedCommunities = [");
	for (size_t i = 0; i < r->ipv6_ext_count; i++) {
		fprintf(f, "0x\"");
		for (size_t j = 0; j < 20; j++)
			fprintf(f, "%02x", r->ipv6_ext[i][j]);
		fprintf(f, "\"%s", i + 1 == r->ipv6_ext_count ? "]" : ", ");
	}
}

static void put_route(FILE *f, const struct random_change *r,
		      const struct rib_route *route)
{
	uint32_t labels[4];
	size_t count = route->labels.len / 3;

	fprintf(f, "(sequence = %" PRIu64 ", prefixLen = %u", route->sequence,
		route->prefix_len);
	if (r->change.kind == BGP_NLRI_PREFIX)
		put_data(f, "prefixAddr", route->address, 16);
	fprintf(f, ", pathId = %" PRIu32 ", routeDistinguisher = %" PRIu64,
		route->path_id, route->rd);
	for (size_t i = 0; i < count; i++)
		labels[i] = bgp_label_value(route->labels.p + 3 * i);
	put_numbers(f, "labels", labels, count);
	put_data(f, "nlri", route->nlri.p, route->nlri.len);
	put_data(f, "nlriKey", route->key.p, route->key.len);
	if (route->nlri.len == 0)
		return;
	fprintf(f, ", nlriText = \"raw ");
	for (size_t i = 0; i < route->nlri.len; i++)
		fprintf(f, "%02x", route->nlri.p[i]);
	fprintf(f, "\"");
}

static void put_text(FILE *f, const struct random_change *r, size_t routes)
{
	for (size_t i = 0; i < routes; i++) {
		put_route(f, r, &r->routes[i]);
		put_table(f, r);
		put_change(f, &r->change);
		if (r->change.attrs != NULL) {
			put_attr_numbers(f, r->change.attrs);
			put_path(f, r);
			put_communities(f, r);
			put_numbers(f, "clusterList", r->clusters,
				    r->cluster_count);
			put_unknown(f, r);
		}
		fprintf(f, ")\n");
	}
}

/* Encode in runs of random length, each into a place of random size. */
static void put_bytes(FILE *f, FILE *packed, struct random_change *r,
		      size_t routes)
{
	static uint64_t out[1 << 16];
	static uint8_t pack[sizeof(out) * 2];
	size_t done = 0;

	while (done < routes) {
		struct egress_encoded got;
		size_t cap = egress_encode_bound(&r->change, done) +
			     8 * random_below(r, 500);

		got = egress_encode_update(&r->change, done, routes - done,
					   (uint8_t *)out, cap);
		if (got.routes == 0 || got.bytes > cap)
			abort();
		fwrite(out, 1, got.bytes, f);
		fwrite(pack, 1,
		       capnp_pack((struct wire_view){ (uint8_t *)out,
						      got.bytes },
				  pack),
		       packed);
		done += got.routes;
	}
}

static void put_peer(FILE *f, const struct rib_event *e)
{
	const struct rib_table_info *t = e->table;

	fprintf(f, ", hasPeer = true, peerType = %u, peerAsn = %" PRIu32,
		t->peer_type, t->peer_as);
	fprintf(f, ", peerBgpId = %" PRIu32 ", peerDistinguisher = %" PRIu64,
		t->peer_bgp_id, t->distinguisher);
	put_data(f, "peerAddr", t->peer_address, 16);
	if (t->table_name.len != 0)
		fprintf(f, ", tableName = \"vrf\"");
	if (!e->has_table)
		return;
	fprintf(f, ", hasTable = true, isPostPolicy = %s, isAdjRibOut = %s",
		text_bool(t->view == 1 || t->view == 3),
		text_bool(t->view == 2 || t->view == 3));
	fprintf(f, ", isLocRib = %s, isFiltered = %s, afi = %u, safi = %u",
		text_bool(t->view == 4), text_bool(t->filtered), t->afi,
		t->safi);
}

static void put_counts(FILE *f, const struct rib_event *e)
{
	if (e->count != 0)
		fprintf(f, ", counts = [");
	for (size_t i = 0; i < e->count; i++)
		fprintf(f,
			"(type = %" PRIu32 ", afi = %u, safi = %u, value = "
			"%" PRIu64 ")%s",
			e->counts[i].type, e->counts[i].afi, e->counts[i].safi,
			e->counts[i].value, i + 1 == e->count ? "]" : ", ");
}

static void put_event_text(FILE *f, const struct random_event *r)
{
	static const char *const kinds[RIB_EVENTS] = {
		"peerUp", "peerDown",	"endOfRib",	"swept",
		"stale",  "suspect",	"unknown",	"limit",
		"resync", "statistics", "sessionOpen",	"sessionClose",
		"epoch",  "clash",	"messagesLost", "mirror"
	};
	static const uint8_t zero[16];
	const struct rib_event *e = &r->event;

	fprintf(f, "(kind = %s, timeReceivedNs = %" PRIu64, kinds[e->kind],
		e->received_ns);
	fprintf(f, ", timeBmpHeaderNs = %" PRIu64 ", reason = %u", e->bmp_ns,
		e->reason);
	fprintf(f, ", fsmEvent = %u, localPort = %u, remotePort = %u",
		e->fsm_event, e->local_port, e->remote_port);
	fprintf(f, ", routes = %" PRIu64 ", messages = %" PRIu64, e->routes,
		e->messages);
	if (e->router != NULL) {
		put_data(f, "routerAddr", e->router->address, 16);
		fprintf(f, ", routerPort = %u", e->router->port);
		if (e->router->name != NULL)
			fprintf(f, ", routerId = \"%s\"", e->router->name);
	}
	if (e->table != NULL)
		put_peer(f, e);
	if (e->text != NULL)
		fprintf(f, ", text = \"%s\"", e->text);
	put_data(f, "mirrored", e->mirrored.p, e->mirrored.len);
	put_data(f, "notification", e->notification.p, e->notification.len);
	put_data(f, "sentOpen", e->sent_open.p, e->sent_open.len);
	put_data(f, "receivedOpen", e->received_open.p, e->received_open.len);
	if (e->kind == RIB_EVENT_PEER_UP &&
	    memcmp(e->local_address, zero, 16) != 0)
		put_data(f, "localAddr", e->local_address, 16);
	put_counts(f, e);
	if (r->has_epoch)
		fprintf(f, ", collector = \"ams1\", epoch = %" PRIu64,
			r->epoch.epoch);
	fprintf(f, ")\n");
}

struct files {
	FILE *bytes, *text, *packed;
};

static void put_updates(struct files *f, uint64_t seed, size_t left)
{
	static struct random_change r;

	for (; left > 0; seed++) {
		size_t routes;

		random_change_init(&r, seed << 20);
		routes = r.change.count < left ? r.change.count : left;
		put_text(f->text, &r, routes);
		put_bytes(f->bytes, f->packed, &r, routes);
		left -= routes;
	}
}

static void put_events(struct files *f, uint64_t seed, size_t left)
{
	static struct random_event r;
	static uint64_t out[512];
	uint8_t *bytes = (uint8_t *)out;

	for (; left > 0; seed++, left--) {
		const struct egress_origin *epoch;
		size_t need, len;

		random_event_init(&r, seed << 20);
		epoch = r.has_epoch ? &r.epoch : NULL;
		need = egress_encode_event(&r.event, epoch, NULL, 0);
		len = egress_encode_event(&r.event, epoch, bytes, sizeof(out));
		if (len > need)
			abort();
		put_event_text(f->text, &r);
		fwrite(bytes, 1, len, f->bytes);
	}
}

static FILE *open_file(const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL) {
		perror(path);
		exit(1);
	}
	return f;
}

int main(int argc, char **argv)
{
	struct files f;
	size_t count;
	uint64_t seed;

	if (argc != 7)
		return 2;
	count = strtoull(argv[2], NULL, 10);
	seed = strtoull(argv[3], NULL, 10);
	f.bytes = open_file(argv[4]);
	f.text = open_file(argv[5]);
	f.packed = open_file(argv[6]);
	if (strcmp(argv[1], "events") == 0)
		put_events(&f, seed, count);
	else
		put_updates(&f, seed, count);
	return fclose(f.bytes) != 0 || fclose(f.text) != 0 ||
	       fclose(f.packed) != 0;
}
