/*
 * Restore snapshots into the ribs: each shard reads the files of its routers,
 * so the number of shards may have changed since they were written.
 */
#include "collector/checkpoint/restore_internal.h"

#include "collector/base/log.h"
#include "collector/checkpoint/snapshotter.h"
#include "collector/checkpoint/state_store.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "rib/rib.h"
#include "rib/snapshot_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Number of bytes of a snapshot that are read in one call. */
#define CHUNK ((size_t)256 * 1024)

struct router *restore_router(struct shard_job *s,
			      const struct rib_identity *id, bool *made)
{
	struct rib_router *router = rib_router_find(s->worker->rib, id);

	*made = router == NULL || *rib_router_slot(router) == NULL;
	return router_get_or_create(s->worker, id);
}

static void log_file(struct shard_job *s, const char *name, const char *what,
		     const char *hint)
{
	struct log_line line;

	if (!log_begin(s->restore->log, LOG_LEVEL_ERROR, "snapshot_not_used",
		       &line))
		return;
	log_text(&line, "file", name);
	log_text(&line, "in", state_store_where(s->restore->store));
	log_text(&line, "why", what);
	log_text(&line, "hint", hint);
	log_end(&line);
}

/*
 * Read a whole file into the rib. Returns an error of the state store; damaged
 * or unreadable content is in *@out.
 */
static int snapshot_read(struct rib_snapshot_reader *reader,
			 struct state_store_reader *file,
			 enum rib_snapshot_status *out)
{
	enum rib_snapshot_status status = RIB_SNAPSHOT_MORE;
	uint8_t *chunk = malloc(CHUNK);
	ssize_t n = chunk == NULL ? -ENOMEM : 1;

	while (n > 0 && status == RIB_SNAPSHOT_MORE) {
		struct wire_view bytes = { chunk, 0 };

		n = state_store_read(file, chunk, CHUNK); /* yields */
		bytes.len = n > 0 ? (size_t)n : 0;
		while (bytes.len > 0 && status == RIB_SNAPSHOT_MORE) {
			size_t used;

			status = rib_snapshot_reader_feed(reader, bytes, &used);
			bytes.p += used;
			bytes.len -= used;
		}
	}
	free(chunk);
	if (n < 0 && n != -EIO)
		return (int)n;
	if (n < 0)
		status = RIB_SNAPSHOT_TRUNCATED;
	else if (status == RIB_SNAPSHOT_MORE)
		status = rib_snapshot_reader_end(reader);
	*out = status;
	return 0;
}

/*
 * Set aside a file that cannot be used completely. The routes that were read
 * from it are valid.
 */
static int set_aside(struct shard_job *s, const char *name,
		     struct router *router, const char *why)
{
	router->resync = true;
	s->damaged++;
	log_file(s, name, why,
		 "it is set aside; the router's table is published again");
	(void)state_store_set_aside(s->restore->store, name);
	return 0;
}

static int snapshot_check(struct shard_job *s, const char *name,
			  const char *token, const struct rib_identity *id,
			  enum rib_snapshot_status status,
			  const struct rib_snapshot_facts *facts)
{
	const struct manifest_entry *entry =
		manifest_find(&s->restore->manifest, token);
	struct router *router;
	bool made, has_position;

	if (status == RIB_SNAPSHOT_MEMORY)
		return -ENOMEM;
	if (status == RIB_SNAPSHOT_VERSION_NEW) {
		log_file(s, name, rib_snapshot_text(status),
			 "run that version, or start with another --state");
		return -EPROTONOSUPPORT;
	}
	router = restore_router(s, id, &made);
	if (router == NULL)
		return -ENOMEM;
	router->snapshot.filed = true;
	/*
	 * The end mark of a damaged file was not read: use the position of the
	 * manifest.
	 */
	if (status == RIB_SNAPSHOT_OK)
		router->snapshot.relies_on =
			reliance_of_end_mark(facts->end_mark);
	else if (entry != NULL)
		router->snapshot.relies_on = entry->relies_on;
	has_position = facts->has_router &&
		       manifest_read_from(entry, facts->start_mark,
					  router->snapshot.relies_on,
					  &router->snapshot.replay_from);
	if (status != RIB_SNAPSHOT_OK)
		return set_aside(s, name, router, rib_snapshot_text(status));
	if (!has_position)
		return set_aside(s, name, router, "has no mark of ours");
	/*
	 * The manifest says that a RESYNC was in progress after this file was
	 * written.
	 */
	router->resync = entry != NULL && !entry->filed;
	router->snapshot.valid = true;
	s->routers++;
	s->routes += facts->routes;
	return 0;
}

