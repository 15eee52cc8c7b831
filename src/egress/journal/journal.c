/*
 * The writer's side of a journal.
 *
 * Only the newest segment is ever written. Before a new one begins, the old
 * one is synced, so what is not safe is always in the newest and can be cut
 * off there. Records carry the position that was safe when they were written;
 * that is how opening tells a torn tail, which is cut, from damage.
 */
#include "egress/journal/journal.h"

#include "egress/journal/file_ops.h"
#include "egress/journal/segment.h"

#include <spargio/fiber.h>
#include <spargio/sync.h>

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>

/* Pieces of a record in a write: header, subject, payload, padding. */
#define PIECES	  4
#define WRITE_MAX 64 /* records in one system call */

struct journal {
	struct journal_options options;
	int dir;
	int fd; /* of the newest segment */

	/*
	 * The segments, oldest first; the last one is the newest. None if they
	 * were let go on a full disk and there is no other one yet.
	 */
	uint64_t *bases;
	size_t count;
	size_t size;

	uint64_t identity;
	uint64_t end;
	uint64_t synced;
	int sync_error; /* nobody knows what is behind it; 0: all is well */
	uint64_t cut;
	bool has_last;
	struct journal_record last;

	/* Of the newest segment. */
	struct journal_index *index;
	size_t index_count;
	size_t index_size;

	/* Nobody may close the newest segment while it is synced. */
	struct sp_mutex sync_lock;
};

static uint64_t segment_newest(const struct journal *j)
{
	return j->bases[j->count - 1];
}

static int add_base(struct journal *j, uint64_t base)
{
	if (j->count == j->size) {
		size_t size = j->size == 0 ? 16 : 2 * j->size;
		uint64_t *bases = reallocarray(j->bases, size, sizeof(*bases));

		if (bases == NULL)
			return -ENOMEM;
		j->bases = bases;
		j->size = size;
	}
	j->bases[j->count++] = base;
	return 0;
}

/* Begin a segment at the end of the journal. */
static int begin_segment(struct journal *j)
{
	int fd;
	int err = add_base(j, j->end);

	if (err < 0)
		return err;
	fd = segment_create(j->dir, j->end, j->identity);
	if (fd < 0) {
		j->count--;
		return fd;
	}
	j->fd = fd;
	j->end += JOURNAL_HEADER;
	j->synced = j->end;
	j->index_count = 0;
	return 0;
}

/*
 * Open the newest segment and cut what is torn. 0 if the journal can go on
 * there, 1 if the segment had not even a header and is gone.
 */
static int open_newest(struct journal *j, struct journal_fault *fault)
{
	struct journal_header header;
	struct journal_scan scan;
	uint64_t base = segment_newest(j);
	int64_t size;
	int err;

	j->fd = segment_open(j->dir, base, O_RDWR, &header);
	if (j->fd == -EBADMSG) {
		j->fd = -1;
		segment_drop(j->dir, base);
		j->count--;
		j->end = base;
		return 1;
	}
	if (j->fd < 0)
		return j->fd;
	err = segment_scan(j->fd, base, &scan);
	if (err < 0)
		return err;
	if (scan.damaged) {
		segment_name(base, fault->name);
		fault->offset = scan.end;
		return -EBADMSG;
	}
	size = file_size(j->fd);
	if (size < 0)
		return (int)size;
	if ((uint64_t)size > scan.end) {
		err = file_truncate(j->fd, scan.end);
		if (err < 0)
			return err;
		j->cut += (uint64_t)size - scan.end;
	}
	err = file_sync(j->fd);
	if (err < 0)
		return err;
	j->identity = header.journal;
	j->end = base + scan.end;
	j->synced = j->end;
	if (scan.records > 0) {
		j->last = scan.last;
		j->has_last = true;
	}
	return 0;
}

