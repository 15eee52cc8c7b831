/*
 * The driver of a simulation: it draws the shard that runs next. If no shard
 * can run, it advances the virtual time.
 */
#include "spargio/runtime/sim_run.h"
#include "spargio/runtime/sim_host.h"
#include "spargio/sched/current.h"
#include "spargio/sched/ready.h"
#include "spargio/sim/network.h"

#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SP_ASAN
#include <sanitizer/lsan_interface.h>
#endif

#define TURN_MIN    100 /* virtual ns */
#define TURN_MAX    2000
#define STALL_MAX   (10 * SP_MS)
#define WINDOW_MAX  (64U * 1024 * 1024)
#define ALONE_LIMIT (1000000 * SP_S)

/* Making */

static void fill_options(struct sp_sim_opts *o)
{
	if (o->quiet_at == 0)
		o->quiet_at = SP_NEVER;
	if (o->latency_min == 0)
		o->latency_min = 100 * SP_US;
	if (o->latency_max == 0)
		o->latency_max = 2 * SP_MS;
	if (o->latency_max < o->latency_min)
		o->latency_max = o->latency_min;
	if (o->bandwidth == 0)
		o->bandwidth = 1000000000;
	if (o->window == 0)
		o->window = 1024 * 1024;
	if (o->window > WINDOW_MAX)
		o->window = WINDOW_MAX;
	if (o->fds_max == 0)
		o->fds_max = 1024;
	if (o->disk_size == 0)
		o->disk_size = UINT64_C(1) << 30;
}

int sp_sim_new(const struct sp_sim_opts *opts, struct sp_sim **out)
{
	struct sp_sim *sim;

	if (sp__sim_current() != NULL || sp__shard_self() != NULL)
		return -EDEADLK;
	sim = calloc(1, sizeof(*sim));
	if (sim == NULL)
		return -ENOMEM;
	if (opts != NULL)
		sim->opts = *opts;
	fill_options(&sim->opts);
	sim->hash = sim->opts.seed;
	for (int i = 0; i < SP__SIM_STREAMS; i++)
		sim->random[i] = sim->opts.seed;
	sim->hosts_tail = &sim->hosts;
	sp__sim_install_clock();
	sp__sim_install_network();
	sp__sim_set_current(sim);
	*out = sim;
	return 0;
}

void sp_sim_free(struct sp_sim *sim)
{
	struct sp_sim_host *next;

	if (sim == NULL)
		return;
	for (struct sp_sim_host *h = sim->hosts; h != NULL; h = h->next)
		sp__sim_host_cut(h, SP__SIM_KILLED);
	sp__sim_forget(sim, NULL);
	for (struct sp_sim_host *h = sim->hosts; h != NULL; h = next) {
		next = h->next;
		sp__sim_host_free(h);
	}
	sp__sim_set_current(NULL);
	free(sim->events);
	free(sim);
}

/* Running */

static bool can_run(const struct sp__sim_shard *io, int64_t now)
{
	return !io->ended && (io->ready || io->deadline <= now) &&
	       io->not_before <= now && io->host->paused_until <= now;
}

/* The virtual time at which the shard can run. */
static int64_t runs_at(const struct sp__sim_shard *io, int64_t now)
{
	int64_t when = io->ready ? now : io->deadline;

	if (io->ended)
		return SP_NEVER;
	if (when < io->not_before)
		when = io->not_before;
	return when < io->host->paused_until ? io->host->paused_until : when;
}

/*
 * The @index-th shard that can run now; *@count is the number of such shards.
 */
static struct sp__sim_shard *find_shard(const struct sp_sim *sim,
					uint64_t index, uint32_t *count)
{
	struct sp__sim_shard *found = NULL;

	*count = 0;
	for (struct sp_sim_host *h = sim->hosts; h != NULL; h = h->next)
		for (uint32_t i = 0; h->up && i < h->nshards; i++)
			if (can_run(&h->shards[i], sim->now) &&
			    (*count)++ == index)
				found = &h->shards[i];
	return found;
}

static struct sp__sim_shard *draw_shard(struct sp_sim *sim)
{
	struct sp__sim_shard *first;
	uint32_t count;

	first = find_shard(sim, 0, &count);
	if (count <= 1)
		return first;
	return find_shard(sim, sp__sim_below(sim, SP__SIM_SCHEDULE, count),
			  &count);
}

static int64_t next_time(const struct sp_sim *sim)
{
	int64_t next = SP_NEVER;

	for (struct sp_sim_host *h = sim->hosts; h != NULL; h = h->next)
		for (uint32_t i = 0; h->up && i < h->nshards; i++) {
			int64_t when = runs_at(&h->shards[i], sim->now);

			next = when < next ? when : next;
		}
	/*
	 * Weather events (host faults) alone do not keep the simulation going.
	 */
	if ((sim->nevents > sim->weather || next != SP_NEVER) &&
	    sim->nevents > 0 && sim->events[0].when < next)
		next = sim->events[0].when;
	return next;
}

