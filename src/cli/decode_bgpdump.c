/*
 * Lines of one record share their beginning and all attributes: these are in
 * d->shared and d->attributes, as members are in JSON.
 */
#include "cli/decode_bgpdump.h"

#include "bmp/as_path.h"
#include "bmp/text.h"

#include <string.h>

#define NUMBER_MAX  24
#define ADDRESS_MAX 64

/* Text */

static void put_text(struct json *j, const char *text)
{
	json_raw(j, text, strlen(text));
}

static void put_part(struct json *j, const struct json *part)
{
	j->failed |= part->failed;
	if (part->len > 0)
		json_raw(j, part->bytes, part->len);
}

static void put_u64(struct json *j, uint64_t value)
{
	char buf[NUMBER_MAX];
	struct text t = text_start(buf, sizeof(buf));

	text_u64(&t, value);
	json_raw(j, buf, text_end(&t));
}

static void put_ipv4(struct json *j, uint32_t address)
{
	uint8_t p[4] = { (uint8_t)(address >> 24), (uint8_t)(address >> 16),
			 (uint8_t)(address >> 8), (uint8_t)address };
	char buf[ADDRESS_MAX];
	struct text t = text_start(buf, sizeof(buf));

	text_ipv4(&t, p);
	json_raw(j, buf, text_end(&t));
}

static void put_address(struct json *j, const uint8_t *address)
{
	char buf[ADDRESS_MAX];
	struct text t = text_start(buf, sizeof(buf));

	text_ip(&t, address);
	json_raw(j, buf, text_end(&t));
}

/* Records */

/* Six digits behind the point, as in a record of type BGP4MP_ET. */
static void put_time(struct json *j, const struct bgpdump_origin *origin)
{
	uint32_t us = (uint32_t)(origin->time_ns / 1000 % 1000000);
	char digits[7] = ".";

	put_u64(j, origin->time_ns / 1000000000);
	if (!origin->microseconds)
		return;
	for (int i = 6; i > 0; i--, us /= 10)
		digits[i] = (char)('0' + us % 10);
	json_raw(j, digits, sizeof(digits));
}

/*
 * The name has two parts here: bgpdump marks routes with a path identifier.
 * What follows it is the same for all routes, and begins with the time.
 */
void decode_bgpdump_begin(struct decode *d, const struct bgpdump_origin *origin,
			  const struct bmp_peer *peer)
{
	d->bgpdump.record = origin->record;
	d->bgpdump.add_path = origin->add_path;
	d->bgpdump.table = strncmp(origin->record, "TABLE", 5) == 0;
	json_reset(&d->shared);
	put_text(&d->shared, "|");
	put_time(&d->shared, origin);
	put_text(&d->shared, "|");
	json_reset(&d->bgpdump.peer);
	put_text(&d->bgpdump.peer, "|");
	put_address(&d->bgpdump.peer, peer->address);
	put_text(&d->bgpdump.peer, "|");
	put_u64(&d->bgpdump.peer, peer->as);
	put_text(&d->bgpdump.peer, "|");
}

static void put_origin(struct decode *d, bool path_id, const char *what)
{
	put_text(&d->out, d->bgpdump.record);
	if (path_id && d->bgpdump.add_path)
		put_text(&d->out, "_AP");
	put_part(&d->out, &d->shared);
	put_text(&d->out, what);
	put_part(&d->out, &d->bgpdump.peer);
}

/* Attributes */

static void put_segment(struct json *j, uint8_t type, const uint32_t *asns,
			unsigned count)
{
	static const char *const around[][3] = {
		[BGP_AS_SET] = { "{", ",", "}" },
		[BGP_AS_SEQUENCE] = { "", " ", "" },
		[BGP_AS_CONFED_SEQUENCE] = { "(", " ", ")" },
		[BGP_AS_CONFED_SET] = { "[", ",", "]" },
	};

	put_text(j, around[type][0]);
	for (unsigned i = 0; i < count; i++) {
		if (i > 0)
			put_text(j, around[type][1]);
		put_u64(j, asns[i]);
	}
	put_text(j, around[type][2]);
}

static void put_as_path(struct json *j, const struct bgp_as_path *path)
{
	struct bgp_as_runs runs = bgp_as_runs_start(path);
	uint32_t asns[BGP_AS_RUN_MAX];
	const char *between = "";
	uint8_t type;
	unsigned n;

	while ((n = bgp_as_runs_next(&runs, &type, asns)) > 0) {
		put_text(j, between);
		put_segment(j, type, asns, n);
		between = " ";
	}
}

