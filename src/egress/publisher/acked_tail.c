#include "egress/publisher/acked_tail.h"

#include "egress/journal/file_ops.h"
#include "egress/publisher/word_delta.h"
#include "egress/subject.h"

#include <spargio/fiber.h>
#include <spargio/sync.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <xxhash.h>
#include <zstd.h>

#define CHUNK_BYTES	(1u << 20) /* in memory; one message may have more */
#define CHUNK_BYTES_MAX (16u << 20)
#define CHUNKS_MIN	16 /* of a tail, at least */
#define SPARES_MAX	2
#define FILES_MAX	64
#define FILES_WANTED	8 /* so much goes at once when the limit is reached */
#define NAME_MAX_LEN	32
#define MAGIC		UINT64_C(0x314c494154415241) /* "ARATAIL1" */
#define AGE_NS		INT64_C(1000000000)
#define AGAIN_NS	INT64_C(10000000000) /* after a disk said no */

/*
 * After a chunk was compressed, none is for so many times longer: at most half a
 * percent of the time. Up to some ten thousand updates a second all are.
 */
#define COMPRESS_SHARE 200
#define LEVEL	       1

/* On disk as they stand here, little-endian. */
struct file_header {
	uint64_t magic;
	uint64_t created_ns; /* of the stream */
	uint64_t first;	     /* sequence */
	uint64_t acked;	     /* when the file began: also of what is not here */
	uint64_t checksum;   /* of the words before it */
};

enum chunk_flag {
	CHUNK_ZSTD = 1,
	CHUNK_END = 2, /* without messages: the run ended well */
};

struct chunk_header {
	uint64_t checksum; /* of all behind it, bytes included */
	uint64_t first;	   /* sequence of its first message */
	uint32_t count;
	uint32_t flags;
	uint32_t size;	/* stored bytes */
	uint32_t plain; /* bytes, once decompressed */
};

enum message_flag {
	MESSAGE_AFTER = 1, /* has the header Arancini-After */
	MESSAGE_DELTA = 2,
};

/* In a chunk, before subject and bytes. */
struct message_header {
	uint32_t len;	/* stored */
	uint32_t plain; /* with the words that are left out; see word_delta.h */
	uint16_t subject_len;
	uint8_t encoding;
	uint8_t flags; /* enum message_flag */
	uint32_t reserved;
	uint64_t epoch;
	uint64_t record_epoch;
	uint64_t record_seq;
	uint32_t record_upto;
	uint32_t after_upto;
	uint64_t after_epoch;
	uint64_t after_seq;
};

/* Messages in memory: the first @count of the sequences from @first on. */
struct chunk {
	struct chunk *next;
	uint64_t first;
	uint32_t count;
	uint32_t len;
	uint32_t cap;
	uint32_t encoded; /* bytes that are compressed already */
	int64_t began_ns; /* 0: nobody has asked yet */
	uint8_t *bytes;
};

struct tail_file {
	uint64_t first;
	uint64_t bytes;	 /* that count */
	uint64_t extent; /* of the file: what is behind bytes is older */
};

struct acked_tail {
	struct sp_mutex lock; /* of files and of reading */
	int dir;	      /* -1: nothing is kept */
	uint64_t max_bytes;
	size_t chunk_bytes; /* full when it has so many */

	int64_t created_ns;
	uint64_t acked;
	uint64_t end; /* the last sequence that is here, or was acknowledged */
	bool complete;

	struct tail_file files[FILES_MAX];
	size_t file_count;
	uint64_t disk_bytes; /* extents of all files */
	uint64_t recycled;   /* extent of the file that becomes the next */
	int fd; /* of the newest file; -1: the next chunk begins one */
	uint64_t written; /* the last sequence on disk; 0: none */
	int64_t again;	  /* write nothing before */

	struct chunk *first; /* waiting; the last one is added to */
	struct chunk *last;
	struct chunk *spare;
	unsigned spares;
	uint64_t memory;

	ZSTD_CCtx *compress;
	ZSTD_DCtx *decompress;
	int64_t compress_from; /* not before */
	uint8_t *stored;       /* of a chunk, as on disk */
	size_t stored_cap;