/* SP_SIM_REORDER: move the first local fiber to the end of its queue. */
static void reorder_fibers(struct sp_shard *s)
{
	struct sp_fiber *f = s->local.len < 2 ? NULL : sp__fifo_pop(&s->local);

	if (f != NULL)
		sp__fifo_push(&s->local, f);
}

static bool all_ended(const struct sp_sim_host *host)
{
	for (uint32_t i = 0; i < host->nshards; i++)
		if (!host->shards[i].ended)
			return false;
	return true;
}

static void run_shard(struct sp_sim *sim, struct sp__sim_shard *io)
{
	struct sp_sim_host *host = io->host;

	sim->steps++;
	sim->now += sp__sim_between(sim, SP__SIM_SCHEDULE, TURN_MIN, TURN_MAX);
	sp__sim_note(sim, host, "runs", io->shard->index, 0);
	if (sp__sim_strikes(sim, SP__SIM_SCHEDULE, SP_SIM_STALL)) {
		io->not_before =
			sim->now +
			sp__sim_between(sim, SP__SIM_SCHEDULE, 0, STALL_MAX);
		return;
	}
	if (sp__sim_strikes(sim, SP__SIM_SCHEDULE, SP_SIM_REORDER))
		reorder_fibers(io->shard);
	io->ready = false;
	sim->running = io;
	sp__shard_set_self(io->shard);
	sp__context_switch(&sim->driver, &io->ctx);
	sp__shard_set_self(NULL);
	sim->running = NULL;
	if (host->cut != SP__SIM_NOT_CUT)
		sp__sim_host_cut(host, host->cut);
	else if (io->ended && all_ended(host))
		sp__sim_host_finish(host);
}

static bool is_over(const struct sp_sim *sim)
{
	if (sim->scripts > 0)
		return false;
	for (struct sp_sim_host *h = sim->hosts; h != NULL; h = h->next)
		if (h->up || h->restarting)
			return false;
	return true;
}

static void keep_thread_state(struct sp_sim *sim)
{
	sp__fenv_read(&sim->fenv);
	sim->exceptions = sp__cxx_exceptions_get();
	if (sim->exceptions != NULL)
		sim->driver_exceptions = *sim->exceptions;
}

static void restore_thread_state(struct sp_sim *sim)
{
	if (sp__fenv_differs(&sim->fenv))
		sp__fenv_write(&sim->fenv);
	if (sim->exceptions != NULL)
		*sim->exceptions = sim->driver_exceptions;
}

static enum sp_sim_end run_until(struct sp_sim *sim, int64_t until)
{
	keep_thread_state(sim);
	while (!sim->failed) {
		struct sp__sim_event event;
		struct sp__sim_shard *io;
		int64_t next;

		while (!sim->failed && sp__sim_take(sim, &event)) {
			event.fire(sim, event.arg);
			restore_thread_state(sim);
		}
		if (sim->failed)
			break;
		if (is_over(sim))
			return SP_SIM_OVER;
		if (sim->now >= until)
			return SP_SIM_TIME;
		io = draw_shard(sim);
		if (io != NULL) {
			run_shard(sim, io);
			restore_thread_state(sim);
			continue;
		}
		next = next_time(sim);
		if (next == SP_NEVER)
			return SP_SIM_STUCK;
		sim->now = next < until ? next : until;
	}
	return SP_SIM_FAILED;
}

enum sp_sim_end sp_sim_run(struct sp_sim *sim, int64_t until)
{
	enum sp_sim_end end;

	sp__context_adopt(&sim->driver);
	sp__sim_host_weather(sim);
#ifdef SP_ASAN
	/* The program on a host that is killed cannot free its memory. */
	__lsan_disable();
#endif
	end = run_until(sim, until);
#ifdef SP_ASAN
	__lsan_enable();
#endif
	return end;
}

/* sp_run() */

/*
 * Read the seed from SP_SIM_SEED; 1 if the variable is not set or empty.
 * -EINVAL if its value is not a number, so that a misspelt value does not
 * silently choose another seed.
 */
static int seed_of_environment(uint64_t *out)
{
	const char *text = getenv("SP_SIM_SEED");
	char *end;

	*out = 1;
	if (text == NULL || *text == '\0')
		return 0;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return errno != 0 || *end != '\0' ? -EINVAL : 0;
}

