/*
 * Output of synthetic sessions. Each router fills a buffer and writes it: to a
 * file at full speed, to a collector at the plan's rate.
 */
#include "cli/generate.h"

#include "cli/xalloc.h"

#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_MAX  (256u * 1024)
#define BUFFER_MIN  (4u * LOAD_MESSAGE_MAX)
#define BUFFERS_MAX (128u * 1024 * 1024) /* all routers together */
/* pause between two bursts of updates at a limited rate */
#define TICK (2 * SP_MS)
#define LOOK (100 * SP_MS)

/* A router and its output. */
struct feed {
	struct generate *g;
	uint32_t index;
	struct load_router *router;
	struct load_counts before; /* counts already added to the total */
	/* sp_now() when the churn began; 0 = it has not begun */
	int64_t churn_began;
	uint8_t *buf;
	size_t size;
};

static void feed_init(struct feed *f, struct generate *g, uint32_t index)
{
	size_t size = BUFFERS_MAX / g->plan.routers;

	if (size > BUFFER_MAX)
		size = BUFFER_MAX;
	if (size < BUFFER_MIN)
		size = BUFFER_MIN;
	*f = (struct feed){ .g = g, .index = index, .size = size };
	f->buf = memory_must(malloc(size));
	if (load_router_new(g->table, index, &f->router) < 0)
		memory_must(NULL);
}

static void feed_fini(struct feed *f)
{
	load_router_free(f->router);
	free(f->buf);
}

/*
 * Add what this router has sent since the last call to the counts of all
 * routers.
 */
static void count_sent(struct feed *f)
{
	const struct load_counts *now = load_router_counts(f->router);
	struct load_counts *sum = &f->g->counts;

	sum->bytes += now->bytes - f->before.bytes;
	sum->messages += now->messages - f->before.messages;
	sum->updates += now->updates - f->before.updates;
	sum->announced += now->announced - f->before.announced;
	sum->withdrawn += now->withdrawn - f->before.withdrawn;
	sum->changes += now->changes - f->before.changes;
	sum->duplicates += now->duplicates - f->before.duplicates;
	sum->withdraws += now->withdraws - f->before.withdraws;
	sum->returns += now->returns - f->before.returns;
	sum->flaps += now->flaps - f->before.flaps;
	f->before = *now;
}

/* Note that the table of this router was sent, so its churn begins. */
static void begin_churn(struct feed *f)
{
	struct generate *g = f->g;

	f->churn_began = sp_now();
	if (++g->tables == g->plan.routers) {
		g->tables_at = f->churn_began;
		g->table_updates = generate_updates(&g->counts);
	}
}

/*
 * The number of routes that churn may have updated by now, according to the
 * rate.
 */
static uint64_t allowed_churn(const struct feed *f)
{
	const struct load_plan *plan = &f->g->plan;
	unsigned __int128 elapsed;

	if (f->churn_began == 0)
		return 0;
	if (plan->rate == 0 || f->g->file != NULL)
		return LOAD_NO_END;
	elapsed = (unsigned __int128)(sp_now() - f->churn_began);
	return (uint64_t)(elapsed * plan->rate / plan->routers / SP_S);
}

static uint64_t wall_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Fill the buffer with the next bytes of the session. Returns their number; 0
 * if there is nothing to send now.
 */
static size_t fill_buffer(struct feed *f)
{
	struct generate *g = f->g;
	size_t n;

	if (g->sessions.stop || (g->duration_ns > 0 && f->churn_began != 0 &&
				 sp_now() - f->churn_began >= g->duration_ns))
		load_router_stop(f->router);
	if (g->wall_clock)
		load_router_time(f->router, wall_clock_ns());
	n = load_router_fill(f->router, allowed_churn(f), f->buf, f->size);
	count_sent(f);
	if (f->churn_began == 0 && load_router_phase(f->router) >= LOAD_CHURN) {
		begin_churn(f);
		if (n == 0)
			return fill_buffer(f);
	}
	return n;
}

static bool is_done(const struct feed *f)
{
	return load_router_phase(f->router) == LOAD_DONE;
}

static void show_progress(void *ctx)
{
	struct generate *g = ctx;
	double seconds = (double)(sp_now() - g->began) / 1e9;
	double updates = (double)generate_updates(&g->counts);
	double table =
		(double)g->plan.routers * g->plan.peers * g->plan.prefixes;

	if (g->tables < g->plan.routers)
		progress_show(&g->sessions.progress,
			      "table: %.0f %%, %.1f MB, %.0f updates/s",
			      table > 0 ? 100 * updates / table : 100,
			      (double)g->counts.bytes / 1e6, updates / seconds);
	else
		progress_show(&g->sessions.progress,
			      "churn: %.0f updates, %.1f MB, %.0f updates/s",
			      updates - (double)g->table_updates,
			      (double)g->counts.bytes / 1e6,
			      (updates - (double)g->table_updates) * 1e9 /
				      (double)(sp_now() - g->tables_at + 1));
}

