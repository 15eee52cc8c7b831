/*
 * The store and the encoder alone, in the shape of the Rust Arancini's own
 * micro-benchmark: no socket and nothing to parse. A prefix that is announced
 * with other attributes than it had is looked up, stored and encoded as a
 * Cap'n Proto message, one a time, in a thread for each worker. As there,
 * prefixes go round; unlike there, attributes are kept and compared.
 */
#include "../tests/unit/apply_messages.h"
#include "bench.h"

#include "bmp/message.h"
#include "bmp/pdu.h"
#include "bmp/wire.h"
#include "pipeline_harness.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Store and encode updates that are in memory, decoded from a few "
	"bytes:\n"
	"  arancini_micro   updates a second of one and two workers\n";

#define WORKERS_MAX 2
#define PREFIXES    100000u
#define UPDATES	    200000u
#define QUICK	    50000u

/* Each counts on a cache line that no other one looks at. */
struct micro {
	alignas(64) pthread_t thread;
	struct store store;
	uint32_t next;
	uint32_t updates; /* of a round */
};

/* Two bytes of lengths around it: ORIGIN, AS_PATH of four, NEXT_HOP, a MED. */
static const uint8_t update[] = {
	0,    0, 0, 39,	  0x40, 1, 1,	 0, 0x40, 2, 18, 2,  4, 0,    0, 0xfd,
	0xe8, 0, 0, 0x0d, 0x1c, 0, 0x03, 0, 0,	  0, 0,	 1,  2, 0x40, 3, 4,
	192,  0, 2, 9,	  0x80, 4, 4,	 0, 0,	  0, 0,	 24, 0, 0,    0,
};

#define MED_AT	  39
#define PREFIX_AT 44

/* The next prefix; each time round it has another MED. */
static void put(uint8_t *bytes, uint32_t number)
{
	uint32_t prefix = number % PREFIXES;

	memcpy(bytes, update, sizeof(update));
	wire_put_u32(bytes + MED_AT, number / PREFIXES);
	bytes[PREFIX_AT] = (uint8_t)(prefix >> 16);
	bytes[PREFIX_AT + 1] = (uint8_t)(prefix >> 8);
	bytes[PREFIX_AT + 2] = (uint8_t)prefix;
}

static void *run(void *arg)
{
	struct micro *m = arg;
	uint8_t bytes[RIB_LOOKAHEAD][sizeof(update)];
	struct bmp_message msgs[RIB_LOOKAHEAD];

	for (uint32_t done = 0; done < m->updates; done += RIB_LOOKAHEAD) {
		for (size_t i = 0; i < RIB_LOOKAHEAD; i++) {
			put(bytes[i], m->next++);
			msgs[i] = (struct bmp_message){
				.version = 3,
				.type = BMP_ROUTE_MONITORING,
				.has_peer = true,
				.peer = { .as = 64500,
					  .address = { [10] = 0xff,
						       0xff,
						       172,
						       16,
						       0,
						       1 } },
				.update = { .type = BGP_PDU_UPDATE,
					    .body = { bytes[i],
						      sizeof(update) } },
			};
		}
		apply_messages(m->store.router, &m->store.when, msgs,
			       RIB_LOOKAHEAD, NULL);
		store_drain(&m->store);
	}
	return NULL;
}

/* Updates a second of @workers at once. */
static double round_of(const struct bench *b, struct micro *all,
		       unsigned workers)
{
	uint64_t start = bench_now_ns();
	uint64_t before = 0, after = 0;

	for (unsigned i = 0; i < workers; i++) {
		before += store_published(&all[i].store);
		all[i].updates = b->quick ? QUICK : UPDATES;
		bench_must(pthread_create(&all[i].thread, NULL, run, &all[i]) ==
				   0,
			   "a thread");
	}
	for (unsigned i = 0; i < workers; i++) {
		pthread_join(all[i].thread, NULL);
		after += store_published(&all[i].store);
	}
	bench_must(after - before == (uint64_t)workers * all[0].updates,
		   "every update is published");
	return (double)(after - before) * 1e9 /
	       (double)(bench_now_ns() - start);
}

int main(int argc, char **argv)
{
	struct bench b = bench_begin(argc, argv, help);
	static double samples[WORKERS_MAX][BENCH_ROUNDS_MAX];
	static struct micro workers[WORKERS_MAX];
	double cpu[WORKERS_MAX] = { 0 };

	for (unsigned i = 0; i < WORKERS_MAX; i++)
		store_init(&workers[i].store, (uint8_t)i);
	for (unsigned round = 0; round < b.rounds; round++)
		for (unsigned n = 0; n < WORKERS_MAX; n++) {
			double before = bench_cpu_seconds();

			samples[n][round] = round_of(&b, workers, n + 1);
			cpu[n] += bench_cpu_seconds() - before;
		}
	bench_report("arancini_micro", "workers=1", "updates/s", samples[0],
		     b.rounds, cpu[0]);
	bench_report("arancini_micro", "workers=2", "updates/s", samples[1],
		     b.rounds, cpu[1]);
	for (unsigned i = 0; i < WORKERS_MAX; i++)
		store_fini(&workers[i].store);
	return 0;
}
