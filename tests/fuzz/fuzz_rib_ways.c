/*
 * Any BMP session has the same results by the straight way of the rib and by
 * the general one: changes, events, counters, stored routes (two_ways.h). The
 * first byte says how many messages are applied together. A message of a type
 * that nobody knows lets time go on.
 */
#include "../unit/two_ways.h"

#include <stdio.h>
#include <stdlib.h>

static void feed(struct two_ways *t, struct wire_view in)
{
	struct bmp_frame frame;
	size_t want;

	while (bmp_frame_next(in, BMP_MAX_FRAME_DEFAULT, &frame, &want) ==
	       BMP_FRAME_WHOLE) {
		two_ways_feed(t, frame.whole);
		if (frame.type >= BMP_TYPES)
			two_ways_work(t, UINT64_C(1000000000) * frame.type);
		in.p += frame.whole.len;
		in.len -= frame.whole.len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct two_ways t;
	const char *differs;

	if (len == 0)
		return 0;
	if (!two_ways_init(&t))
		abort();
	t.together = 1 + data[0] % RIB_LOOKAHEAD;
	feed(&t, (struct wire_view){ data + 1, len - 1 });
	differs = two_ways_differ(&t);
	if (differs != NULL) {
		fprintf(stderr, "not the same: %s\n", differs);
		abort();
	}
	two_ways_fini(&t);
	return 0;
}
