/*
 * Write the corpus of the rib's target:
 *
 *	build/tests/fuzz/make_rib_corpus tests/fuzz/corpus
 *
 * Whole files for what is around the records, and bare records, each with
 * something that a restore has to get right.
 */
#include "rib/snapshot_record.h"

#include "bmp/peer.h"

#include <stdio.h>
#include <stdlib.h>

enum form {
	FORM_FILE,
	FORM_RECORDS,
};

static const char *root;

static void save(const char *name, enum form form, const uint8_t *p, size_t n)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/rib_snapshot/%s", root, name);
	f = fopen(path, "wb");
	if (f == NULL || fputc((int)form, f) == EOF ||
	    fwrite(p, 1, n, f) != n || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

static void put(struct rib_block_writer *w, struct rib_record record)
{
	if (rib_record_write(w, &record) != 0)
		abort();
}

static void put_router(struct rib_block_writer *w, const char *name)
{
	put(w,
	    (struct rib_record){
		    .type = RIB_RECORD_ROUTER,
		    .router = { .address = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
				.port = 4000,
				.named = name != NULL,
				.name = { (const uint8_t *)name,
					  name != NULL ? strlen(name) : 0 },
				.taken_s = 1700000000,
				.start_mark = { (const uint8_t *)"mark", 4 } },
	    });
}

static void put_table(struct rib_block_writer *w, uint8_t type, uint16_t afi,
		      uint8_t safi)
{
	put(w, (struct rib_record){
		       .type = RIB_RECORD_TABLE,
		       .table = { .peer_type = type,
				  .view = type == BMP_PEER_LOC_RIB
						  ? BMP_VIEW_LOC_RIB
						  : BMP_VIEW_IN_PRE,
				  .afi = afi,
				  .safi = safi,
				  .peer_as = 65001,
				  .peer_bgp_id = 1,
				  .sequence = 7 },
	       });
}

static const uint8_t attrs[] = { 0x50, 1, 0, 1,	  0, 0x50, 2,	 0,
				 6,    2, 1, 0,	  0, 0xfd, 0xe9, 0x50,
				 3,    0, 4, 192, 0, 2,	   1 };

static void put_set(struct rib_block_writer *w, uint32_t slot)
{
	put(w, (struct rib_record){
		       .type = RIB_RECORD_SET,
		       .set = { slot, { attrs, sizeof(attrs) } },
	       });
}

static void put_route(struct rib_block_writer *w, const uint8_t *key,
		      size_t len, struct rib_record_route route)
{
	route.key = (struct wire_view){ key, len };
	put(w, (struct rib_record){ .type = RIB_RECORD_ROUTE, .route = route });
}

static void put_end(struct rib_block_writer *w, uint64_t tables,
		    uint64_t routes)
{
	put(w, (struct rib_record){
		       .type = RIB_RECORD_END,
		       .end = { .tables = tables, .routes = routes },
	       });
}

/* Prefixes with and without path ids, known and unknown, twice the same. */
static void put_prefixes(struct rib_block_writer *w)
{
	static const uint8_t ten[] = { 8, 10 }, all[] = { 0 };
	static const uint8_t bad[] = { 33, 10, 0, 0, 0, 0 };

	put_router(w, NULL);
	put_table(w, BMP_PEER_GLOBAL, 1, 1);
	put_set(w, 3);
	put_route(w, ten, 2,
		  (struct rib_record_route){ .known = true,
					     .in_slot = true,
					     .slot = 3,
					     .changed_by = 1700000000 });
	put_route(w, all, 1,
		  (struct rib_record_route){
			  .has_path_id = true,
			  .path_id = 9,
			  .known = true,
			  .attrs = { attrs, sizeof(attrs) } });
	put_route(w, ten, 2, (struct rib_record_route){ 0 });
	save("prefixes", FORM_RECORDS, w->raw, w->raw_len);
	put_route(w, bad, 6, (struct rib_record_route){ 0 });
	save("prefix-too-long", FORM_RECORDS, w->raw, w->raw_len);
}

/* EVPN, whose extra is the whole NLRI; labels; a family nobody knows. */
static void put_others(struct rib_block_writer *w)
{
	static const uint8_t labeled[] = { 24, 10, 0, 0 };
	static const uint8_t label[] = { 0, 0x10, 1 };
	static const uint8_t raw[] = { 1, 2, 3 };
	static const uint8_t evpn[] = { 0, 3, 0, 1, 0,	0,  0, 0, 0, 1,
					0, 0, 0, 0, 32, 10, 0, 0, 1 };
	static const uint8_t nlri[] = { 3, 17, 0, 1, 0,	 0,  0, 0, 0, 1,
					0, 0,  0, 0, 32, 10, 0, 0, 1 };

	put_router(w, "named");
	put_table(w, BMP_PEER_LOC_RIB, 1, 4);
	put_set(w, 0);
	put_route(w, labeled, 4,
		  (struct rib_record_route){ .known = true,
					     .in_slot = true,
					     .extra = { label, 3 } });
	put_table(w, BMP_PEER_RD, 25, 70);
	put_route(w, evpn, sizeof(evpn),
		  (struct rib_record_route){ .known = true,
					     .in_slot = true,
					     .extra = { nlri, sizeof(nlri) } });
	put_table(w, BMP_PEER_RD, 77, 99);
	put_route(w, raw, 3, (struct rib_record_route){ .extra = { raw, 3 } });
	put_end(w, 3, 3);
	save("other-families", FORM_RECORDS, w->raw, w->raw_len);
}

int main(int argc, char **argv)
{
	struct rib_block_writer w;

	if (argc != 2) {
		fprintf(stderr, "usage: make_rib_corpus FOLDER\n");
		return 2;
	}
	root = argv[1];
	if (rib_block_writer_init(&w) != 0)
		abort();
	put_prefixes(&w);
	w.raw_len = 0;
	put_others(&w);
	if (rib_block_seal(&w, RIB_BLOCK_LAST) != 0)
		abort();
	save("file", FORM_FILE, w.out, w.out_len);
	save("file-cut", FORM_FILE, w.out, w.out_len - 1);
	rib_block_writer_fini(&w);
	return 0;
}
