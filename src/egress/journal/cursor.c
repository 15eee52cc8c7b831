/*
 * A cursor keeps a part of one segment in memory and decodes from it. At the
 * end of a segment it looks for the next segment, whose header names the end of
 * its predecessor. If that end is the position of the cursor, the cursor
 * continues in the next segment. If that end is before the cursor, records that
 * the cursor has returned were cut off since. Without a next segment this one
 * is the newest and may still grow.
 *
 * Each time the folder is opened again by its name. So if the folder was
 * removed and created again, the cursor notices it by the identity of the
 * journal.
 */
#include "egress/journal/cursor.h"

#include "egress/journal/file_ops.h"
#include "egress/journal/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define STRETCH (256u << 10)

struct journal_cursor {
	char *path; /* path of the folder */
	int dir;
	int fd;
	uint64_t base;	   /* base of the current segment */
	uint64_t position; /* position of the next record */
	uint64_t identity;
	uint64_t skip_until_ns; /* skip records older than this */

	uint8_t *bytes; /* bytes of the file from position on */
	size_t at;
	size_t len;
	size_t size;

	int refused; /* why the segment cannot be read; 0 if it can */
	struct journal_fault fault;
};

static void fault_set(struct journal_cursor *c, uint64_t base, uint64_t offset)
{
	segment_name(base, c->fault.name);
	c->fault.offset = offset;
	c->fault.missing = false;
}

/* True if a segment could not be opened because of its content. */
static bool is_unreadable(int err)
{
	return err == -EBADMSG || err == -ENODATA || err == -EPROTONOSUPPORT;
}

/*
 * Enter the segment at @base. Succeeds even if it cannot be read: then
 * journal_cursor_next() returns the error.
 */
static int enter_segment(struct journal_cursor *c, uint64_t base)
{
	struct journal_header header = { .journal = c->identity };
	int fd = segment_open(c->dir, base, O_RDONLY, &header);

	if (fd < 0 && !is_unreadable(fd))
		return fd;
	c->refused = 0;
	if (fd < 0) {
		c->refused = fd == -EPROTONOSUPPORT ? fd : -EBADMSG;
		fault_set(c, base, 0);
	}
	file_close(c->fd);
	c->fd = fd < 0 ? -1 : fd;
	c->base = base;
	c->position = base + JOURNAL_HEADER;
	c->identity = header.journal;
	c->at = 0;
	c->len = 0;
	return 0;
}

/*
 * Set *@out to the last of @bases that is not after @position. -ESTALE if there
 * is none.
 */
static int segment_of(const uint64_t *bases, size_t count, uint64_t position,
		      uint64_t *out)
{
	size_t n = 0;

	while (n < count && bases[n] <= position)
		n++;
	if (n == 0)
		return -ESTALE;
	*out = bases[n - 1];
	return 0;
}

/* Move the cursor to a place from which records of @time_ns may follow. */
static int place_at(struct journal_cursor *c, uint64_t time_ns)
{
	uint64_t *bases = NULL;
	size_t count;
	size_t n = 0;
	int err = segment_list(c->dir, &bases, &count);

	if (err == 0 && count == 0)
		err = -ENOENT;
	/* Find the last segment that began before that time. */
	for (size_t i = 0; i < count && err == 0; i++) {
		struct journal_header header;
		int fd = segment_open(c->dir, bases[i], O_RDONLY, &header);

		file_close(fd);
		if (is_unreadable(fd) || fd == -ENOENT)
			continue; /* the segment was dropped meanwhile */
		if (fd < 0)
			err = fd;
		else if (header.created_ns <= time_ns)
			n = i;
	}
	if (err == 0)
		err = enter_segment(c, bases[n]);
	if (err == 0 && c->refused == 0) {
		c->position = segment_seek(c->dir, bases[n], time_ns);
		c->skip_until_ns = time_ns;
	}
	free(bases);
	return err;
}

/*
 * Load at least @want bytes from the cursor's position on, if the file has
 * them.
 */
static int cursor_load(struct journal_cursor *c, size_t want)
{
	size_t have = c->len - c->at;
	int64_t n;

	if (have >= want)
		return 0;
	if (want < STRETCH)
		want = STRETCH;
	if (c->size < want) {
		uint8_t *bytes = realloc(c->bytes, want);

		if (bytes == NULL)
			return -ENOMEM;
		c->bytes = bytes;
		c->size = want;
	}
	if (have > 0)
		memmove(c->bytes, c->bytes + c->at, have);
	c->at = 0;
	c->len = have;
	n = file_read(c->fd, c->bytes + have, c->size - have,
		      c->position - c->base + have);
	if (n < 0)
		return (int)n;
	c->len += (size_t)n;
	return 0;
}