	/* Reading */
	int read_fd;
	size_t read_file;
	uint64_t read_offset;
	uint64_t read_seq; /* of the next message */
	uint8_t *plain;
	size_t plain_cap;
	size_t plain_len;
	size_t plain_at;
	uint32_t plain_left; /* messages */
	uint8_t *whole;	     /* bytes of a message */
	size_t whole_cap;
	char subject[SUBJECT_MAX];
};

/* Memory */

static void chunk_free(struct chunk *c)
{
	if (c == NULL)
		return;
	free(c->bytes);
	free(c);
}

/* Keep one for the next. */
static void chunk_retire(struct acked_tail *t, struct chunk *c)
{
	t->memory -= c->len;
	if (t->spares == SPARES_MAX || c->cap > 2 * CHUNK_BYTES) {
		chunk_free(c);
		return;
	}
	c->next = t->spare;
	t->spare = c;
	t->spares++;
}

static struct chunk *memory_take_first(struct acked_tail *t)
{
	struct chunk *c = t->first;

	t->first = c->next;
	if (t->first == NULL)
		t->last = NULL;
	return c;
}

static void memory_drop(struct acked_tail *t)
{
	while (t->first != NULL)
		chunk_retire(t, memory_take_first(t));
}

static struct chunk *chunk_append(struct acked_tail *t, uint64_t seq)
{
	struct chunk *c = t->spare;
	uint8_t *bytes;
	uint32_t cap;

	if (c != NULL) {
		t->spare = c->next;
		t->spares--;
	} else {
		c = calloc(1, sizeof(*c));
	}
	if (c == NULL)
		return NULL;
	bytes = c->bytes;
	cap = c->cap;
	*c = (struct chunk){ .first = seq, .cap = cap, .bytes = bytes };
	if (t->last != NULL)
		t->last->next = c;
	else
		t->first = c;
	t->last = c;
	return c;
}

static bool chunk_reserve(struct chunk *c, size_t more)
{
	size_t want = c->len + more;
	uint8_t *bytes;

	if (want <= c->cap)
		return true;
	if (want < CHUNK_BYTES + CHUNK_BYTES / 4)
		want = CHUNK_BYTES + CHUNK_BYTES / 4;
	bytes = realloc(c->bytes, want);
	if (bytes == NULL)
		return false;
	c->bytes = bytes;
	c->cap = (uint32_t)want;
	return true;
}

static void chunk_put(struct chunk *c, const void *bytes, size_t len)
{
	if (len > 0)
		memcpy(c->bytes + c->len, bytes, len);
	c->len += (uint32_t)len;
}

static uint64_t chunk_last(const struct chunk *c)
{
	return c->first + c->count - 1;
}

/* Drop messages behind sequence @seq. */
static void chunk_cut(struct acked_tail *t, struct chunk *c, uint64_t seq)
{
	struct message_header h;
	uint32_t at = 0;
	uint32_t n = 0;

	for (; n < c->count && c->first + n <= seq; n++) {
		memcpy(&h, c->bytes + at, sizeof(h));
		at += (uint32_t)sizeof(h) + h.subject_len + h.len;
	}
	t->memory -= c->len - at;
	c->len = at;
	c->count = n;
}

static void memory_cut(struct acked_tail *t, uint64_t seq)
{
	struct chunk *c;
	struct chunk *before = NULL;

	for (c = t->first; c != NULL && c->first <= seq; c = c->next) {
		if (chunk_last(c) > seq)
			chunk_cut(t, c, seq);
		before = c;
	}
	while (c != NULL) {
		struct chunk *next = c->next;

		chunk_retire(t, c);
		c = next;
	}
	t->last = before;
	if (before == NULL)
		t->first = NULL;
	else
		before->next = NULL;
}

/* Files */

static void file_name(uint64_t first, char out[NAME_MAX_LEN])
{
	snprintf(out, NAME_MAX_LEN, "%020" PRIu64 ".tail", first);
}

static bool file_parse_name(const char *name, uint64_t *out)
{
	char again[NAME_MAX_LEN];

	if (sscanf(name, "%20" SCNu64, out) != 1)
		return false;
	file_name(*out, again);
	return strcmp(name, again) == 0;
}

