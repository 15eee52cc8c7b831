/*
 * egress/journal/segment.h - one file of a journal
 *
 * For the journal and its cursors only. All functions yield except those for
 * names.
 */
#ifndef EGRESS_JOURNAL_SEGMENT_H
#define EGRESS_JOURNAL_SEGMENT_H

#include "egress/journal/record.h"

/* Maximum bytes of a segment; a journal may be configured to use less. */
#define JOURNAL_SEGMENT_BYTES_MAX (512u << 20)

/* Maximum bytes of a file name in a journal's folder, with its NUL. */
#define JOURNAL_NAME_MAX 32

/* An index entry, for seeking. Stored on disk in this form. */
struct journal_index {
	uint64_t time_ns;
	uint64_t position;
};

/* The number of journal bytes between two index entries. */
#define JOURNAL_INDEX_STEP (1u << 20)

/*
 * The file name of the segment at @base: "00000000000000000064.seg". Its index
 * is "00000000000000000064.idx"; a damaged segment that was set aside is
 * "00000000000000000064.damaged".
 */
void segment_name(uint64_t base, char out[JOURNAL_NAME_MAX]);
void segment_gap_name(uint64_t base, char out[JOURNAL_NAME_MAX]);
void segment_damaged_name(uint64_t base, char out[JOURNAL_NAME_MAX]);
void segment_index_name(uint64_t base, char out[JOURNAL_NAME_MAX]);

/* Get the base from @name; false if it is not the name of a segment. */
bool segment_parse_name(const char *name, uint64_t *out);

/*
 * Create the segment at @base of journal @identity; the segment before it ends
 * at @previous. The file gets its name only when its header is safe on disk, so
 * readers find no segment without a header. Returns the descriptor. After an
 * error no file is left.
 */
int segment_create(int dir, uint64_t base, uint64_t identity,
		   uint64_t previous);

/*
 * Open the segment at @base for reading, or for writing with @flags O_RDWR.
 * Returns the descriptor. -ENODATA if it is shorter than a header, -EBADMSG if
 * its header is damaged, -EPROTONOSUPPORT if a later version wrote it.
 */
int segment_open(int dir, uint64_t base, int flags,
		 struct journal_header *header);

/* Read the whole segment and scan its records. */
int segment_scan(int fd, uint64_t base, struct journal_scan *out);

/* Remove the segment, its index and its gap file; errors are ignored. */
void segment_drop(int dir, uint64_t base);

/*
 * An empty file NAME.gap says that the gap before the segment was reported. If
 * it cannot be created, the gap is reported again at the next start.
 */
bool segment_gap_is_known(int dir, uint64_t base);
void segment_gap_note(int dir, uint64_t base);

/*
 * Rename a damaged segment, so that it is not read as part of the journal but
 * its bytes can be examined. Its index is removed.
 */
int segment_set_aside(int dir, uint64_t base);

/* Write the index of a complete segment. */
int segment_write_index(int dir, uint64_t base,
			const struct journal_index *entries, size_t count);

/*
 * The position in the segment at @base from which to search for @time_ns; that
 * of the first record if there is no usable index.
 */
uint64_t segment_seek(int dir, uint64_t base, uint64_t time_ns);

/*
 * The position of a record in the segment at @base that is at or before
 * @position; that of the first record if there is no usable index.
 */
uint64_t segment_seek_position(int dir, uint64_t base, uint64_t position);

/*
 * List the bases of all segments in a folder, in ascending order. The caller
 * frees *@out.
 */
int segment_list(int dir, uint64_t **out, size_t *count);

#endif
