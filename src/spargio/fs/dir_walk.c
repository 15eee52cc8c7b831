/*
 * A walk keeps the directories from the root down to where it is, each with
 * its descriptor, so that names are looked up one part at a time: what others
 * rename or replace by a link meanwhile does not lead it astray.
 */
#include "spargio/fs/dir.h"

#include <spargio/file.h>
#include <spargio/path.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct level {
	struct level *up;
	struct sp_dir *d;
	size_t path_len; /* of the walk's path up to here */
};

struct walk {
	struct level *level; /* the innermost */
	uint32_t depth;	     /* of what is in it */
	char path[PATH_MAX];
	int (*visit)(const struct sp_walk_entry *entry, void *arg);
	void *arg;
};

static int push_dir(struct walk *w, int dir, const char *name, int flags,
		    size_t path_len)
{
	struct level *level = malloc(sizeof(*level));
	int err;

	if (level == NULL)
		return -ENOMEM;
	*level = (struct level){ .up = w->level, .path_len = path_len };
	err = sp__dir_open(dir, name, flags, &level->d);
	if (err < 0) {
		free(level);
		return err;
	}
	w->level = level;
	w->depth++;
	return 0;
}

static void pop_dir(struct walk *w)
{
	struct level *level = w->level;

	w->level = level->up;
	w->depth--;
	sp_dir_close(level->d);
	free(level);
}

/* Not every file system tells what it is in passing. */
static int type_of(int dir, const struct sp_dirent *e, uint8_t *type)
{
	struct statx st;
	int err;

	*type = e->type;
	if (e->type != DT_UNKNOWN)
		return 0;
	err = sp_statx(dir, e->name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st);
	if (err == 0)
		*type = (uint8_t)IFTODT(st.stx_mode);
	return err;
}

/* Put @name at the end of the path; how long it is then. */
static int append_name(struct walk *w, const char *name)
{
	size_t at = w->level->path_len, len = strlen(name);

	if (at + len + 2 > sizeof(w->path))
		return -ENAMETOOLONG;
	if (at > 0)
		w->path[at++] = '/';
	memcpy(w->path + at, name, len + 1);
	return (int)(at + len);
}

static int report_entry(struct walk *w, enum sp_walk_event event, uint8_t type)
{
	size_t at = w->level->path_len;
	struct sp_walk_entry entry = {
		.event = event,
		.path = w->path,
		.name = w->path + (at > 0 ? at + 1 : 0),
		.dir = sp_dir_fd(w->level->d),
		.type = type,
		.depth = w->depth,
	};

	return w->visit(&entry, w->arg);
}

/* 0, or what ends the walk. */
static int visit_entry(struct walk *w, const struct sp_dirent *e)
{
	int dir = sp_dir_fd(w->level->d);
	uint8_t type;
	int err = type_of(dir, e, &type);
	int len;

	if (err < 0)
		return err == -ENOENT ? 0 : err;
	len = append_name(w, e->name);
	if (len < 0)
		return len;
	err = report_entry(w, type == DT_DIR ? SP_WALK_ENTER : SP_WALK_FILE,
			   type);
	if (err < 0 || err == SP_WALK_SKIP || type != DT_DIR)
		return err < 0 ? err : 0;
	err = push_dir(w, dir, e->name, O_NOFOLLOW, (size_t)len);
	/* Gone, or something else by now. */
	return err == -ENOENT || err == -ENOTDIR || err == -ELOOP ? 0 : err;
}

/* The innermost directory is over; the root is not told of. */
static int leave_dir(struct walk *w)
{
	size_t len = w->level->path_len;

	pop_dir(w);
	w->path[len] = '\0';
	return w->level == NULL ? 0 : report_entry(w, SP_WALK_LEAVE, DT_DIR);
}

int sp_walk(int dir, const char *path,
	    int (*visit)(const struct sp_walk_entry *entry, void *arg),
	    void *arg)
{
	struct walk *w = calloc(1, sizeof(*w));
	struct sp_dirent entry;
	int err;

	if (w == NULL)
		return -ENOMEM;
	w->visit = visit;
	w->arg = arg;
	err = push_dir(w, dir, path, 0, 0);
	while (err >= 0 && w->level != NULL) {
		err = sp_dir_next(w->level->d, &entry);
		if (err == 1)
			err = visit_entry(w, &entry);
		else if (err == 0)
			err = leave_dir(w);
	}
	while (w->level != NULL)
		pop_dir(w);
	free(w);
	return err < 0 ? err : 0;
}
