/*
 * bench/nats_subscriber.h - a consumer that keeps what it hears, and when
 *
 * A push consumer of JetStream without acknowledgements, for what is stored
 * from its opening on. Nothing is read while messages come in: a callback of
 * libnats takes the time and keeps the message.
 *
 * Threads	ear_…() one thread; the callback is libnats'.
 * Errors	End the program with a sentence.
 */
#ifndef BENCH_EAR_H
#define BENCH_EAR_H

#include <nats/nats.h>

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct heard {
	natsMsg *msg;
	uint64_t ns; /* monotonic */
};

struct ear {
	natsSubscription *sub;
	struct heard *heard;
	size_t cap;
	_Atomic size_t count;
};

void ear_open(struct ear *e, jsCtx *js, const char *stream,
	      const char *subjects, size_t cap);
void ear_close(struct ear *e);

/* Wait until there are @count messages, at most ten seconds for each. */
void ear_wait(const struct ear *e, size_t count);

/* Begin anew; none may be on its way. */
void ear_forget(struct ear *e);

#endif