/* The last record is in an older segment when the newest has none. */
static int find_last(struct journal *j, struct journal_fault *fault)
{
	for (size_t i = j->count; i-- > 0 && !j->has_last;) {
		struct journal_header header;
		struct journal_scan scan;
		int fd = segment_open(j->dir, j->bases[i], O_RDONLY, &header);
		int err = fd < 0 ? fd : segment_scan(fd, j->bases[i], &scan);

		file_close(fd);
		if (err == -EBADMSG || (err == 0 && scan.damaged)) {
			segment_name(j->bases[i], fault->name);
			fault->offset = fd < 0 ? 0 : scan.end;
			return -EBADMSG;
		}
		if (err < 0)
			return err;
		j->identity = header.journal;
		j->has_last = scan.records > 0;
		j->last = scan.last;
	}
	return 0;
}

static int open_segments(struct journal *j, struct journal_fault *fault)
{
	int err = segment_list(j->dir, &j->bases, &j->count);
	bool torn = false;

	if (err < 0)
		return err;
	j->size = j->count;
	if (j->count > 0) {
		err = open_newest(j, fault);
		if (err < 0)
			return err;
		torn = err == 1;
	}
	err = find_last(j, fault);
	if (err < 0)
		return err;
	if (j->identity == 0)
		(void)!getrandom(&j->identity, sizeof(j->identity), 0);
	if (j->count == 0 || torn)
		return begin_segment(j);
	return 0;
}

int journal_open(const struct journal_options *options,
		 struct journal_fault *fault, struct journal **out)
{
	struct journal *j = calloc(1, sizeof(*j));
	int err;

	if (j == NULL)
		return -ENOMEM;
	j->options = *options;
	j->options.dir = NULL; /* not ours to keep */
	if (j->options.segment_bytes == 0)
		j->options.segment_bytes = JOURNAL_SEGMENT_BYTES;
	if (j->options.segment_bytes > JOURNAL_SEGMENT_BYTES_MAX)
		j->options.segment_bytes = JOURNAL_SEGMENT_BYTES_MAX;
	j->fd = -1;
	j->dir = file_open_dir(options->dir);
	if (j->dir < 0) {
		err = j->dir;
		goto fail;
	}
	/* Two writers would cut off and write over what the other one has. */
	err = file_lock(j->dir);
	if (err == 0)
		err = open_segments(j, fault);
	if (err < 0)
		goto fail;
	*out = j;
	return 0;

fail:
	journal_close(j);
	return err;
}

void journal_close(struct journal *j)
{
	if (j == NULL)
		return;
	file_close(j->fd);
	file_close(j->dir);
	free(j->index);
	free(j->bases);
	free(j);
}

/* Remember every now and then what time it is where. */
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
			return; /* seeking takes longer, that is all */
		j->index = index;
		j->index_size = size;
	}
	j->index[j->index_count++] =
		(struct journal_index){ r->time_ns, r->position };
}

/* Describe up to WRITE_MAX records, as written at the end of the journal. */
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
				     j->end - segment_newest(j));

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

/* Also of a fiber that was told to end. */
static int lock_sync(struct journal *j)
{
	int err;

	sp_shield_begin();
	err = sp_mutex_lock(&j->sync_lock);
	sp_shield_end();
	return err;
}

/* The newest segment is full: make it safe and begin another. */
static int segment_roll(struct journal *j)
{
	uint64_t base = segment_newest(j);
	int fd = j->fd;
	int err = journal_sync(j);

	if (err == 0)
		err = lock_sync(j);
	if (err < 0)
		return err;
	/* Without an index seeking takes longer, that is all. */
	(void)segment_write_index(j->dir, base, j->index, j->index_count);
	err = begin_segment(j);
	if (err == 0)
		file_close(fd);
	sp_mutex_unlock(&j->sync_lock);
	return err;
}

/* Records from @records on that go into the newest segment together. */
static size_t records_fitting(const struct journal *j,
			      const struct journal_record *records,
			      size_t count)
{
	uint64_t used = j->end - segment_newest(j);
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

/* The same, and within what a spool may hold. */
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
		/* One that is longer than all of it would never go in. */
		if (bytes > j->options.max_bytes && (n > 0 || !empty))
			break;
		n++;
	}
	return n;
}

