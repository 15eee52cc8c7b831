/*
 * The writer's side of a journal.
 *
 * Only the newest segment is written. Before a new one begins, the old one is
 * synced, so records that are not safe are always in the newest segment and can
 * be cut off there. Each record has the position that was safe when it was
 * written; so journal_open() can distinguish a torn tail, which it cuts off,
 * from damage.
 */
#include "egress/journal/journal.h"

#include "egress/journal/file_ops.h"
#include "egress/journal/journal_internal.h"
#include "egress/journal/segment.h"

#include <spargio/fiber.h>

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* Parts of a record in a write: header, subject, payload, padding. */
#define PIECES	  4
#define WRITE_MAX 64 /* records in one system call */

/* Take the lock even if the calling fiber was cancelled. */
static int lock_keep(struct sp_mutex *lock)
{
	int err;

	sp_shield_begin();
	err = sp_mutex_lock(lock);
	sp_shield_end();
	return err;
}

static void count_older(struct journal *j)
{
	j->older_bytes = 0;
	for (size_t i = 0; i + 1 < j->count; i++)
		j->older_bytes += j->spans[i].end - j->spans[i].base;
}

/* Make room for one more segment in the list. */
static int reserve_span(struct journal *j)
{
	if (j->count == j->size) {
		size_t size = j->size == 0 ? 16 : 2 * j->size;
		struct journal_span *spans =
			reallocarray(j->spans, size, sizeof(*spans));

		if (spans == NULL)
			return -ENOMEM;
		j->spans = spans;
		j->size = size;
	}
	return 0;
}

/* Somebody removed the folder: create it again, and lock it. */
static int folder_create_again(struct journal *j)
{
	int dir = file_open_dir(j->path);
	int err;

	if (dir < 0)
		return dir;
	err = file_lock(dir);
	if (err == 0)
		/*
		 * Wait until journal_retain() has removed its file from the old
		 * folder.
		 */
		err = lock_keep(&j->drop_lock);
	if (err < 0) {
		file_close(dir);
		return err;
	}
	file_close(j->dir);
	j->dir = dir;
	sp_mutex_unlock(&j->drop_lock);
	return 0;
}

int journal_begin_segment(struct journal *j)
{
	uint64_t base = j->end > j->next_base ? j->end : j->next_base;
	/*
	 * In the header of a journal's first segment previous is its own base.
	 */
	uint64_t previous = j->count == 0 ? base : j->end;
	int fd;
	int err = reserve_span(j);

	if (err < 0)
		return err;
	fd = segment_create(j->dir, base, j->identity, previous);
	if (fd == -ENOENT && folder_create_again(j) == 0)
		fd = segment_create(j->dir, base, j->identity, previous);
	if (fd < 0)
		return fd;
	/*
	 * Only now: journal_retain() may have removed segments meanwhile, and
	 * would remove older ones for one that cannot be created.
	 */
	if (j->count > 0)
		j->spans[j->count - 1].end = j->end;
	j->spans[j->count++] = (struct journal_span){ base, base };
	count_older(j);
	j->fd = fd;
	j->end = base + JOURNAL_HEADER;
	j->synced = j->end;
	j->index_count = 0;
	return 0;
}

void journal_forget_oldest(struct journal *j, size_t n)
{
	memmove(j->spans, j->spans + n, (j->count - n) * sizeof(*j->spans));
	j->count -= n;
	count_older(j);
}

void journal_close(struct journal *j)
{
	if (j == NULL)
		return;
	file_close(j->fd);
	file_close(j->dir);
	free(j->index);
	free(j->spans);
	free(j->path);
	free(j);
}

/* Add an index entry (time, position) after every JOURNAL_INDEX_STEP bytes. */
static void note_time(struct journal *j, const struct journal_record *r)
{
	if (j->index_count > 0 &&
	    r->position - j->index[j->index_count - 1].position <
		    JOURNAL_INDEX_STEP)
		return;
	if (j->index_count == j->index_size) {
		size_t size = j->index_size == 0 ? 64 : 2 * j->index_size;
		struct journal_index *index =
			reallocarray(j->index, size, sizeof(*index));

		if (index == NULL)
			/*
			 * out of memory: without the entry a seek takes longer
			 */
			return;
		j->index = index;
		j->index_size = size;
	}
	j->index[j->index_count++] =
		(struct journal_index){ r->time_ns, r->position };
}