/*
 * Decode the next record. Returns 1, or 0 if it is incomplete; -EBADMSG if the
 * bytes are not a record.
 */
static int cursor_decode(struct journal_cursor *c, struct journal_record *out,
			 size_t *size)
{
	enum journal_verdict verdict = JOURNAL_SHORT;
	size_t want = JOURNAL_RECORD_HEADER;
	int err;

	/* First load the header, then the whole record. */
	for (int i = 0; i < 2 && verdict == JOURNAL_SHORT; i++) {
		err = cursor_load(c, want);
		if (err < 0)
			return err;
		verdict = journal_record_decode(c->bytes + c->at,
						c->len - c->at, out, size);
		want = *size;
		if (*size == 0)
			break;
	}
	if (verdict == JOURNAL_OK)
		return 1;
	/*
	 * Drop the bytes of an incomplete record: it may be complete at the
	 * next call.
	 */
	c->len = c->at;
	return verdict == JOURNAL_BAD ? -EBADMSG : 0;
}

/* Opening */

/* Open the folder that has the path now. */
static int reopen_folder(struct journal_cursor *c)
{
	int dir = file_open(AT_FDCWD, c->path, O_RDONLY | O_DIRECTORY);

	if (dir < 0)
		return dir;
	file_close(c->dir);
	c->dir = dir;
	return 0;
}

/*
 * Advance from a record at or before @position to the record that begins at
 * @position, or to the end of the segment. -ERANGE if @position is neither.
 */
static int walk_to(struct journal_cursor *c, uint64_t position)
{
	struct journal_record record;
	size_t size;

	c->position = segment_seek_position(c->dir, c->base, position);
	while (c->position < position) {
		int got = cursor_decode(c, &record, &size);

		if (got < 0 && got != -EBADMSG)
			return got;
		if (got != 1)
			return -ERANGE;
		c->position += size;
		c->at += size;
	}
	return c->position == position ? 0 : -ERANGE;
}

/* Advance to the end of the segment. */
static int walk_to_end(struct journal_cursor *c)
{
	struct journal_record record;
	size_t size;
	int got;

	c->position = c->base + JOURNAL_HEADER;
	while ((got = cursor_decode(c, &record, &size)) == 1) {
		c->position += size;
		c->at += size;
	}
	return got < 0 && got != -EBADMSG ? got : 0;
}

/*
 * Move the cursor to @position. The base of a segment means its first record.
 */
static int cursor_seek(struct journal_cursor *c, uint64_t position)
{
	uint64_t *bases = NULL;
	uint64_t base = 0;
	size_t count;
	int err = segment_list(c->dir, &bases, &count);

	if (err < 0)
		return err;
	if (count == 0)
		err = -ENOENT;
	else if (position == JOURNAL_OLDEST)
		base = position = bases[0];
	else if (position == JOURNAL_NEWEST)
		base = bases[count - 1];
	else
		err = segment_of(bases, count, position, &base);
	free(bases);
	if (err < 0)
		return err;
	err = enter_segment(c, base);
	if (err < 0 || c->refused != 0)
		return err;
	if (position == JOURNAL_NEWEST)
		return walk_to_end(c);
	return walk_to(c, position == base ? base + JOURNAL_HEADER : position);
}

static int cursor_new(const char *dir, struct journal_cursor **out)
{
	struct journal_cursor *c = calloc(1, sizeof(*c));
	int err;

	if (c == NULL)
		return -ENOMEM;
	c->fd = -1;
	c->dir = -1;
	c->path = strdup(dir);
	if (c->path == NULL) {
		free(c);
		return -ENOMEM;
	}
	err = reopen_folder(c);
	if (err < 0) {
		journal_cursor_close(c);
		return err;
	}
	*out = c;
	return 0;
}

int journal_cursor_open(const char *dir, uint64_t position,
			struct journal_cursor **out)
{
	struct journal_cursor *c;
	int err = cursor_new(dir, &c);

	if (err < 0)
		return err;
	err = cursor_seek(c, position);
	if (err < 0) {
		journal_cursor_close(c);
		return err;
	}
	*out = c;
	return 0;
}

int journal_cursor_open_at(const char *dir, uint64_t time_ns,
			   struct journal_cursor **out)
{
	struct journal_cursor *c;
	int err = cursor_new(dir, &c);

	if (err < 0)
		return err;
	err = place_at(c, time_ns);
	if (err < 0) {
		journal_cursor_close(c);
		return err;
	}
	*out = c;
	return 0;
}

void journal_cursor_close(struct journal_cursor *c)
{
	if (c == NULL)
		return;
	file_close(c->fd);
	file_close(c->dir);
	free(c->bytes);
	free(c->path);
	free(c);
}

