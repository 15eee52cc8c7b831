#include "egress/publisher/acked_tail_internal.h"

#include "egress/journal/file_ops.h"
#include "egress/publisher/word_delta.h"

#include <spargio/fiber.h>
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

/* Memory */

void acked_tail_chunk_free(struct chunk *c)
{
	if (c == NULL)
		return;
	free(c->bytes);
	free(c);
}

/* Keep @c as the spare chunk, or free it. */
static void chunk_retire(struct acked_tail *t, struct chunk *c)
{
	if (t->spares == SPARES_MAX || c->cap > 2 * CHUNK_BYTES) {
		acked_tail_chunk_free(c);
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
	t->memory -= c->len;
	return c;
}

void acked_tail_memory_drop(struct acked_tail *t)
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

	if (c->bytes != NULL && want <= c->cap)
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

/* Drop the messages of @c after sequence @seq. */
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

void acked_tail_memory_cut(struct acked_tail *t, uint64_t seq)
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

		t->memory -= c->len;
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

void acked_tail_file_name(uint64_t first, char out[NAME_MAX_LEN])
{
	snprintf(out, NAME_MAX_LEN, "%020" PRIu64 ".tail", first);
}

/*
 * Parse the name of a file of the tail. False if the number in @name, formatted
 * again, does not give @name.
 */
bool acked_tail_file_parse_name(const char *name, uint64_t *out)
{
	char again[NAME_MAX_LEN];

	*out = strtoull(name, NULL, 10);
	acked_tail_file_name(*out, again);
	return strcmp(name, again) == 0;
}

static int file_drop_oldest(struct acked_tail *t)
{
	char name[NAME_MAX_LEN];
	int err;

	acked_tail_file_name(t->files[0].first, name);
	err = file_unlink(t->dir, name);
	t->disk_bytes -= t->files[0].extent;
	t->file_count--;
	memmove(t->files, t->files + 1, t->file_count * sizeof(t->files[0]));
	return err == -ENOENT ? 0 : err;
}

int acked_tail_disk_drop(struct acked_tail *t)
{
	int err = 0;

	file_close(t->fd);
	t->fd = -1;
	while (t->file_count > 0) {
		int one = file_drop_oldest(t);

		err = err < 0 ? err : one;
	}
	t->disk_bytes = 0;
	t->written = 0;
	return err;
}

/* Drop all messages, because the next one will not follow the last one. */
static void tail_drop(struct acked_tail *t)
{
	acked_tail_memory_drop(t);
	if (t->dir >= 0)
		(void)acked_tail_disk_drop(t);
}

uint64_t acked_tail_header_checksum(const struct file_header *h)
{
	return XXH3_64bits(h, offsetof(struct file_header, checksum));
}

uint64_t acked_tail_chunk_checksum(const struct chunk_header *h,
				   const uint8_t *bytes)
{
	uint64_t seed =
		XXH3_64bits(&h->first, sizeof(*h) - sizeof(h->checksum));

	return XXH3_64bits_withSeed(bytes, h->size, seed);
}

/*
 * Rename the oldest file to be the next one. Its disk blocks and its pages in
 * the page cache are written again, which costs half as much as new ones.
 */
static void file_recycle(struct acked_tail *t, const char *name)
{
	struct tail_file oldest = t->files[0];
	char from[NAME_MAX_LEN];

	acked_tail_file_name(oldest.first, from);
	if (file_rename(t->dir, from, name) < 0) {
		(void)file_drop_oldest(t);
		return;
	}
	t->recycled = oldest.extent;
	t->disk_bytes -= oldest.extent;
	t->file_count--;
	memmove(t->files, t->files + 1, t->file_count * sizeof(t->files[0]));
}

/* Begin a file; reuse the oldest one if the limits are reached. */
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
	acked_tail_file_name(first, name);
	/* A file of this name was left by an older run and has no messages. */
	if (t->file_count > 0 && t->files[t->file_count - 1].first == first)
		t->disk_bytes -= t->files[--t->file_count].extent;
	t->recycled = 0;
	while (t->file_count > 0 && t->recycled == 0 &&
	       (t->file_count == FILES_MAX ||
		t->disk_bytes + t->max_bytes / FILES_WANTED > t->max_bytes))
		file_recycle(t, name);
	fd = file_open(t->dir, name,
		       O_RDWR | O_CREAT | (t->recycled == 0 ? O_TRUNC : 0));
	if (fd < 0) {
		/* the file exists if it was recycled */
		(void)file_unlink(t->dir, name);
		return fd;
	}
	t->fd = fd;
	h.checksum = acked_tail_header_checksum(&h);
	if (t->recycled < sizeof(h))
		t->recycled = sizeof(h);
	t->files[t->file_count++] =
		(struct tail_file){ first, sizeof(h), t->recycled };
	t->disk_bytes += t->recycled;
	return file_write(fd, &iov, 1, 0);
}