static void file_drop_oldest(struct acked_tail *t)
{
	char name[NAME_MAX_LEN];

	file_name(t->files[0].first, name);
	(void)file_unlink(t->dir, name);
	t->disk_bytes -= t->files[0].extent;
	t->file_count--;
	memmove(t->files, t->files + 1, t->file_count * sizeof(t->files[0]));
}

static void disk_drop(struct acked_tail *t)
{
	file_close(t->fd);
	t->fd = -1;
	while (t->file_count > 0)
		file_drop_oldest(t);
	t->disk_bytes = 0;
	t->written = 0;
}

/* What is here from now on does not follow what was. */
static void tail_drop(struct acked_tail *t)
{
	memory_drop(t);
	if (t->dir >= 0)
		disk_drop(t);
}

static uint64_t header_checksum(const struct file_header *h)
{
	return XXH3_64bits(h, offsetof(struct file_header, checksum));
}

static uint64_t chunk_checksum(const struct chunk_header *h,
			       const uint8_t *bytes)
{
	uint64_t seed =
		XXH3_64bits(&h->first, sizeof(*h) - sizeof(h->checksum));

	return XXH3_64bits_withSeed(bytes, h->size, seed);
}

/*
 * Give the oldest file the name of the next. Its blocks, and its pages in the
 * kernel, are written over: that costs half of what new ones do.
 */
static void file_recycle(struct acked_tail *t, const char *name)
{
	struct tail_file oldest = t->files[0];
	char from[NAME_MAX_LEN];

	file_name(oldest.first, from);
	if (file_rename(t->dir, from, name) < 0) {
		file_drop_oldest(t);
		return;
	}
	t->recycled = oldest.extent;
	t->disk_bytes -= oldest.extent;
	t->file_count--;
	memmove(t->files, t->files + 1, t->file_count * sizeof(t->files[0]));
}

/* Begin a file in the place of the oldest, if all are there. */
static int file_begin(struct acked_tail *t, uint64_t first)
{
	struct file_header h = {
		.magic = MAGIC,
		.created_ns = (uint64_t)t->created_ns,
		.first = first,
		.acked = t->acked,
	};
	struct iovec iov = { &h, sizeof(h) };
	char name[NAME_MAX_LEN];
	int fd;

	file_close(t->fd);
	t->fd = -1;
	file_name(first, name);
	/* One of an older run that nothing was written to. */
	if (t->file_count > 0 && t->files[t->file_count - 1].first == first)
		t->disk_bytes -= t->files[--t->file_count].extent;
	t->recycled = 0;
	while (t->file_count > 0 && t->recycled == 0 &&
	       (t->file_count == FILES_MAX ||
		t->disk_bytes + t->max_bytes / FILES_WANTED > t->max_bytes))
		file_recycle(t, name);
	fd = file_open(t->dir, name,
		       O_RDWR | O_CREAT | (t->recycled == 0 ? O_TRUNC : 0));
	if (fd < 0)
		return fd;
	t->fd = fd;
	h.checksum = header_checksum(&h);
	if (t->recycled < sizeof(h))
		t->recycled = sizeof(h);
	t->files[t->file_count++] =
		(struct tail_file){ first, sizeof(h), t->recycled };
	t->disk_bytes += t->recycled;
	return file_write(fd, &iov, 1, 0);
}

/* Bytes that the newest file grows by with @size more in it. */
static uint64_t newest_growth(const struct acked_tail *t, uint64_t size)
{
	const struct tail_file *file = &t->files[t->file_count - 1];

	return file->bytes + size > file->extent
		       ? file->bytes + size - file->extent
		       : 0;
}

/* Have room for @size more, in a file that is not too long. */
static int disk_prepare(struct acked_tail *t, uint64_t first, uint64_t size)
{
	uint64_t most = t->max_bytes / FILES_WANTED;
	int err = 0;

	if (t->fd < 0 || t->files[t->file_count - 1].bytes + size > most)
		err = file_begin(t, first); /* yields */
	if (err < 0)
		return err;
	while (t->file_count > 1 &&
	       t->disk_bytes + newest_growth(t, size) > t->max_bytes)
		file_drop_oldest(t);
	return t->disk_bytes + newest_growth(t, size) > t->max_bytes ? -EFBIG
								     : 0;
}

