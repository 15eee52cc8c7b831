#include "collector/checkpoint/snapshotter.h"

#include "collector/checkpoint/manifest.h"
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

/* A file is written again when so many routes changed, and a tenth did: 0096 */
#define CHANGES_MIN   1000
#define CHANGES_SHARE 10
#define AGE_MAX	      (300 * SP_S)

/* Of the shard's time: one part in so many. */
#define SHARE 50
/* Between looks whether the spool is empty. */
#define SPOOL_WAIT (200 * SP_MS)
/* Work at a time before the pause that pays for it. */
#define STINT (1 * SP_MS)

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

/*
 * Consumers do not have its table yet: a file would say they do. Or there is
 * no table, and never was: then anybody could have us write files.
 */
static bool unsettled(const struct router *router)
{
	return router->resync || router_is_empty(router) ||
	       rib_router_resyncing(router->rib_router);
}

static bool due(const struct router *router, bool all, int64_t now)
{
	uint64_t changes =
		router_changes(router) - router->snapshot.changes_at_start;

	if (unsettled(router))
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
	int64_t worked; /* since the last pause */
	uint64_t bytes;
};

/* Others have waited while we worked: let them work, so much longer. */
static int throttle(struct taking *t)
{
	int64_t worked = t->worked;

	if (t->hurry) {
		sp_yield();
		return sp_now() > t->deadline ? -ETIMEDOUT : 0;
	}
	if (worked < STINT) {
		sp_yield();
		return sp_cancelled() ? -ECANCELED : 0;
	}
	t->worked = 0;
	return sp_sleep(worked * (SHARE - 1));
}

static int put(struct taking *t, struct wire_view bytes)
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
		err = put(t, bytes); /* yields */
		if (err == 0)
			err = throttle(t);
	} while (err == 0 && more > 0);
	return err;
}

/*
 * Whether the mark @number has come back; others are of takings that ended.
 * *@spooled: what is before it is safe in the spool, not in the stream.
 */
static bool take_marks(struct snapshotter *k, uint64_t number, bool *spooled)
{
	struct worker *w = k->worker;
	struct egress_batch *m =
		egress_bridge_take_fence(w->env->bridge, w->id);
	bool found = false;

	while (m != NULL) {
		struct egress_batch *next = m->next;

		if (m->mark == number) {
			found = true;
			*spooled = m->spooled;
		}
		egress_batcher_put_fence(w->batcher, m);
		m = next;
	}
	return found;
}

/* Send a mark behind what was published, and wait until it is back. */
static int send_mark(struct snapshotter *k,
		     const struct rib_router_info *router, int64_t deadline,
		     bool *spooled)
{
	struct worker *w = k->worker;
	uint64_t number = ++k->marks;
	int err = egress_batcher_fence(w->batcher, router, number);

	while (err == 0) {
		if (take_marks(k, number, spooled))
			return 0;
		/* A mark that found no room waits in the batcher. */
		if (egress_batcher_blocked(w->batcher))
			err = egress_batcher_wait(w->batcher, deadline);
		if (err == 0)
			err = egress_bridge_wait_fence(w->env->bridge, w->id,
						       deadline);
	}
	return err;
}

/*
 * Until all that was published of @router, or of all if NULL, is safe. The
 * spool of this host is no place for what another one is to go on from: then
 * it must be in the stream.
 */
static int make_safe(struct snapshotter *k,
		     const struct rib_router_info *router, int64_t deadline)
{
	bool spooled = false;
	int err = send_mark(k, router, deadline, &spooled);

	while (err == 0 && spooled && state_store_is_remote(k->store)) {
		err = sp_sleep(SPOOL_WAIT);
		if (err == 0 && sp_now() > deadline)
			err = -ETIMEDOUT;
		if (err == 0)
			err = send_mark(k, router, deadline, &spooled);
	}
	return err;
}

static struct wire_view mark_view(const struct log_position *mark,
				  char text[LOG_POSITION_MAX])
{
	size_t len = log_position_format(mark, text);

	return (struct wire_view){ (const uint8_t *)text, len };
}

/* The end: all of it safe, then the last bytes, then the name. */
static int finish(struct taking *t)
{
	char text[LOG_POSITION_MAX];
	struct log_position mark;
	struct wire_view bytes;
	int err = 0;

	/* At the end all of it was made safe before, and nothing came since. */
	if (!t->hurry)
		err = make_safe(t->snapshotter,
				rib_router_info(t->router->rib_router),
				t->deadline);
	if (err < 0)
		return err;
	publisher_log_position(t->snapshotter->publisher, &mark);
	err = rib_snapshot_finish(t->snapshot, mark_view(&mark, text), &bytes);
	return err < 0 ? err : put(t, bytes);
}

