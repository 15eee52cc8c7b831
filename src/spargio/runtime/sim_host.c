#include "spargio/runtime/sim_host.h"
#include "spargio/runtime/build.h"
#include "spargio/runtime/options.h"
#include "spargio/runtime/stop_timer.h"
#include "spargio/sched/current.h"
#include "spargio/sched/fenv.h"
#include "spargio/sched/memcheck.h"
#include "spargio/sched/pool.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/sched.h"
#include "spargio/sched/shutdown.h"
#include "spargio/sim/backend.h"
#include "spargio/sim/disk.h"
#include "spargio/sim/file.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Stack of a shard's loop. It is large because sanitizers need deep stacks. */
#define LOOP_STACK    ((size_t)1024 * 1024)
#define CLOCK_AT_BOOT (1000 * SP_S)
#define WALL_AT_BOOT  (1700000000 * SP_S)
#define PORT_FIRST    32768
#define JOB_MIN	      (10 * SP_US)
#define JOB_MAX	      (5 * SP_MS)
#define WEATHER_EVERY (100 * SP_MS)

/* Making */

static int parse_addresses(struct sp_sim_host *host, const char *text)
{
	while (text != NULL && *text != '\0') {
		size_t len = strcspn(text, ",");
		char one[64];
		int err;

		if (len >= sizeof(one) || host->naddresses == SP__SIM_ADDRESSES)
			return -EINVAL;
		memcpy(one, text, len);
		one[len] = '\0';
		err = sp_addr_parse(one, 0,
				    &host->addresses[host->naddresses++]);
		if (err < 0)
			return err;
		text += len + (text[len] == ',');
	}
	return 0;
}

int sp_sim_host_new(struct sp_sim *sim, const char *name, const char *addresses,
		    struct sp_sim_host **out)
{
	struct sp_sim_host *host;
	int err;

	if (sim->nhosts == SP__SIM_HOSTS_MAX)
		return -ENOSPC;
	host = calloc(1, sizeof(*host));
	if (host == NULL)
		return -ENOMEM;
	host->sim = sim;
	host->index = sim->nhosts;
	host->clock_base = CLOCK_AT_BOOT;
	host->clock_since = sim->now;
	host->wall = WALL_AT_BOOT - CLOCK_AT_BOOT;
	host->next_port = PORT_FIRST;
	host->name = strdup(name);
	err = host->name == NULL ? -ENOMEM : parse_addresses(host, addresses);
	if (err == 0)
		err = sp__sim_disk_new(host);
	if (err < 0) {
		free(host->name);
		free(host);
		return err;
	}
	sim->nhosts++;
	*sim->hosts_tail = host;
	sim->hosts_tail = &host->next;
	*out = host;
	return 0;
}

/* Starting */

static void shard_main(void *arg)
{
	struct sp__sim_shard *io = arg;
	struct sp_shard *s = io->shard;

	sp__context_arrived();
	sp__context_adopt_stack(&s->sched, io->stack,
				io->stack + io->stack_size);
	sp__fenv_read(&s->fenv);
	s->exceptions = sp__cxx_exceptions_get();
	sp__shard_loop(s);
	sp__stack_cache_drain(&s->rt->stacks, &s->stacks);
	atomic_store(&s->park, SP__DEAD);
	io->ended = true;
	sp__context_leave(&io->ctx, &io->host->sim->driver);
}

