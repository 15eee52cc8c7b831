/*
 * Threads take one block after the other and put it into the next place of a
 * ring; the reader empties the places in order. Finding where a block ends is
 * cheap, so the thread that takes a block does it, under the lock.
 */
#include "capture/bzip2_blocks.h"

#include "bmp/bytes.h"

#include <bzlib.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not worth threads below this size of a file. */
#define SMALL (64 * 1024)

/*
 * The two patterns of 48 bits that are searched: one begins a block, the other
 * follows the last block of a stream. They may begin at any bit.
 */
#define MAGIC_BITS  48
#define MAGIC_BLOCK UINT64_C(0x314159265359)
#define MAGIC_END   UINT64_C(0x177245385090)
#define MAGIC_MASK  ((UINT64_C(1) << MAGIC_BITS) - 1)

/* A compressed block is a little longer than its 900,000 bytes at most. */
#define BLOCK_IN_MAX  (2 * 1024 * 1024)
#define BLOCK_OUT_MAX (CAPTURE_BLOCKS_MEMORY / PLACES_MAX)
#define FIRST_OUT     (1024 * 1024)

#define PLACES_MAX  (CAPTURE_BLOCKS_THREADS + 2)
#define READ_BUFFER (64 * 1024)

enum place_state {
	PLACE_FREE,
	PLACE_TAKEN, /* a thread decompresses into it */
	PLACE_READY,
	PLACE_DOUBT,
	PLACE_END,
};

struct place {
	enum place_state state;
	uint8_t *out;
	size_t size; /* of out */
	size_t len;
	uint64_t done; /* bytes of the file up to its end */
};

/* What is between two patterns: bits of the file. */
struct block {
	uint64_t from, to;
	uint8_t level; /* the digit of the stream's head */
};

struct capture_blocks {
	int fd;
	uint64_t size;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stop;
	pthread_t threads[CAPTURE_BLOCKS_THREADS];
	unsigned thread_count;
	struct place places[PLACES_MAX];
	unsigned place_count;
	uint64_t taken; /* places that threads took, from the start */
	bool over;	/* there is no further block to take */

	/* Finding blocks */
	uint8_t hints[256];
	uint8_t in[READ_BUFFER];
	size_t in_at, in_len;
	uint64_t byte;	/* of the file: what comes next */
	uint64_t bits;	/* the last 64 */
	uint64_t start; /* bit at which the current block begins */
	uint8_t level;
	uint32_t checksum; /* of the stream, from those of its blocks */

	/* The reader alone */
	uint64_t read;	/* places that it emptied */
	size_t read_at; /* in the place */
	uint64_t done;
};

/* The file */

