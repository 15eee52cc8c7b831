#include "batch_corpus.h"

#include "fulltable.h"

#include "egress/encode/encode_update.h"

#include "bmp/decode_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT "arancini.updates.v4_192_0_2_1.64500.1_1"
#define ROUTES	100
/* More than the largest update. */
#define SLACK 8192

/* Batches that are being filled. */
struct filling {
	struct sample *sample;
	uint32_t bytes;
	size_t batch;
	uint64_t sequence;
	struct rib_router_info router;
	struct rib_table_info table;
};

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "egress: sample: %s\n", what);
	exit(1);
}

static struct egress_batch *batch_new(uint32_t cap)
{
	struct egress_batch *b = egress_batch_new(cap);

	must(b != NULL, "memory");
	b->kind = EGRESS_BATCH_UPDATES;
	b->subject_len = sizeof(SUBJECT) - 1;
	memcpy(b->subject, SUBJECT, sizeof(SUBJECT));
	return b;
}

/* Encode routes of one change, batch after batch, until all are full. */
static void put(struct filling *f, const struct rib_change *change)
{
	size_t at = 0;

	while (at < change->count && f->batch < SAMPLE_BATCHES) {
		struct egress_batch *b = f->sample->plain[f->batch];
		struct egress_encoded done;

		done = egress_encode_update(change, at, 1, b->bytes + b->len,
					    b->cap - b->len);
		must(done.routes == 1, "an update does not fit");
		at++;
		b->updates++;
		b->len += (uint32_t)done.bytes;
		if (b->len >= f->bytes)
			f->batch++;
	}
}

static struct rib_change change_of(const struct filling *f,
				   const struct bgp_attrs *attrs,
				   const struct rib_route *routes, size_t count)
{
	return (struct rib_change){
		.table = &f->table,
		.received_ns =
			UINT64_C(1794790000000000000) + f->sequence * 1000,
		.bmp_ns = UINT64_C(1794790000000000000),
		.announced = true,
		.kind = BGP_NLRI_PREFIX,
		.attrs = attrs,
		.count = count,
		.routes = routes,
	};
}

static void put_update(struct filling *f, const uint8_t *body, size_t len)
{
	struct bgp_decode_opts opts = { .as_width = 4 };
	struct bgp_prefix prefixes[ROUTES];
	struct rib_route routes[ROUTES];
	struct bgp_nlri_iter it;
	struct bgp_update u;
	size_t n;

	bgp_update_decode((struct wire_view){ body, len }, &opts, &u);
	must(bgp_update_routes(&u, BGP_PART_NLRI, &it), "no routes");
	while ((n = bgp_nlri_take(&it, prefixes, ROUTES)) != 0) {
		struct rib_change change = change_of(f, &u.attrs, routes, n);

		bgp_update_next_hop(&u, BGP_PART_NLRI, &change.next_hop);
		for (size_t i = 0; i < n; i++) {
			routes[i] = (struct rib_route){
				.sequence = ++f->sequence,
				.prefix_len = prefixes[i].len,
			};
			memcpy(routes[i].address, prefixes[i].address, 16);
		}
		put(f, &change);
	}
}

static void fill_real(struct filling *f, const struct fulltable *t,
		      enum sample_order order)
{
	struct fulltable_walk walk = { .table = t,
				       .most = order == SAMPLE_DUMP ? ROUTES
								    : 1,
				       .routes = fulltable_v4(t) };
	uint8_t body[4096];
	size_t len, n;

	while (f->batch < SAMPLE_BATCHES &&
	       (len = fulltable_next(&walk, body, &n)) != 0) {
		put_update(f, body, len);
		/* Neighbours in this order are far from each other. */
		if (order == SAMPLE_CHURN)
			walk.at = (size_t)(f->sequence * UINT64_C(2654435761) %
					   walk.routes);
	}
	must(f->batch == SAMPLE_BATCHES, "the table is too short");
}

static void fill_bare(struct filling *f)
{
	struct bgp_attrs attrs = { 0 };

	while (f->batch < SAMPLE_BATCHES) {
		struct rib_route route = {
			.sequence = ++f->sequence,
			.prefix_len = 24,
			.address = { [10] = 0xff,
				     [11] = 0xff,
				     10,
				     (uint8_t)(f->sequence >> 8),
				     (uint8_t)f->sequence },
		};
		struct rib_change change = change_of(f, &attrs, &route, 1);

		put(f, &change);
	}
}

/* The same bytes as they are sent. */
static void compress(struct sample *s, enum egress_encoding encoding)
{
	struct egress_codec *codec;

	must(egress_codec_new(&codec) == 0, "memory");
	for (size_t i = 0; i < SAMPLE_BATCHES; i++) {
		struct egress_batch *from = s->plain[i];
		struct egress_batch *b = batch_new(from->len);

		from->plain_len = from->len;
		b->updates = from->updates;
		b->len = b->plain_len = from->len;
		memcpy(b->bytes, from->bytes, from->len);
		if (encoding != EGRESS_PLAIN)
			must(egress_codec_close(codec, encoding, b) == 0,
			     "compress");
		s->sent[i] = b;
		s->updates += b->updates;
		s->plain_bytes += b->plain_len;
		s->bytes += b->len;
	}
	egress_codec_free(codec);
}

void sample_make(struct sample *s, uint32_t bytes, enum sample_order order,
		 enum egress_encoding encoding)
{
	struct fulltable *t = fulltable_load();
	struct filling f = {
		.sample = s,
		.bytes = bytes,
		.router = { .address = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
			    .port = 4000 },
		.table = { .afi = 1,
			   .safi = 1,
			   .family = BGP_IPV4_UNICAST,
			   .peer_address = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
			   .peer_as = 64500 },
	};

	f.table.router = &f.router;
	*s = (struct sample){ .real = t != NULL };
	for (size_t i = 0; i < SAMPLE_BATCHES; i++)
		s->plain[i] = batch_new(bytes + SLACK);
	if (t != NULL)
		fill_real(&f, t, order);
	else
		fill_bare(&f);
	fulltable_free(t);
	compress(s, encoding);
}

void sample_free(struct sample *s)
{
	for (size_t i = 0; i < SAMPLE_BATCHES; i++) {
		egress_batch_free(s->plain[i]);
		egress_batch_free(s->sent[i]);
	}
}