static bool buffer_reserve(uint8_t **bytes, size_t *cap, size_t want)
{
	uint8_t *more;

	if (want <= *cap)
		return true;
	more = malloc(want);
	if (more == NULL)
		return false;
	free(*bytes);
	*bytes = more;
	*cap = want;
	return true;
}

/* The bytes of @c as they are stored; they are the tail's, or the chunk's. */
static int chunk_pack(struct acked_tail *t, const struct chunk *c,
		      struct chunk_header *h, const uint8_t **out)
{
	int64_t now = sp_now();
	size_t len;

	*out = c->bytes;
	h->size = h->plain = c->len;
	if (c->encoded > c->len / 2 || now < t->compress_from)
		return 0;
	if (t->compress == NULL)
		t->compress = ZSTD_createCCtx();
	if (t->compress == NULL || !buffer_reserve(&t->stored, &t->stored_cap,
						   ZSTD_compressBound(c->len)))
		return -ENOMEM;
	len = ZSTD_compressCCtx(t->compress, t->stored, t->stored_cap, c->bytes,
				c->len, LEVEL);
	t->compress_from = now + COMPRESS_SHARE * (sp_now() - now);
	if (ZSTD_isError(len) || len >= c->len)
		return 0;
	h->size = (uint32_t)len;
	h->flags |= CHUNK_ZSTD;
	*out = t->stored;
	return 0;
}

static int header_write(struct acked_tail *t, struct chunk_header *h,
			const uint8_t *bytes)
{
	struct iovec iov[2] = { { h, sizeof(*h) }, { (void *)bytes, h->size } };
	struct tail_file *file;
	int err = disk_prepare(t, h->first, sizeof(*h) + h->size);

	if (err < 0)
		return err;
	file = &t->files[t->file_count - 1];
	h->checksum = chunk_checksum(h, bytes);
	err = file_write(t->fd, iov, h->size > 0 ? 2 : 1, file->bytes);
	if (err < 0)
		return err;
	t->disk_bytes += newest_growth(t, sizeof(*h) + h->size);
	file->bytes += sizeof(*h) + h->size;
	if (file->extent < file->bytes)
		file->extent = file->bytes;
	return 0;
}

static int chunk_write(struct acked_tail *t, const struct chunk *c)
{
	struct chunk_header h = { .first = c->first, .count = c->count };
	const uint8_t *bytes;
	int err = chunk_pack(t, c, &h, &bytes);

	/* A message was left out in between. */
	if (t->written != 0 && t->written + 1 != c->first)
		disk_drop(t);
	if (err == 0)
		err = header_write(t, &h, bytes); /* yields */
	if (err == 0)
		t->written = chunk_last(c);
	return err;
}

/* Whether the first chunk is acknowledged, and full or old, or @all go. */
static bool memory_is_due(struct acked_tail *t, int64_t now, bool all)
{
	struct chunk *c = t->first;

	if (c == NULL || c->count == 0)
		return false;
	if (c->began_ns == 0)
		c->began_ns = now;
	if (chunk_last(c) > t->acked)
		return false;
	return all || c->next != NULL || c->len >= t->chunk_bytes ||
	       now >= c->began_ns + AGE_NS;
}

/*
 * Write chunks from the first on, as far as they are acknowledged. What is
 * written is no longer in the list: messages are added meanwhile.
 */
static int memory_write(struct acked_tail *t, int64_t now, bool all)
{
	int err = 0;

	while (err == 0 && memory_is_due(t, now, all)) {
		struct chunk *c = memory_take_first(t);

		if (now >= t->again)
			err = chunk_write(t, c); /* yields */
		chunk_retire(t, c);
	}
	if (err < 0) {
		disk_drop(t);
		t->again = now + AGAIN_NS;
	}
	return err;
}

/* Also of a fiber that was told to end. */
static void tail_lock(struct acked_tail *t)
{
	sp_shield_begin();
	(void)sp_mutex_lock(&t->lock);
	sp_shield_end();
}

bool acked_tail_wants_write(struct acked_tail *t, int64_t now)
{
	return t != NULL && t->dir >= 0 && memory_is_due(t, now, false);
}

