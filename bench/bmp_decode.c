/*
 * What it costs to understand a Route Monitoring message: frame, headers,
 * every attribute, every prefix. "rich" adds what a transit network's routes
 * carry; "floor" copies the same bytes and nothing else.
 */
#include "bench.h"

#include "bmp/canonical.h"
#include "bmp/decode_context.h"
#include "bmp/frame.h"
#include "bmp/message.h"
#include "bmp/update.h"

#include <glob.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Nanoseconds to decode one BMP Route Monitoring message.\n"
	"  decode_update     frame, message, attributes, every prefix\n"
	"  decode_headers    the same without the BGP UPDATE\n"
	"  canonical         the canonical form of its attributes\n"
	"  floor             memcpy of the same bytes\n"
	"  decode_captures   one message of the captures in $ARANCINI_DATA,\n"
	"                    if it is set\n";

/* Not a multiple of a page: the copy must not alias what it is copied from. */
#define MESSAGE_MAX 8704
#define BATCH	    64

struct message {
	alignas(64) uint8_t bytes[MESSAGE_MAX];
	alignas(64) uint8_t copy[MESSAGE_MAX];
	size_t len;
};

static void put(struct message *m, const void *p, size_t n)
{
	if (n > sizeof(m->bytes) - m->len)
		abort();
	memcpy(m->bytes + m->len, p, n);
	m->len += n;
}