/* Take back what is behind @end, which is in the newest segment. */
static int cut_back(struct journal *j, uint64_t end)
{
	int err = file_truncate(j->fd, end - segment_newest(j));

	if (err < 0)
		return err;
	j->end = end;
	while (j->index_count > 0 &&
	       j->index[j->index_count - 1].position >= end)
		j->index_count--;
	return 0;
}

/* Records that go into the newest segment together: all or none. */
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
	if (j->count == 0)
		err = begin_segment(j);
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
	int err = lock_sync(j);

	if (err < 0)
		return err;
	end = j->end;
	/* The kernel tells of a failure once: another sync would succeed. */
	err = j->sync_error;
	if (err == 0 && j->synced < end) {
		err = file_sync(j->fd); /* others append meanwhile */
		j->sync_error = err;
		if (err == 0)
			j->synced = end;
	}
	sp_mutex_unlock(&j->sync_lock);
	return err;
}

int journal_rewind(struct journal *j)
{
	int err = j->count == 0 ? 0 : cut_back(j, j->synced);

	if (err == 0)
		j->sync_error = 0;
	/* What the last record is now, only the disk knows. */
	j->has_last = false;
	return err;
}

/* Drop the @n oldest segments. */
static void drop_oldest(struct journal *j, size_t n)
{
	for (size_t i = 0; i < n; i++)
		segment_drop(j->dir, j->bases[i]);
	memmove(j->bases, j->bases + n, (j->count - n) * sizeof(*j->bases));
	j->count -= n;
}

/* When the segment after the oldest began, the oldest had its last record. */
static int oldest_ended(struct journal *j, uint64_t *out)
{
	struct journal_header header;
	int fd = segment_open(j->dir, j->bases[1], O_RDONLY, &header);

	if (fd < 0)
		return fd;
	file_close(fd);
	*out = header.created_ns;
	return 0;
}

int journal_retain(struct journal *j, uint64_t now_ns)
{
	uint64_t max = j->options.max_bytes;
	uint64_t age = j->options.max_age_ns;
	uint64_t ended;
	int err;

	assert(!j->options.spool);
	while (j->count > 1 && max > 0 && journal_bytes(j) > max)
		drop_oldest(j, 1);
	while (j->count > 1 && age > 0) {
		err = oldest_ended(j, &ended);
		if (err < 0)
			return err;
		if (ended + age > now_ns)
			break;
		drop_oldest(j, 1);
	}
	return 0;
}

/*
 * All of it is released: an empty segment instead. Where the disk has no room
 * for one more, the room of the others must do; if somebody else takes it, the
 * next append begins the segment.
 */
static int begin_anew(struct journal *j)
{
	int err = segment_roll(j);

	if (err != -ENOSPC && err != -EDQUOT)
		return err;
	err = lock_sync(j);
	if (err < 0)
		return err;
	file_close(j->fd);
	j->fd = -1;
	j->synced = j->end;
	j->sync_error = 0;
	drop_oldest(j, j->count);
	err = begin_segment(j);
	sp_mutex_unlock(&j->sync_lock);
	return err;
}

int journal_release(struct journal *j, uint64_t position)
{
	size_t n = 0;
	int err;

	if (j->count == 0)
		return 0;
	/* Else one segment would stay until there is something to spool. */
	if (position >= j->end && j->end > segment_newest(j) + JOURNAL_HEADER) {
		err = begin_anew(j);
		if (err < 0)
			return err;
		position = j->end;
	}
	while (n + 1 < j->count && j->bases[n + 1] <= position)
		n++;
	drop_oldest(j, n);
	return 0;
}

uint64_t journal_first(const struct journal *j)
{
	return j->count == 0 ? j->end : j->bases[0] + JOURNAL_HEADER;
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
	return j->count == 0 ? 0 : j->end - j->bases[0];
}

uint64_t journal_identity(const struct journal *j)
{
	return j->identity;
}

uint64_t journal_cut(const struct journal *j)
{
	return j->cut;
}

bool journal_last(const struct journal *j, struct journal_record *out)
{
	if (j->has_last)
		*out = j->last;
	return j->has_last;
}
