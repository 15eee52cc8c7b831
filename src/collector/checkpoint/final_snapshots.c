/*
 * Writes the last snapshots, at the end of a worker: see snapshotter_finish().
 */
#include "collector/checkpoint/snapshotter.h"
#include "collector/checkpoint/snapshotter_internal.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "rib/rib.h"

#include <spargio/fiber.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Files of routers with few routes are written several at a time, because most
 * of the time is spent waiting for the disk. Large ones are written one after
 * the other: together they would all miss the deadline.
 */
#define AT_ONCE	       16
#define ROUTES_AT_ONCE 100000

/* Maximum number of missing files that are logged by name. */
#define MISSING_NAMED 20

struct finishing {
	struct snapshotter *snapshotter;
	struct last_file *files;
	size_t count;
	int64_t deadline;
	/* Counters of the files that are being written. */
	uint32_t running;
	uint64_t routes;
	struct sp_sem ended; /* posted when a file is complete */
	int err;
};

struct last_file {
	struct finishing *finishing;
	struct router *router; /* referenced, because queries may still run */
	/*
	 * sp_now() when the writing of the valid file began; 0 = no valid file
	 */
	int64_t age;
	uint64_t routes;
	bool written;
};

static int compare_age(const void *left, const void *right)
{
	const struct last_file *a = left, *b = right;

	return (a->age > b->age) - (a->age < b->age);
}

/* List the routers without an up-to-date file, oldest file first. */
static int list_last_files(struct finishing *f)
{
	struct worker *w = f->snapshotter->worker;
	size_t cap = 0;

	for (struct router *it = w->routers; it != NULL; it = it->next)
		cap++;
	f->files = calloc(cap + 1, sizeof(*f->files));
	if (f->files == NULL)
		return -ENOMEM;
	for (struct router *it = w->routers; it != NULL; it = it->next) {
		if (snapshot_router_unsettled(it) ||
		    (it->snapshot.valid && !router_snapshot_is_stale(it)))
			continue;
		router_ref(it);
		f->files[f->count++] = (struct last_file){
			.finishing = f,
			.router = it,
			.age = it->snapshot.valid ? it->snapshot.started_ns : 0,
			.routes = rib_router_routes(it->rib_router),
		};
	}
	qsort(f->files, f->count, sizeof(*f->files), compare_age);
	return 0;
}

static int write_last_file(void *last_file)
{
	struct last_file *file = last_file;
	struct finishing *f = file->finishing;
	int err = snapshot_take(f->snapshotter, file->router, true,
				f->deadline); /* yields */

	file->written = err == 0 && file->router->snapshot.valid;
	if (f->err == 0 || snapshot_error_is_global(err))
		f->err = err;
	f->running--;
	f->routes -= file->routes;
	(void)sp_sem_post(&f->ended);
	return 0;
}

static void write_last_files(struct finishing *f)
{
	sp_shield_begin();
	for (size_t i = 0; i < f->count && !snapshot_error_is_global(f->err);
	     i++) {
		struct last_file *file = &f->files[i];

		while (f->running == AT_ONCE ||
		       (f->running > 0 &&
			f->routes + file->routes > ROUTES_AT_ONCE))
			(void)sp_sem_wait(&f->ended);
		if (snapshot_error_is_global(f->err))
			break;
		f->running++;
		f->routes += file->routes;
		if (sp_go_on(NULL, sp_shard(), write_last_file, file, NULL) < 0)
			write_last_file(file);
	}
	while (f->running > 0)
		(void)sp_sem_wait(&f->ended);
	sp_shield_end();
}

/*
 * Log the routers without an up-to-date file. A router without a valid file
 * gets a resync at the next start; for a router with an older file, the log is
 * replayed from its position.
 */
static void log_missing_files(const struct finishing *f)
{
	char list[MISSING_NAMED * (SNAPSHOT_NAME_MAX + 1)];
	uint64_t older = 0, none = 0;
	struct log_line line;
	size_t len = 0, named = 0;

	for (size_t i = 0; i < f->count; i++) {
		char name[SNAPSHOT_NAME_MAX];

		if (f->files[i].written)
			continue;
		*(f->files[i].age != 0 ? &older : &none) += 1;
		if (named == MISSING_NAMED ||
		    !snapshot_file_name(f->files[i].router->rib_router, name))
			continue;
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
					named == 0 ? "" : " ", name);
		named++;
	}
	if (older + none == 0 ||
	    !log_begin(f->snapshotter->worker->log, LOG_LEVEL_WARNING,
		       "final_snapshots_missing", &line))
		return;
	log_u64(&line, "older_file", older);
	log_u64(&line, "no_file", none);
	if (named > 0)
		log_text(&line, "files", list);
	log_end(&line);
}

int snapshotter_finish(struct snapshotter *snapshotter, int64_t deadline)
{
	struct finishing f = { .snapshotter = snapshotter,
			       .deadline = deadline };
	int err;

	f.err = snapshot_make_safe(snapshotter, NULL, deadline); /* yields */
	snapshotter_check_log(snapshotter);
	err = list_last_files(&f);
	if (err < 0)
		f.err = err;
	write_last_files(&f);
	log_missing_files(&f);
	for (size_t i = 0; i < f.count; i++)
		router_unref(snapshotter->worker, f.files[i].router);
	free(f.files);
	snapshotter->finished = true;
	return f.err;
}
