#include "collector/checkpoint/snapshotter.h"

#include "collector/checkpoint/manifest.h"
#include "collector/checkpoint/reliance.h"
#include "collector/checkpoint/snapshotter_internal.h"
#include "collector/checkpoint/state_store.h"
#include "collector/collector_env.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "egress/bridge.h"
#include "egress/batcher.h"
#include "egress/publisher/publisher.h"
#include "rib/rib.h"
#include "rib/snapshot.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * A file is written again when at least CHANGES_MIN routes, and 1 /
 * CHANGES_SHARE of all, have changed (decision 0096); after AGE_MAX, when any
 * route has changed.
 */
#define CHANGES_MIN   1000
#define CHANGES_SHARE 10
#define AGE_MAX	      (300 * SP_S)

/*
 * While routers send without a pause, writing snapshots uses 1 / SHARE of the
 * shard's time: decision 0161.
 */
#define SHARE 50
/* Pause between two checks whether the spool is empty. */
#define SPOOL_WAIT (200 * SP_MS)
/* Duration of work between two checks whether sessions have input. */
#define STINT (1 * SP_MS)
/* Pause between these checks while sessions have input. */
#define INPUT_WAIT (1 * SP_MS)

bool snapshot_file_name(const struct rib_router *router,
			char out[SNAPSHOT_NAME_MAX])
{
	const struct rib_router_info *info = rib_router_info(router);
	struct rib_identity id;
	size_t len;

	if (info->name == NULL)
		identity_from_address(info->address, &id);
	else if (identity_from_name(info->address, info->name,
				    strlen(info->name), &id) < 0)
		return false;
	len = identity_token(&id, out);
	memcpy(out + len, SNAPSHOT_SUFFIX, sizeof(SNAPSHOT_SUFFIX));
	return true;
}

bool snapshot_router_unsettled(const struct router *router)
{
	return router->resync || router_is_empty(router) ||
	       router->snapshot.unwanted ||
	       rib_router_resyncing(router->rib_router);
}

static bool snapshot_due(const struct router *router, bool all, int64_t now)
{
	uint64_t changes =
		router_changes(router) - router->snapshot.changes_at_start;

	if (snapshot_router_unsettled(router))
		return false;
	if (!router->snapshot.valid)
		return true;
	if (changes == 0)
		return false;
	if (all || now - router->snapshot.started_ns >= AGE_MAX)
		return true;
	return changes >= CHANGES_MIN &&
	       changes >= rib_router_routes(router->rib_router) / CHANGES_SHARE;
}

/* One file */

struct taking {
	struct snapshotter *snapshotter;
	struct router *router;
	struct rib_snapshot *snapshot;
	struct state_store_writer *writer;
	bool hurry;
	int64_t deadline;
	int64_t worked; /* duration of work since the last pause */
	struct record_id relies_on;
	uint64_t bytes;
};

/*
 * Let other fibers run. After each STINT of work, wait until no session has
 * unread input, but not longer than SHARE requires.
 */
static int snapshot_throttle(struct taking *t)
{
	int64_t until;
	int err = 0;

	sp_yield();
	if (t->hurry)
		return sp_now() > t->deadline ? -ETIMEDOUT : 0;
	if (sp_cancelled())
		return -ECANCELED;
	if (t->worked < STINT)
		return 0;
	until = sp_in(t->worked * (SHARE - 1));
	t->worked = 0;
	while (err == 0 && t->snapshotter->worker->sessions_with_input > 0 &&
	       sp_now() < until)
		err = sp_sleep(INPUT_WAIT);
	return err;
}

static int snapshot_append(struct taking *t, struct wire_view bytes)
{
	t->bytes += bytes.len;
	return bytes.len == 0
		       ? 0
		       : state_store_write(t->writer, bytes.p, bytes.len);
}

static int take_slices(struct taking *t)
{
	struct wire_view bytes;
	int more, err;

	do {
		int64_t start = sp_now();

		more = rib_snapshot_step(t->snapshot, &bytes);
		t->worked += sp_now() - start;
		if (more < 0)
			return more;
		err = snapshot_append(t, bytes); /* yields */
		if (err == 0)
			err = snapshot_throttle(t);
	} while (err == 0 && more > 0);
	return err;
}

/*
 * True if fence @number has returned; fences of earlier attempts are ignored.
 * *@spooled is true if the output before the fence is safe only in the spool.
 */
static bool fences_take(struct snapshotter *snapshotter, uint64_t number,
			bool *spooled)
{
	struct worker *w = snapshotter->worker;
	struct egress_batch *fence =
		egress_bridge_take_fence(w->env->bridge, w->id);
	bool found = false;

	while (fence != NULL) {
		struct egress_batch *next = fence->next;

		if (fence->fence_number == number) {
			found = true;
			*spooled = fence->spooled;
			snapshotter->safe_upto = fence->before;
		}
		egress_batcher_put_fence(w->batcher, fence);
		fence = next;
	}
	return found;
}