/* Continuing in the next segment */

/*
 * Called if no segment follows that of the cursor. Returns 0 if the segment of
 * the cursor exists or there are no segments at all; -EIDRM if the folder has
 * another journal.
 */
static int check_newest(struct journal_cursor *c, const uint64_t *bases,
			size_t count)
{
	struct journal_header header;
	int fd;

	if (count == 0)
		return 0;
	fd = segment_open(c->dir, bases[count - 1], O_RDONLY, &header);
	if (fd == -ENOENT)
		return 0; /* the segment was dropped meanwhile */
	if (is_unreadable(fd))
		fault_set(c, bases[count - 1], 0);
	if (fd < 0)
		return fd == -ENODATA ? -EBADMSG : fd;
	file_close(fd);
	return header.journal == c->identity ? 0 : -EIDRM;
}

/*
 * The segment ends at the cursor, although the header of the next one says that
 * it is longer. Returns 1 if it has grown since, or the error that explains it.
 */
static int explain_end(struct journal_cursor *c, uint64_t oldest)
{
	struct journal_record record;
	int64_t size = file_size(c->fd);
	size_t len;

	if (cursor_decode(c, &record, &len) == 1)
		return 1;
	if (oldest > c->position)
		return -ESTALE; /* the segment was dropped */
	if (size >= 0 && (uint64_t)size == c->position - c->base) {
		fault_set(c, c->position, 0);
		c->fault.missing = true;
	} else {
		fault_set(c, c->base, c->position - c->base);
	}
	return -EBADMSG;
}

/* Enter the next segment, at @base. Returns 1. */
static int enter_next(struct journal_cursor *c, uint64_t base, uint64_t oldest)
{
	struct journal_header header;
	int fd = segment_open(c->dir, base, O_RDONLY, &header);
	int err;

	file_close(fd);
	if (fd == -ENOENT)
		return 1; /* it was dropped meanwhile: the caller looks again */
	if (is_unreadable(fd))
		fault_set(c, base, 0);
	if (fd < 0)
		return fd == -ENODATA ? -EBADMSG : fd;
	if (header.journal != c->identity)
		return -EIDRM;
	if (header.previous < c->position)
		return -ERANGE;
	if (header.previous > c->position)
		return explain_end(c, oldest);
	err = enter_segment(c, base);
	return err < 0 && err != -ENOENT ? err : 1;
}

/*
 * The first of @bases after the base of the cursor's segment; 0 if there is
 * none.
 */
static uint64_t next_base(const struct journal_cursor *c, const uint64_t *bases,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bases[i] > c->base)
			return bases[i];
	return 0;
}

/*
 * No record can be read at the cursor. Returns 1 if the segment ends here and
 * the next one was entered; 0 if it is the newest segment and this is its
 * current end. Else an error: the segment is damaged, or records that the
 * cursor has returned are no longer in the journal.
 */
static int at_end(struct journal_cursor *c)
{
	uint64_t *bases = NULL;
	uint64_t next;
	size_t count;
	int err = reopen_folder(c);

	if (err == 0)
		err = segment_list(c->dir, &bases, &count);
	if (err < 0)
		return err;
	next = next_base(c, bases, count);
	err = next == 0 ? check_newest(c, bases, count)
			: enter_next(c, next, bases[0]);
	free(bases);
	return err;
}

int journal_cursor_skip(struct journal_cursor *c)
{
	uint64_t *bases = NULL;
	uint64_t next;
	size_t count;
	int err = segment_list(c->dir, &bases, &count);

	if (err < 0)
		return err;
	next = next_base(c, bases, count);
	free(bases);
	return next == 0 ? -ENOENT : enter_segment(c, next);
}

int journal_cursor_next(struct journal_cursor *c, struct journal_record *out)
{
	struct journal_record record;
	size_t size;
	int got;

	for (;;) {
		if (c->refused != 0)
			return c->refused;
		got = cursor_decode(c, &record, &size);
		if (got < 0 && got != -EBADMSG)
			return got;
		if (got != 1) {
			got = at_end(c);
			if (got == 0)
				fault_set(c, c->base, c->position - c->base);
			if (got != 1)
				return got;
			continue;
		}
		record.position = c->position;
		c->position += size;
		c->at += size;
		if (record.time_ns >= c->skip_until_ns)
			break;
	}
	c->skip_until_ns = 0;
	*out = record;
	return 1;
}

uint64_t journal_cursor_position(const struct journal_cursor *c)
{
	return c->position;
}

uint64_t journal_cursor_identity(const struct journal_cursor *c)
{
	return c->identity;
}

const struct journal_fault *journal_cursor_fault(const struct journal_cursor *c)
{
	return &c->fault;
}
