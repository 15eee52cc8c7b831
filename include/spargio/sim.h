/*
 * spargio/sim.h - simulate hosts, their network and disks from a seed
 *
 *	struct sp_sim_opts opts = { .seed = 42 };
 *
 *	sp_sim_new(&opts, &sim);
 *	sp_sim_host_new(sim, "a", "10.0.0.1", &a);
 *	sp_sim_host_start(a, NULL, server_main, NULL);
 *	...
 *	end = sp_sim_run(sim, 60 * SP_S);
 *	sp_sim_free(sim);
 *
 * All shards of all hosts run in the calling thread, in an order drawn from the
 * seed, and time is virtual: it moves on when no shard can run. The same seed
 * gives the same run, and sp_sim_hash() tells whether two runs were equal. The
 * guide is docs/simulation.md.
 *
 * A program with one runtime needs no change: with SP_BACKEND=sim sp_run()
 * simulates a single host without faults, with the seed in SP_SIM_SEED; -EINVAL
 * if SP_SIM_SEED is not a number.
 *
 * Threads	All functions in the thread that called sp_sim_new(). Functions
 *		of hosts may be called from a fiber, from sp_sim_at(), and
 *		before and after sp_sim_run().
 * Ownership	Hosts belong to their simulation. Hosts of one simulation must
 *		not share memory that they change.
 * Errors	0 or a negative errno. A call that cannot be simulated returns
 *		-EOPNOTSUPP and writes a line to standard error.
 */
#ifndef SPARGIO_SIM_H
#define SPARGIO_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_opts;
struct sp_sim;
struct sp_sim_host;

/* What may go wrong. Each fault has a chance in parts per million. */
enum sp_sim_fault {
	/* Schedule: for each turn of a shard. */
	SP_SIM_REORDER, /* the first runnable fiber goes to the end */
	SP_SIM_STALL,	/* the shard gets no CPU for up to 10 ms */
	/* Network: for each call or segment. */
	SP_SIM_SHORT_RECV,
	SP_SIM_SHORT_SEND,
	SP_SIM_SLOW_SEGMENT, /* TCP: 200 ms delay; datagrams: loss */
	SP_SIM_RESET,	     /* RST after any byte of a segment */
	SP_SIM_NO_FDS,	     /* EMFILE, for each new descriptor */
	/* Hosts: for each host that is up, every 100 ms. */
	SP_SIM_PARTITION,  /* no packets to one other host for up to 10 s */
	SP_SIM_CRASH,	   /* power loss; restart within 5 s */
	SP_SIM_KILL,	   /* as kill -9; restart within 1 s */
	SP_SIM_PAUSE,	   /* no shard runs for up to 5 s */
	SP_SIM_CLOCK_STEP, /* the wall clock steps by up to an hour */
	SP_SIM_DRIFT,	   /* the clock is up to 500 ppm too fast or slow */
	/* Disk: for each operation. */
	SP_SIM_SLOW_DISK, /* the operation takes up to a second */
	SP_SIM_SHORT_IO,
	SP_SIM_EIO,
	SP_SIM_ENOSPC,
	/* Disk: for each write that is not synced when the power fails. */
	SP_SIM_KEEP, /* the write is on the disk, earlier ones perhaps not */
	SP_SIM_TEAR, /* only some sectors of a kept write are on the disk */
	/* Disk: for each file when the power fails. */
	SP_SIM_FLIP, /* one bit of the file's synced data changes */
	/* Memory: for each call of sp_sim_memory_fails(). */
	SP_SIM_NO_MEMORY,
	SP_SIM_FAULTS,
};

struct sp_sim_plan {
	uint32_t ppm[SP_SIM_FAULTS];
};

/* The name of a fault, as in reports. NULL if there is no such fault. */
const char *sp_sim_fault_name(enum sp_sim_fault fault);

/*
 * Draw a plan from @seed: about half of the faults of @allowed are left out.
 * Each other fault gets its chance in @allowed, or a tenth or a hundredth of
 * that chance. If @allowed is NULL, each fault has a default chance, at which
 * a program should still work.
 */
void sp_sim_plan_draw(uint64_t seed, const struct sp_sim_plan *allowed,
		      struct sp_sim_plan *out);

struct sp_sim_opts {
	uint64_t seed;
	struct sp_sim_plan plan; /* all zero = no faults */
	/* time after which there are no faults; 0 = SP_NEVER */
	int64_t quiet_at;
	/* latency of a segment between hosts; default 100 us to 2 ms */
	int64_t latency_min, latency_max;
	uint64_t bandwidth; /* bytes per second of a connection; default 1 GB */
	/*
	 * maximum bytes in flight and unread in one direction of a connection;
	 * default 1 MiB, at most 64 MiB
	 */
	uint32_t window;
	uint32_t fds_max;   /* maximum descriptors of a host; default 1024 */
	uint64_t disk_size; /* bytes of a host's disk; default 1 GiB */
};

