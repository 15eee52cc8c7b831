#include "cli/snapshot.h"

#include "cli/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void complain(const char *path, const char *what)
{
	fprintf(stderr, "arancini snapshot: %s: %s\n", path, what);
}

static bool is_snapshot(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SNAPSHOT_SUFFIX);

	return len > suffix &&
	       strcmp(name + len - suffix, SNAPSHOT_SUFFIX) == 0;
}

static void add(struct snapshot_paths *p, const char *folder, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s%s%s", folder, folder[0] != '\0' ? "/" : "",
		     name) < 0)
		path = NULL;
	p->at = memory_must(realloc(p->at, (p->count + 1) * sizeof(*p->at)));
	p->at[p->count++] = memory_must(path);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list(struct snapshot_paths *p)
{
	DIR *dir = opendir(p->folder);
	struct dirent *e;

	if (dir == NULL) {
		complain(p->folder, strerror(errno));
		return false;
	}
	while ((e = readdir(dir)) != NULL)
		if (is_snapshot(e->d_name))
			add(p, p->folder, e->d_name);
	closedir(dir);
	if (p->count > 0)
		qsort(p->at, p->count, sizeof(*p->at), compare);
	return true;
}

/* A small file, whole. NULL: it is not there, or cannot be read. */
static void *read_small(const char *path, size_t *len)
{
	FILE *in = fopen(path, "rbe");
	char *bytes = NULL;
	size_t cap = 0;

	*len = 0;
	if (in == NULL)
		return NULL;
	do {
		cap = cap == 0 ? 4096 : 2 * cap;
		bytes = memory_must(realloc(bytes, cap));
		*len += fread(bytes + *len, 1, cap - *len, in);
	} while (*len == cap && cap < MANIFEST_MAX);
	fclose(in);
	return bytes;
}

static void read_manifest(struct snapshot_paths *p)
{
	char path[PATH_MAX + sizeof(MANIFEST_NAME) + 1];
	size_t len;
	void *text;

	snprintf(path, sizeof(path), "%s/" MANIFEST_NAME, p->folder);
	text = read_small(path, &len);
	p->has_manifest = text != NULL;
	if (text == NULL)
		return;
	p->manifest_status = manifest_parse((struct wire_view){ text, len },
					    NULL, &p->manifest);
	free(text);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool snapshot_paths_find(const char *path, struct snapshot_paths *out)
{
	struct stat st;

	*out = (struct snapshot_paths){ .at = NULL };
	if (stat(path, &st) < 0) {
		complain(path, strerror(errno));
		return false;
	}
	if (!S_ISDIR(st.st_mode)) {
		add(out, "", path);
		return true;
	}
	if (snprintf(out->folder, sizeof(out->folder), "%s/snapshots", path) >=
	    (int)sizeof(out->folder)) {
		complain(path, strerror(ENAMETOOLONG));
		return false;
	}
	if (!is_folder(out->folder))
		snprintf(out->folder, sizeof(out->folder), "%s", path);
	read_manifest(out);
	if (!list(out)) {
		snapshot_paths_release(out);
		return false;
	}
	/* A collector writes a manifest when it starts, routers or not. */
	if (!out->has_manifest && out->count == 0) {
		complain(path, "there are no snapshots; it is the --state "
			       "folder of a collector that is wanted");
		return false;
	}
	return true;
}

void snapshot_paths_release(struct snapshot_paths *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->at[i]);
	free(p->at);
	manifest_release(&p->manifest);
}
