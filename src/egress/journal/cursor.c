/*
 * A cursor keeps a stretch of one segment in memory and decodes from it. At
 * the end of a segment it looks for the one that begins there; if there is
 * none, this segment is the newest and may still grow.
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
	int dir;
	int fd;
	uint64_t base;	   /* of the segment */
	uint64_t position; /* of the next record */
	uint64_t identity;
	uint64_t skip_until_ns; /* leave out what is older */

	uint8_t *bytes; /* what is in the file from position on */
	size_t at;
	size_t len;
	size_t size;

	struct journal_fault fault;
};

static int enter_segment(struct journal_cursor *c, uint64_t base)
{
	struct journal_header header;
	int fd = segment_open(c->dir, base, O_RDONLY, &header);

	if (fd < 0)
		return fd;
	file_close(c->fd);
	c->fd = fd;
	c->base = base;
	c->identity = header.journal;
	c->at = 0;
	c->len = 0;
	return 0;
}

/* The last of @bases at or before @position, or -ESTALE. */
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

/*
 * Put the cursor at @position. An end of one segment is the beginning of the
 * next, whose header is stepped over.
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
	else
		err = segment_of(bases, count, position, &base);
	free(bases);
	if (err < 0)
		return err;
	err = enter_segment(c, base);
	if (err < 0)
		return err;
	c->position = position < base + JOURNAL_HEADER ? base + JOURNAL_HEADER
						       : position;
	return 0;
}

/* Put it where records of @time_ns may begin. */
static int place_at(struct journal_cursor *c, uint64_t time_ns)
{
	uint64_t *bases = NULL;
	size_t count;
	size_t n = 0;
	int err = segment_list(c->dir, &bases, &count);

	if (err == 0 && count == 0)
		err = -ENOENT;
	/* The last segment that began before that time. */
	for (size_t i = 0; i < count && err == 0; i++) {
		struct journal_header header;
		int fd = segment_open(c->dir, bases[i], O_RDONLY, &header);

		file_close(fd);
		if (fd == -ENOENT)
			continue; /* dropped while we look */
		if (fd < 0)
			err = fd;
		else if (header.created_ns <= time_ns)
			n = i;
	}
	if (err == 0)
		err = enter_segment(c, bases[n]);
	if (err == 0) {
		c->position = segment_seek(c->dir, bases[n], time_ns);
		c->skip_until_ns = time_ns;
	}
	free(bases);
	return err;
}

static int cursor_new(const char *dir, struct journal_cursor **out)
{
	struct journal_cursor *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	c->fd = -1;
	c->dir = file_open(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY);
	if (c->dir < 0) {
		int err = c->dir;

		free(c);
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
	free(c);
}

/* Have at least @want bytes from the position on in memory, if there are. */
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

/* 1 with a record, 0 without; -EBADMSG if there is something else. */
static int cursor_decode(struct journal_cursor *c, struct journal_record *out,
			 size_t *size)
{
	enum journal_verdict verdict = JOURNAL_SHORT;
	size_t want = JOURNAL_RECORD_HEADER;
	int err;

	/* Once for the header, once for the whole of it. */
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
	/* What is not whole may have grown when we are asked again. */
	c->len = c->at;
	return verdict == JOURNAL_BAD ? -EBADMSG : 0;
}

static bool segment_exists(struct journal_cursor *c, uint64_t base)
{
	struct journal_header header;
	int fd = segment_open(c->dir, base, O_RDONLY, &header);

	file_close(fd);
	return fd >= 0;
}

/* What is in the folder: 1 if a segment comes behind ours. */
static int later_segment(struct journal_cursor *c)
{
	uint64_t *bases = NULL;
	size_t count;
	int err = segment_list(c->dir, &bases, &count);
	int later = 0;

	if (err < 0)
		return err;
	if (count > 0 && bases[0] > c->position)
		later = -ESTALE; /* dropped under us */
	else if (count > 0 && bases[count - 1] > c->base)
		later = 1;
	free(bases);
	return later;
}

/*
 * Nothing readable here. Either the segment ends and the next begins: 1. Or
 * it is the newest and this is its end for now: 0. Or it is damaged.
 */
static int at_end(struct journal_cursor *c)
{
	struct journal_record record;
	size_t size;
	int later;

	if (segment_exists(c, c->position)) {
		int err = enter_segment(c, c->position);

		if (err == 0)
			c->position += JOURNAL_HEADER;
		return err < 0 ? err : 1;
	}
	later = later_segment(c);
	if (later <= 0)
		return later;
	/* It may have grown and ended while we looked: then look again. */
	if (segment_exists(c, c->position) ||
	    cursor_decode(c, &record, &size) == 1)
		return 1;
	segment_name(c->base, c->fault.name);
	c->fault.offset = c->position - c->base;
	return -EBADMSG;
}

int journal_cursor_next(struct journal_cursor *c, struct journal_record *out)
{
	struct journal_record record;
	size_t size;
	int got;

	for (;;) {
		got = cursor_decode(c, &record, &size);
		if (got < 0 && got != -EBADMSG)
			return got;
		if (got != 1) {
			got = at_end(c);
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