int acked_tail_write(struct acked_tail *t, int64_t now)
{
	int err;

	if (t == NULL || t->dir < 0)
		return 0;
	tail_lock(t); /* yields */
	err = memory_write(t, now, false);
	sp_mutex_unlock(&t->lock);
	return err;
}

int64_t acked_tail_due(const struct acked_tail *t)
{
	const struct chunk *c = t == NULL ? NULL : t->first;

	if (c == NULL || c->count == 0 || c->began_ns == 0 ||
	    chunk_last(c) > t->acked)
		return INT64_MAX;
	return c->began_ns + AGE_NS;
}

/* Adding */

/* The bytes of a message; what of @h follows from that. */
static void chunk_put_bytes(struct chunk *c, const struct acked_message *m,
			    struct message_header *h)
{
	size_t len = 0;

	if (m->encoding == EGRESS_PLAIN)
		len = word_delta_encode(m->bytes, c->bytes + c->len);
	if (len == 0 || len >= m->bytes.len) {
		h->len = h->plain;
		chunk_put(c, m->bytes.p, m->bytes.len);
		return;
	}
	h->flags |= MESSAGE_DELTA;
	h->len = (uint32_t)len;
	c->len += (uint32_t)len;
}

void acked_tail_add(struct acked_tail *t, uint64_t seq,
		    const struct acked_message *m)
{
	struct message_header h = {
		.plain = (uint32_t)m->bytes.len,
		.subject_len = (uint16_t)m->subject_len,
		.encoding = (uint8_t)m->encoding,
		.flags = m->has_after ? MESSAGE_AFTER : 0,
		.epoch = m->id.epoch,
		.record_epoch = m->id.record.epoch,
		.record_seq = m->id.record.seq,
		.record_upto = m->id.record.upto,
	};
	size_t size =
		sizeof(h) + m->subject_len + word_delta_bound(m->bytes.len);
	struct chunk *c;

	if (t == NULL || t->dir < 0)
		return;
	if (seq != t->end + 1 || size > CHUNK_BYTES_MAX)
		memory_drop(t);
	t->end = seq;
	if (size > CHUNK_BYTES_MAX)
		return; /* leaves a gap */
	c = t->last;
	if (c == NULL || c->len >= t->chunk_bytes)
		c = chunk_append(t, seq);
	if (c == NULL || !chunk_reserve(c, size)) {
		memory_drop(t);
		return;
	}
	if (m->has_after) {
		h.after_upto = m->after.upto;
		h.after_epoch = m->after.epoch;
		h.after_seq = m->after.seq;
	}
	size = c->len;
	c->len += (uint32_t)sizeof(h);
	chunk_put(c, m->subject, m->subject_len);
	chunk_put_bytes(c, m, &h);
	memcpy(c->bytes + size, &h, sizeof(h));
	size = c->len - size;
	c->count++;
	t->memory += size;
	if (m->encoding != EGRESS_PLAIN)
		c->encoded += (uint32_t)size;
}

void acked_tail_ack(struct acked_tail *t, uint64_t seq)
{
	if (t == NULL)
		return;
	if (seq > t->end)
		acked_tail_skip(t);
	if (seq > t->acked)
		t->acked = seq;
}

void acked_tail_skip(struct acked_tail *t)
{
	if (t == NULL)
		return;
	memory_drop(t);
	t->end = t->acked;
}

bool acked_tail_full(const struct acked_tail *t)
{
	return t != NULL && t->memory >= ACKED_TAIL_MEMORY;
}

/* The end of the stream */

static void end_set(struct acked_tail *t, int64_t created_ns, uint64_t seq,
		    uint64_t acked)
{
	if (created_ns != t->created_ns || seq > t->end || seq < t->written)
		tail_drop(t);
	else
		memory_cut(t, seq);
	t->created_ns = created_ns;
	t->complete = true;
	t->end = seq;
	t->acked = acked;
	if (t->dir < 0 || t->fd >= 0)
		return;
	/* Take away what says that a run ended well. */
	if (disk_prepare(t, seq + 1, 0) < 0)
		disk_drop(t);
	else
		t->written = seq;
}

