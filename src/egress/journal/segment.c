#include "egress/journal/segment.h"

#include "egress/journal/file_ops.h"

#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define DIGITS 20

/*
 * Name of a segment whose header is not on disk yet. If a crash leaves such a
 * file, the next one overwrites it.
 */
#define UNBORN "next.tmp"

void segment_name(uint64_t base, char out[JOURNAL_NAME_MAX])
{
	snprintf(out, JOURNAL_NAME_MAX, "%020" PRIu64 ".seg", base);
}

void segment_index_name(uint64_t base, char out[JOURNAL_NAME_MAX])
{
	snprintf(out, JOURNAL_NAME_MAX, "%020" PRIu64 ".idx", base);
}

void segment_gap_name(uint64_t base, char out[JOURNAL_NAME_MAX])
{
	snprintf(out, JOURNAL_NAME_MAX, "%020" PRIu64 ".gap", base);
}

void segment_damaged_name(uint64_t base, char out[JOURNAL_NAME_MAX])
{
	snprintf(out, JOURNAL_NAME_MAX, "%020" PRIu64 ".damaged", base);
}

bool segment_parse_name(const char *name, uint64_t *out)
{
	uint64_t base = 0;

	for (size_t i = 0; i < DIGITS; i++) {
		if (name[i] < '0' || name[i] > '9')
			return false;
		base = base * 10 + (uint64_t)(name[i] - '0');
	}
	/* Accept only numbers that fit; 20 digits can be more. */
	if (strcmp(name + DIGITS, ".seg") != 0 || name[0] != '0' ||
	    base > INT64_MAX)
		return false;
	*out = base;
	return true;
}

int segment_create(int dir, uint64_t base, uint64_t identity, uint64_t previous)
{
	struct journal_header header = {
		.base = base,
		.created_ns = (uint64_t)sp_wall_now(),
		.journal = identity,
		.previous = previous,
	};
	uint8_t bytes[JOURNAL_HEADER];
	struct iovec iov = { bytes, sizeof(bytes) };
	char name[JOURNAL_NAME_MAX];
	const char *left = UNBORN;
	int fd;
	int err;

	segment_name(base, name);
	journal_header_encode(&header, bytes);
	fd = file_open(dir, UNBORN, O_CREAT | O_TRUNC | O_RDWR);
	if (fd == -ENXIO) {
		/* -ENXIO: not a regular file, so no journal made it. */
		err = file_unlink(dir, UNBORN);
		fd = err < 0 ? err
			     : file_open(dir, UNBORN,
					 O_CREAT | O_TRUNC | O_RDWR);
	}
	if (fd < 0)
		return fd;
	err = file_write(fd, &iov, 1, 0);
	if (err < 0)
		goto fail;
	err = file_sync(fd);
	if (err < 0)
		goto fail;
	err = file_rename(dir, UNBORN, name);
	if (err < 0)
		goto fail;
	left = name;
	err = file_sync(dir);
	if (err < 0)
		goto fail;
	return fd;

fail:
	file_close(fd);
	/* Errors are ignored: a file that stays does no harm. */
	(void)file_unlink(dir, left);
	return err;
}

static int header_error(enum journal_verdict verdict)
{
	switch (verdict) {
	case JOURNAL_SHORT:
		return -ENODATA;
	case JOURNAL_NEWER:
		return -EPROTONOSUPPORT;
	default:
		return -EBADMSG;
	}
}

int segment_open(int dir, uint64_t base, int flags,
		 struct journal_header *header)
{
	uint8_t bytes[JOURNAL_HEADER];
	struct journal_header got;
	enum journal_verdict verdict;
	char name[JOURNAL_NAME_MAX];
	int64_t n;
	int fd;

	segment_name(base, name);
	fd = file_open(dir, name, flags);
	if (fd < 0)
		return fd == -ENXIO ? -EBADMSG : fd;
	n = file_read(fd, bytes, sizeof(bytes), 0);
	if (n < 0) {
		file_close(fd);
		return (int)n;
	}
	verdict = journal_header_decode(bytes, (size_t)n, &got);
	if (verdict == JOURNAL_OK && got.base != base)
		verdict = JOURNAL_BAD;
	if (verdict != JOURNAL_OK) {
		file_close(fd);
		return header_error(verdict);
	}
	*header = got;
	return fd;
}

int segment_scan(int fd, uint64_t base, struct journal_scan *out)
{
	int64_t size = file_size(fd);
	uint8_t *bytes;
	int64_t n;

	if (size < 0)
		return (int)size;
	/*
	 * We write no longer segments, so bytes beyond this limit are not read.
	 */
	if (size > (int64_t)JOURNAL_SEGMENT_BYTES_MAX)
		size = JOURNAL_SEGMENT_BYTES_MAX;
	bytes = malloc((size_t)size + 1);
	if (bytes == NULL)
		return -ENOMEM;
	n = file_read(fd, bytes, (size_t)size, 0);
	if (n >= 0) {
		journal_scan(bytes, (size_t)n, base, out);
		/* These pointers refer to memory that is freed below. */
		out->last.subject = NULL;
		out->last.payload = NULL;
	}
	free(bytes);
	return n < 0 ? (int)n : 0;
}

void segment_drop(int dir, uint64_t base)
{
	char name[JOURNAL_NAME_MAX];

	segment_gap_name(base, name);
	(void)file_unlink(dir, name);
	segment_index_name(base, name);
	(void)file_unlink(dir, name);
	segment_name(base, name);
	(void)file_unlink(dir, name);
}