static int result_of(enum sp_sim_end end, const struct sp_sim_host *host)
{
	return end == SP_SIM_OVER ? host->result : -EDEADLK;
}

int sp__sim_run_alone(const struct sp_opts *opts, int (*fn)(void *), void *arg)
{
	struct sp_sim_opts sim_opts = { .seed = 0 };
	struct sp_sim_host *host;
	enum sp_sim_end end;
	struct sp_sim *sim;
	int ret;

	ret = seed_of_environment(&sim_opts.seed);
	if (ret == 0)
		ret = sp_sim_new(&sim_opts, &sim);
	if (ret < 0)
		return ret;
	sim->opts.plan.ppm[SP_SIM_REORDER] = 100000;
	ret = sp_sim_host_new(sim, "host", NULL, &host);
	if (ret == 0)
		ret = sp_sim_host_start(host, opts, fn, arg);
	if (ret == 0) {
		sp__context_adopt(&sim->driver);
		end = run_until(sim, ALONE_LIMIT);
		ret = result_of(end, host);
		if (end != SP_SIM_OVER)
			(void)sp_sim_report(sim, STDERR_FILENO);
		if (getenv("SP_SIM_REPORT") != NULL)
			sp__sim_print(STDERR_FILENO,
				      "spargio: seed %" PRIu64
				      " hash %016" PRIx64 " steps %" PRIu64
				      " time %" PRId64 "\n",
				      sim->opts.seed, sim->hash, sim->steps,
				      sim->now);
	}
	sp_sim_free(sim);
	return ret;
}

/* Calls of the program */

struct script {
	void (*fn)(void *arg);
	void *arg;
};

static void run_script(struct sp_sim *sim, void *arg)
{
	struct script script = *(struct script *)arg;

	free(arg);
	sim->scripts--;
	sp__sim_note(sim, NULL, "calls", 0, 0);
	script.fn(script.arg);
}

int sp_sim_at(struct sp_sim *sim, int64_t when, void (*fn)(void *arg),
	      void *arg)
{
	struct script *script = sp__sim_malloc(sizeof(*script));

	if (script == NULL)
		return -ENOMEM;
	*script = (struct script){ fn, arg };
	sim->scripts++;
	sp__sim_schedule(sim, &(struct sp__sim_event){ .when = when,
						       .fire = run_script,
						       .drop = free,
						       .arg = script });
	/* cppcheck-suppress memleak ; the event has it */
	return 0;
}

int64_t sp_sim_time(const struct sp_sim *sim)
{
	return sim->now;
}

uint64_t sp_sim_hash(const struct sp_sim *sim)
{
	return sim->hash;
}

void sp_sim_fail(struct sp_sim *sim, const char *format, ...)
{
	va_list args;

	if (!sim->failed) {
		va_start(args, format);
		vsnprintf(sim->failure, sizeof(sim->failure), format, args);
		va_end(args);
		sim->failed = true;
		sp__sim_note(sim, sp__sim_host(), "fails", 0, 0);
	}
	if (sim->running != NULL)
		sp__sim_abandon(sim);
}

static void report_plan(const struct sp_sim *sim, int fd)
{
	for (int i = 0; i < SP_SIM_FAULTS; i++)
		if (sim->opts.plan.ppm[i] != 0)
			sp__sim_print(fd, "fault %s %" PRIu32 " ppm\n",
				      sp_sim_fault_name((enum sp_sim_fault)i),
				      sim->opts.plan.ppm[i]);
}

static const char *host_name(const struct sp_sim *sim, uint32_t index)
{
	for (const struct sp_sim_host *h = sim->hosts; h != NULL; h = h->next)
		if (h->index == index)
			return h->name;
	return "-";
}

int sp_sim_report(struct sp_sim *sim, int fd)
{
	uint64_t first =
		sim->traced > SP__SIM_TRACE ? sim->traced - SP__SIM_TRACE : 0;

	if (sp__sim_print(fd,
			  "seed %" PRIu64 " hash %016" PRIx64 " time %" PRId64
			  " us, %" PRIu64 " turns\n",
			  sim->opts.seed, sim->hash, sim->now / SP_US,
			  sim->steps) < 0)
		return -sp_errno();
	if (sim->failed)
		sp__sim_print(fd, "failure: %s\n", sim->failure);
	report_plan(sim, fd);
	for (uint64_t i = first; i < sim->traced; i++) {
		const struct sp__sim_trace *t = &sim->trace[i % SP__SIM_TRACE];

		sp__sim_print(fd,
			      "%12" PRId64 " us %s %s %" PRIu64 " %" PRId64
			      "\n",
			      t->when / SP_US, host_name(sim, t->host), t->what,
			      t->a, (int64_t)t->b);
	}
	return 0;
}