void acked_tail_set_end(struct acked_tail *t, int64_t created_ns, uint64_t seq,
			uint64_t acked)
{
	if (t == NULL)
		return;
	tail_lock(t); /* yields */
	end_set(t, created_ns, seq, acked);
	sp_mutex_unlock(&t->lock);
}

int64_t acked_tail_created(const struct acked_tail *t)
{
	return t == NULL ? 0 : t->created_ns;
}

uint64_t acked_tail_acked(const struct acked_tail *t)
{
	return t == NULL ? 0 : t->acked;
}

bool acked_tail_complete(const struct acked_tail *t)
{
	return t == NULL || t->complete;
}

uint64_t acked_tail_bytes(const struct acked_tail *t)
{
	return t == NULL ? 0 : t->disk_bytes;
}

/* Reading */

/* -EBADMSG if file @i is not one of this tail. */
static int reader_open(struct acked_tail *t, size_t i)
{
	struct file_header h;
	char name[NAME_MAX_LEN];
	int64_t got;

	file_close(t->read_fd);
	file_name(t->files[i].first, name);
	t->read_fd = file_open(t->dir, name, O_RDONLY);
	if (t->read_fd < 0)
		return t->read_fd;
	got = file_read(t->read_fd, &h, sizeof(h), 0);
	if (got < 0)
		return (int)got;
	if (got != sizeof(h) || h.magic != MAGIC ||
	    h.checksum != header_checksum(&h) || h.first != t->files[i].first)
		return -EBADMSG;
	if (t->created_ns == 0)
		t->created_ns = (int64_t)h.created_ns;
	if (t->created_ns != (int64_t)h.created_ns)
		return -EBADMSG;
	t->read_file = i;
	t->read_offset = sizeof(h);
	if (h.acked > t->acked)
		t->acked = h.acked;
	return 0;
}

static bool header_sane(const struct chunk_header *h)
{
	bool end = (h->flags & CHUNK_END) != 0;

	return h->size <= CHUNK_BYTES_MAX + CHUNK_BYTES &&
	       h->plain <= CHUNK_BYTES_MAX + CHUNK_BYTES &&
	       end == (h->count == 0) && (!end || h->size == 0) &&
	       ((h->flags & CHUNK_ZSTD) != 0 || h->size == h->plain);
}

/* The next chunk of the file, its stored bytes: 1. 0: no whole one follows. */
static int reader_chunk(struct acked_tail *t, struct chunk_header *h)
{
	int64_t got = file_read(t->read_fd, h, sizeof(*h), t->read_offset);

	if (got < 0)
		return (int)got;
	if (got != sizeof(*h) || !header_sane(h))
		return 0;
	if (!buffer_reserve(&t->stored, &t->stored_cap, h->size + 1u))
		return -ENOMEM;
	got = file_read(t->read_fd, t->stored, h->size,
			t->read_offset + sizeof(*h));
	if (got < 0)
		return (int)got;
	if (got != h->size || chunk_checksum(h, t->stored) != h->checksum)
		return 0;
	t->read_offset += sizeof(*h) + h->size;
	return 1;
}

static int chunk_unpack(struct acked_tail *t, const struct chunk_header *h)
{
	size_t len = h->size;

	if (!buffer_reserve(&t->plain, &t->plain_cap, h->plain + 1u))
		return -ENOMEM;
	if ((h->flags & CHUNK_ZSTD) == 0) {
		memcpy(t->plain, t->stored, len);
	} else {
		if (t->decompress == NULL)
			t->decompress = ZSTD_createDCtx();
		if (t->decompress == NULL)
			return -ENOMEM;
		len = ZSTD_decompressDCtx(t->decompress, t->plain, h->plain,
					  t->stored, h->size);
	}
	if (len != h->plain)
		return -EBADMSG;
	t->plain_len = len;
	t->plain_at = 0;
	t->plain_left = h->count;
	return 0;
}

/* Put back the words that were left out. */
static int message_fill(struct acked_tail *t, const struct message_header *h,
			struct acked_message *out)
{
	if (!buffer_reserve(&t->whole, &t->whole_cap, h->plain + 1u))
		return -ENOMEM;
	if (!word_delta_decode(out->bytes, t->whole, h->plain))
		return -EBADMSG;
	out->bytes = (struct wire_view){ t->whole, h->plain };
	return 0;
}