bool segment_gap_is_known(int dir, uint64_t base)
{
	char name[JOURNAL_NAME_MAX];
	int fd;

	segment_gap_name(base, name);
	fd = file_open(dir, name, O_RDONLY);
	file_close(fd);
	return fd >= 0;
}

void segment_gap_note(int dir, uint64_t base)
{
	char name[JOURNAL_NAME_MAX];

	segment_gap_name(base, name);
	file_close(file_open(dir, name, O_CREAT | O_WRONLY));
}

static bool file_is_regular(int dir, const char *name)
{
	int fd = file_open(dir, name, O_RDONLY);

	file_close(fd);
	return fd != -ENXIO;
}

int segment_set_aside(int dir, uint64_t base)
{
	char name[JOURNAL_NAME_MAX];
	char damaged[JOURNAL_NAME_MAX];
	int err;

	segment_name(base, name);
	segment_damaged_name(base, damaged);
	err = file_rename(dir, name, damaged);
	/*
	 * The sandbox permits to rename regular files only. Other files hold no
	 * records: remove them. A folder cannot be removed so: -EISDIR, and it
	 * stays.
	 */
	if (err == -EACCES && !file_is_regular(dir, name))
		err = file_unlink(dir, name);
	if (err < 0)
		return err;
	segment_index_name(base, name);
	(void)file_unlink(dir, name);
	return file_sync(dir);
}

/* An index file has a checksum and the entries. It is optional. */

int segment_write_index(int dir, uint64_t base,
			const struct journal_index *entries, size_t count)
{
	uint64_t checksum = XXH3_64bits(entries, count * sizeof(*entries));
	struct iovec iov[] = {
		{ &checksum, sizeof(checksum) },
		{ (void *)entries, count * sizeof(*entries) },
	};
	char name[JOURNAL_NAME_MAX];
	int err;
	int fd;

	segment_index_name(base, name);
	fd = file_open(dir, name, O_CREAT | O_TRUNC | O_WRONLY);
	if (fd < 0)
		return fd;
	err = file_write(fd, iov, count == 0 ? 1 : 2, 0);
	file_close(fd);
	return err;
}

/*
 * Read the entries of an index file; the caller frees them. NULL if the file is
 * missing or damaged, or if out of memory.
 */
static struct journal_index *read_index(int dir, uint64_t base, size_t *count)
{
	struct journal_index *entries = NULL;
	char name[JOURNAL_NAME_MAX];
	uint64_t checksum;
	size_t bytes;
	int64_t size;
	int fd;

	segment_index_name(base, name);
	fd = file_open(dir, name, O_RDONLY);
	if (fd < 0)
		return NULL;
	size = file_size(fd);
	if (size < (int64_t)sizeof(checksum) ||
	    size > (int64_t)JOURNAL_SEGMENT_BYTES_MAX)
		goto fail;
	bytes = (size_t)size - sizeof(checksum);
	bytes -= bytes % sizeof(*entries);
	entries = malloc(bytes + 1);
	if (entries == NULL ||
	    file_read(fd, &checksum, sizeof(checksum), 0) !=
		    (int64_t)sizeof(checksum) ||
	    file_read(fd, entries, bytes, sizeof(checksum)) != (int64_t)bytes ||
	    checksum != XXH3_64bits(entries, bytes))
		goto fail;
	*count = bytes / sizeof(*entries);
	file_close(fd);
	return entries;

fail:
	free(entries);
	file_close(fd);
	return NULL;
}

uint64_t segment_seek(int dir, uint64_t base, uint64_t time_ns)
{
	size_t count = 0;
	struct journal_index *entries = read_index(dir, base, &count);
	uint64_t position = base + JOURNAL_HEADER;

	for (size_t i = 0; i < count && entries[i].time_ns < time_ns; i++)
		position = entries[i].position;
	free(entries);
	return position;
}

uint64_t segment_seek_position(int dir, uint64_t base, uint64_t position)
{
	size_t count = 0;
	struct journal_index *entries = read_index(dir, base, &count);
	uint64_t found = base + JOURNAL_HEADER;

	for (size_t i = 0; i < count && entries[i].position <= position; i++)
		found = entries[i].position;
	free(entries);
	return found;
}

struct list {
	uint64_t *bases;
	size_t count;
	size_t size;
};

static int add_base(const char *name, void *arg)
{
	struct list *list = arg;
	uint64_t base;

	if (!segment_parse_name(name, &base))
		return 0;
	if (list->count == list->size) {
		size_t size = list->size == 0 ? 64 : 2 * list->size;
		uint64_t *bases =
			reallocarray(list->bases, size, sizeof(*bases));

		if (bases == NULL)
			return -ENOMEM;
		list->bases = bases;
		list->size = size;
	}
	list->bases[list->count++] = base;
	return 0;
}

static int base_compare(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

int segment_list(int dir, uint64_t **out, size_t *count)
{
	struct list list = { 0 };
	int err = file_list(dir, add_base, &list);

	if (err < 0) {
		free(list.bases);
		return err;
	}
	if (list.count > 0)
		qsort(list.bases, list.count, sizeof(*list.bases),
		      base_compare);
	*out = list.bases;
	*count = list.count;
	return 0;
}
