/*
 * tests/sim/weather.h - faults of the broker, drawn from the seed
 *
 * Those of hosts, network and disks are spargio's (sp_sim_plan). A plan has a
 * bit for each fault of the broker that may happen.
 */
#ifndef SIM_WEATHER_H
#define SIM_WEATHER_H

#include <stdint.h>

enum weather_fault {
	WEATHER_CRASH,	    /* as kill -9; back within 3 s */
	WEATHER_POWER,	    /* and what was not synced is lost */
	WEATHER_DISCONNECT, /* connections are reset */
	WEATHER_PARTITION,  /* for up to 10 s */
	WEATHER_SLOW_ACKS,  /* by up to 8 s, for up to 10 s */
	WEATHER_LOST_ACKS,  /* up to 50 */
	WEATHER_PACE,	    /* up to 20 ms for a message, for up to 10 s */
	WEATHER_LEADER,	    /* none for up to 5 s */
	WEATHER_NO_ROOM,    /* for up to 10 s */
	WEATHER_PURGE,	    /* somebody removes the older messages */
	WEATHER_DELETE,	    /* somebody deletes the stream */
	WEATHER_SPOOL,	    /* a collector that starts has lost its spool */
	WEATHER_FAULTS,
};

struct world;

const char *weather_name(enum weather_fault fault);

/* The bits of a seed; about half of the faults. */
uint32_t weather_draw(uint64_t seed);

/* Begin: faults happen every few seconds until world.quiet_at. */
void weather_start(struct world *w);

#endif