/* The next message in the chunk. */
static int reader_message(struct acked_tail *t, struct acked_message *out)
{
	struct message_header h;
	const uint8_t *p = t->plain + t->plain_at;
	size_t left = t->plain_len - t->plain_at;

	if (left < sizeof(h))
		return -EBADMSG;
	memcpy(&h, p, sizeof(h));
	left -= sizeof(h);
	if (h.subject_len >= sizeof(t->subject) || h.subject_len > left ||
	    h.len > left - h.subject_len || h.encoding >= EGRESS_ENCODINGS ||
	    h.plain > CHUNK_BYTES_MAX)
		return -EBADMSG;
	p += sizeof(h);
	memcpy(t->subject, p, h.subject_len);
	t->subject[h.subject_len] = '\0';
	*out = (struct acked_message){
		.id = { h.epoch,
			{ h.record_epoch, h.record_seq, h.record_upto } },
		.has_after = (h.flags & MESSAGE_AFTER) != 0,
		.after = { h.after_epoch, h.after_seq, h.after_upto },
		.encoding = (enum egress_encoding)h.encoding,
		.subject = t->subject,
		.subject_len = h.subject_len,
		.bytes = { p + h.subject_len, h.len },
	};
	t->plain_at += sizeof(h) + h.subject_len + h.len;
	t->plain_left--;
	return (h.flags & MESSAGE_DELTA) != 0 ? message_fill(t, &h, out) : 0;
}

/* Open chunk @h and go to the message that is read next. */
static int reader_enter(struct acked_tail *t, const struct chunk_header *h)
{
	struct acked_message skipped;
	int err = chunk_unpack(t, h);

	for (uint64_t seq = h->first; seq < t->read_seq && err == 0; seq++)
		err = reader_message(t, &skipped);
	return err;
}

/* The chunk with the message that is read next. */
static int reader_advance(struct acked_tail *t)
{
	struct chunk_header h;
	int got;

	for (;;) {
		got = reader_chunk(t, &h);
		if (got < 0)
			return got;
		if (got == 0 && t->read_file + 1 < t->file_count) {
			got = reader_open(t, t->read_file + 1);
			if (got < 0)
				return got;
			continue;
		}
		if (got == 0 || h.first > t->read_seq)
			return -EBADMSG; /* acknowledged, and not here */
		if (h.first + h.count > t->read_seq)
			return reader_enter(t, &h);
	}
}

int acked_tail_next(struct acked_tail *t, struct acked_message *out)
{
	int err = 0;

	if (t->read_seq > t->acked)
		return 0;
	if (t->plain_left == 0)
		err = reader_advance(t); /* yields */
	if (err == 0)
		err = reader_message(t, out);
	if (err < 0)
		return err;
	t->read_seq++;
	return 1;
}

static int reader_seek(struct acked_tail *t, uint64_t seq)
{
	size_t i;
	int err;

	memory_cut(t, t->acked);
	(void)memory_write(t, t->again, true); /* yields */
	i = t->file_count;
	while (i > 0 && t->files[i - 1].first > seq)
		i--;
	if (i == 0 || t->written < t->acked || seq > t->written)
		return -ENOENT;
	t->read_seq = seq;
	t->plain_left = 0;
	err = reader_open(t, i - 1); /* yields */
	return err < 0 ? err : reader_advance(t);
}

int acked_tail_seek(struct acked_tail *t, uint64_t seq)
{
	int err;

	if (t == NULL || t->dir < 0)
		return -ENOENT;
	tail_lock(t); /* yields */
	err = reader_seek(t, seq);
	sp_mutex_unlock(&t->lock);
	return err;
}

/* Opening */

struct listing {
	struct acked_tail *t;
	bool more; /* than a run of ours leaves */
};

static int file_note(const char *name, void *arg)
{
	struct listing *listing = arg;
	struct acked_tail *t = listing->t;
	uint64_t first;

	if (!file_parse_name(name, &first))
		return 0;
	if (t->file_count == FILES_MAX)
		listing->more = true;
	else
		t->files[t->file_count++].first = first;
	return 0;
}