/* Prepare up to WRITE_MAX records for writing at the end of the journal. */
static size_t records_describe(struct journal *j,
			       struct journal_record *records, size_t count,
			       uint8_t (*headers)[JOURNAL_RECORD_HEADER],
			       struct iovec *iov)
{
	static const uint8_t zeroes[JOURNAL_ALIGN];
	uint64_t at = j->end;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct journal_record *r = &records[i];
		size_t size = journal_record_size(r);
		size_t used = JOURNAL_RECORD_HEADER + r->subject_len + r->len;

		r->position = at;
		r->synced = j->synced;
		journal_record_encode(r, headers[i]);
		iov[n++] = (struct iovec){ headers[i], JOURNAL_RECORD_HEADER };
		iov[n++] = (struct iovec){ (void *)r->subject, r->subject_len };
		if (r->len > 0)
			iov[n++] = (struct iovec){ (void *)r->payload, r->len };
		if (size > used)
			iov[n++] =
				(struct iovec){ (void *)zeroes, size - used };
		at += size;
	}
	return n;
}

/* Write records that fit into the newest segment. */
static int write_records(struct journal *j, struct journal_record *records,
			 size_t count)
{
	uint8_t headers[WRITE_MAX][JOURNAL_RECORD_HEADER];
	struct iovec iov[WRITE_MAX * PIECES];

	while (count > 0) {
		size_t now = count < WRITE_MAX ? count : WRITE_MAX;
		size_t pieces = records_describe(j, records, now, headers, iov);
		int err = file_write(j->fd, iov, pieces,
				     j->end - journal_newest(j));

		if (err < 0)
			return err;
		for (size_t i = 0; i < now; i++) {
			j->end += journal_record_size(&records[i]);
			note_time(j, &records[i]);
		}
		records += now;
		count -= now;
	}
	return 0;
}

/* The newest segment is full: sync it and begin another. */
static int segment_roll(struct journal *j)
{
	uint64_t base = journal_newest(j);
	int fd = j->fd;
	int err = journal_sync(j);

	if (err == 0)
		err = lock_keep(&j->sync_lock);
	if (err < 0)
		return err;
	/* An error is ignored: without an index a seek only takes longer. */
	(void)segment_write_index(j->dir, base, j->index, j->index_count);
	err = journal_begin_segment(j);
	if (err == 0)
		file_close(fd);
	sp_mutex_unlock(&j->sync_lock);
	return err;
}

/* The number of @records that fit into the newest segment. */
static size_t records_fitting(const struct journal *j,
			      const struct journal_record *records,
			      size_t count)
{
	uint64_t used = j->end - journal_newest(j);
	size_t n = 0;

	while (n < count) {
		size_t size = journal_record_size(&records[n]);

		if (used + size > j->options.segment_bytes &&
		    used > JOURNAL_HEADER)
			break;
		used += size;
		n++;
	}
	return n;
}

/*
 * The number of @records that fit into the newest segment and do not exceed the
 * size limit of a spool.
 */
static size_t records_allowed(const struct journal *j,
			      const struct journal_record *records,
			      size_t count)
{
	uint64_t bytes = journal_bytes(j);
	bool empty = bytes <= JOURNAL_HEADER;
	size_t n = 0;

	if (!j->options.spool || j->options.max_bytes == 0)
		return count;
	while (n < count) {
		bytes += journal_record_size(&records[n]);
		/*
		 * An empty spool accepts a record that is longer than the
		 * limit.
		 */
		if (bytes > j->options.max_bytes && (n > 0 || !empty))
			break;
		n++;
	}
	return n;
}

/* Truncate the newest segment at @end. */
static int cut_back(struct journal *j, uint64_t end)
{
	int err = file_truncate(j->fd, end - journal_newest(j));

	if (err < 0)
		return err;
	j->end = end;
	while (j->index_count > 0 &&
	       j->index[j->index_count - 1].position >= end)
		j->index_count--;
	return 0;
}

/* Append records that fit into the newest segment: all of them or none. */
static int append_some(struct journal *j, struct journal_record *records,
		       size_t count)
{
	uint64_t before = j->end;
	int err = write_records(j, records, count);
	int cut;

	if (err < 0) {
		cut = cut_back(j, before);
		return cut < 0 ? cut : err;
	}
	j->last = records[count - 1];
	j->last.subject = NULL;
	j->last.payload = NULL;
	j->has_last = true;
	return 0;
}

