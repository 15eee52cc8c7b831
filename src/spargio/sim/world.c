#include "spargio/sim/world.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Random numbers: splitmix64 */

static uint64_t mix_bits(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t sp__sim_random(struct sp_sim *sim, enum sp__sim_stream stream)
{
	sim->random[stream] += UINT64_C(0x9e3779b97f4a7c15);
	return mix_bits(sim->random[stream] ^ mix_bits(stream + 1));
}

uint64_t sp__sim_below(struct sp_sim *sim, enum sp__sim_stream stream,
		       uint64_t bound)
{
	return sp__sim_random(sim, stream) % bound;
}

int64_t sp__sim_between(struct sp_sim *sim, enum sp__sim_stream stream,
			int64_t low, int64_t high)
{
	if (high <= low)
		return low;
	return low +
	       (int64_t)sp__sim_below(sim, stream, (uint64_t)(high - low) + 1);
}

bool sp__sim_strikes(struct sp_sim *sim, enum sp__sim_stream stream,
		     enum sp_sim_fault fault)
{
	uint32_t ppm = sim->opts.plan.ppm[fault];

	if (ppm == 0 || sim->now >= sim->opts.quiet_at)
		return false;
	return sp__sim_below(sim, stream, 1000000) < ppm;
}

uint64_t sp_sim_random(struct sp_sim *sim)
{
	return sp__sim_random(sim, SP__SIM_PROGRAM);
}

/* Hash and trace */

static void hash_word(struct sp_sim *sim, uint64_t word)
{
	sim->hash = mix_bits(sim->hash ^ word) + UINT64_C(0x9e3779b97f4a7c15);
}

void sp__sim_note(struct sp_sim *sim, const struct sp_sim_host *host,
		  const char *what, uint64_t a, uint64_t b)
{
	uint32_t index = host == NULL ? UINT32_MAX : host->index;

	hash_word(sim, (uint64_t)sim->now);
	hash_word(sim, (uint64_t)index << 32 | (uint8_t)what[0] << 8 |
			       (uint8_t)what[1]);
	hash_word(sim, a);
	hash_word(sim, b);
	sim->trace[sim->traced++ % SP__SIM_TRACE] = (struct sp__sim_trace){
		.when = sim->now, .what = what, .host = index, .a = a, .b = b
	};
}

/* Events: a binary heap by time and number */

static bool fires_before(const struct sp__sim_event *a,
			 const struct sp__sim_event *b)
{
	return a->when != b->when ? a->when < b->when : a->number < b->number;
}

static void swap_events(struct sp_sim *sim, size_t a, size_t b)
{
	struct sp__sim_event t = sim->events[a];

	sim->events[a] = sim->events[b];
	sim->events[b] = t;
}

static void sift_up(struct sp_sim *sim, size_t i)
{
	while (i > 0 &&
	       fires_before(&sim->events[i], &sim->events[(i - 1) / 2])) {
		swap_events(sim, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

static void sift_down(struct sp_sim *sim, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2; k++)
			if (k < sim->nevents &&
			    fires_before(&sim->events[k], &sim->events[least]))
				least = k;
		if (least == i)
			return;
		swap_events(sim, i, least);
		i = least;
	}
}

void sp__sim_schedule(struct sp_sim *sim, const struct sp__sim_event *event)
{
	struct sp__sim_event *added;

	if (sim->nevents == sim->events_size) {
		size_t size = sim->events_size == 0 ? 64 : 2 * sim->events_size;
		struct sp__sim_event *grown =
			sp__sim_realloc(sim->events, size * sizeof(*grown));

		if (grown == NULL) {
			sim->failed = true;
			snprintf(sim->failure, sizeof(sim->failure),
				 "out of memory");
			if (event->drop != NULL)
				event->drop(event->arg);
			return;
		}
		sim->events = grown;
		sim->events_size = size;
	}
	added = &sim->events[sim->nevents];
	*added = *event;
	added->number = sim->event_number++;
	if (added->when < sim->now)
		added->when = sim->now;
	sim->weather += event->weather;
	sift_up(sim, sim->nevents++);
}

static void remove_event(struct sp_sim *sim, size_t i)
{
	sim->weather -= sim->events[i].weather;
	sim->events[i] = sim->events[--sim->nevents];
	if (i < sim->nevents) {
		sift_down(sim, i);
		sift_up(sim, i);
	}
}

void sp__sim_forget(struct sp_sim *sim, const void *owner)
{
	size_t n = sim->nevents, kept = 0;

	sim->weather = 0;
	for (size_t i = 0; i < n; i++) {
		struct sp__sim_event *event = &sim->events[i];

		if (owner == NULL || event->owner == owner) {
			if (event->drop != NULL)
				event->drop(event->arg);
			continue;
		}
		sim->weather += event->weather;
		sim->events[kept++] = *event;
	}
	sim->nevents = kept;
	for (size_t i = kept / 2; i-- > 0;)
		sift_down(sim, i);
}

bool sp__sim_take(struct sp_sim *sim, struct sp__sim_event *out)
{
	if (sim->nevents == 0 || sim->events[0].when > sim->now)
		return false;
	*out = sim->events[0];
	remove_event(sim, 0);
	return true;
}

/* Clocks */

int64_t sp__sim_host_clock(const struct sp_sim_host *host)
{
	int64_t since = host->sim->now - host->clock_since;

	return host->clock_base + since +
	       (int64_t)((__int128)since * host->drift_ppm / 1000000);
}

int64_t sp__sim_when(const struct sp_sim_host *host, int64_t clock)
{
	__int128 since = (__int128)clock - host->clock_base;
	__int128 rate = 1000000 + host->drift_ppm;
	__int128 when;

	if (clock == SP_NEVER)
		return SP_NEVER;
	/* Round up, and add 1 ns because sp__sim_host_clock() rounds, too. */
	when = host->clock_since + (since * 1000000 + rate - 1) / rate +
	       (host->drift_ppm != 0);
	return when > SP_NEVER ? SP_NEVER : (int64_t)when;
}

/* Operations */

void sp__sim_complete(struct sp__op *op, int res)
{
	struct sp__sim_shard *io = op->shard->io;

	op->res = res;
	op->next = NULL;
	op->link = NULL;
	*io->done_tail = op;
	io->done_tail = &op->next;
	io->ready = true;
	sp__sim_note(io->host->sim, io->host, "completes", op->sqe.opcode,
		     (uint64_t)(int64_t)res);
}

int sp__sim_print(int fd, const char *format, ...)
{
	char line[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (len >= (int)sizeof(line))
		len = (int)sizeof(line) - 1;
	return write(fd, line, (size_t)len) < 0 ? -errno : 0;
}

int sp__sim_refuse(const char *what)
{
	(void)sp__sim_print(STDERR_FILENO, "spargio: not simulated: %s\n",
			    what);
	return -EOPNOTSUPP;
}
