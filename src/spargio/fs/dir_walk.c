/*
 * A walk keeps a descriptor for each directory from the root down to the
 * current one and looks names up one component at a time. So a concurrent
 * rename, or a directory replaced by a link, cannot lead the walk out of its
 * tree.
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
	size_t path_len; /* length of the walk's path up to this level */
};

struct walk {
	struct level *level; /* the innermost level */
	uint32_t depth;	     /* depth of the entries of the innermost level */
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

/* Find the type of an entry; some file systems return DT_UNKNOWN for it. */
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

/* Append @name to the path; returns the new length. */
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

/*
 * Call the visitor for an entry and, if the entry is a directory, enter it.
 * Returns 0 or the error that ends the walk.
 */
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
	/* The directory was removed or replaced: skip it. */
	return err == -ENOENT || err == -ENOTDIR || err == -ELOOP ? 0 : err;
}

/*
 * Leave the innermost directory and call the visitor, except for the root of
 * the walk. Returns 0 or the error that ends the walk.
 */
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
