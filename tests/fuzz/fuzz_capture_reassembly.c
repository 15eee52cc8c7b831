/*
 * The input is a script of segments of a stream that is known: where each
 * begins, how long it is, how much of it the capture cut. Whatever arrives,
 * every byte delivered must be the one that was sent at its place, in order
 * and once, and what is missing must be said.
 */
#include "capture/reassembly.h"

#include <stdlib.h>

#define STREAM 4096

/* Enough to fill the list of waiting pieces with holes; more is slow. */
#define STEPS 1024

/* Near the wrap, so that scripts cross it. */
#define BASE 0xfffff800u

static uint8_t sent(uint64_t at)
{
	return (uint8_t)(at * 131 + at / 256);
}

static void drain(struct capture_reassembly *r, uint64_t *at)
{
	struct capture_chunk chunk;

	while (capture_reassembly_next(r, &chunk)) {
		if (chunk.bytes.len == 0)
			abort();
		*at += chunk.missing;
		for (size_t i = 0; i < chunk.bytes.len; i++)
			if (chunk.bytes.p[i] != sent((*at)++))
				abort();
	}
}

/* One step of the script: start, length, and bytes cut off the end. */
static void step(struct capture_reassembly *r, const uint8_t *p, uint64_t *at)
{
	uint32_t start = wire_get_u16(p) % STREAM;
	size_t len = p[2];
	size_t captured = len - len * (p[3] % 4) / 8;
	uint8_t *bytes = malloc(captured + 1);

	for (size_t i = 0; i < captured; i++)
		bytes[i] = sent(start + i);
	capture_reassembly_push(r, BASE + start,
				(struct wire_view){ bytes, captured },
				(uint32_t)len);
	drain(r, at);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct capture_reassembly r;
	uint64_t at = 0;

	capture_reassembly_init(&r, BASE);
	for (int i = 0; i < STEPS && len >= 4; i++, data += 4, len -= 4)
		step(&r, data, &at);
	capture_reassembly_close(&r);
	drain(&r, &at);
	if (r.counts.delivered + r.counts.missing != at + r.hole ||
	    r.waiting_bytes != 0 || r.waiting_pieces != 0)
		abort();
	capture_reassembly_fini(&r);
	return 0;
}