static int begin(struct taking *t, const struct log_position *start)
{
	char name[SNAPSHOT_NAME_MAX], text[LOG_POSITION_MAX];
	struct rib_time when = worker_now();
	int err;

	if (!snapshot_file_name(t->router->rib_router, name))
		return -EINVAL;
	err = rib_snapshot_new(t->router->rib_router, &when,
			       mark_view(start, text), &t->snapshot);
	if (err < 0)
		return err;
	err = state_store_begin(t->snapshotter->store, name, &t->writer);
	if (err < 0)
		rib_snapshot_free(t->snapshot);
	return err;
}

static void count(const struct taking *t, int64_t begun)
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
		err = finish(t);
	if (err == 0)
		err = state_store_commit(t->writer);
	else
		state_store_abandon(t->writer);
	if (err == 0)
		count(t, begun);
	rib_snapshot_free(t->snapshot);
	return err;
}

/* Whether the router was published to another log than that of @mark. */
static bool is_elsewhere(const struct snapshot_state *snapshot,
			 const struct log_position *mark)
{
	return log_position_known(mark) &&
	       log_position_known(&snapshot->replay_from) &&
	       !log_position_same_log(&snapshot->replay_from, mark);
}

static int take(struct snapshotter *k, struct router *router, bool hurry,
		int64_t deadline)
{
	struct taking t = { .snapshotter = k,
			    .router = router,
			    .hurry = hurry,
			    .deadline = deadline };
	struct snapshot_state next = router->snapshot;
	int err;

	next.changes_at_start = router_changes(router);
	next.started_ns = sp_now();
	next.valid = true;
	publisher_log_position(k->publisher, &next.replay_from);
	/* As long as the log is not known there is nothing to count from. */
	if (!log_position_known(&next.replay_from) ||
	    is_elsewhere(&router->snapshot, &next.replay_from))
		return 0;
	err = begin(&t, &next.replay_from);
	if (err == 0)
		err = write_file(&t, next.started_ns);
	if (err == 0)
		router->snapshot = next;
	return err;
}

/*
 * Whether the next file would most likely fail as well: nobody wants any more,
 * or it is the disk, the broker or this process that has a problem.
 */
