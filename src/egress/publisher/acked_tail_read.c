#include "egress/publisher/acked_tail_internal.h"

#include "egress/journal/file_ops.h"
#include "egress/publisher/word_delta.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Reading */

/*
 * Open file @i for reading. -EBADMSG if the file is damaged or belongs to
 * another stream, -EOPNOTSUPP if another version of arancini wrote the file.
 */
static int reader_open(struct acked_tail *t, size_t i)
{
	struct file_header h;
	char name[NAME_MAX_LEN];
	int64_t got;

	file_close(t->read_fd);
	acked_tail_file_name(t->files[i].first, name);
	t->read_fd = file_open(t->dir, name, O_RDONLY);
	if (t->read_fd < 0)
		return t->read_fd == -ENXIO ? -EBADMSG : t->read_fd;
	got = file_read(t->read_fd, &h, sizeof(h), 0);
	if (got < 0)
		return (int)got;
	if (got == sizeof(h) && h.magic != MAGIC &&
	    (h.magic & MAGIC_NAME) == (MAGIC & MAGIC_NAME))
		return -EOPNOTSUPP;
	if (got != sizeof(h) || h.magic != MAGIC ||
	    h.checksum != acked_tail_header_checksum(&h) ||
	    h.first != t->files[i].first)
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

/*
 * Read the next chunk into t->stored. Returns 1, or 0 if no complete chunk
 * follows.
 */
static int reader_chunk(struct acked_tail *t, struct chunk_header *h)
{
	int64_t got = file_read(t->read_fd, h, sizeof(*h), t->read_offset);

	if (got < 0)
		return (int)got;
	if (got != sizeof(*h) || !header_sane(h))
		return 0;
	if (!acked_tail_buffer_reserve(&t->stored, &t->stored_cap,
				       h->size + 1u))
		return -ENOMEM;
	got = file_read(t->read_fd, t->stored, h->size,
			t->read_offset + sizeof(*h));
	if (got < 0)
		return (int)got;
	if (got != h->size ||
	    acked_tail_chunk_checksum(h, t->stored) != h->checksum)
		return 0;
	t->read_offset += sizeof(*h) + h->size;
	return 1;
}

static int chunk_unpack(struct acked_tail *t, const struct chunk_header *h)
{
	size_t len = h->size;

	if (!acked_tail_buffer_reserve(&t->plain, &t->plain_cap, h->plain + 1u))
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

/* Restore the words that word_delta_encode() left out. */
static int message_fill(struct acked_tail *t, const struct message_header *h,
			struct acked_message *out)
{
	if (!acked_tail_buffer_reserve(&t->whole, &t->whole_cap, h->plain + 1u))
		return -ENOMEM;
	if (!word_delta_decode(out->bytes, t->whole, h->plain))
		return -EBADMSG;
	out->bytes = (struct wire_view){ t->whole, h->plain };
	return 0;
}

/* Read the next message of the open chunk. */
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
	    h.plain > CHUNK_BYTES_MAX || h.epoch > EPOCH_MAX ||
	    h.record_epoch > EPOCH_MAX || h.after_epoch > EPOCH_MAX)
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

/* Open chunk @h and advance to message t->read_seq. */
static int reader_enter(struct acked_tail *t, const struct chunk_header *h)
{
	struct acked_message skipped;
	int err = chunk_unpack(t, h);

	for (uint64_t seq = h->first; seq < t->read_seq && err == 0; seq++)
		err = reader_message(t, &skipped);
	return err;
}

/* Find and open the chunk that has message t->read_seq. */
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
			return -EBADMSG; /* no file has the acked message */
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

	acked_tail_memory_cut(t, t->acked);
	(void)acked_tail_memory_write(t, t->again, true); /* yields */
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
	acked_tail_lock(t); /* yields */
	err = reader_seek(t, seq);
	sp_mutex_unlock(&t->lock);
	return err;
}

/* Opening the tail of an older run */

struct listing {
	struct acked_tail *t;
	bool more; /* there are more files than a run can leave */
};

static int file_note(const char *name, void *arg)
{
	struct listing *listing = arg;
	struct acked_tail *t = listing->t;
	uint64_t first;

	if (!acked_tail_file_parse_name(name, &first))
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

/*
 * Get the length of a file; 0 if it cannot be opened: the error is returned
 * when it is read.
 */
static void file_measure(struct acked_tail *t, struct tail_file *file)
{
	char name[NAME_MAX_LEN];
	int64_t size;
	int fd;

	acked_tail_file_name(file->first, name);
	file->bytes = file->extent = 0;
	fd = file_open(t->dir, name, O_RDONLY);
	if (fd < 0)
		return;
	size = file_size(fd);
	file_close(fd);
	if (size <= 0)
		return;
	file->bytes = file->extent = (uint64_t)size;
	t->disk_bytes += file->extent;
}

/*
 * Read the newest file to the end, to find its last sequence and whether its
 * run ended normally.
 */
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

/*
 * Drop the newest file, because it cannot be read: perhaps its run was killed
 * after it created the file and before it wrote the header. The older files can
 * still be used.
 */
static void newest_drop(struct acked_tail *t, int err)
{
	struct tail_file *file = &t->files[--t->file_count];
	char name[NAME_MAX_LEN];

	if (t->damage_error == 0) {
		t->damage_error = err;
		acked_tail_file_name(file->first, t->damage_name);
	}
	acked_tail_file_name(file->first, name);
	(void)file_unlink(t->dir, name);
	t->disk_bytes -= file->extent;
	t->written = 0;
	t->created_ns = 0;
	t->acked = 0;
}

/* Take over the files of an older run, and drop those that cannot be read. */
static void files_inherit(struct acked_tail *t)
{
	int err;

	qsort(t->files, t->file_count, sizeof(t->files[0]), file_compare);
	for (size_t i = 0; i < t->file_count; i++)
		file_measure(t, &t->files[i]);
	while (t->file_count > 0 && (err = newest_read(t)) < 0)
		newest_drop(t, err);
	/*
	 * A dropped file may have had later messages, which were acknowledged.
	 */
	if (t->damage_error < 0)
		t->complete = false;
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
			err = acked_tail_disk_drop(t);
		if (err < 0)
			return err; /* otherwise this loop would not end */
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
	acked_tail_memory_drop(t);
	while (t->spare != NULL) {
		struct chunk *next = t->spare->next;

		acked_tail_chunk_free(t->spare);
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

const char *acked_tail_damage(const struct acked_tail *t, int *error)
{
	*error = t->damage_error;
	return t->damage_error < 0 ? t->damage_name : NULL;
}

void acked_tail_close(struct acked_tail *t)
{
	struct chunk_header h = { .flags = CHUNK_END };

	if (t == NULL)
		return;
	if (t->dir >= 0) {
		acked_tail_memory_cut(t, t->acked);
		/* Write CHUNK_END, which means that the run was not killed. */
		if (acked_tail_memory_write(t, t->again, true) == 0 &&
		    t->written == t->acked && t->file_count > 0) {
			h.first = t->written + 1;
			(void)acked_tail_header_write(t, &h, NULL);
		}
	}
	tail_free(t);
}
