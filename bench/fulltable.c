#include "fulltable.h"

#include "bmp/bgp_writer.h"
#include "capture/source.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUMP_PEERS 2
#define BODY_MAX   4096
#define LINE_MAX_  8192

/* One attribute set of the RIB, without what peers have of their own. */
struct set {
	uint32_t at; /* of its bytes: path, then communities */
	uint16_t path_len;
	uint16_t communities_len;
	uint32_t med;
	uint32_t aggregator_as;
	uint32_t aggregator_id;
	uint8_t origin;
	bool has_med;
	bool atomic;
	bool has_aggregator;
};

struct dump {
	struct set *sets;
	size_t n_sets;
	uint32_t *set_of; /* by route, in the order of prefixes */
	size_t n_routes;
	/* Today's prefixes, those of one set together. */
	uint32_t *order;
	uint32_t *slots; /* of sets, while they are read: number + 1 */
};

struct fulltable {
	struct fulltable_prefix *prefixes;
	size_t v4;
	size_t n;
	struct dump dumps[DUMP_PEERS];
	uint8_t *bytes;
	size_t n_bytes;
};

static void die(const char *what, const char *path)
{
	fprintf(stderr, "fulltable: %s: %s\n", path, what);
	exit(1);
}

static void *grow(void *p, size_t n, size_t size)
{
	/* At powers of two, from 4096 on. */
	if (n != 0 && (n < 4096 || (n & (n - 1)) != 0))
		return p;
	p = realloc(p, (n == 0 ? 4096 : 2 * n) * size);
	if (p == NULL)
		die("out of memory", "table");
	return p;
}

/* Lines of a compressed text */

struct lines {
	struct capture_source *source;
	const char *path;
	uint8_t buf[65536];
	size_t at, len;
	char line[LINE_MAX_];
};

static bool next_line(struct lines *l)
{
	size_t n = 0;

	for (;;) {
		if (l->at == l->len) {
			enum capture_source_status s =
				capture_source_read(l->source, l->buf,
						    sizeof(l->buf), &l->len);

			l->at = 0;
			if (s == CAPTURE_SOURCE_END)
				return false;
			if (s != CAPTURE_SOURCE_OK)
				die(capture_source_text(s), l->path);
		}
		if (l->buf[l->at++] == '\n')
			break;
		if (n + 1 == sizeof(l->line))
			die("a line is too long", l->path);
		l->line[n++] = (char)l->buf[l->at - 1];
	}
	l->line[n] = '\0';
	return true;
}

static void each_line(const char *folder, const char *name,
		      void (*take)(struct fulltable *t, char *line),
		      struct fulltable *t)
{
	struct lines *l = calloc(1, sizeof(*l));
	char path[4096];

	snprintf(path, sizeof(path), "%s/fulltable/%s", folder, name);
	if (l == NULL || capture_source_open(path, &l->source) != 0)
		die("cannot be opened", path);
	l->path = path;
	while (next_line(l))
		take(t, l->line);
	capture_source_close(l->source);
	free(l);
}

/* Prefixes */

static void take_prefix(struct fulltable *t, char *line)
{
	struct fulltable_prefix p = { 0 };
	char *slash = strchr(line, '/');

	if (slash == NULL)
		return;
	*slash = '\0';
	p.len = (uint8_t)strtoul(slash + 1, NULL, 10);
	p.v6 = strchr(line, ':') != NULL;
	if (!p.v6)
		p.address[10] = p.address[11] = 0xff;
	if (inet_pton(p.v6 ? AF_INET6 : AF_INET, line,
		      p.address + (p.v6 ? 0 : 12)) != 1)
		return;
	/* One line for each origin: of the same prefix one is enough. */
	if (t->n > 0 && memcmp(&t->prefixes[t->n - 1], &p, sizeof(p)) == 0)
		return;
	t->prefixes = grow(t->prefixes, t->n, sizeof(p));
	t->prefixes[t->n++] = p;
}

/* Attributes */

static void put_byte(struct fulltable *t, uint8_t v)
{
	t->bytes = grow(t->bytes, t->n_bytes, 1);
	t->bytes[t->n_bytes++] = v;
}

static void put_u32(struct fulltable *t, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		put_byte(t, (uint8_t)(v >> shift));
}