/* Send a fence after all output, and wait until it returns. */
static int fence_send(struct snapshotter *snapshotter,
		      const struct rib_router_info *router, int64_t deadline,
		      bool *spooled)
{
	struct worker *w = snapshotter->worker;
	uint64_t number = ++snapshotter->fences;
	int err = egress_batcher_fence(w->batcher, router, number);

	while (err == 0) {
		if (fences_take(snapshotter, number, spooled))
			return 0;
		/*
		 * If the bridge was full, the fence is still in the batcher:
		 * wait until the batcher can push it.
		 */
		if (egress_batcher_blocked(w->batcher))
			err = egress_batcher_wait(w->batcher, deadline);
		if (err == 0)
			err = egress_bridge_wait_fence(w->env->bridge, w->id,
						       deadline);
	}
	return err;
}

int snapshot_make_safe(struct snapshotter *snapshotter,
		       const struct rib_router_info *router, int64_t deadline)
{
	bool spooled = false;
	int err = fence_send(snapshotter, router, deadline, &spooled);

	while (err == 0 && spooled &&
	       state_store_is_remote(snapshotter->store)) {
		err = sp_sleep(SPOOL_WAIT);
		if (err == 0 && sp_now() > deadline)
			err = -ETIMEDOUT;
		if (err == 0)
			err = fence_send(snapshotter, router, deadline,
					 &spooled);
	}
	return err;
}

static struct wire_view position_view(const struct log_position *position,
				      char text[LOG_POSITION_MAX])
{
	size_t len = log_position_format(position, text);

	return (struct wire_view){ (const uint8_t *)text, len };
}

static struct wire_view end_mark_view(const struct log_position *position,
				      struct record_id relies_on,
				      char text[RELIANCE_END_MAX])
{
	size_t len = reliance_end_mark(position, relies_on, text);

	return (struct wire_view){ (const uint8_t *)text, len };
}

/*
 * Complete a file: wait until all output is safe, write the last bytes, commit.
 */
static int snapshot_finish(struct taking *t)
{
	char text[RELIANCE_END_MAX];
	struct log_position position;
	struct wire_view bytes;
	int err = 0;

	/*
	 * At the end of the worker all output was made safe before, and nothing
	 * was published since.
	 */
	if (!t->hurry)
		err = snapshot_make_safe(t->snapshotter,
					 rib_router_info(t->router->rib_router),
					 t->deadline);
	if (err < 0)
		return err;
	publisher_log_position(t->snapshotter->publisher, &position);
	t->relies_on = t->snapshotter->safe_upto;
	err = rib_snapshot_finish(t->snapshot,
				  end_mark_view(&position, t->relies_on, text),
				  &bytes);
	return err < 0 ? err : snapshot_append(t, bytes);
}

static int snapshot_begin(struct taking *t, const struct log_position *start)
{
	char name[SNAPSHOT_NAME_MAX], text[LOG_POSITION_MAX];
	struct rib_time when = worker_now();
	int err;

	if (!snapshot_file_name(t->router->rib_router, name))
		return -EINVAL;
	err = rib_snapshot_new(t->router->rib_router, &when,
			       position_view(start, text), &t->snapshot);
	if (err < 0)
		return err;
	err = state_store_begin(t->snapshotter->store, name, &t->writer);
	if (err < 0)
		rib_snapshot_free(t->snapshot);
	return err;
}

static void snapshot_count(const struct taking *t, int64_t begun)
{
	struct snapshotter_counts *c = &t->snapshotter->counts;

	c->files++;
	c->bytes += t->bytes;
	c->routes += rib_snapshot_routes(t->snapshot);
	c->last = sp_now();
	c->took = c->last - begun;
	c->total += c->took;
	if (c->took > c->longest)
		c->longest = c->took;
}

static int write_file(struct taking *t, int64_t begun)
{
	int err = take_slices(t);

	if (err == 0)
		err = snapshot_finish(t);
	t->router->snapshot.filed = true;
	if (err == 0)
		err = state_store_commit(t->writer);
	else
		state_store_abandon(t->writer);
	if (err == 0)
		snapshot_count(t, begun);
	rib_snapshot_free(t->snapshot);
	return err;
}

/*
 * True if the output of the router went to another log than that of @position:
 * batches made before the broker was reached went to the log of the first
 * epoch.
 */
static bool is_elsewhere(struct snapshotter *snapshotter,
			 const struct router *router,
			 const struct log_position *position)
{
	struct log_position since = router->snapshot.replay_from;

	if (!log_position_known(&since))
		publisher_first_position(snapshotter->publisher, &since);
	return log_position_known(position) && log_position_known(&since) &&
	       !log_position_same_log(&since, position);
}

