/*
 * Open a journal and repair the effects of a crash, a disk error or a person
 * who changed files.
 *
 * In any case the process begins a new segment. Its base is beyond any end that
 * the newest segment can have had. So a position that was lost with a torn tail
 * or a segment is never used again, and a reader that has such a position gets
 * an error (cursor.c).
 */
#include "egress/journal/journal.h"

#include "egress/journal/file_ops.h"
#include "egress/journal/journal_internal.h"
#include "egress/journal/segment.h"

#include <spargio/runtime.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static void fault_set(struct journal_fault *fault, uint64_t base,
		      uint64_t offset)
{
	segment_name(base, fault->name);
	fault->offset = offset;
}

/* Set aside a segment that cannot be used, and count it. */
static int segment_reject(struct journal *j, uint64_t base, uint64_t offset)
{
	int err = segment_set_aside(j->dir, base);

	/*
	 * -EISDIR: a folder has the name; the sandbox forbids to rename it, so
	 * it stays.
	 */
	if (err < 0 && err != -EISDIR)
		return err;
	j->recovery.damaged++;
	fault_set(&j->recovery.damaged_at, base, offset);
	return 0;
}

static int tail_cut(struct journal *j, uint64_t base, uint64_t end)
{
	int64_t size = file_size(j->fd);
	int err;

	if (size < 0)
		return (int)size;
	if ((uint64_t)size > end) {
		err = file_truncate(j->fd, end);
		if (err < 0)
			return err;
		j->recovery.cut += (uint64_t)size - end;
		fault_set(&j->recovery.cut_at, base, end);
	}
	return file_sync(j->fd);
}

/*
 * Check the newest segment, open at j->fd, and cut off a torn tail. Returns 1
 * if the segment stays in the journal.
 */
static int newest_check(struct journal *j, uint64_t base)
{
	struct journal_scan scan;
	int err = segment_scan(j->fd, base, &scan);

	if (err < 0)
		return err;
	if (scan.damaged)
		return segment_reject(j, base, scan.end);
	err = tail_cut(j, base, scan.end);
	if (err < 0)
		return err;
	if (scan.records == 0) {
		/*
		 * The segment has no records, and this process begins its own.
		 */
		segment_drop(j->dir, base);
		return 0;
	}
	j->end = base + scan.end;
	j->last = scan.last;
	j->has_last = true;
	return 1;
}

/*
 * The newest segment has no complete header. Segments are created with one, so
 * the file was truncated; nothing in it can be read.
 */
static int newest_drop(struct journal *j, uint64_t base)
{
	fault_set(&j->recovery.cut_at, base, 0);
	segment_drop(j->dir, base);
	return 0;
}

/*
 * Record that the segment at @base does not begin where the previous segment
 * ends. This is done once per gap. The gap is not counted if segments in
 * between were set aside at this start (@rejected), because these are reported.
 */
static void gap_report(struct journal *j, uint64_t base, bool rejected)
{
	if (segment_gap_is_known(j->dir, base))
		return;
	segment_gap_note(j->dir, base);
	if (rejected)
		return;
	j->recovery.gaps++;
	fault_set(&j->recovery.gap_at, base, 0);
}

/*
 * Check the segment at @base. Returns 1 if it is part of the journal, 0 if not,
 * or an error. *@previous is the end of the segment before it, as its header
 * says.
 */
static int segment_check(struct journal *j, uint64_t base, bool newest,
			 struct journal_fault *fault, uint64_t *previous)
{
	struct journal_header header;
	int64_t size;
	int fd =
		segment_open(j->dir, base, newest ? O_RDWR : O_RDONLY, &header);

	if (fd == -EPROTONOSUPPORT)
		fault_set(fault, base, 0);
	if (fd == -ENODATA && newest)
		return newest_drop(j, base);
	if (fd == -ENODATA || fd == -EBADMSG)
		return segment_reject(j, base, 0);
	if (fd < 0)
		return fd;
	j->identity = header.journal;
	*previous = header.previous;
	if (newest) {
		int kept;

		j->fd = fd;
		kept = newest_check(j, base);
		file_close(fd);
		j->fd = -1;
		return kept;
	}
	size = file_size(fd);
	file_close(fd);
	if (size < 0)
		return (int)size;
	j->end = base + (uint64_t)size;
	return 1;
}