/*
 * Make a simulation. If @opts is NULL, the seed is 0 and there are no faults.
 */
int sp_sim_new(const struct sp_sim_opts *opts, struct sp_sim **out);
void sp_sim_free(struct sp_sim *sim);

/* How a run ended. */
enum sp_sim_end {
	SP_SIM_OVER,   /* every host's main function has returned */
	SP_SIM_TIME,   /* the virtual time @until was reached */
	SP_SIM_STUCK,  /* no fiber can ever run again */
	SP_SIM_FAILED, /* sp_sim_fail() was called */
};

/* Run until the virtual time @until, counted from 0 at sp_sim_new(). */
enum sp_sim_end sp_sim_run(struct sp_sim *sim, int64_t until);

/* The simulation of the calling fiber, or NULL. */
struct sp_sim *sp_sim_self(void);
/* Virtual time since sp_sim_new(); not the clock of a host. */
int64_t sp_sim_time(const struct sp_sim *sim);
/* A hash of the run so far: equal runs have equal hashes. */
uint64_t sp_sim_hash(const struct sp_sim *sim);
/* The next random number for the program's own decisions, from the seed. */
uint64_t sp_sim_random(struct sp_sim *sim);

/*
 * Call @fn(@arg) at the virtual time @when, outside all hosts. @fn may use the
 * functions of this header and must not wait.
 */
int sp_sim_at(struct sp_sim *sim, int64_t when, void (*fn)(void *arg),
	      void *arg);

/*
 * End the run because the program violates a property that the caller checks.
 * The report shows the text of the first call. A call from a fiber does not
 * return.
 */
void sp_sim_fail(struct sp_sim *sim, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Write seed, plan, failure and the last events to a descriptor. */
int sp_sim_report(struct sp_sim *sim, int fd);

/*
 * Remove each fault of @plan that the failure does not need: without the fault,
 * @fails(@seed, plan, @arg) still returns true. Afterwards @fails returns true
 * for @plan, and false if any single fault is removed.
 */
void sp_sim_shrink(uint64_t seed, struct sp_sim_plan *plan,
		   bool (*fails)(uint64_t seed, const struct sp_sim_plan *plan,
				 void *arg),
		   void *arg);

/* Memory */

/*
 * True if the allocation that the calling fiber is about to make must fail. The
 * program calls this in its allocator, or in functions that its linker puts in
 * place of malloc() and so on, see docs/simulation.md. False outside fibers of
 * simulated hosts, and for allocations of the simulation itself.
 */
bool sp_sim_memory_fails(void);

/*
 * Make the @n-th allocation of fibers from now on fail; 1 = the next, 0 = none.
 * This is in addition to failures by SP_SIM_NO_MEMORY.
 */
void sp_sim_fail_allocation(struct sp_sim *sim, uint64_t n);

/* Hosts */

/*
 * @addresses are literals, separated by commas, or NULL. In addition each host
 * has 127.0.0.0/8 and ::1.
 */
int sp_sim_host_new(struct sp_sim *sim, const char *name, const char *addresses,
		    struct sp_sim_host **out);

/*
 * Start a runtime on the host; @fn is its first fiber, as with sp_run(). @opts
 * may be NULL. -EBUSY if the host has a runtime.
 */
int sp_sim_host_start(struct sp_sim_host *host, const struct sp_opts *opts,
		      int (*fn)(void *), void *arg);
/* Start the host again with the arguments of its last start. */
int sp_sim_host_restart(struct sp_sim_host *host);

/*
 * Power loss: all fibers end without another instruction, data that was not
 * synced is lost, and peers get no packet. If a fiber of @host calls this, the
 * call does not return. Memory that the program allocated is not freed.
 */
void sp_sim_host_crash(struct sp_sim_host *host);
/* As kill -9: fibers end, sockets are closed, files stay as they are. */
void sp_sim_host_kill(struct sp_sim_host *host);
/* No shard of the host runs until the virtual time @until. */
void sp_sim_host_pause(struct sp_sim_host *host, int64_t until);

void sp_sim_host_step_clock(struct sp_sim_host *host, int64_t by);
/* The clock runs faster by @ppm; -500,000 to 500,000. */
void sp_sim_host_set_drift(struct sp_sim_host *host, int32_t ppm);

/* If @lost, packets between the two hosts are lost in both directions. */
void sp_sim_partition(struct sp_sim_host *a, struct sp_sim_host *b, bool lost);

bool sp_sim_host_is_up(const struct sp_sim_host *host);
/* The result of the host's main function when it last ended. */
int sp_sim_host_result(const struct sp_sim_host *host);

#ifdef __cplusplus
}
#endif

#endif