/*
 * Another process of this collector has replaced the file while it was read; it
 * writes until this run opens its epoch. A part of the older file is in the
 * rib.
 */
static int snapshot_replaced(struct shard_job *s, const char *name,
			     const struct rib_identity *id)
{
	bool made;
	struct router *router = restore_router(s, id, &made);

	if (router == NULL)
		return -ENOMEM;
	router->snapshot.filed = true;
	router->resync = true;
	s->routers++;
	s->damaged++;
	log_file(s, name, "was replaced by another process while it was read",
		 "the router's table is published again");
	return 0;
}

static int snapshot_restore(struct shard_job *s, const char *name,
			    const char *token, const struct rib_identity *id)
{
	struct rib_snapshot_reader *reader;
	enum rib_snapshot_status status = RIB_SNAPSHOT_MORE;
	struct state_store_reader *file;
	int err = state_store_open(s->restore->store, name, &file);

	/* In a bucket the head of the file may have a later version. */
	if (err == -EPROTONOSUPPORT)
		log_file(s, name, rib_snapshot_text(RIB_SNAPSHOT_VERSION_NEW),
			 "run that version, or start with another --state");
	if (err < 0)
		return err;
	err = rib_snapshot_reader_new(s->worker->rib, &reader);
	if (err == 0) {
		rib_snapshot_reader_expect(reader, id);
		err = snapshot_read(reader, file, &status); /* yields */
		if (err == 0)
			err = snapshot_check(s, name, token, id, status,
					     rib_snapshot_reader_facts(reader));
		rib_snapshot_reader_free(reader);
	}
	state_store_close_reader(file);
	return err == -ESTALE ? snapshot_replaced(s, name, id) : err;
}

static bool is_mine(const struct shard_job *s, const struct rib_identity *id)
{
	return identity_shard(id, s->restore->workers) == s->worker->id;
}

/* Restore the file @name if it is a snapshot of a router of this shard. */
static int load_if_mine(void *job, const char *name)
{
	struct shard_job *s = job;
	size_t len = strlen(name), suffix = strlen(SNAPSHOT_SUFFIX);
	char token[IDENTITY_TOKEN_MAX + 1];
	struct rib_identity id;

	if (len <= suffix || len - suffix > IDENTITY_TOKEN_MAX ||
	    strcmp(name + len - suffix, SNAPSHOT_SUFFIX) != 0)
		return 0;
	memcpy(token, name, len - suffix);
	token[len - suffix] = '\0';
	if (identity_from_token(token, &id) < 0 || !is_mine(s, &id))
		return 0;
	return snapshot_restore(s, name, token, &id);
}

/* Add the routers that the manifest lists but that have no file. */
static int take_manifest(struct shard_job *s)
{
	const struct manifest *m = &s->restore->manifest;

	for (size_t i = 0; i < m->count; i++) {
		const struct manifest_entry *e = &m->entries[i];
		struct rib_identity id;
		struct router *router;
		bool made;

		if (identity_from_token(e->token, &id) < 0 || !is_mine(s, &id))
			continue;
		router = restore_router(s, &id, &made);
		if (router == NULL)
			return -ENOMEM;
		if (!made)
			continue;
		/*
		 * The router has no file, so the state of its consumers is not
		 * known.
		 */
		router->resync = true;
		router->snapshot.replay_from = e->since;
		s->routers++;
	}
	return 0;
}

int restore_files(void *job)
{
	struct shard_job *s = job;
	int err = state_store_list(s->restore->store, load_if_mine, s);

	return err < 0 ? err : take_manifest(s);
}
