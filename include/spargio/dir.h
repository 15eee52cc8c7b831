/*
 * spargio/dir.h - list a directory, walk a tree
 *
 *	err = sp_dir_open(AT_FDCWD, "captures", &d);
 *	while ((err = sp_dir_next(d, &entry)) > 0)
 *		puts(entry.name);
 *	sp_dir_close(d);
 *
 * Threads	One fiber at a time uses an sp_dir.
 * Blocking	All functions yield.
 * Errors	A negative errno. Entries added or removed while a directory is
 *		read may be returned or not, as with readdir(3).
 */
#ifndef SPARGIO_DIR_H
#define SPARGIO_DIR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_dir;

struct sp_dirent {
	const char *name; /* valid until the next call for this directory */
	uint64_t inode;
	uint8_t type; /* DT_REG, DT_DIR, ... of <dirent.h>, or DT_UNKNOWN */
};

/*
 * Open @path, relative to the directory @dir or AT_FDCWD. -ENOTDIR, -ENOENT and
 * the other errors of openat(2).
 */
int sp_dir_open(int dir, const char *path, struct sp_dir **out);

/* Return 1 and the next entry, or 0 at the end. Skips "." and "..". */
int sp_dir_next(struct sp_dir *d, struct sp_dirent *out);

/*
 * The descriptor of @d, for openat(2) and so on. Only sp_dir_close() closes
 * it.
 */
int sp_dir_fd(const struct sp_dir *d);

/* Close and free @d; also works in a cancelled fiber. NULL is fine. */
void sp_dir_close(struct sp_dir *d);

/* Walking a tree */

enum sp_walk_event {
	SP_WALK_FILE,  /* anything but a directory; links are not followed */
	SP_WALK_ENTER, /* a directory, before its entries */
	SP_WALK_LEAVE, /* the same directory, after its entries */
};

/*
 * Return value of a visitor for SP_WALK_ENTER: skip the entries of this
 * directory, and its SP_WALK_LEAVE.
 */
#define SP_WALK_SKIP 1

struct sp_walk_entry {
	enum sp_walk_event event;
	const char *path; /* relative to the root of the walk */
	const char *name; /* the last component of @path */
	int dir;	  /* the parent directory, for sp_unlinkat(dir, name) */
	uint8_t type;	  /* DT_..., never DT_UNKNOWN */
	uint32_t depth;	  /* 1 for an entry of the root */
};

/*
 * Call @visit for everything below @path, depth first. @visit returns 0 to
 * continue, SP_WALK_SKIP, or a negative errno, which ends the walk and becomes
 * its result. @visit may yield, and may unlink the entry it is called for. A
 * directory that was removed or replaced before the walk enters it is skipped.
 *
 * The walk holds one open descriptor for each level; it returns -EMFILE if the
 * process may not open that many, and -ENAMETOOLONG if a path exceeds
 * PATH_MAX.
 */
int sp_walk(int dir, const char *path,
	    int (*visit)(const struct sp_walk_entry *entry, void *arg),
	    void *arg);

#ifdef __cplusplus
}
#endif

#endif
