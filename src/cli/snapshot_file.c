#include "cli/snapshot.h"

#include "cli/xalloc.h"

#include "collector/checkpoint/reliance.h"
#include "collector/checkpoint/state_store.h"
#include "rib/rib.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)64 * 1024)

static void feed_reader(struct snapshot_file *f, struct wire_view bytes)
{
	while (bytes.len > 0 && f->status == RIB_SNAPSHOT_MORE) {
		size_t used;

		f->status = rib_snapshot_reader_feed(f->reader, bytes, &used);
		bytes.p += used;
		bytes.len -= used;
	}
}

static int read_all(struct snapshot_file *f, struct state_store *store)
{
	uint8_t *chunk;
	struct state_store_reader *r;
	ssize_t n;
	int err = state_store_open(store, snapshot_name(f->path), &r);

	if (err < 0)
		return err;
	chunk = memory_must(malloc(CHUNK));
	f->status = RIB_SNAPSHOT_MORE;
	while ((n = state_store_read(r, chunk, CHUNK)) > 0) {
		f->size += (size_t)n;
		feed_reader(f, (struct wire_view){ chunk, (size_t)n });
	}
	state_store_close_reader(r);
	free(chunk);
	if (n == 0 && f->status == RIB_SNAPSHOT_MORE)
		f->status = rib_snapshot_reader_end(f->reader);
	return (int)n;
}

static void name_router(struct snapshot_file *f)
{
	struct rib_identity id;

	if (!f->facts->has_router)
		return;
	identity_from_address(f->facts->address, &id);
	if (f->facts->name != NULL &&
	    identity_from_name(f->facts->address, f->facts->name,
			       strlen(f->facts->name), &id) < 0)
		return;
	identity_token(&id, f->token);
}

/*
 * Set the position from which the log is replayed: that of the file, or a later
 * one in the manifest.
 */
static void find_mark(struct snapshot_file *f, const struct manifest *m)
{
	const struct manifest_entry *e = manifest_find(m, f->token);

	f->has_mark =
		f->facts->has_router &&
		manifest_read_from(e != NULL && e->filed ? e : NULL,
				   f->facts->start_mark,
				   reliance_of_end_mark(f->facts->end_mark),
				   &f->mark);
}

static struct rib *make_rib(enum snapshot_load load,
			    const struct rib_sink *sink)
{
	struct rib_config config;
	struct rib *rib = NULL;

	rib_config_defaults(&config);
	config.mode = load == SNAPSHOT_PRESENCE ? RIB_MODE_PRESENCE
						: RIB_MODE_ATTRIBUTES;
	if (rib_new(&config, sink, &rib) < 0)
		rib = NULL;
	return memory_must(rib);
}

static bool report_unreadable(const struct snapshot_file *f,
			      const struct state_store *store, int err)
{
	fprintf(stderr, "arancini snapshot: %s: ", f->path);
	if (err == -EIO && state_store_is_remote(store))
		fprintf(stderr,
			"the chunk behind byte %" PRIu64 " is missing, or not "
			"of the size that its head says\n",
			f->size);
	else if (err == -ESTALE)
		fprintf(stderr, "is replaced faster than it can be read; try "
				"again\n");
	else
		fprintf(stderr, "%s\n", strerror(-err));
	return false;
}

/*
 * Read the file once. -ESTALE if the collector replaced it meanwhile. Yields.
 */
static int read_once(const char *path, enum snapshot_load load,
		     const struct rib_sink *sink, struct state_store *store,
		     struct snapshot_file *out)
{
	*out = (struct snapshot_file){ .path = path };
	if (load != SNAPSHOT_CHECK)
		out->rib = make_rib(load, sink);
	if (rib_snapshot_reader_new(out->rib, &out->reader) < 0)
		out->reader = NULL;
	memory_must(out->reader);
	out->facts = rib_snapshot_reader_facts(out->reader);
	return read_all(out, store);
}

bool snapshot_file_read(const char *path, enum snapshot_load load,
			const struct rib_sink *sink,
			const struct snapshot_paths *paths,
			struct snapshot_file *out)
{
	int err = read_once(path, load, sink, paths->store, out);

	for (int i = 1; err == -ESTALE && i < STATE_STORE_TRIES; i++) {
		snapshot_file_release(out);
		err = read_once(path, load, sink, paths->store, out);
	}
	if (err < 0) {
		snapshot_file_release(out);
		return report_unreadable(out, paths->store, err);
	}
	name_router(out);
	find_mark(out, &paths->manifest);
	return true;
}

void snapshot_file_release(struct snapshot_file *f)
{
	rib_snapshot_reader_free(f->reader);
	rib_free(f->rib);
}