/* "4777 2516 {1 2}" as segments of four-byte ASNs. */
static void put_path(struct fulltable *t, const char *text)
{
	size_t segment = SIZE_MAX;
	bool in_set = false;

	while (*text != '\0') {
		char *end;
		unsigned long as;

		if (*text == '{' || *text == '}') {
			in_set = *text == '{';
			segment = SIZE_MAX;
		}
		as = strtoul(text, &end, 10);
		if (end == text) {
			text++;
			continue;
		}
		text = end;
		if (segment == SIZE_MAX) {
			segment = t->n_bytes;
			put_byte(t, in_set ? BGP_AS_SET : BGP_AS_SEQUENCE);
			put_byte(t, 0);
		}
		put_u32(t, (uint32_t)as);
		t->bytes[segment + 1]++;
	}
}

static void put_communities(struct fulltable *t, char *text)
{
	char *save = NULL;

	for (char *c = strtok_r(text, " ", &save); c != NULL;
	     c = strtok_r(NULL, " ", &save)) {
		char *colon = strchr(c, ':');

		if (colon != NULL)
			put_u32(t, (uint32_t)(strtoul(c, NULL, 10) << 16 |
					      strtoul(colon + 1, NULL, 10)));
		else if (strcmp(c, "no-export") == 0)
			put_u32(t, 0xffffff01);
		else
			put_u32(t, 0xffffff02);
	}
}

enum field {
	FIELD_PEER_AS = 4,
	FIELD_PREFIX,
	FIELD_PATH,
	FIELD_ORIGIN,
	FIELD_NEXT_HOP,
	FIELD_LOCAL_PREF,
	FIELD_MED,
	FIELD_COMMUNITIES,
	FIELD_ATOMIC,
	FIELD_AGGREGATOR,
	FIELDS
};

static void make_set(struct fulltable *t, struct set *s, char **f)
{
	char *as = f[FIELD_AGGREGATOR];
	char *address = strchr(as, ' ');

	s->at = (uint32_t)t->n_bytes;
	s->origin = f[FIELD_ORIGIN][0] == 'I' && f[FIELD_ORIGIN][1] == 'G' ? 0
		    : f[FIELD_ORIGIN][0] == 'E'				   ? 1
									   : 2;
	s->med = (uint32_t)strtoul(f[FIELD_MED], NULL, 10);
	s->has_med = s->med != 0;
	s->atomic = strcmp(f[FIELD_ATOMIC], "AG") == 0;
	put_path(t, f[FIELD_PATH]);
	s->path_len = (uint16_t)(t->n_bytes - s->at);
	put_communities(t, f[FIELD_COMMUNITIES]);
	s->communities_len = (uint16_t)(t->n_bytes - s->at - s->path_len);
	if (address != NULL) {
		struct in_addr in = { 0 };

		s->has_aggregator = true;
		s->aggregator_as = (uint32_t)strtoul(as, NULL, 10);
		(void)inet_pton(AF_INET, address + 1, &in);
		s->aggregator_id = ntohl(in.s_addr);
	}
}

static bool same_set(const struct fulltable *t, const struct set *a,
		     const struct set *b)
{
	return a->path_len == b->path_len &&
	       a->communities_len == b->communities_len &&
	       a->origin == b->origin && a->med == b->med &&
	       a->atomic == b->atomic &&
	       a->has_aggregator == b->has_aggregator &&
	       a->aggregator_as == b->aggregator_as &&
	       a->aggregator_id == b->aggregator_id &&
	       memcmp(t->bytes + a->at, t->bytes + b->at,
		      (size_t)a->path_len + a->communities_len) == 0;
}

/* Which set this is; by open addressing over all of one dump peer. */
#define SLOTS (1u << 18)

static uint32_t find_set(struct fulltable *t, struct dump *d, struct set *s)
{
	size_t len = (size_t)s->path_len + s->communities_len;
	uint64_t h = s->med + s->aggregator_id + s->origin;

	for (size_t i = 0; i < len; i++)
		h = (h ^ t->bytes[s->at + i]) * UINT64_C(0x100000001b3);
	h ^= h >> 32;
	for (;; h++) {
		uint32_t *slot = &d->slots[h % SLOTS];

		if (*slot == 0) {
			d->sets = grow(d->sets, d->n_sets, sizeof(*s));
			d->sets[d->n_sets++] = *s;
			*slot = (uint32_t)d->n_sets;
			return *slot - 1;
		}
		if (same_set(t, &d->sets[*slot - 1], s)) {
			t->n_bytes = s->at; /* not needed a second time */
			return *slot - 1;
		}
	}
}

