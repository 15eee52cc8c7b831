#include "weather.h"

#include "broker.h"
#include "world.h"

#include <spargio/time.h>

#include <stdio.h>
#include <stdlib.h>

static const char *const names[WEATHER_FAULTS] = {
	[WEATHER_CRASH] = "broker-crash",
	[WEATHER_POWER] = "broker-power",
	[WEATHER_DISCONNECT] = "broker-disconnect",
	[WEATHER_PARTITION] = "broker-partition",
	[WEATHER_SLOW_ACKS] = "broker-slow-acks",
	[WEATHER_LOST_ACKS] = "broker-lost-acks",
	[WEATHER_PACE] = "broker-pace",
	[WEATHER_LEADER] = "broker-leader",
	[WEATHER_NO_ROOM] = "broker-no-room",
	[WEATHER_PURGE] = "broker-purge",
	[WEATHER_DELETE] = "broker-delete",
	[WEATHER_SPOOL] = "spool-lost",
};

const char *weather_name(enum weather_fault fault)
{
	return names[fault];
}

uint32_t weather_draw(uint64_t seed)
{
	struct load_random random = load_random_fork(seed, 2);

	return (uint32_t)load_random_next(&random) &
	       ((1u << WEATHER_FAULTS) - 1);
}

static int64_t draw_time(struct world *w, int64_t most)
{
	return 1 + (int64_t)load_random_below(&w->weather_random,
					      (uint32_t)(most / SP_MS)) *
			   SP_MS;
}

/* What a fault changed is as before. */
static void heal_broker(void *arg)
{
	struct world *w = arg;

	if (!broker_is_up(w->broker)) {
		broker_restart(w->broker);
		/* Consumers of the server continue where it went back to. */
		for (uint32_t i = 0; i < w->collector_count; i++)
			consumer_look(&w->collectors[i]);
	}
	broker_partition(w->broker, NULL, false);
	broker_delay_acks(w->broker, 0);
	broker_lose_acks(w->broker, 0);
	broker_set_pace(w->broker, 0);
	broker_set_room(w->broker, BROKER_ROOM);
}

static void remove_messages(struct world *w)
{
	struct sim_collector *c =
		&w->collectors[load_random_below(&w->weather_random,
						 w->collector_count)];
	struct broker_state state;

	if (!broker_look(w->broker, c->stream, &state) || state.last_seq == 0)
		return;
	c->removals++;
	broker_purge(w->broker, c->stream,
		     1 + load_random_below(&w->weather_random,
					   (uint32_t)state.last_seq + 1));
}

static void delete_stream(struct world *w)
{
	struct sim_collector *c =
		&w->collectors[load_random_below(&w->weather_random,
						 w->collector_count)];

	c->removals++;
	broker_delete_stream(w->broker, c->stream);
}

static void strike_broker(struct world *w, enum weather_fault fault)
{
	struct broker *b = w->broker;

	switch (fault) {
	case WEATHER_CRASH:
		broker_crash(b);
		break;
	case WEATHER_POWER:
		broker_crash(b);
		broker_lose_unsynced(b);
		break;
	case WEATHER_DISCONNECT:
		broker_disconnect(b, NULL);
		break;
	case WEATHER_PARTITION:
		broker_partition(b, NULL, true);
		break;
	case WEATHER_SLOW_ACKS:
		broker_delay_acks(b, draw_time(w, 8 * SP_S));
		break;
	case WEATHER_LOST_ACKS:
		broker_lose_acks(b,
				 1 + load_random_below(&w->weather_random, 50));
		break;
	case WEATHER_PACE:
		broker_set_pace(b, draw_time(w, 20 * SP_MS));
		break;
	case WEATHER_LEADER:
		broker_change_leader(b, draw_time(w, 5 * SP_S));
		break;
	case WEATHER_NO_ROOM:
		broker_set_room(b, 1);
		break;
	case WEATHER_PURGE:
		remove_messages(w);
		break;
	case WEATHER_DELETE:
		delete_stream(w);
		break;
	case WEATHER_SPOOL: /* at a start: collector.c */
	case WEATHER_FAULTS:
		break;
	}
}

static void next_weather(struct world *w);

static void make_weather(void *arg)
{
	struct world *w = arg;
	uint32_t fault = load_random_below(&w->weather_random, WEATHER_FAULTS);
	int64_t now = sp_sim_time(w->sim);
	int64_t until;

	if (now >= w->quiet_at)
		return;
	if ((w->weather >> fault & 1) != 0 && broker_is_up(w->broker)) {
		strike_broker(w, (enum weather_fault)fault);
		until = now + draw_time(w, fault <= WEATHER_POWER ? 3 * SP_S
								  : 10 * SP_S);
		(void)sp_sim_at(w->sim,
				until < w->quiet_at ? until : w->quiet_at,
				heal_broker, w);
	}
	next_weather(w);
}

static void next_weather(struct world *w)
{
	(void)sp_sim_at(w->sim, sp_sim_time(w->sim) + draw_time(w, 4 * SP_S),
			make_weather, w);
}

void weather_start(struct world *w)
{
	w->weather_random = load_random_fork(w->seed, 3);
	next_weather(w);
}