static bool read_at(const struct capture_blocks *b, uint64_t at, uint8_t *to,
		    size_t len)
{
	while (len > 0) {
		ssize_t n = pread(b->fd, to, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static bool next_byte(struct capture_blocks *b, uint8_t *out)
{
	uint64_t left = b->size - b->byte;

	if (left == 0)
		return false;
	if (b->in_at == b->in_len) {
		b->in_len = left < READ_BUFFER ? (size_t)left : READ_BUFFER;
		b->in_at = 0;
		if (!read_at(b, b->byte, b->in, b->in_len))
			return false;
	}
	*out = b->in[b->in_at++];
	b->byte++;
	b->bits = b->bits << 8 | *out;
	return true;
}

/* Finding blocks */

/*
 * In which positions a pattern can end, by the byte in its middle: of 64 bits,
 * those 16 to 23, if it ends @shift bits before their end.
 */
static void make_hints(uint8_t hints[256])
{
	memset(hints, 0, 256);
	for (unsigned shift = 0; shift < 8; shift++) {
		unsigned at = 16 - shift;

		hints[MAGIC_BLOCK >> at & 0xff] |= (uint8_t)(1u << shift);
		hints[MAGIC_END >> at & 0xff] |= (uint8_t)(1u << shift);
	}
}

/* The next pattern: where it ends, in bits. False at the end of the file. */
static bool next_magic(struct capture_blocks *b, uint64_t *magic, uint64_t *end)
{
	uint8_t byte;

	while (next_byte(b, &byte)) {
		unsigned may = b->hints[b->bits >> 16 & 0xff];

		for (; may != 0; may &= may - 1) {
			unsigned shift = (unsigned)__builtin_ctz(may);
			uint64_t seen = b->bits >> shift & MAGIC_MASK;

			if (seen != MAGIC_BLOCK && seen != MAGIC_END)
				continue;
			*magic = seen;
			*end = 8 * b->byte - shift;
			/* Patterns do not overlap. */
			b->bits = 0;
			return true;
		}
	}
	return false;
}

/* 32 bits from bit @at on. */
static bool read_u32(const struct capture_blocks *b, uint64_t at, uint32_t *out)
{
	uint8_t p[5] = { 0 };
	unsigned shift = at % 8;

	if (!read_at(b, at / 8, p, shift != 0 ? 5 : 4))
		return false;
	*out = (uint32_t)((((uint64_t)wire_get_u32(p) << 8 | p[4]) >>
			   (8 - shift)) &
			  UINT32_MAX);
	return true;
}

/*
 * Set the position from which the next pattern is searched: byte @at of the
 * file.
 */
static void seek_byte(struct capture_blocks *b, uint64_t at)
{
	b->byte = at;
	b->in_at = b->in_len = 0;
	b->bits = 0;
}

/* The head of a stream, and the first block or the end of it. */
static bool begin_stream(struct capture_blocks *b)
{
	uint8_t head[10];

	if (b->size - b->byte < sizeof(head) ||
	    !read_at(b, b->byte, head, sizeof(head)) ||
	    memcmp(head, "BZh", 3) != 0 || head[3] < '1' || head[3] > '9' ||
	    memcmp(head + 4, "\x31\x41\x59\x26\x53\x59", 6) != 0)
		return false;
	b->level = head[3];
	b->start = 8 * (b->byte + 4);
	b->checksum = 0;
	seek_byte(b, b->byte + sizeof(head));
	return true;
}

enum take_status {
	TAKE_BLOCK,
	TAKE_LAST,	  /* no block follows, and the file is whole */
	TAKE_DOUBT_AFTER, /* there is one; of what follows nothing is certain */
	TAKE_DOUBT,
};

/* Behind the last block of a stream: its checksum, then another or none. */
static enum take_status end_stream(struct capture_blocks *b, uint64_t end)
{
	uint64_t next = (end + 32 + 7) / 8;
	uint32_t checksum;

	if (next > b->size || !read_u32(b, end, &checksum) ||
	    checksum != b->checksum)
		return TAKE_DOUBT_AFTER;
	seek_byte(b, next);
	if (next == b->size)
		return TAKE_LAST;
	return begin_stream(b) ? TAKE_BLOCK : TAKE_DOUBT_AFTER;
}

/* The next block. The caller has the lock. */
static enum take_status take_block(struct capture_blocks *b, struct block *out)
{
	uint64_t magic, end;
	uint32_t checksum;

	*out = (struct block){ 0 };
	if (!next_magic(b, &magic, &end))
		return TAKE_DOUBT;
	*out = (struct block){ b->start, end - MAGIC_BITS, b->level };
	if (out->to < out->from + MAGIC_BITS + 32 ||
	    (out->to - out->from) / 8 > BLOCK_IN_MAX ||
	    !read_u32(b, out->from + MAGIC_BITS, &checksum))
		return TAKE_DOUBT;
	b->checksum = (b->checksum << 1 | b->checksum >> 31) ^ checksum;
	b->start = end - MAGIC_BITS;
	return magic == MAGIC_BLOCK ? TAKE_BLOCK : end_stream(b, end);
}

/* Decompressing one: as a stream of its own */

static void put_bits(uint8_t *p, uint64_t at, uint64_t value, unsigned count)
{
	while (count-- > 0) {
		if (value >> count & 1)
			p[at / 8] |= (uint8_t)(0x80 >> at % 8);
		at++;
	}
}

/* Returns its bytes, or 0. @in has room for the block, a head and an end. */
static size_t make_stream(const struct capture_blocks *b,
			  const struct block *block, uint8_t *in)
{
	unsigned shift = block->from % 8;
	uint64_t bits = block->to - block->from;
	uint64_t first = block->from / 8, last = (block->to + 7) / 8;
	size_t n = (size_t)(last - first);
	uint64_t at = 32 + bits;

	in[0] = 'B';
	in[1] = 'Z';
	in[2] = 'h';
	in[3] = block->level;
	if (!read_at(b, first, in + 4, n))
		return 0;
	in[4 + n] = 0;
	if (shift != 0)
		for (size_t i = 4; i < 4 + n; i++)
			in[i] = (uint8_t)(in[i] << shift |
					  in[i + 1] >> (8 - shift));
	memset(in + (at + 7) / 8, 0, 16);
	if (at % 8 != 0)
		in[at / 8] &= (uint8_t)(0xff00 >> at % 8);
	/* One block's checksum is that of the stream. */
	put_bits(in, at, MAGIC_END, MAGIC_BITS);
	put_bits(in, at + MAGIC_BITS, wire_get_u32(in + 10), 32);
	return (size_t)((at + MAGIC_BITS + 32 + 7) / 8);
}

static bool decompress_into(struct place *place, uint8_t *in, size_t len)
{
	for (;;) {
		unsigned n = (unsigned)place->size;
		int got = BZ_OUTBUFF_FULL;

		if (place->size > 0)
			got = BZ2_bzBuffToBuffDecompress((char *)place->out, &n,
							 (char *)in,
							 (unsigned)len, 0, 0);
		if (got == BZ_OK) {
			place->len = n;
			return n > 0;
		}
		if (got != BZ_OUTBUFF_FULL || 2 * place->size > BLOCK_OUT_MAX)
			return false;
		free(place->out);
		place->size = place->size > 0 ? 2 * place->size : FIRST_OUT;
		place->out = malloc(place->size);
		if (place->out == NULL) {
			place->size = 0;
			return false;
		}
	}
}

static bool decompress_block(const struct capture_blocks *b,
			     const struct block *block, struct place *place)
{
	uint64_t bytes = (block->to - block->from) / 8;
	uint8_t *in = malloc((size_t)bytes + 32);
	size_t len = in != NULL ? make_stream(b, block, in) : 0;
	bool good = len > 0 && decompress_into(place, in, len);

	free(in);
	return good;
}

/* Threads */

/* A place that is free for the next block; NULL when there is none to do. */
static struct place *wait_for_place(struct capture_blocks *b)
{
	struct place *place;

	for (;;) {
		if (b->stop || b->over)
			return NULL;
		place = &b->places[b->taken % b->place_count];
		if (place->state == PLACE_FREE)
			break;
		pthread_cond_wait(&b->changed, &b->lock);
	}
	b->taken++;
	place->state = PLACE_TAKEN;
	return place;
}

/* What the reader finds behind the last block. The caller has the lock. */
static void end_with(struct capture_blocks *b, enum place_state state)
{
	b->over = true;
	/* The place may still be in use: the reader looks at it in its turn. */
	while (!b->stop &&
	       b->places[b->taken % b->place_count].state != PLACE_FREE)
		pthread_cond_wait(&b->changed, &b->lock);
	b->places[b->taken % b->place_count].state = state;
	b->taken++;
}

static void finish_place(struct capture_blocks *b, struct place *place,
			 bool good)
{
	place->state = good ? PLACE_READY : PLACE_DOUBT;
	pthread_cond_broadcast(&b->changed);
}

static void *run_thread(void *arg)
{
	struct capture_blocks *b = arg;
	enum take_status status;
	struct place *place;
	struct block block;
	bool good;

	pthread_mutex_lock(&b->lock);
	while ((place = wait_for_place(b)) != NULL) {
		status = take_block(b, &block);
		place->done = (block.to + 7) / 8;
		b->over = status != TAKE_BLOCK;
		if (status == TAKE_DOUBT) {
			finish_place(b, place, false);
			break;
		}
		pthread_mutex_unlock(&b->lock);
		good = decompress_block(b, &block, place);
		pthread_mutex_lock(&b->lock);
		finish_place(b, place, good);
		if (status != TAKE_BLOCK)
			end_with(b,
				 status == TAKE_LAST ? PLACE_END : PLACE_DOUBT);
	}
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

static unsigned count_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

struct capture_blocks *capture_blocks_new(int fd, uint64_t size)
{
	unsigned cpus = count_cpus();
	struct capture_blocks *b;

	if (cpus < 2 || size < SMALL)
		return NULL;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return NULL;
	b->fd = fd;
	b->size = size;
	make_hints(b->hints);
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	if (cpus > CAPTURE_BLOCKS_THREADS)
		cpus = CAPTURE_BLOCKS_THREADS;
	b->place_count = cpus + 2;
	if (begin_stream(b))
		while (b->thread_count < cpus &&
		       pthread_create(&b->threads[b->thread_count], NULL,
				      run_thread, b) == 0)
			b->thread_count++;
	if (b->thread_count > 0)
		return b;
	capture_blocks_free(b);
	return NULL;
}

void capture_blocks_free(struct capture_blocks *b)
{
	if (b == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	b->stop = true;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	for (unsigned i = 0; i < b->thread_count; i++)
		pthread_join(b->threads[i], NULL);
	for (unsigned i = 0; i < b->place_count; i++)
		free(b->places[i].out);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* The reader */

static enum place_state wait_for_block(struct capture_blocks *b,
				       struct place *place)
{
	enum place_state state;

	pthread_mutex_lock(&b->lock);
	while ((state = place->state) == PLACE_FREE || state == PLACE_TAKEN)
		pthread_cond_wait(&b->changed, &b->lock);
	pthread_mutex_unlock(&b->lock);
	return state;
}

static void release_place(struct capture_blocks *b, struct place *place)
{
	b->done = place->done;
	b->read_at = 0;
	b->read++;
	pthread_mutex_lock(&b->lock);
	place->state = PLACE_FREE;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

enum capture_blocks_status capture_blocks_read(struct capture_blocks *b,
					       uint8_t *to, size_t len,
					       size_t *got)
{
	struct place *place = &b->places[b->read % b->place_count];
	enum place_state state = PLACE_READY;
	size_t left;

	if (b->read_at == 0)
		state = wait_for_block(b, place);
	if (state != PLACE_READY)
		return state == PLACE_END ? CAPTURE_BLOCKS_END
					  : CAPTURE_BLOCKS_DOUBT;
	left = place->len - b->read_at;
	*got = len < left ? len : left;
	memcpy(to, place->out + b->read_at, *got);
	b->read_at += *got;
	if (b->read_at == place->len)
		release_place(b, place);
	return CAPTURE_BLOCKS_OK;
}

uint64_t capture_blocks_done(const struct capture_blocks *b)
{
	return b->done;
}