#define PUT(m, ...)                              \
	put(m, (const uint8_t[]){ __VA_ARGS__ }, \
	    sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void put_typical(struct message *m)
{
	PUT(m, 0x40, 1, 1, 0);
	PUT(m, 0x40, 2, 18, 2, 4, 0, 0, 0xfd, 0xe8, 0, 0, 0x0d, 0x1c, 0, 0,
	    0x1b, 0x1b, 0, 3, 0x0d, 0x40);
	PUT(m, 0x40, 3, 4, 192, 0, 2, 1);
	PUT(m, 0x80, 4, 4, 0, 0, 0, 10);
	PUT(m, 0x40, 5, 4, 0, 0, 0, 100);
	PUT(m, 0xc0, 8, 12, 0xfd, 0xe8, 0, 1, 0xfd, 0xe8, 0, 2, 0xfd, 0xe8, 1,
	    0);
}

static void put_rich(struct message *m)
{
	put_typical(m);
	PUT(m, 0x80, 9, 4, 192, 0, 2, 3);
	PUT(m, 0x80, 10, 8, 192, 0, 2, 4, 192, 0, 2, 5);
	PUT(m, 0xc0, 16, 16, 0, 2, 0xfd, 0xe8, 0, 0, 0, 1, 0, 2, 0xfd, 0xe8, 0,
	    0, 0, 2);
	PUT(m, 0xc0, 32, 24, 0, 0, 0xfd, 0xe8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0,
	    0xfd, 0xe8, 0, 0, 0, 1, 0, 0, 0, 2);
	PUT(m, 0xc0, 35, 4, 0, 0, 0xfd, 0xe8);
}

/* Lengths as in the Internet's table: mostly /24, the rest mixed. */
static void put_prefix(struct message *m, unsigned i)
{
	static const uint8_t lengths[8] = { 24, 24, 22, 24, 20, 24, 23, 16 };
	uint8_t len = lengths[i * 7 % 8];
	uint8_t prefix[4] = { 10, (uint8_t)(i >> 8), (uint8_t)i, 0 };

	prefix[2] &= (uint8_t)(0xff00 >> (len < 16 ? 8 : len - 16));
	PUT(m, len);
	put(m, prefix, (len + 7u) / 8);
}

static void build(struct message *m, unsigned prefixes,
		  void (*attributes)(struct message *))
{
	static const uint8_t marker[16] = { 255, 255, 255, 255, 255, 255,
					    255, 255, 255, 255, 255, 255,
					    255, 255, 255, 255 };
	size_t pdu, block;

	PUT(m, 3, 0, 0, 0, 0, 0);
	PUT(m, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	PUT(m, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 192, 0, 2, 7);
	PUT(m, 0, 0, 0xfd, 0xe8, 192, 0, 2, 7, 0x65, 0, 0, 0, 0, 1, 0, 0);
	pdu = m->len;
	put(m, marker, sizeof(marker));
	PUT(m, 0, 0, 2, 0, 0, 0, 0);
	block = m->len;
	attributes(m);
	wire_put_u16(m->bytes + block - 2, (uint16_t)(m->len - block));
	for (unsigned i = 0; i < prefixes; i++)
		put_prefix(m, i);
	wire_put_u16(m->bytes + pdu + 16, (uint16_t)(m->len - pdu));
	wire_put_u32(m->bytes + 1, (uint32_t)m->len);
}

static struct bgp_context context;

static void decode(const struct message *m, struct bmp_message *msg,
		   struct bgp_update *u)
{
	struct wire_view in = { m->bytes, m->len };
	struct bgp_decode_opts opts;
	struct bmp_frame frame;
	size_t need;

	if (bmp_frame_next(in, BMP_MAX_FRAME_DEFAULT, &frame, &need) !=
		    BMP_FRAME_WHOLE ||
	    bmp_message_decode(&frame, BMP_V4_OFF, msg) != BMP_OK)
		abort();
	if (u == NULL)
		return;
	opts = bgp_context_decode_opts(&context, &msg->peer, NULL);
	if (bgp_update_decode(msg->update.body, &opts, u) != BGP_ACCEPT)
		abort();
}

static void run_headers(void *arg, uint64_t iterations)
{
	struct bmp_message msg;

	while (iterations-- > 0) {
		decode(arg, &msg, NULL);
		bench_keep(&msg);
	}
}

/* As the collector does: plain families in batches, the others one by one. */
static void walk(const struct bgp_update *u, bool batches)
{
	struct bgp_prefix prefixes[BATCH];
	struct bgp_nlri_iter it;

	for (int s = 0; s < BGP_PARTS; s++) {
		if (!bgp_update_routes(u, s, &it))
			continue;
		if (batches && it.plain) {
			size_t n;

			do {
				n = bgp_nlri_take(&it, prefixes, BATCH);
				bench_keep(prefixes);
			} while (n == BATCH);
			continue;
		}
		while (bgp_nlri_next(&it))
			bench_keep(&it.nlri);
	}
}

static void run_update(void *arg, uint64_t iterations)
{
	struct bmp_message msg;
	struct bgp_update u;

	while (iterations-- > 0) {
		decode(arg, &msg, &u);
		walk(&u, true);
	}
}

static void run_one_by_one(void *arg, uint64_t iterations)
{
	struct bmp_message msg;
	struct bgp_update u;

	while (iterations-- > 0) {
		decode(arg, &msg, &u);
		walk(&u, false);
	}
}

static void run_canonical(void *arg, uint64_t iterations)
{
	uint8_t out[2 * MESSAGE_MAX];
	struct bmp_message msg;
	struct bgp_update u;

	decode(arg, &msg, &u);
	while (iterations-- > 0) {
		if (bgp_canonical_write(&u, BGP_PART_NLRI, out, sizeof(out)) ==
		    0)
			abort();
		bench_keep(out);
	}
}

static void run_floor(void *arg, uint64_t iterations)
{
	struct message *m = arg;

	while (iterations-- > 0) {
		memcpy(m->copy, m->bytes, m->len);
		bench_keep(m->copy);
	}
}

/* Real streams, end to end in one buffer. */
static uint8_t captures[16 << 20];
static size_t captures_len;

static void load_captures(const char *folder)
{
	char pattern[4096];
	glob_t files;

	snprintf(pattern, sizeof(pattern), "%s/*.bmp", folder);
	if (glob(pattern, 0, NULL, &files) != 0)
		return;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		FILE *f = fopen(files.gl_pathv[i], "rb");

		if (f == NULL)
			continue;
		/* One is cut in its last message, which would hide the rest. */
		if (strstr(files.gl_pathv[i], "truncated") == NULL)
			captures_len +=
				fread(captures + captures_len, 1,
				      sizeof(captures) - captures_len, f);
		fclose(f);
	}
	globfree(&files);
}

static void decode_one(const struct bmp_frame *frame)
{
	struct bgp_decode_opts opts;
	struct bmp_message msg;
	struct bgp_update u;

	if (!bmp_status_usable(bmp_message_decode(frame, BMP_V4_OFF, &msg)))
		return;
	bench_keep(&msg);
	if (msg.type != BMP_ROUTE_MONITORING)
		return;
	opts = bgp_context_decode_opts(&context, &msg.peer, NULL);
	bgp_update_decode(msg.update.body, &opts, &u);
	walk(&u, true);
}

/* Peer Ups are read but not remembered: the cost of a table is not ours. */
static void run_captures(void *arg, uint64_t iterations)
{
	struct wire_view in = { 0 };
	struct bmp_frame frame;
	size_t need;

	(void)arg;
	while (iterations-- > 0) {
		if (bmp_frame_next(in, BMP_MAX_FRAME_DEFAULT, &frame, &need) !=
		    BMP_FRAME_WHOLE) {
			in = (struct wire_view){ captures, captures_len };
			bmp_frame_next(in, BMP_MAX_FRAME_DEFAULT, &frame,
				       &need);
		}
		decode_one(&frame);
		in.p += frame.whole.len;
		in.len -= frame.whole.len;
	}
}

static const unsigned sizes[] = { 1, 10, 100, 500 };

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static struct message messages[2][SIZES];

/* Every size and its floor, of typical or of rich attributes. */
static size_t add_updates(struct bench_loop *loops, bool rich)
{
	static char variants[2][SIZES][2][40];
	size_t n = 0;

	for (size_t i = 0; i < SIZES; i++) {
		struct message *m = &messages[rich][i];
		char *variant = variants[rich][i][0];
		char *floor = variants[rich][i][1];

		build(m, sizes[i], rich ? put_rich : put_typical);
		snprintf(variant, 40, "prefixes=%u,%s", sizes[i],
			 rich ? "rich" : "typical");
		snprintf(floor, 40, "floor,%.30s", variant);
		loops[n++] = (struct bench_loop){ "decode_update", variant,
						  "ns", run_update, m };
		loops[n++] = (struct bench_loop){ "decode_update", floor, "ns",
						  run_floor, m };
	}
	return n;
}

int main(int argc, char **argv)
{
	struct bench b = bench_begin(argc, argv, help);
	struct bench_loop loops[4 * SIZES + 5];
	size_t n = 0;

	bgp_context_init(&context);
	n += add_updates(loops + n, false);
	n += add_updates(loops + n, true);
	loops[n++] = (struct bench_loop){
		"decode_update", "prefixes=500,typical,one_by_one", "ns",
		run_one_by_one,	 &messages[0][SIZES - 1],
	};
	loops[n++] = (struct bench_loop){ "decode_headers", "prefixes=1", "ns",
					  run_headers, &messages[0][0] };
	loops[n++] = (struct bench_loop){ "canonical", "typical", "ns",
					  run_canonical, &messages[0][0] };
	loops[n++] = (struct bench_loop){ "canonical", "rich", "ns",
					  run_canonical, &messages[1][0] };
	if (getenv("ARANCINI_DATA") != NULL)
		load_captures(getenv("ARANCINI_DATA"));
	if (captures_len != 0)
		loops[n++] = (struct bench_loop){ "decode_captures", "all",
						  "ns", run_captures, NULL };
	bench_loops_run(&b, loops, n);
	return 0;
}