int snapshot_take(struct snapshotter *snapshotter, struct router *router,
		  bool hurry, int64_t deadline)
{
	struct taking t = { .snapshotter = snapshotter,
			    .router = router,
			    .hurry = hurry,
			    .deadline = deadline };
	struct snapshot_attempt attempt;
	struct log_position start;
	int err;

	publisher_log_position(snapshotter->publisher, &start);
	/*
	 * A file without a start position could not be used, so the log
	 * position must be known.
	 */
	if (!log_position_known(&start) ||
	    is_elsewhere(snapshotter, router, &start))
		return 0;
	attempt = snapshot_attempt_begin(&router->snapshot, &start,
					 router_changes(router), sp_now());
	err = snapshot_begin(&t, &start);
	if (err == 0)
		err = write_file(&t, attempt.started_ns); /* yields */
	attempt.relies_on = t.relies_on;
	if (err == 0)
		snapshot_attempt_commit(&router->snapshot, &attempt);
	return err;
}

bool snapshot_error_is_global(int err)
{
	switch (err) {
	case -ECANCELED:
	case -ETIMEDOUT:
	case -EPIPE:
	case -ENOSPC:
	case -EDQUOT:
	case -EROFS:
	case -EIO:
	case -ENOENT: /* the state folder is missing */
	case -EACCES:
	case -EPERM:	  /* a setting of the bucket is refused */
	case -EMSGSIZE:	  /* the bucket takes only shorter values now */
	case -EOPNOTSUPP: /* the server has no JetStream */
	case -ENOTCONN:
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
		return true;
	default:
		return false;
	}
}

/* The fiber */

static void log_failure(struct snapshotter *snapshotter,
			const struct router *router, int err)
{
	char name[SNAPSHOT_NAME_MAX] = "";
	struct nats_error why;
	struct log_line line;

	snapshotter->counts.failures++;
	if (!log_begin(snapshotter->worker->log, LOG_LEVEL_ERROR,
		       "snapshot_failed", &line))
		return;
	snapshot_file_name(router->rib_router, name);
	log_text(&line, "file", name);
	log_text(&line, "in", state_store_where(snapshotter->store));
	log_error(&line, "error", err);
	state_store_last_error(snapshotter->store, &why);
	if (why.text[0] != '\0')
		log_text(&line, "why", why.text);
	log_end(&line);
}

/*
 * The reason why consumers lost messages since the last check; NULL if they
 * lost none.
 */
static const char *log_loss_reason(struct snapshotter *snapshotter)
{
	struct egress_batcher_stats batcher;
	struct publisher_stats publisher;
	const char *why = NULL;

	egress_batcher_stats(snapshotter->worker->batcher, &batcher);
	publisher_stats(snapshotter->publisher, &publisher);
	if (batcher.lost != snapshotter->lost)
		why = "updates were lost for want of memory";
	if (publisher.rollbacks != snapshotter->rollbacks)
		why = "the stream lost what it had acknowledged";
	if (publisher.damaged_segments != snapshotter->damaged)
		why = "a segment of the spool is damaged";
	if (publisher.purges != snapshotter->purges)
		why = "somebody removed messages of the stream";
	snapshotter->lost = batcher.lost;
	snapshotter->purges = publisher.purges;
	snapshotter->damaged = publisher.damaged_segments;
	snapshotter->rollbacks = publisher.rollbacks;
	return why;
}

/*
 * Check whether consumers lost messages: log_loss_reason() returns a reason
 * (all routers), or the stream was replaced by a new one (routers whose file
 * refers to the old one). Invalidate the snapshots of these routers and publish
 * their tables again. After snapshotter_finish() only invalidate: the next run
 * publishes.
 */
void snapshotter_check_log(struct snapshotter *snapshotter)
{
	struct rib_time when = worker_now();
	const char *why = log_loss_reason(snapshotter);
	struct log_position now;
	struct log_line line;
	uint64_t routers = 0;

	publisher_log_position(snapshotter->publisher, &now);
	for (struct router *router = snapshotter->worker->routers;
	     router != NULL; router = router->next) {
		if (why == NULL && !is_elsewhere(snapshotter, router, &now))
			continue;
		if (!snapshotter->finished)
			rib_resync(router->rib_router, &when);
		snapshot_invalidate(&router->snapshot, &now);
		routers++;
	}
	if (routers == 0)
		return;
	if (!snapshotter->finished)
		worker_schedule_background(snapshotter->worker);
	if (!log_begin(snapshotter->worker->log, LOG_LEVEL_WARNING, "resync",
		       &line))
		return;
	log_text(&line, "why", why != NULL ? why : "the stream is a new one");
	log_u64(&line, "routers", routers);
	log_end(&line);
}