/*
 * The number of bytes by which the newest file grows if @size bytes are
 * appended.
 */
static uint64_t newest_growth(const struct acked_tail *t, uint64_t size)
{
	const struct tail_file *file = &t->files[t->file_count - 1];

	return file->bytes + size > file->extent
		       ? file->bytes + size - file->extent
		       : 0;
}

/* Make room for @size bytes in the newest file, or begin a new one. */
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
		(void)file_drop_oldest(t);
	return t->disk_bytes + newest_growth(t, size) > t->max_bytes ? -EFBIG
								     : 0;
}

bool acked_tail_buffer_reserve(uint8_t **bytes, size_t *cap, size_t want)
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

/*
 * Compress @c if that is worth its time. *@out is then t->stored, else the
 * bytes of the chunk.
 */
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
	if (t->compress == NULL ||
	    !acked_tail_buffer_reserve(&t->stored, &t->stored_cap,
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

int acked_tail_header_write(struct acked_tail *t, struct chunk_header *h,
			    const uint8_t *bytes)
{
	struct iovec iov[2] = { { h, sizeof(*h) }, { (void *)bytes, h->size } };
	struct tail_file *file;
	int err = disk_prepare(t, h->first, sizeof(*h) + h->size);

	if (err < 0)
		return err;
	file = &t->files[t->file_count - 1];
	h->checksum = acked_tail_chunk_checksum(h, bytes);
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

	/*
	 * If a message is missing between the files and this chunk, drop the
	 * files.
	 */
	if (t->written != 0 && t->written + 1 != c->first)
		(void)acked_tail_disk_drop(t);
	if (err == 0)
		err = acked_tail_header_write(t, &h, bytes); /* yields */
	if (err == 0)
		t->written = chunk_last(c);
	return err;
}

/*
 * True if the first chunk has to be written: it is acknowledged, and it is full
 * or old, or @all is set.
 */
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
 * Write the chunks that are acknowledged, beginning with the first. A chunk is
 * removed from the list before it is written, because messages may be added to
 * the list during the write.
 */
int acked_tail_memory_write(struct acked_tail *t, int64_t now, bool all)
{
	int err = 0;

	while (err == 0 && memory_is_due(t, now, all)) {
		struct chunk *c = memory_take_first(t);

		t->write_began = sp_now();
		if (now >= t->again)
			err = chunk_write(t, c); /* yields */
		t->write_began = 0;
		chunk_retire(t, c);
	}
	if (err < 0) {
		(void)acked_tail_disk_drop(t);
		t->again = now + AGAIN_NS;
	}
	return err;
}

/* Take the lock, even if the calling fiber was cancelled. */
void acked_tail_lock(struct acked_tail *t)
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
	acked_tail_lock(t); /* yields */
	err = acked_tail_memory_write(t, now, false);
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

int64_t acked_tail_give_up(const struct acked_tail *t)
{
	if (!acked_tail_full(t) || t->write_began == 0)
		return INT64_MAX;
	return t->write_began + STALL_NS;
}

/* Adding messages */

/*
 * Put the bytes of @m into @c, encoded by word_delta_encode() if that makes
 * them shorter; set flags and len of @h.
 */
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
		acked_tail_memory_drop(t);
	t->end = seq;
	if (size > CHUNK_BYTES_MAX)
		return; /* a message is missing before it */
	c = t->last;
	if (c == NULL || c->len >= t->chunk_bytes)
		c = chunk_append(t, seq);
	if (c == NULL || !chunk_reserve(c, size)) {
		acked_tail_memory_drop(t);
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
	acked_tail_memory_drop(t);
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
		acked_tail_memory_cut(t, seq);
	t->created_ns = created_ns;
	t->complete = true;
	t->end = seq;
	t->acked = acked;
	if (t->dir < 0 || t->fd >= 0)
		return;
	/*
	 * Begin a new file, so that the CHUNK_END of the older run is no longer
	 * at the end of the newest file.
	 */
	if (disk_prepare(t, seq + 1, 0) < 0)
		(void)acked_tail_disk_drop(t);
	else
		t->written = seq;
}

void acked_tail_set_end(struct acked_tail *t, int64_t created_ns, uint64_t seq,
			uint64_t acked)
{
	if (t == NULL)
		return;
	acked_tail_lock(t); /* yields */
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
