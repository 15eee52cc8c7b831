/*
 * spargio/sim/world.h - the data that the parts of a simulation share
 *
 * struct sp_sim has the time, the future events, the random numbers, the hash
 * of the run and the hosts. Only the thread that runs the simulation uses it.
 */
#ifndef SPARGIO_SIM_WORLD_H
#define SPARGIO_SIM_WORLD_H

#include "spargio/io/op.h"
#include "spargio/sched/context.h"
#include "spargio/sched/cxx_exceptions.h"
#include "spargio/sched/fenv.h"

#include <spargio/address.h>
#include <spargio/options.h>
#include <spargio/sim.h>

/* Streams of random numbers; each is an independent sequence. */
enum sp__sim_stream {
	SP__SIM_SCHEDULE,
	SP__SIM_NETWORK,
	SP__SIM_DISK,
	SP__SIM_HOSTS,
	SP__SIM_PROGRAM,
	SP__SIM_MEMORY,
	SP__SIM_STREAMS,
};

enum {
	SP__SIM_ADDRESSES = 4,
	SP__SIM_TRACE = 128,	/* last events that a report shows */
	SP__SIM_HOSTS_MAX = 64, /* bits of sp_sim_host.lost */
};

struct sp__sim_event {
	int64_t when;
	uint64_t number; /* order of events at the same time */
	void (*fire)(struct sp_sim *sim, void *arg);
	void *arg;
	void (*drop)(void *arg); /* called if the event is removed, or NULL */
	const void *owner;	 /* for sp__sim_forget() */
	bool weather;		 /* a draw of host faults; see next_time() */
};

struct sp__sim_trace {
	int64_t when;
	const char *what;
	uint32_t host;
	uint64_t a, b;
};

/* A shard of a simulated host: the loop of the shard as a coroutine. */
struct sp__sim_shard {
	struct sp_sim_host *host;
	struct sp_shard *shard;
	struct sp__context ctx;
	char *stack;
	size_t stack_size;
	unsigned stack_id; /* id of the stack in valgrind */
	bool ended;
	bool ready;	    /* the shard can run now */
	int64_t deadline;   /* virtual time from which it can run anyway */
	int64_t not_before; /* virtual time before which it gets no CPU */
	/* operations that have completed, oldest first */
	struct sp__op *done, **done_tail;
};

struct sp__sim_file;
struct sp__sim_disk;

/* How a host ends before its runtime has ended. */
enum sp__sim_cut {
	SP__SIM_NOT_CUT,
	SP__SIM_KILLED,
	SP__SIM_POWER_LOST,
};

struct sp_sim_host {
	struct sp_sim_host *next;
	struct sp_sim *sim;
	char *name;
	uint32_t index;
	struct sp_addr addresses[SP__SIM_ADDRESSES];
	uint32_t naddresses;
	uint64_t lost; /* bit i: no packets to host i */
	bool dark;     /* the host lost power and has not started again */

	/* The runtime, while the host is up. */
	struct sp_rt *rt;
	struct sp__sim_shard *shards;
	uint32_t nshards;
	struct sp_opts opts;
	int (*fn)(void *);
	void *arg;
	int result;
	bool up;
	bool restarting;
	enum sp__sim_cut cut; /* end that a fiber of the host has requested */
	int64_t paused_until;

	/* clock = clock_base + (now - clock_since) * (1 + drift) */
	int64_t clock_base, clock_since;
	int64_t wall; /* wall clock minus monotonic clock */
	int32_t drift_ppm;

	/* Descriptors, by number minus SP__SIM_FD_BASE. */
	struct sp__sim_file **fds;
	uint32_t nfds;
	uint16_t next_port;
	struct sp__sim_disk *disk;
};

struct sp_sim {
	struct sp_sim_opts opts;
	int64_t now;
	uint64_t hash;
	uint64_t steps;
	uint64_t random[SP__SIM_STREAMS];

	struct sp__sim_event *events; /* a heap */
	size_t nevents, events_size;
	size_t weather; /* number of events with weather set */
	/* an event for the next draw of host faults is scheduled */
	bool forecast;
	uint64_t event_number;