static void take_route(struct fulltable *t, char *line)
{
	char *f[FIELDS + 1] = { line };
	struct set s = { 0 };
	struct dump *d;
	int n = 0;

	for (char *p = line; *p != '\0' && n < FIELDS; p++)
		if (*p == '|') {
			*p = '\0';
			f[++n] = p + 1;
		}
	if (n < FIELD_AGGREGATOR)
		return;
	d = &t->dumps[strcmp(f[FIELD_PEER_AS], "4777") == 0];
	make_set(t, &s, f);
	d->set_of = grow(d->set_of, d->n_routes, sizeof(*d->set_of));
	d->set_of[d->n_routes++] = find_set(t, d, &s);
}

/* Today's prefixes by family, lap and set: a counting sort. */
static void order_routes(const struct fulltable *t, struct dump *d)
{
	size_t laps, buckets;
	uint32_t *start;

	if (d->n_routes == 0)
		die("has no routes of one of its peers", "the RIB");
	laps = t->n / d->n_routes + 1;
	buckets = 2 * laps * d->n_sets;
	start = calloc(buckets + 1, sizeof(*start));

	d->order = malloc(t->n * sizeof(*d->order));
	if (start == NULL || d->order == NULL)
		die("out of memory", "order");
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < t->n; i++) {
			size_t lap = i / d->n_routes;
			size_t b = d->set_of[i % d->n_routes] +
				   d->n_sets * (lap + laps * (i >= t->v4));

			if (pass == 0)
				start[b + 1]++;
			else
				d->order[start[b]++] = (uint32_t)i;
		}
		for (size_t b = 0; pass == 0 && b < buckets; b++)
			start[b + 1] += start[b];
	}
	free(start);
}

struct fulltable *fulltable_load(void)
{
	const char *folder = getenv("ARANCINI_DATA");
	struct fulltable *t;

	if (folder == NULL)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		die("out of memory", folder);
	each_line(folder, "asprefix-20260619-ipv4-prefix-origin.txt.xz",
		  take_prefix, t);
	t->v4 = t->n;
	each_line(folder, "asprefix-20260619-ipv6-prefix-origin.txt.xz",
		  take_prefix, t);
	for (int i = 0; i < DUMP_PEERS; i++) {
		t->dumps[i].slots = calloc(SLOTS, sizeof(uint32_t));
		if (t->dumps[i].slots == NULL)
			die("out of memory", folder);
	}
	each_line(folder, "bgpdump-rib.20100701.0759.bgpdump.txt.gz",
		  take_route, t);
	for (int i = 0; i < DUMP_PEERS; i++) {
		order_routes(t, &t->dumps[i]);
	}
	return t;
}

void fulltable_free(struct fulltable *t)
{
	if (t == NULL)
		return;
	for (int i = 0; i < DUMP_PEERS; i++) {
		free(t->dumps[i].sets);
		free(t->dumps[i].set_of);
		free(t->dumps[i].order);
		free(t->dumps[i].slots);
	}
	free(t->prefixes);
	free(t->bytes);
	free(t);
}

size_t fulltable_routes(const struct fulltable *t)
{
	return t->n;
}

size_t fulltable_v4(const struct fulltable *t)
{
	return t->v4;
}

const struct fulltable_prefix *fulltable_prefix(const struct fulltable *t,
						size_t i)
{
	return &t->prefixes[i];
}

/* A set of one family in one lap. */
static bool same_group(const struct fulltable *t, const struct dump *d,
		       size_t a, size_t b)
{
	return a / d->n_routes == b / d->n_routes &&
	       (a >= t->v4) == (b >= t->v4) &&
	       d->set_of[a % d->n_routes] == d->set_of[b % d->n_routes];
}

size_t fulltable_sets(const struct fulltable *t, unsigned peer)
{
	const struct dump *d = &t->dumps[peer % DUMP_PEERS];
	size_t n = 1;

	for (size_t i = 1; i < t->n; i++)
		n += !same_group(t, d, d->order[i - 1], d->order[i]);
	return n;
}

/* UPDATEs */

/* The path with the peer's own AS in front, and the lap's origin. */
static void write_path(struct bmp_writer *w, const struct fulltable *t,
		       const struct set *s, unsigned peer, size_t lap)
{
	uint8_t path[2048];
	size_t last = s->path_len - 4u;

	if (s->path_len < 6 || s->path_len > sizeof(path)) {
		bmp_put(w, t->bytes + s->at, s->path_len);
		return;
	}
	memcpy(path, t->bytes + s->at, s->path_len);
	if (lap > 0)
		wire_put_u32(path + last, wire_get_u32(path + last) +
						  (uint32_t)lap * 400000);
	wire_put_u32(path + 2, 64512 + peer);
	bmp_put(w, path, s->path_len);
}