static int file_compare(const void *a, const void *b)
{
	uint64_t x = ((const struct tail_file *)a)->first;
	uint64_t y = ((const struct tail_file *)b)->first;

	return (x > y) - (x < y);
}

static int file_measure(struct acked_tail *t, struct tail_file *file)
{
	char name[NAME_MAX_LEN];
	int64_t size;
	int fd;

	file_name(file->first, name);
	fd = file_open(t->dir, name, O_RDONLY);
	if (fd < 0)
		return fd;
	size = file_size(fd);
	file_close(fd);
	if (size < 0)
		return (int)size;
	file->bytes = file->extent = (uint64_t)size;
	t->disk_bytes += file->extent;
	return 0;
}

/* Walk the newest file: up to where it goes, and whether its run ended well. */
static int newest_read(struct acked_tail *t)
{
	struct chunk_header h;
	int got = reader_open(t, t->file_count - 1);

	if (got < 0)
		return got;
	t->written = t->files[t->file_count - 1].first - 1;
	while ((got = reader_chunk(t, &h)) == 1 && h.first == t->written + 1) {
		t->written += h.count;
		t->complete = (h.flags & CHUNK_END) != 0;
	}
	return got < 0 ? got : 0;
}

/* What an older run left. What cannot be read is as good as nothing. */
static void files_inherit(struct acked_tail *t)
{
	int err = 0;

	qsort(t->files, t->file_count, sizeof(t->files[0]), file_compare);
	for (size_t i = 0; i < t->file_count && err == 0; i++)
		err = file_measure(t, &t->files[i]);
	if (err == 0 && t->file_count > 0)
		err = newest_read(t);
	if (err < 0) {
		disk_drop(t);
		t->created_ns = 0;
		t->acked = 0;
	}
	t->end = t->written;
	if (t->acked < t->written)
		t->acked = t->written;
}

static int files_open(struct acked_tail *t, const char *dir)
{
	struct listing listing;
	int err;

	t->dir = t->max_bytes == 0
			 ? file_open(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY)
			 : file_open_dir(dir);
	if (t->dir < 0)
		return t->max_bytes == 0 ? 0 : t->dir;
	do {
		listing = (struct listing){ t, false };
		err = file_list(t->dir, file_note, &listing);
		if (err < 0)
			return err;
		if (listing.more || t->max_bytes == 0)
			disk_drop(t);
	} while (listing.more);
	if (t->max_bytes > 0) {
		files_inherit(t);
		return 0;
	}
	file_close(t->dir);
	t->dir = -1;
	return 0;
}

static void tail_free(struct acked_tail *t)
{
	memory_drop(t);
	while (t->spare != NULL) {
		struct chunk *next = t->spare->next;

		chunk_free(t->spare);
		t->spare = next;
	}
	file_close(t->fd);
	file_close(t->read_fd);
	file_close(t->dir);
	ZSTD_freeCCtx(t->compress);
	ZSTD_freeDCtx(t->decompress);
	free(t->stored);
	free(t->plain);
	free(t->whole);
	free(t);
}

int acked_tail_open(const char *dir, uint64_t max_bytes,
		    struct acked_tail **out)
{
	struct acked_tail *t = calloc(1, sizeof(*t));
	int err = 0;

	if (t == NULL)
		return -ENOMEM;
	t->dir = t->fd = t->read_fd = -1;
	t->max_bytes = max_bytes;
	t->chunk_bytes = CHUNK_BYTES;
	if (max_bytes / CHUNKS_MIN < t->chunk_bytes)
		t->chunk_bytes = max_bytes / CHUNKS_MIN;
	if (dir != NULL)
		err = files_open(t, dir); /* yields */
	if (err < 0) {
		tail_free(t);
		return err;
	}
	*out = t;
	return 0;
}

void acked_tail_close(struct acked_tail *t)
{
	struct chunk_header h = { .flags = CHUNK_END };

	if (t == NULL)
		return;
	if (t->dir >= 0) {
		memory_cut(t, t->acked);
		/* A file without the mark is one of a run that was killed. */
		if (memory_write(t, t->again, true) == 0 &&
		    t->written == t->acked && t->file_count > 0) {
			h.first = t->written + 1;
			(void)header_write(t, &h, NULL);
		}
	}
	tail_free(t);
}