	struct sp_sim_host *hosts, **hosts_tail;
	uint32_t nhosts;
	struct sp__sim_shard *running; /* NULL = the driver runs */
	struct sp_sim_host *starting;  /* host for which the driver runs code */
	struct sp__context driver;
	/*
	 * State of the thread at the start of the run: floating-point control
	 * words and C++ exceptions. The driver restores the state, because a
	 * fiber that is cut off leaves its own behind, and so may a job or a
	 * script.
	 */
	struct sp__fenv fenv;
	struct sp__cxx_exceptions *exceptions; /* the thread's, or NULL */
	struct sp__cxx_exceptions driver_exceptions;
	uint32_t scripts; /* calls of sp_sim_at() that have not run yet */
	/* number of allocations until one fails, counted down; 0 = none */
	uint64_t fails_at;
	uint32_t sheltered; /* depth of allocations of the simulation */

	struct sp__sim_trace trace[SP__SIM_TRACE];
	uint64_t traced;
	bool failed;
	char failure[256];
};

/* The simulation of this thread, or NULL. */
struct sp_sim *sp__sim_current(void);
void sp__sim_set_current(struct sp_sim *sim);
/* Replace the clock of sp_now() in all threads of the process. */
void sp__sim_install_clock(void);
/* The host whose code runs in this thread, or NULL. */
struct sp_sim_host *sp__sim_host(void);

/*
 * Draw a random number: sp__sim_random() from all 64-bit numbers,
 * sp__sim_below() below @bound, which is not 0, sp__sim_between() from @low to
 * @high, both included.
 */
uint64_t sp__sim_random(struct sp_sim *sim, enum sp__sim_stream stream);
uint64_t sp__sim_below(struct sp_sim *sim, enum sp__sim_stream stream,
		       uint64_t bound);
int64_t sp__sim_between(struct sp_sim *sim, enum sp__sim_stream stream,
			int64_t low, int64_t high);
/*
 * Draw whether @fault happens, with its chance in the plan. False, without a
 * draw, if the chance is 0 or quiet_at has passed.
 */
bool sp__sim_strikes(struct sp_sim *sim, enum sp__sim_stream stream,
		     enum sp_sim_fault fault);

/*
 * Memory of the simulation itself: as malloc() and so on, but without the
 * faults of sp_sim_memory_fails().
 */
void *sp__sim_malloc(size_t size);
void *sp__sim_calloc(size_t n, size_t size);
void *sp__sim_realloc(void *p, size_t size);

/* Record something that happened: in the hash and in the report. */
void sp__sim_note(struct sp_sim *sim, const struct sp_sim_host *host,
		  const char *what, uint64_t a, uint64_t b);

/*
 * Call @event->fire(sim, @event->arg) in the driver at @event->when. If out of
 * memory, end the run with a failure.
 */
void sp__sim_schedule(struct sp_sim *sim, const struct sp__sim_event *event);
/* Remove the events of @owner, or all events if @owner is NULL. */
void sp__sim_forget(struct sp_sim *sim, const void *owner);
/* Take the next event if it is due. */
bool sp__sim_take(struct sp_sim *sim, struct sp__sim_event *out);

/* The monotonic clock of @host. */
int64_t sp__sim_host_clock(const struct sp_sim_host *host);
/* The virtual time at which the host's clock shows @clock. */
int64_t sp__sim_when(const struct sp_sim_host *host, int64_t clock);

/* Complete @op with @res; the shard of @op handles that in its next turn. */
void sp__sim_complete(struct sp__op *op, int res);

/* Write a line of up to 511 bytes. 0 or a negative errno. */
int sp__sim_print(int fd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Write a line to standard error that @what cannot be simulated. */
int sp__sim_refuse(const char *what);

/* Switch from the stack of the running shard's loop to the driver. */
void sp__sim_leave(struct sp__sim_shard *io);
/* Switch from a fiber that never runs again to the driver. */
_Noreturn void sp__sim_abandon(struct sp_sim *sim);

#endif
