/*
 * Any bytes are read as a snapshot, and whatever comes of it the rib must hold
 * together. Random bytes would never get past the checksums, so an input has
 * one of two forms, by its first byte:
 *
 *	0	the rest is a file
 *	else	the rest is records; they are put into a sound block
 *
 * What a whole snapshot restored is taken again, and that one must be whole,
 * too, with as many routes.
 */
#include "rib/rib.h"
#include "rib/snapshot.h"
#include "rib/snapshot_reader.h"
#include "rib/snapshot_record.h"
#include "rib/validate.h"

#include <stdlib.h>

static const struct rib_time when = { 1000, 2000 };

static void ignore_change(void *arg, const struct rib_change *c)
{
	(void)arg;
	(void)c;
}

static void ignore_event(void *arg, const struct rib_event *e)
{
	(void)arg;
	(void)e;
}

static struct rib *new_rib(void)
{
	struct rib_sink sink = { .change = ignore_change,
				 .event = ignore_event };
	struct rib_config config;
	struct rib *rib;

	rib_config_defaults(&config);
	if (rib_new(&config, &sink, &rib) != 0)
		abort();
	return rib;
}

static void feed(struct rib_snapshot_reader *r, struct wire_view v)
{
	size_t used;

	while (v.len != 0 &&
	       rib_snapshot_reader_feed(r, v, &used) == RIB_SNAPSHOT_MORE) {
		if (used == 0 || used > v.len)
			abort();
		v.p += used;
		v.len -= used;
	}
}

/* Read what is in @router now and count its routes. */
static uint64_t take_again(const struct rib_router *router)
{
	struct rib_snapshot_reader *r;
	struct rib_snapshot *s;
	struct wire_view v;
	uint64_t routes;
	int more;

	if (rib_snapshot_reader_new(NULL, &r) != 0 ||
	    rib_snapshot_new(router, &when, (struct wire_view){ 0 }, &s) != 0)
		abort();
	do {
		more = rib_snapshot_step(s, &v);
		if (more < 0)
			abort();
		feed(r, v);
	} while (more > 0);
	if (rib_snapshot_finish(s, (struct wire_view){ 0 }, &v) != 0)
		abort();
	feed(r, v);
	if (rib_snapshot_reader_end(r) != RIB_SNAPSHOT_OK)
		abort();
	routes = rib_snapshot_reader_facts(r)->routes;
	rib_snapshot_free(s);
	rib_snapshot_reader_free(r);
	return routes;
}

static void restore(struct wire_view file)
{
	const struct rib_snapshot_facts *facts;
	struct rib_snapshot_reader *r;
	struct rib *rib = new_rib();
	enum rib_snapshot_status status;

	if (rib_snapshot_reader_new(rib, &r) != 0)
		abort();
	feed(r, file);
	status = rib_snapshot_reader_end(r);
	facts = rib_snapshot_reader_facts(r);
	rib_restore_done(rib, &when);
	if (!rib_validate(rib))
		abort();
	if (status == RIB_SNAPSHOT_OK &&
	    take_again(facts->router) != rib_router_routes(facts->router))
		abort();
	rib_snapshot_reader_free(r);
	rib_free(rib);
}

static void restore_records(struct wire_view records)
{
	struct rib_block_writer w;

	if (records.len > RIB_BLOCK_MAX)
		return;
	if (rib_block_writer_init(&w) != 0)
		abort();
	if (records.len != 0)
		memcpy(rib_block_reserve(&w, records.len), records.p,
		       records.len);
	if (rib_block_seal(&w, RIB_BLOCK_LAST) != 0)
		abort();
	restore((struct wire_view){ w.out, w.out_len });
	rib_block_writer_fini(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct wire_view rest = { data + 1, len - 1 };

	if (len == 0)
		return 0;
	if (data[0] == 0)
		restore(rest);
	else
		restore_records(rest);
	return 0;
}
