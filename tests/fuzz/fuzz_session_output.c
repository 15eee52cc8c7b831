/*
 * What a router sends, as a worker takes it: frames, messages, rib, encoder,
 * batches; then the session ends and the tables are withdrawn. Whatever the
 * bytes are, a turn makes no more output than it may, each turn gets on, the
 * batches can be read by a consumer, and memory is given back.
 *
 * The first byte chooses: curation, BMP version 4, zstd.
 */
#include "../unit/apply_messages.h"
#include "bmp/frame.h"
#include "bmp/message.h"
#include "egress/batcher.h"
#include "egress/codec.h"
#include "egress/encode/decode.h"
#include "rib/apply.h"
#include "rib/background.h"
#include "rib/rib.h"
#include "rib/session.h"

#include <stdlib.h>

#define INPUT_MAX   (128 * 1024)
#define TURN_OUTPUT (1024 * 1024)
#define TURN_ROUTES 4096
/* One update may be that long beyond the end of a turn: a full AS_PATH. */
#define UPDATE_MAX (2 * 1024 * 1024)
#define BATCHES	   1024
#define SECOND	   UINT64_C(1000000000)
/* What one router may take beyond its tables, which are as large as it likes */
#define MEMORY_MAX (64u * 1024 * 1024)

/* There with ASan only. NOLINTNEXTLINE(bugprone-reserved-identifier) */
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

struct pipe {
	struct egress_bridge *bridge;
	struct egress_batcher *batcher;
	struct rib *rib;
	struct rib_router *router;
	struct rib_time when;
	uint64_t updates; /* read back */
};

static struct egress_codec *codec;

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static size_t allocated(void)
{
	return __sanitizer_get_current_allocated_bytes != NULL
		       ? __sanitizer_get_current_allocated_bytes()
		       : 0;
}

static void pipe_init(struct pipe *p, uint8_t choice)
{
	static const struct rib_identity id = {
		.address = { [10] = 0xff, 0xff, 192, 0, 2, 1 }
	};
	struct egress_batcher_opts opts = {
		.updates = "arancini.updates",
		.events = "arancini.events",
		.encoding = choice & 4 ? EGRESS_ZSTD : EGRESS_PACKED,
	};
	struct rib_config config;
	struct rib_sink sink;

	*p = (struct pipe){ .when = { 1000 * SECOND, 1700000000 * SECOND } };
	demand(egress_bridge_new(1, BATCHES, &p->bridge) == 0);
	opts.bridge = p->bridge;
	demand(egress_batcher_new(&opts, &p->batcher) == 0);
	sink = egress_batcher_sink(p->batcher);
	rib_config_defaults(&config);
	config.mode = (uint8_t)((choice & 3) % RIB_MODES);
	demand(rib_new(&config, &sink, &p->rib) == 0);
	demand(rib_router_get(p->rib, &id, &p->router) == 0);
	rib_session_open(p->router, &p->when, id.address, 4000, "fuzz");
}

static void pipe_fini(struct pipe *p)
{
	rib_free(p->rib);
	egress_batcher_free(p->batcher);
	egress_bridge_free(p->bridge);
}

static void read_batch(struct pipe *p, const struct egress_batch *batch)
{
	struct egress_decoder r;
	struct wire_view plain;
	struct egress_message m;
	uint32_t n = 0;
	int err;

	demand(egress_codec_open(codec, batch->encoding,
				 (struct wire_view){ batch->bytes, batch->len },
				 &plain) == 0);
	r = egress_decode_start(plain);
	while ((err = egress_decode_next(&r, &m)) > 0) {
		struct egress_update u;
		struct egress_event e;

		if (batch->kind == EGRESS_BATCH_UPDATES)
			demand(egress_decode_update(&m, &u) == 0);
		else
			demand(egress_decode_event(&m, &e) == 0);
		n++;
	}
	demand(err == 0 && n == batch->updates);
	p->updates += n;
}

/* As the publisher does; nothing waits for room. */
static void drain(struct pipe *p)
{
	do {
		struct egress_batch *batch;

		egress_batcher_flush(p->batcher);
		while ((batch = egress_bridge_pop(p->bridge)) != NULL) {
			if (batch->kind != EGRESS_BATCH_FENCE)
				read_batch(p, batch);
			egress_bridge_give_back(p->bridge, batch);
		}
	} while (egress_batcher_blocked(p->batcher));
}

/* Some of what is in hand; returns how many messages are done. */
static size_t turn(struct pipe *p, const struct bmp_message *msgs, size_t n,
		   struct rib_progress *progress)
{
	uint64_t made = egress_batcher_made(p->batcher);
	struct rib_budget budget = { .routes = TURN_ROUTES,
				     .bytes_end = made + TURN_OUTPUT };
	struct rib_progress before = *progress;
	uint64_t failed = 0;
	size_t done = apply_some_messages(p->router, &p->when, msgs, n, NULL,
					  &budget, progress, &failed, NULL);

	demand(egress_batcher_made(p->batcher) - made <=
	       TURN_OUTPUT + UPDATE_MAX);
	demand(done <= n);
	/* Something else may have to be withdrawn first, in slices. */
	if (done == 0 && before.part == progress->part &&
	    before.offset == progress->offset) {
		struct rib_background work =
			rib_background(p->rib, &p->when, TURN_ROUTES);

		demand(work.more || egress_batcher_made(p->batcher) > made);
	}
	drain(p);
	return done;
}

static void apply_all(struct pipe *p, const struct bmp_message *msgs, size_t n)
{
	struct rib_progress progress = { 0 };
	size_t done = 0;
	unsigned turns = 0;

	while (done < n) {
		done += turn(p, msgs + done, n - done, &progress);
		demand(++turns < 100000);
	}
}

static void send_bytes(struct pipe *p, struct wire_view rest, enum bmp_v4 v4)
{
	struct bmp_message msgs[RIB_LOOKAHEAD];
	struct bmp_frame frame;
	size_t want, n = 0;

	while (bmp_frame_next(rest, 1u << 20, &frame, &want) ==
	       BMP_FRAME_WHOLE) {
		if (bmp_status_usable(bmp_message_decode(&frame, v4, &msgs[n])))
			n++;
		if (n == RIB_LOOKAHEAD) {
			apply_all(p, msgs, n);
			n = 0;
		}
		rest.p += frame.whole.len;
		rest.len -= frame.whole.len;
	}
	apply_all(p, msgs, n);
}

/* Its peers go stale, and then all they had. */
static void end_session(struct pipe *p)
{
	struct rib_background work;
	unsigned slices = 0;

	rib_session_close(p->router, &p->when, 1, "end of input");
	p->when.now_ns += 86400 * SECOND;
	p->when.wall_ns += 86400 * SECOND;
	do {
		uint64_t made = egress_batcher_made(p->batcher);

		work = rib_background(p->rib, &p->when, TURN_ROUTES);
		demand(egress_batcher_made(p->batcher) - made <=
		       TURN_OUTPUT + UPDATE_MAX);
		drain(p);
		demand(++slices < 100000);
	} while (work.more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	size_t before, after;
	struct pipe p;

	if (len == 0 || len > INPUT_MAX ||
	    (codec == NULL && egress_codec_new(&codec) < 0))
		return 0;
	pipe_init(&p, data[0]);
	before = allocated();
	send_bytes(&p, (struct wire_view){ data + 1, len - 1 },
		   data[0] & 8 ? BMP_V4_TLV20 : BMP_V4_OFF);
	drain(&p);
	end_session(&p);
	after = allocated();
	demand(after < before + MEMORY_MAX);
	pipe_fini(&p);
	return 0;
}
