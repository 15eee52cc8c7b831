/*
 * tests/sim/world.h - what the parts of a simulated world share
 *
 *	router hosts ----> collector hosts, each with its consumer
 *
 * A scenario is drawn from the seed. Until quiet_at faults happen; then nothing
 * breaks any more, routers go on changing until still_at, and at end_at
 * everything must have arrived.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "load/random.h"
#include "model.h"

#include <spargio/sim.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	WORLD_COLLECTORS = 3,
	WORLD_CONFIG = 2048
};

struct broker;
struct collector;
struct consumer;
struct log;
struct world;

/* The connection of a router to a collector. */
struct sim_session {
	struct sim_router *router;
	uint32_t collector;
	bool open;
	uint8_t *bytes; /* still to be sent */
	size_t len, size;
};

struct sim_router {
	struct world *world;
	uint32_t number;
	struct sp_sim_host *host;
	struct load_random random;
	struct sim_session sessions[WORLD_COLLECTORS];
	bool ends_ribs;	   /* it sends End-of-RIB */
	int64_t change_ns; /* time between two changes, on average */
};

/* impostor.c: another router that claims to be router @router. */
struct sim_impostor {
	struct world *world;
	uint32_t router;
	struct sp_sim_host *host;
	struct load_random random;
	uint32_t last_med;
};

struct sim_collector {
	struct world *world;
	uint32_t number;
	struct sp_sim_host *host;
	char config[WORLD_CONFIG];
	uint32_t shards;
	struct collector *running; /* NULL: it starts, or is down */
	bool stop_cleanly;	   /* at random times */
	bool named; /* routers are known by their names, not by addresses */
	int64_t sweep_quiet_ns;
	uint64_t spools_lost;
	uint64_t starts, failed_starts;
	uint64_t restarts; /* consumers that had to begin again */
	struct model_view live;
	uint64_t live_position;

	/* With a broker. */
	char stream[16];
	int64_t live_stream; /* when the stream that is followed was made */
	uint64_t removals;   /* times somebody removed messages of it */
	bool checked;

	/* For the state of the output. */
	uint64_t stored;
	int64_t stored_at;
};

struct world {
	uint64_t seed;
	struct sp_sim *sim;
	struct load_random random;
	struct model model;
	uint32_t collector_count;
	struct sim_router routers[MODEL_ROUTERS];
	struct sim_impostor impostor;
	struct sim_collector collectors[WORLD_COLLECTORS];
	int64_t quiet_at, still_at, end_at;
	int log_fd;
	FILE *trace; /* what consumers apply, for people; or NULL */
	uint64_t changes;

	struct broker *broker; /* NULL: journals are the output */
	uint32_t weather;      /* bits of enum weather_fault */
	bool steady_clocks;    /* no clock of a host is stepped */
	bool typical;	       /* see world_plan */
	struct load_random weather_random;
};

#define BROKER_ROOM (INT64_C(1) << 40)

/* What may go wrong. */
struct world_plan {
	struct sp_sim_plan sim;
	uint32_t weather;
	/* three routers with two peers of 1,000 routes each, one collector */
	bool typical;
};

/* The result of a seed. */
struct world_result {
	enum sp_sim_end end;
	uint64_t hash;
	int64_t virtual_ns;
	uint64_t updates;
};

/* The plan of faults of a seed. */
void world_plan(uint64_t seed, struct world_plan *out);

/*
 * Run a seed with the plan. If it fails, a report is written to @report_fd,
 * unless that is negative. The log of the collectors goes to @log_fd, and
 * what consumers apply to @trace, which may be NULL.
 */
void world_run(uint64_t seed, const struct world_plan *plan, int report_fd,
	       int log_fd, FILE *trace, struct world_result *out);

/* router.c: the main function of a router's host; @arg is its sim_router. */
int router_main(void *arg);

/*
 * Append an UPDATE of routes with the numbers at @prefixes; a MED of 0
 * withdraws them.
 */
void router_write_update(struct bmp_writer *w, const struct model *m,
			 const struct model_peer *peer,
			 const uint32_t *prefixes, uint32_t count,
			 uint32_t med);

/* impostor.c: the same of an impostor; @arg is its sim_impostor. */
int impostor_main(void *arg);

/* collector.c: the same of a collector; @arg is its sim_collector. */
int collector_main(void *arg);

/* consumer.c: fibers of a collector's host; @arg is its sim_collector. */
int consumer_follow(void *arg);
/* Read all of the log into @v. 0 or a negative errno. Yields. */
int consumer_read_all(struct sim_collector *c, struct model_view *v);
/* With a broker: read the messages that are new in the stream. */
void consumer_look(struct sim_collector *c);

#endif
