/*
 * spargio/dir.h - what is in a directory, and below it
 *
 *	err = sp_dir_open(AT_FDCWD, "captures", &d);
 *	while ((err = sp_dir_next(d, &entry)) > 0)
 *		puts(entry.name);
 *	sp_dir_close(d);
 *
 * Threads	One fiber at a time uses an sp_dir.
 * Blocking	Everything here yields.
 * Errors	A negative errno. What comes or goes while a directory is read
 *		may be seen or not, as with readdir(3).
 */
#ifndef SPARGIO_DIR_H
#define SPARGIO_DIR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_dir;

struct sp_dirent {
	const char *name; /* until the next call for this directory */
	uint64_t inode;
	uint8_t type; /* DT_REG, DT_DIR, ... of <dirent.h>, or DT_UNKNOWN */
};

/* @path below the directory @dir, or AT_FDCWD. -ENOTDIR, -ENOENT, ... */
int sp_dir_open(int dir, const char *path, struct sp_dir **out);

/* 1 and the next entry, "." and ".." left out; 0 at the end. */
int sp_dir_next(struct sp_dir *d, struct sp_dirent *out);

/* Its descriptor, for openat(2) and the like; not yours to close. */
int sp_dir_fd(const struct sp_dir *d);

/* Also in a fiber that was cancelled. NULL is fine. */
void sp_dir_close(struct sp_dir *d);

/* A tree */

enum sp_walk_event {
	SP_WALK_FILE,  /* anything but a directory; links are not followed */
	SP_WALK_ENTER, /* a directory, before what is in it */
	SP_WALK_LEAVE, /* the same one, after */
};

/* For a visitor to return: do not go into this one; it is not left, either. */
#define SP_WALK_SKIP 1

struct sp_walk_entry {
	enum sp_walk_event event;
	const char *path; /* below the root of the walk */
	const char *name; /* the last part of it */
	int dir;	  /* the directory it is in: sp_unlinkat(dir, name) */
	uint8_t type;	  /* DT_..., never DT_UNKNOWN */
	uint32_t depth;	  /* 1 for what is in the root */
};

/*
 * Call @visit for everything below @path, each directory with all that is in
 * it before the next. It returns 0 to go on, SP_WALK_SKIP, or a negative errno,
 * which ends the walk and is what it returns. It may yield, and unlink what it
 * is shown. What is gone, or no directory any more, when it is to be entered is
 * left out.
 *
 * Holds a descriptor for each level: -EMFILE for want of them. -ENAMETOOLONG
 * when a path would pass PATH_MAX.
 */
int sp_walk(int dir, const char *path,
	    int (*visit)(const struct sp_walk_entry *entry, void *arg),
	    void *arg);

#ifdef __cplusplus
}
#endif

#endif