static int segments_check(struct journal *j, const uint64_t *bases,
			  size_t count, struct journal_fault *fault)
{
	uint64_t rejected = 0; /* segments up to the last one that was kept */

	j->spans = calloc(count + 1, sizeof(*j->spans));
	if (j->spans == NULL)
		return -ENOMEM;
	j->size = count + 1;
	for (size_t i = 0; i < count; i++) {
		uint64_t before = j->end;
		uint64_t previous = 0;
		int kept = segment_check(j, bases[i], i + 1 == count, fault,
					 &previous);

		if (kept < 0)
			return kept;
		if (kept == 0)
			continue;
		if (j->count > 0 && previous > before)
			gap_report(j, bases[i], j->recovery.damaged > rejected);
		rejected = j->recovery.damaged;
		j->spans[j->count++] =
			(struct journal_span){ bases[i], j->end };
	}
	if (count > 0)
		j->next_base = bases[count - 1] + JOURNAL_SEGMENT_BYTES_MAX;
	if (j->count == 0)
		j->end = j->next_base;
	j->synced = j->end;
	journal_forget_oldest(j, 0);
	return 0;
}

/*
 * Find the last record. If the newest segment is empty, it is in an older one.
 * Damage in older segments is not handled here: their readers report it.
 */
static int last_find(struct journal *j)
{
	for (size_t i = j->count; i-- > 0 && !j->has_last;) {
		struct journal_header header;
		struct journal_scan scan;
		uint64_t base = j->spans[i].base;
		int fd = segment_open(j->dir, base, O_RDONLY, &header);
		int err = fd < 0 ? fd : segment_scan(fd, base, &scan);

		file_close(fd);
		if (err < 0)
			return err;
		j->has_last = scan.records > 0;
		j->last = scan.last;
	}
	return 0;
}

static int segments_open(struct journal *j, struct journal_fault *fault)
{
	uint64_t *bases = NULL;
	size_t count = 0;
	int err = segment_list(j->dir, &bases, &count);

	if (err == 0)
		err = segments_check(j, bases, count, fault);
	free(bases);
	if (err == 0)
		err = last_find(j);
	if (err < 0)
		return err;
	if (j->identity == 0)
		(void)sp_random(&j->identity, sizeof(j->identity));
	err = journal_begin_segment(j);
	/*
	 * If the disk is full, open succeeds, because the spool that filled it
	 * must be readable.
	 */
	return err == -ENOSPC || err == -EDQUOT ? 0 : err;
}

int journal_open(const struct journal_options *options,
		 struct journal_fault *fault, struct journal **out)
{
	struct journal *j = calloc(1, sizeof(*j));
	int err;

	if (j == NULL)
		return -ENOMEM;
	j->options = *options;
	j->options.dir = NULL; /* the string belongs to the caller */
	if (j->options.segment_bytes == 0)
		j->options.segment_bytes = JOURNAL_SEGMENT_BYTES;
	if (j->options.segment_bytes > JOURNAL_SEGMENT_BYTES_MAX)
		j->options.segment_bytes = JOURNAL_SEGMENT_BYTES_MAX;
	j->fd = -1;
	j->dir = -1;
	j->path = strdup(options->dir);
	if (j->path == NULL) {
		err = -ENOMEM;
		goto fail;
	}
	j->dir = file_open_dir(options->dir);
	if (j->dir < 0) {
		err = j->dir;
		goto fail;
	}
	/* Two writers would overwrite each other's records. */
	err = file_lock(j->dir);
	if (err == 0)
		err = segments_open(j, fault);
	if (err < 0)
		goto fail;
	*out = j;
	return 0;

fail:
	journal_close(j);
	return err;
}