int journal_append(struct journal *j, struct journal_record *records,
		   size_t count)
{
	size_t done = 0;
	int err = 0;

	count = records_allowed(j, records, count);
	if (count == 0)
		return -ENOSPC;
	if (j->fd < 0)
		err = journal_begin_segment(j);
	while (done < count && err == 0) {
		size_t n = records_fitting(j, records + done, count - done);

		if (n == 0) {
			err = segment_roll(j);
			continue;
		}
		err = append_some(j, records + done, n);
		if (err == 0)
			done += n;
	}
	return done > 0 ? (int)done : err;
}

int journal_sync(struct journal *j)
{
	uint64_t end;
	int err = lock_keep(&j->sync_lock);

	if (err < 0)
		return err;
	end = j->end;
	/*
	 * The kernel reports a write-back error only once, and another sync
	 * would succeed: so keep returning the error.
	 */
	err = j->sync_error;
	if (err == 0 && j->synced < end) {
		err = file_sync(j->fd); /* other fibers may append meanwhile */
		j->sync_error = err;
		if (err == 0)
			j->synced = end;
	}
	sp_mutex_unlock(&j->sync_lock);
	return err;
}

/*
 * Leave the newest segment. Also skip the positions after its end, because a
 * reader may have seen records there that were cut off.
 */
static int leave_segment(struct journal *j)
{
	int err = lock_keep(&j->sync_lock);

	if (err < 0)
		return err;
	file_close(j->fd);
	j->fd = -1;
	j->next_base = journal_newest(j) + JOURNAL_SEGMENT_BYTES_MAX;
	sp_mutex_unlock(&j->sync_lock);
	return 0;
}

int journal_rewind(struct journal *j)
{
	int err = 0;

	if (j->fd >= 0 && (j->end > j->synced || j->cut_unsafe)) {
		j->cut_unsafe = true;
		err = cut_back(j, j->synced);
		/*
		 * A power failure could bring the records back, and only the
		 * newest segment is searched for those that were not safe.
		 */
		if (err == 0)
			err = file_sync(j->fd);
		if (err == 0)
			err = leave_segment(j);
		j->cut_unsafe = err < 0;
	}
	if (err == 0)
		j->sync_error = 0;
	/*
	 * The last record is not known any more; it must be read from the disk.
	 */
	j->has_last = false;
	return err;
}

/*
 * Drop the @n oldest segments. Each is removed from the list before its file is
 * removed, because other fibers may change the list meanwhile. Yields.
 */
static void drop_oldest(struct journal *j, size_t n)
{
	for (; n > 0; n--) {
		uint64_t base = j->spans[0].base;

		journal_forget_oldest(j, 1);
		segment_drop(j->dir, base);
	}
}

/*
 * Set *@out to the time of the oldest segment's last record or a later one: the
 * time when the next segment was created.
 */
static int oldest_ended(struct journal *j, uint64_t *out)
{
	struct journal_header header;
	int fd = segment_open(j->dir, j->spans[1].base, O_RDONLY, &header);

	if (fd < 0)
		return fd;
	file_close(fd);
	*out = header.created_ns;
	return 0;
}

/* Drop the oldest segment, unless it is the newest now. Yields. */
static int retain_one_less(struct journal *j)
{
	int err = sp_mutex_lock(&j->drop_lock);

	if (err < 0)
		return err;
	if (j->count > 1)
		drop_oldest(j, 1);
	sp_mutex_unlock(&j->drop_lock);
	return 0;
}

int journal_retain(struct journal *j, uint64_t now_ns)
{
	uint64_t max = j->options.max_bytes;
	uint64_t age = j->options.max_age_ns;
	uint64_t ended;
	int err = 0;

	assert(!j->options.spool);
	while (err == 0 && j->count > 1 && max > 0 && journal_bytes(j) > max)
		err = retain_one_less(j);
	while (err == 0 && j->count > 1 && age > 0) {
		err = oldest_ended(j, &ended);
		if (err < 0 || ended + age > now_ns)
			break;
		err = retain_one_less(j);
	}
	return err;
}

/*
 * Remove the newest segment from the list. The next segment begins beyond all
 * positions of that segment, so that none of them is used again.
 */