/*
 * Remove the file of a router that is to be removed. If the router connects
 * before it is removed, its file is written again.
 */
static int snapshot_remove(struct snapshotter *snapshotter,
			   struct router *router)
{
	char name[SNAPSHOT_NAME_MAX];
	int err;

	router->snapshot.valid = false;
	if (!snapshot_file_name(router->rib_router, name))
		return 0;
	err = state_store_remove(snapshotter->store, name); /* yields */
	if (err < 0 && err != -ENOENT)
		return err;
	router->snapshot.filed = false;
	worker_schedule_router_gc(snapshotter->worker);
	return 0;
}

/*
 * Write the files that are due (with @all, those of all changed routers), and
 * remove the files of routers that are to be removed. If one file fails, the
 * others are still handled, in this round or a later one.
 */
static int round_of(struct snapshotter *snapshotter, bool all)
{
	struct router *router;
	bool go_on = true;
	int err = 0;

	snapshotter_check_log(snapshotter);
	router = router_next(snapshotter->worker, NULL);
	while (router != NULL && go_on) {
		err = 0;
		if (snapshot_due(router, all, sp_now()))
			err = snapshot_take(snapshotter, router, false,
					    SP_NEVER); /* yields */
		else if (router->snapshot.unwanted && router->snapshot.filed)
			err = snapshot_remove(snapshotter, router); /* yields */
		if (err == -EPIPE)
			err = -ECANCELED;
		if (err < 0 && err != -ECANCELED)
			log_failure(snapshotter, router, err);
		go_on = !snapshot_error_is_global(err);
		router = router_next(snapshotter->worker, router);
	}
	router_unref(snapshotter->worker, router);
	return err;
}

/* Wait until the next round is due. Handle a log loss immediately. */
static int await_round(struct snapshotter *snapshotter)
{
	int64_t when = sp_in(snapshotter->interval);
	int err = 0;

	while (err == 0 && !snapshotter->all) {
		err = sp_sem_wait_until(&snapshotter->wake, when);
		if (err == 0)
			snapshotter_check_log(snapshotter);
	}
	return err == -ETIMEDOUT ? 0 : err;
}

int snapshotter_main(void *arg)
{
	struct snapshotter *snapshotter = arg;
	bool all;

	do {
		if (await_round(snapshotter) < 0)
			return 0;
		/*
		 * A request that comes during this round starts another round.
		 */
		all = snapshotter->all;
		snapshotter->all = false;
	} while (round_of(snapshotter, all) != -ECANCELED);
	return 0;
}

void snapshotter_now(struct snapshotter *snapshotter)
{
	snapshotter->all = true;
	snapshotter_look(snapshotter);
}

void snapshotter_look(struct snapshotter *snapshotter)
{
	(void)sp_sem_post(&snapshotter->wake);
}

int snapshotter_list(struct snapshotter *snapshotter,
		     const struct log_position *position, struct manifest *out)
{
	snapshotter_check_log(snapshotter);
	for (struct router *router = snapshotter->worker->routers;
	     router != NULL; router = router->next) {
		struct manifest_entry entry = {
			.filed = router->snapshot.valid,
			.relies_on = router->snapshot.relies_on,
		};
		char name[SNAPSHOT_NAME_MAX];
		int err;

		/* Skip routers that have not sent anything yet. */
		if (router->resync || router_is_empty(router) ||
		    !snapshot_file_name(router->rib_router, name))
			continue;
		if (router->snapshot.valid &&
		    !router_snapshot_is_stale(router) &&
		    !rib_router_resyncing(router->rib_router) &&
		    log_position_same_log(&router->snapshot.replay_from,
					  position))
			router->snapshot.replay_from = *position;
		entry.since = router->snapshot.replay_from;
		memcpy(entry.token, name,
		       strlen(name) - strlen(SNAPSHOT_SUFFIX));
		err = manifest_add(out, &entry);
		if (err < 0)
			return err;
	}
	return 0;
}

void snapshotter_init(struct snapshotter *snapshotter, struct worker *worker,
		      struct state_store *store, struct publisher *publisher,
		      int64_t interval)
{
	struct publisher_stats stats;

	/*
	 * The restore has handled segments that were found damaged at the
	 * start.
	 */
	publisher_stats(publisher, &stats);
	*snapshotter = (struct snapshotter){
		.worker = worker,
		.store = store,
		.publisher = publisher,
		.interval = interval,
		.damaged = stats.damaged_segments,
	};
	worker->snapshotter = snapshotter;
}

void snapshotter_fini(struct snapshotter *snapshotter)
{
	if (snapshotter->worker != NULL)
		snapshotter->worker->snapshotter = NULL;
}