static int open_shard(struct sp_sim_host *host, uint32_t i)
{
	struct sp__sim_shard *io = &host->shards[i];
	struct sp_shard *s = &host->rt->shards[i];
	void *stack = mmap(NULL, LOOP_STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stack == MAP_FAILED)
		return -ENOMEM;
	*io = (struct sp__sim_shard){ .host = host,
				      .shard = s,
				      .stack = stack,
				      .stack_size = LOOP_STACK,
				      .ready = true,
				      .deadline = SP_NEVER };
	io->done_tail = &io->done;
	io->stack_id =
		VALGRIND_STACK_REGISTER(io->stack, io->stack + io->stack_size);
	(void)mprotect(stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
	sp__context_make(&io->ctx, io->stack, io->stack + io->stack_size,
			 shard_main, io);
	s->io = io;
	s->backend = &sp__backend_sim;
	s->seed = sp__sim_random(host->sim, SP__SIM_SCHEDULE);
	return 0;
}

static void run_pool_job(struct sp_sim *sim, void *arg)
{
	struct sp_sim_host *host = arg;

	sim->starting = host; /* the job sees the clock of its host */
	sp__pool_run_one(host->rt->pool);
	sim->starting = NULL;
}

static void schedule_pool_job(void *arg, struct sp__pool *pool)
{
	struct sp_sim_host *host = arg;
	struct sp_sim *sim = host->sim;

	(void)pool;
	sp__sim_schedule(sim,
			 &(struct sp__sim_event){
				 .when = sim->now +
					 sp__sim_between(sim, SP__SIM_SCHEDULE,
							 JOB_MIN, JOB_MAX),
				 .fire = run_pool_job,
				 .arg = host,
				 .owner = host });
}

/* stop_ms have passed since the first fiber returned. */
static void stop_fibers(struct sp_sim *sim, void *arg)
{
	struct sp_sim_host *host = arg;

	(void)sim;
	host->result = -ETIMEDOUT;
	sp__report_fibers_left(host->rt);
	sp__shards_end(host->rt);
}

static int first_fiber(void *arg)
{
	struct sp_sim_host *host = arg;
	struct sp_sim *sim = host->sim;

	host->result = host->fn(host->arg);
	if (host->rt->opts.stop_ms != 0)
		sp__sim_schedule(sim,
				 &(struct sp__sim_event){
					 .when = sim->now +
						 host->rt->opts.stop_ms * SP_MS,
					 .fire = stop_fibers,
					 .arg = host,
					 .owner = host });
	sp__rt_cancel(host->rt);
	return 0;
}

static void free_shards(struct sp_sim_host *host)
{
	for (uint32_t i = 0; host->shards != NULL && i < host->nshards; i++) {
		struct sp__sim_shard *io = &host->shards[i];

		sp__context_drop(&io->ctx);
		if (io->stack == NULL)
			continue;
		VALGRIND_STACK_DEREGISTER(io->stack_id);
		sp__context_unmark(io->stack, io->stack_size);
		munmap(io->stack, io->stack_size);
	}
	free(host->shards);
	host->shards = NULL;
}

static int start_runtime(struct sp_sim_host *host)
{
	int err = sp__rt_new(&host->opts, &host->rt);

	if (err < 0)
		return err;
	host->nshards = host->rt->nshards;
	host->shards = calloc(host->nshards, sizeof(*host->shards));
	if (host->shards == NULL)
		err = -ENOMEM;
	for (uint32_t i = 0; i < host->nshards && err == 0; i++)
		err = open_shard(host, i);
	if (err == 0) {
		sp__pool_simulate(host->rt->pool, schedule_pool_job, host);
		err = sp_go_on(host->rt, 0, first_fiber, host, NULL);
	}
	if (err < 0) {
		sp__rt_drop(host->rt);
		free_shards(host);
	}
	return err;
}

int sp_sim_host_start(struct sp_sim_host *host, const struct sp_opts *opts,
		      int (*fn)(void *), void *arg)
{
	struct sp_sim *sim = host->sim;
	struct sp_sim_host *outer = sim->starting;
	int err;

	if (host->up)
		return -EBUSY;
	host->opts = opts == NULL ? SP_OPTS_INIT : *opts;
	host->opts.backend = SP_BACKEND_SIM;
	host->fn = fn;
	host->arg = arg;
	host->restarting = false;
	sim->starting = host;
	err = start_runtime(host);
	sim->starting = outer;
	if (err < 0)
		return err;
	host->up = true;
	host->dark = false;
	host->paused_until = 0;
	sp__sim_note(sim, host, "starts", 0, host->nshards);
	return 0;
}

int sp_sim_host_restart(struct sp_sim_host *host)
{
	if (host->fn == NULL)
		return -EINVAL;
	return sp_sim_host_start(host, &host->opts, host->fn, host->arg);
}

/* Ending */

static void end_host(struct sp_sim_host *host, bool power)
{
	host->up = false;
	host->dark = power;
	sp__sim_forget(host->sim, host);
	sp__sim_fds_drop(host, power);
	if (power)
		sp__sim_disk_crash(host);
	free_shards(host);
	host->rt = NULL;
}

void sp__sim_host_finish(struct sp_sim_host *host)
{
	struct sp_sim *sim = host->sim;

	sp__sim_note(sim, host, "ends", (uint64_t)(int64_t)host->result, 0);
	sim->starting = host;
	(void)sp__rt_close(host->rt);
	sim->starting = NULL;
	end_host(host, false);
}

void sp__sim_host_cut(struct sp_sim_host *host, enum sp__sim_cut how)
{
	bool power = how == SP__SIM_POWER_LOST;

	host->cut = SP__SIM_NOT_CUT;
	host->restarting = false;
	if (!host->up)
		return;
	sp__sim_note(host->sim, host, power ? "loses power" : "is killed", 0,
		     0);
	sp__rt_drop(host->rt);
	end_host(host, power);
}

static void cut_host(struct sp_sim_host *host, enum sp__sim_cut how)
{
	struct sp_sim *sim = host->sim;

	if (sim->running == NULL || sim->running->host != host) {
		sp__sim_host_cut(host, how);
		return;
	}
	/*
	 * The caller runs on a stack of the host: let the driver end the host.
	 */
	host->cut = how;
	sp__sim_abandon(sim);
}

void sp_sim_host_crash(struct sp_sim_host *host)
{
	cut_host(host, SP__SIM_POWER_LOST);
}

void sp_sim_host_kill(struct sp_sim_host *host)
{
	cut_host(host, SP__SIM_KILLED);
}

void sp__sim_host_free(struct sp_sim_host *host)
{
	sp__sim_host_cut(host, SP__SIM_KILLED);
	sp__sim_disk_free(host);
	free(host->name);
	free(host);
}

/* Pauses, clocks, partitions */

void sp_sim_host_pause(struct sp_sim_host *host, int64_t until)
{
	sp__sim_note(host->sim, host, "pauses", (uint64_t)until, 0);
	if (until > host->paused_until)
		host->paused_until = until;
}

void sp_sim_host_step_clock(struct sp_sim_host *host, int64_t by)
{
	sp__sim_note(host->sim, host, "steps its clock", (uint64_t)by, 0);
	host->wall += by;
}

void sp_sim_host_set_drift(struct sp_sim_host *host, int32_t ppm)
{
	if (ppm < -500000)
		ppm = -500000;
	if (ppm > 500000)
		ppm = 500000;
	sp__sim_note(host->sim, host, "drifts", (uint64_t)ppm, 0);
	host->clock_base = sp__sim_host_clock(host);
	host->clock_since = host->sim->now;
	host->drift_ppm = ppm;
	/*
	 * Run the shards: when they sleep again, they convert their deadlines
	 * from the host's clock to virtual time with the new drift.
	 */
	for (uint32_t i = 0; host->shards != NULL && i < host->nshards; i++)
		host->shards[i].ready = true;
}

void sp_sim_partition(struct sp_sim_host *a, struct sp_sim_host *b, bool lost)
{
	uint64_t bit_a = UINT64_C(1) << a->index;
	uint64_t bit_b = UINT64_C(1) << b->index;

	sp__sim_note(a->sim, a, lost ? "is cut from" : "is joined to", b->index,
		     0);
	a->lost = lost ? a->lost | bit_b : a->lost & ~bit_b;
	b->lost = lost ? b->lost | bit_a : b->lost & ~bit_a;
}

bool sp_sim_host_is_up(const struct sp_sim_host *host)
{
	return host->up;
}

int sp_sim_host_result(const struct sp_sim_host *host)
{
	return host->result;
}

/* Weather: faults of hosts */

static void restart_later(struct sp_sim *sim, void *arg)
{
	struct sp_sim_host *host = arg;

	(void)sim;
	if (host->restarting && !host->up)
		(void)sp_sim_host_restart(host);
}

static void cut_and_restart(struct sp_sim_host *host, enum sp__sim_cut how,
			    int64_t within)
{
	struct sp_sim *sim = host->sim;

	sp__sim_host_cut(host, how);
	host->restarting = true;
	sp__sim_schedule(sim,
			 &(struct sp__sim_event){
				 .when = sim->now +
					 sp__sim_between(sim, SP__SIM_HOSTS,
							 10 * SP_MS, within),
				 .fire = restart_later,
				 .arg = host });
}

static void heal_partitions(struct sp_sim *sim, void *arg)
{
	struct sp_sim_host *host = arg;

	for (struct sp_sim_host *h = sim->hosts; h != NULL; h = h->next)
		if (host->lost >> h->index & 1)
			sp_sim_partition(host, h, false);
}

static void part_hosts(struct sp_sim_host *host)
{
	struct sp_sim *sim = host->sim;
	uint64_t other = sp__sim_below(sim, SP__SIM_HOSTS, sim->nhosts);
	int64_t heals =
		sim->now + sp__sim_between(sim, SP__SIM_HOSTS, 0, 10 * SP_S);

	for (struct sp_sim_host *h = sim->hosts; h != NULL; h = h->next)
		if (h->index == other && h != host)
			sp_sim_partition(host, h, true);
	sp__sim_schedule(sim, &(struct sp__sim_event){ .when = heals,
						       .fire = heal_partitions,
						       .arg = host });
}

static void weather_of(struct sp_sim_host *host)
{
	struct sp_sim *sim = host->sim;

	if (sp__sim_strikes(sim, SP__SIM_HOSTS, SP_SIM_PARTITION))
		part_hosts(host);
	if (sp__sim_strikes(sim, SP__SIM_HOSTS, SP_SIM_PAUSE))
		sp_sim_host_pause(host,
				  sim->now + sp__sim_between(sim, SP__SIM_HOSTS,
							     0, 5 * SP_S));
	if (sp__sim_strikes(sim, SP__SIM_HOSTS, SP_SIM_CLOCK_STEP))
		sp_sim_host_step_clock(host, sp__sim_between(sim, SP__SIM_HOSTS,
							     -3600 * SP_S,
							     3600 * SP_S));
	if (sp__sim_strikes(sim, SP__SIM_HOSTS, SP_SIM_DRIFT))
		sp_sim_host_set_drift(host,
				      (int32_t)sp__sim_between(sim,
							       SP__SIM_HOSTS,
							       -500, 500));
	if (sp__sim_strikes(sim, SP__SIM_HOSTS, SP_SIM_CRASH))
		cut_and_restart(host, SP__SIM_POWER_LOST, 5 * SP_S);
	else if (sp__sim_strikes(sim, SP__SIM_HOSTS, SP_SIM_KILL))
		cut_and_restart(host, SP__SIM_KILLED, 1 * SP_S);
}

static void make_weather(struct sp_sim *sim, void *arg)
{
	(void)arg;
	sim->forecast = false;
	for (struct sp_sim_host *h = sim->hosts; h != NULL; h = h->next)
		if (h->up)
			weather_of(h);
	sp__sim_host_weather(sim);
}

static bool has_weather(const struct sp_sim *sim)
{
	const uint32_t *ppm = sim->opts.plan.ppm;

	return sim->now < sim->opts.quiet_at &&
	       (ppm[SP_SIM_PARTITION] | ppm[SP_SIM_CRASH] | ppm[SP_SIM_KILL] |
		ppm[SP_SIM_PAUSE] | ppm[SP_SIM_CLOCK_STEP] |
		ppm[SP_SIM_DRIFT]) != 0;
}

void sp__sim_host_weather(struct sp_sim *sim)
{
	if (!has_weather(sim) || sim->forecast)
		return;
	sim->forecast = true;
	sp__sim_schedule(sim, &(struct sp__sim_event){ .when = sim->now +
							       WEATHER_EVERY,
						       .fire = make_weather,
						       .weather = true });
}