static void attr_head(struct bmp_writer *w, uint8_t code, size_t len)
{
	bmp_put_u8(w, bgp_attr_flags(code) | BGP_ATTR_EXT_LEN);
	bmp_put_u8(w, code);
	bmp_put_u16(w, (uint16_t)len);
}

static void write_attrs(struct bmp_writer *w, const struct fulltable_walk *walk,
			const struct set *s, size_t lap, bool v6)
{
	const struct fulltable *t = walk->table;

	attr_head(w, BGP_ORIGIN, 1);
	bmp_put_u8(w, s->origin);
	attr_head(w, BGP_AS_PATH, s->path_len);
	write_path(w, t, s, walk->peer, lap);
	if (!v6) {
		attr_head(w, BGP_NEXT_HOP, 4);
		bmp_put_u32(w, 0x0a000000 + walk->peer);
	}
	if (s->has_med || walk->version != 0) {
		attr_head(w, BGP_MED, 4);
		bmp_put_u32(w, s->med + walk->version);
	}
	if (s->atomic)
		attr_head(w, BGP_ATOMIC_AGGREGATE, 0);
	if (s->has_aggregator) {
		attr_head(w, BGP_AGGREGATOR, 8);
		bmp_put_u32(w, s->aggregator_as);
		bmp_put_u32(w, s->aggregator_id);
	}
	if (s->communities_len != 0) {
		attr_head(w, BGP_COMMUNITIES, s->communities_len);
		bmp_put(w, t->bytes + s->at + s->path_len, s->communities_len);
	}
}

static void write_prefix(struct bmp_writer *w, const struct fulltable_prefix *p)
{
	bmp_put_u8(w, p->len);
	bmp_put(w, p->address + (p->v6 ? 0 : 12), (p->len + 7u) / 8);
}

/* Prefixes of one group until the UPDATE is full; returns how many. */
static size_t write_prefixes(struct bmp_writer *w, struct fulltable_walk *walk,
			     const struct dump *d)
{
	const struct fulltable *t = walk->table;
	size_t first = d->order[walk->at];
	size_t n = 0;

	while (walk->at < t->n && n < walk->most && w->len + 17 < BODY_MAX &&
	       (d->order[walk->at] >= t->v4) == (first >= t->v4) &&
	       (walk->full || same_group(t, d, first, d->order[walk->at]))) {
		if (d->order[walk->at] < walk->routes) {
			write_prefix(w, &t->prefixes[d->order[walk->at]]);
			n++;
		}
		walk->at++;
	}
	return n;
}

/* MP_REACH with a next hop of our own, or MP_UNREACH. */
static size_t write_mp(struct bmp_writer *w, struct fulltable_walk *walk,
		       const struct dump *d)
{
	uint8_t hop[16] = { 0x20, 1, 0x0d, 0xb8, [15] = (uint8_t)walk->peer };
	size_t begin = w->len, n;

	attr_head(w, walk->withdraw ? BGP_MP_UNREACH : BGP_MP_REACH, 0);
	bmp_put_u16(w, 2);
	bmp_put_u8(w, 1);
	if (!walk->withdraw) {
		bmp_put_u8(w, 16);
		bmp_put(w, hop, 16);
		bmp_put_u8(w, 0);
	}
	n = write_prefixes(w, walk, d);
	bmp_patch_u16(w, begin + 2, w->len - begin - 4);
	return n;
}

size_t fulltable_next(struct fulltable_walk *walk, uint8_t *out, size_t *count)
{
	const struct fulltable *t = walk->table;
	const struct dump *d = &t->dumps[walk->peer % DUMP_PEERS];
	struct bmp_writer w = bmp_writer_on(out, BODY_MAX);
	const struct set *s;
	bool v6;
	size_t first;

	while (walk->at < t->n && d->order[walk->at] >= walk->routes)
		walk->at++;
	if (walk->at >= t->n)
		return 0;
	first = d->order[walk->at];
	s = &d->sets[d->set_of[first % d->n_routes]];
	v6 = first >= t->v4;
	bmp_put_u16(&w, 0);
	if (walk->withdraw && !v6) {
		*count = write_prefixes(&w, walk, d);
		bmp_patch_u16(&w, 0, w.len - 2);
		bmp_put_u16(&w, 0);
		return w.len;
	}
	bmp_put_u16(&w, 0);
	if (!walk->withdraw)
		write_attrs(&w, walk, s, first / d->n_routes, v6);
	if (v6)
		*count = write_mp(&w, walk, d);
	bmp_patch_u16(&w, 2, w.len - 4);
	if (!v6)
		*count = write_prefixes(&w, walk, d);
	return w.len;
}