static void put_next_hop(struct json *j, const struct bgp_update *u,
			 enum bgp_nlri_part_id s)
{
	struct bgp_next_hop hop;

	bgp_update_next_hop(u, s, &hop);
	if (hop.has_address)
		put_address(j, hop.address);
	else
		put_text(j, "255.255.255.255");
}

/* The names of RFC 1997; bgpdump has no others. */
static void put_community(struct json *j, uint32_t community)
{
	switch (community) {
	case 0xffffff01:
		put_text(j, "no-export");
		break;
	case 0xffffff02:
		put_text(j, "no-advertise");
		break;
	case 0xffffff03:
		put_text(j, "local-AS");
		break;
	default:
		put_u64(j, community >> 16);
		put_text(j, ":");
		put_u64(j, community & 0xffff);
	}
}

static void put_attributes(struct json *j, const struct bgp_update *u,
			   enum bgp_nlri_part_id s)
{
	static const char *const origins[] = { "IGP", "EGP", "INCOMPLETE" };
	const struct bgp_attrs *a = &u->attrs;
	struct wire_view list = a->communities;

	put_text(j, "|");
	if (bgp_attrs_has(a, BGP_AS_PATH))
		put_as_path(j, &a->as_path);
	put_text(j, "|");
	put_text(j, origins[bgp_attrs_has(a, BGP_ORIGIN) ? a->origin : 2]);
	put_text(j, "|");
	put_next_hop(j, u, s);
	put_text(j, "|");
	put_u64(j, bgp_attrs_has(a, BGP_LOCAL_PREF) ? a->local_pref : 0);
	put_text(j, "|");
	put_u64(j, bgp_attrs_has(a, BGP_MED) ? a->med : 0);
	put_text(j, "|");
	for (const char *between = ""; list.len >= 4; between = " ") {
		put_text(j, between);
		put_community(j, wire_get_u32(list.p));
		list = (struct wire_view){ list.p + 4, list.len - 4 };
	}
	put_text(j, bgp_attrs_has(a, BGP_ATOMIC_AGGREGATE) ? "|AG|" : "|NAG|");
	if (bgp_attrs_has(a, BGP_AGGREGATOR)) {
		put_u64(j, a->aggregator_as);
		put_text(j, " ");
		put_ipv4(j, a->aggregator_id);
	}
	put_text(j, "|");
}

/* Routes */

/* The form depends on the family: ::ffff:0:0/96 is an IPv6 prefix. */
static void put_prefix(struct json *j, const struct bgp_nlri *nlri)
{
	char buf[ADDRESS_MAX];
	struct text t = text_start(buf, sizeof(buf));

	if (nlri->afi == 1)
		text_ipv4(&t, nlri->address + 12);
	else
		text_ipv6(&t, nlri->address);
	text_char(&t, '/');
	text_u64(&t, nlri->prefix_len);
	json_raw(j, buf, text_end(&t));
}

static void put_route(struct decode *d, const struct bgp_nlri *nlri,
		      const uint32_t *path_id, const char *what)
{
	if (nlri->has_path_id)
		path_id = &nlri->path_id;
	put_origin(d, path_id != NULL, what);
	put_prefix(&d->out, nlri);
	if (path_id != NULL) {
		put_text(&d->out, "|");
		put_u64(&d->out, *path_id);
	}
	put_part(&d->out, &d->attributes);
	json_end_line(&d->out);
}

void decode_bgpdump_routes(struct decode *d, const struct bgp_update *u,
			   enum bgp_nlri_part_id s, const uint32_t *path_id)
{
	bool announced = bgp_update_announces(u, s);
	const char *what = d->bgpdump.table ? "B" : announced ? "A" : "W";
	struct bgp_nlri_iter it;

	if (!bgp_update_routes(u, s, &it) || it.nlri.afi > 2 ||
	    it.nlri.safi > 2 || it.nlri.kind != BGP_NLRI_PREFIX)
		return;
	json_reset(&d->attributes);
	if (announced)
		put_attributes(&d->attributes, u, s);
	while (bgp_nlri_next(&it)) {
		put_route(d, &it.nlri, path_id, what);
		decode_line_done(d);
	}
}

void decode_bgpdump_state(struct decode *d, unsigned old_state,
			  unsigned new_state)
{
	put_origin(d, false, "STATE");
	put_u64(&d->out, old_state);
	put_text(&d->out, "|");
	put_u64(&d->out, new_state);
	json_end_line(&d->out);
	decode_line_done(d);
}