static bool is_global_error(int err)
{
	switch (err) {
	case -ECANCELED:
	case -ETIMEDOUT:
	case -EPIPE:
	case -ENOSPC:
	case -EDQUOT:
	case -EROFS:
	case -EIO:
	case -ENOENT: /* the folder */
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

static void log_failure(struct snapshotter *k, const struct router *router,
			int err)
{
	char name[SNAPSHOT_NAME_MAX] = "";
	struct log_line line;

	k->counts.failures++;
	if (!log_begin(k->worker->log, LOG_LEVEL_ERROR, "snapshot_failed",
		       &line))
		return;
	snapshot_file_name(router->rib_router, name);
	log_text(&line, "file", name);
	log_text(&line, "in", state_store_where(k->store));
	log_error(&line, "error", err);
	log_end(&line);
}

/*
 * Why consumers do not have what they were given since the last time somebody
 * asked; NULL: they do.
 */
static const char *log_loss_reason(struct snapshotter *k)
{
	struct egress_batcher_stats batcher;
	struct publisher_stats publisher;
	const char *why = NULL;

	egress_batcher_stats(k->worker->batcher, &batcher);
	publisher_stats(k->publisher, &publisher);
	if (batcher.lost != k->lost)
		why = "updates were lost for want of memory";
	if (publisher.rollbacks != k->rollbacks)
		why = "the stream lost what it had acknowledged";
	k->lost = batcher.lost;
	k->rollbacks = publisher.rollbacks;
	return why;
}

/*
 * Somebody deleted the stream, and the publisher made another one, or there
 * was a log_loss_reason: its consumers have nothing, or not all. They get it all again,
 * and a file from before says nothing about them.
 */
static void resync_if_log_lost(struct snapshotter *k)
{
	struct rib_time when = worker_now();
	const char *why = log_loss_reason(k);
	struct log_position now;
	struct log_line line;
	uint64_t routers = 0;

	publisher_log_position(k->publisher, &now);
	for (struct router *s = k->worker->routers; s != NULL; s = s->next) {
		if (why == NULL && !is_elsewhere(&s->snapshot, &now))
			continue;
		rib_resync(s->rib_router, &when);
		snapshot_invalidate(&s->snapshot, &now);
		routers++;
	}
	if (routers == 0)
		return;
	worker_schedule_background(k->worker);
	if (!log_begin(k->worker->log, LOG_LEVEL_WARNING, "resync", &line))
		return;
	log_text(&line, "why", why != NULL ? why : "the stream is a new one");
	log_u64(&line, "routers", routers);
	log_end(&line);
}

void snapshotter_check_log(struct snapshotter *k)
{
	resync_if_log_lost(k);
}

/*
 * Write what is due. A router that is written stays where it is. What one file
 * has is no reason to leave the others out, in this round and in each one
 * after it.
 */
static int round_of(struct snapshotter *k, bool all)
{
	struct router *s;
	bool go_on = true;
	int err = 0;

	resync_if_log_lost(k);
	s = router_next(k->worker, NULL);
	while (s != NULL && go_on) {
		err = 0;
		if (due(s, all, sp_now()))
			err = take(k, s, false, SP_NEVER); /* yields */
		if (err == -EPIPE)
			err = -ECANCELED;
		if (err < 0 && err != -ECANCELED)
			log_failure(k, s, err);
		go_on = !is_global_error(err);
		s = router_next(k->worker, s);
	}
	router_unref(k->worker, s);
	return err;
}

int snapshotter_main(void *snapshotter)
{
	struct snapshotter *k = snapshotter;
	bool all;

	do {
		if (!k->all) {
			sp_timer_reset(k->timer, sp_in(k->interval));
			if (sp_timer_wait(k->timer) < 0)
				return 0;
		}
		/* If it is asked for during the round, there is another. */
		all = k->all;
		k->all = false;
	} while (round_of(k, all) != -ECANCELED);
	return 0;
}

void snapshotter_now(struct snapshotter *k)
{
	k->all = true;
	sp_timer_reset(k->timer, 0);
}

/* The last files, some at a time: most of it is waiting for the disk. */
#define AT_ONCE 16

struct finishing {
	struct snapshotter *snapshotter;
	struct router *next; /* held: questions are still answered meanwhile */
	int64_t deadline;
	int err;
};

/* The caller's to put. */
static struct router *next_to_finish(struct finishing *f)
{
	struct router *s = f->next;

	f->next = s->next;
	if (f->next != NULL)
		router_ref(f->next);
	return s;
}

static int finish_some(void *finishing)
{
	struct finishing *f = finishing;

	while (f->next != NULL && !is_global_error(f->err)) {
		struct router *s = next_to_finish(f);
		int err = 0;

		if (!unsettled(s) &&
		    (router_snapshot_is_stale(s) || !s->snapshot.valid))
			err = take(f->snapshotter, s, true,
				   f->deadline); /* yields */
		if (f->err == 0 || is_global_error(err))
			f->err = err;
		router_unref(f->snapshotter->worker, s);
	}
	return 0;
}

int snapshotter_finish(struct snapshotter *k, int64_t deadline)
{
	struct finishing f = { k, NULL, deadline, 0 };
	struct sp_task tasks[AT_ONCE];
	int n = 0;

	f.err = make_safe(k, NULL, deadline); /* yields */
	resync_if_log_lost(k);
	f.next = router_next(k->worker, NULL);
	while (n < AT_ONCE &&
	       sp_go_on(NULL, sp_shard(), finish_some, &f, &tasks[n]) == 0)
		n++;
	finish_some(&f);
	sp_shield_begin();
	while (n > 0)
		sp_join(tasks[--n], NULL);
	sp_shield_end();
	router_unref(k->worker, f.next);
	return f.err;
}

int snapshotter_list(struct snapshotter *k, const struct log_position *mark,
		     struct manifest *out)
{
	for (struct router *s = k->worker->routers; s != NULL; s = s->next) {
		struct manifest_entry entry = { .filed = s->snapshot.valid };
		char name[SNAPSHOT_NAME_MAX];
		int err;

		/* Of who has not said anything yet there is nothing to say. */
		if (s->resync || router_is_empty(s) ||
		    !snapshot_file_name(s->rib_router, name))
			continue;
		if (s->snapshot.valid && !router_snapshot_is_stale(s) &&
		    !rib_router_resyncing(s->rib_router) &&
		    log_position_same_log(&s->snapshot.replay_from, mark))
			s->snapshot.replay_from = *mark;
		entry.since = s->snapshot.replay_from;
		memcpy(entry.token, name,
		       strlen(name) - strlen(SNAPSHOT_SUFFIX));
		err = manifest_add(out, &entry);
		if (err < 0)
			return err;
	}
	return 0;
}

int snapshotter_init(struct snapshotter *k, struct worker *worker,
		     struct state_store *store, struct publisher *publisher,
		     int64_t interval)
{
	*k = (struct snapshotter){
		.worker = worker,
		.store = store,
		.publisher = publisher,
		.interval = interval,
	};
	worker->snapshotter = k;
	return sp_timer_new(SP_NEVER, &k->timer);
}

void snapshotter_fini(struct snapshotter *k)
{
	if (k->worker != NULL)
		k->worker->snapshotter = NULL;
	if (k->timer != NULL)
		sp_timer_free(k->timer);
	k->timer = NULL;
}