static void forget_newest(struct journal *j)
{
	uint64_t base = journal_newest(j);

	file_close(j->fd);
	j->fd = -1;
	j->count--;
	j->next_base = base + JOURNAL_SEGMENT_BYTES_MAX;
	j->end = j->count > 0 ? j->spans[j->count - 1].end : j->next_base;
	j->synced = j->end;
	j->sync_error = 0;
	j->index_count = 0;
	count_older(j);
}

int journal_check_newest(struct journal *j)
{
	char name[JOURNAL_NAME_MAX];
	int fd;
	int err;

	if (j->fd < 0)
		return 0;
	segment_name(journal_newest(j), name);
	fd = file_open(j->dir, name, O_RDONLY);
	file_close(fd);
	if (fd != -ENOENT)
		return 0;
	err = lock_keep(&j->sync_lock);
	if (err < 0)
		return err;
	forget_newest(j);
	sp_mutex_unlock(&j->sync_lock);
	return -ENOENT;
}

/*
 * Every record was released: begin an empty segment; the caller then drops the
 * others. If the disk is full, drop the others first. If another program then
 * takes that space, or no segment is open, the next append begins one.
 */
static int begin_anew(struct journal *j)
{
	int err;

	if (j->fd < 0) {
		drop_oldest(j, j->count);
		return 0;
	}
	err = segment_roll(j);
	if (err != -ENOSPC && err != -EDQUOT)
		return err;
	err = lock_keep(&j->sync_lock);
	if (err < 0)
		return err;
	file_close(j->fd);
	j->fd = -1;
	j->synced = j->end;
	j->sync_error = 0;
	drop_oldest(j, j->count);
	err = journal_begin_segment(j);
	sp_mutex_unlock(&j->sync_lock);
	return err;
}

int journal_release(struct journal *j, uint64_t position)
{
	size_t n = 0;
	int err;

	if (j->count == 0)
		return 0;
	/*
	 * Without this the newest segment would stay on disk until there is
	 * something to spool.
	 */
	if (position >= j->end &&
	    (j->fd < 0 || j->end > journal_newest(j) + JOURNAL_HEADER)) {
		err = begin_anew(j);
		if (err < 0)
			return err;
		position = j->end;
	}
	while (n + 1 < j->count && j->spans[n].end <= position)
		n++;
	drop_oldest(j, n);
	return 0;
}

uint64_t journal_first(const struct journal *j)
{
	return j->count == 0 ? j->end : j->spans[0].base + JOURNAL_HEADER;
}

uint64_t journal_end(const struct journal *j)
{
	return j->end;
}

uint64_t journal_synced(const struct journal *j)
{
	return j->synced;
}

uint64_t journal_bytes(const struct journal *j)
{
	return j->count == 0 ? 0 : j->older_bytes + j->end - journal_newest(j);
}

uint64_t journal_bytes_behind(const struct journal *j, uint64_t position)
{
	uint64_t end = j->end;
	uint64_t bytes = 0;

	for (size_t i = j->count; i-- > 0 && end > position;) {
		uint64_t from = j->spans[i].base + JOURNAL_HEADER;

		if (from < position)
			from = position;
		bytes += end > from ? end - from : 0;
		end = i > 0 ? j->spans[i - 1].end : 0;
	}
	return bytes;
}

int journal_gaps(const struct journal *j, struct journal_gap **out,
		 size_t *count)
{
	struct journal_gap *gaps = calloc(j->count + 1, sizeof(*gaps));
	size_t n = 0;

	if (gaps == NULL)
		return -ENOMEM;
	for (size_t i = 1; i < j->count; i++)
		if (j->spans[i - 1].end < j->spans[i].base)
			gaps[n++] = (struct journal_gap){
				j->spans[i - 1].end,
				j->spans[i].base + JOURNAL_HEADER,
			};
	*out = gaps;
	*count = n;
	return 0;
}

int journal_leave(struct journal *j)
{
	return j->fd < 0 ? journal_begin_segment(j) : segment_roll(j);
}

uint64_t journal_identity(const struct journal *j)
{
	return j->identity;
}

const struct journal_recovery *journal_recovery(const struct journal *j)
{
	return &j->recovery;
}

bool journal_last(const struct journal *j, struct journal_record *out)
{
	if (j->has_last)
		*out = j->last;
	return j->has_last;
}