/* To a file */

static int write_all(int fd, const uint8_t *p, size_t n)
{
	while (n > 0) {
		ssize_t written = write(fd, p, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		p += written;
		n -= (size_t)written;
	}
	return 0;
}

static int write_session(struct generate *g, int fd)
{
	struct feed f;
	size_t n;
	int64_t shown = g->began;
	int err = 0;

	feed_init(&f, g, 0);
	while (err == 0 && (n = fill_buffer(&f)) > 0) {
		err = write_all(fd, f.buf, n);
		if (g->sessions.progress.watched && sp_now() - shown > LOOK) {
			shown = sp_now();
			show_progress(g);
		}
	}
	feed_fini(&f);
	return err;
}

int generate_to_file(struct generate *g)
{
	bool standard = strcmp(g->file, "-") == 0;
	int fd = standard
			 ? STDOUT_FILENO
			 : open(g->file,
				O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int err = fd < 0 ? -errno : 0;

	progress_init(&g->sessions.progress);
	g->began = sp_now();
	if (err == 0)
		err = write_session(g, fd);
	if (fd >= 0 && !standard && close(fd) < 0 && err == 0)
		err = -errno;
	g->ended = sp_now();
	progress_clear(&g->sessions.progress);
	if (err < 0) {
		fprintf(stderr, "arancini generate: cannot write %s: %s\n",
			g->file, strerror(-err));
		return EXIT_FAILURE;
	}
	return 0;
}

/* To a collector */

/* Keep the session open until a signal comes. Yields. */
static int hold_session(struct feed *f, int fd)
{
	uint8_t nothing[64];

	while (!f->g->sessions.stop) {
		int n = sp_recv_until(fd, nothing, sizeof(nothing),
				      sp_in(LOOK));

		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && n != -ETIMEDOUT)
			return n;
	}
	return 0;
}

/*
 * Wait until the next update is due: many routers at a low rate must not be
 * woken all the time, and a signal must be noticed soon. Yields.
 */
static int wait_for_churn(const struct feed *f)
{
	const struct load_plan *plan = &f->g->plan;
	unsigned __int128 next = load_router_churned(f->router) + 1;
	int64_t now = sp_now();
	int64_t until = now + LOOK;

	if (plan->rate > 0) {
		next = next * plan->routers * SP_S / plan->rate;
		if (next < (unsigned __int128)(until - f->churn_began))
			until = f->churn_began + (int64_t)next;
	}
	return sp_sleep_until(until > now + TICK ? until : now + TICK);
}

/* Send the whole session. Yields. */
static int send_session(struct feed *f, int fd)
{
	int err = 0;

	while (err == 0 && !is_done(f)) {
		size_t n = fill_buffer(f);

		if (n > 0)
			err = sp_send_all(fd, f->buf, n);
		else if (!is_done(f))
			err = wait_for_churn(f);
	}
	if (err == 0 && f->g->plan.stay)
		err = hold_session(f, fd);
	return err;
}

static void run_session(void *ctx, uint32_t index)
{
	struct generate *g = ctx;
	struct feed f;
	int fd;
	int err = target_dial(&g->target, index, &fd); /* yields */

	if (err < 0) {
		sessions_complain(&g->sessions, index,
				  "cannot connect to %s: %s", g->target_name,
				  strerror(-err));
		return;
	}
	feed_init(&f, g, index);
	err = send_session(&f, fd);
	if (err == 0)
		err = target_hang_up(fd);
	else
		close(fd);
	if (err < 0)
		sessions_complain(&g->sessions, index,
				  "%s closed the session early, after about "
				  "%llu bytes: %s",
				  g->target_name,
				  (unsigned long long)f.before.bytes,
				  strerror(-err));
	feed_fini(&f);
}

int generate_to_target(struct generate *g)
{
	int code;

	g->sessions = (struct sessions){
		.command = "generate",
		.count = g->plan.routers,
		.run = run_session,
		.show = show_progress,
		.ctx = g,
	};
	g->began = sp_now();
	code = sessions_run(&g->sessions);
	g->ended = sp_now();
	return code;
}
