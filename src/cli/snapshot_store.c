#include "cli/snapshot.h"

#include "cli/xalloc.h"

#include "collector/checkpoint/state_store.h"
#include "collector/config/text_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool report_path(const char *path, const char *what)
{
	fprintf(stderr, "arancini snapshot: %s: %s\n", path, what);
	return false;
}

const char *snapshot_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static bool is_snapshot(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SNAPSHOT_SUFFIX);

	return len > suffix &&
	       strcmp(name + len - suffix, SNAPSHOT_SUFFIX) == 0;
}

static void add_path(struct snapshot_paths *p, char *path)
{
	p->at = memory_must(realloc(p->at, (p->count + 1) * sizeof(*p->at)));
	p->at[p->count++] = memory_must(path);
}

static int add_snapshot(void *arg, const char *name)
{
	struct snapshot_paths *p = arg;
	char *path = NULL;

	if (!is_snapshot(name))
		return 0;
	if (asprintf(&path, "%s/%s", state_store_where(p->store), name) < 0)
		path = NULL;
	add_path(p, path);
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_snapshots(struct snapshot_paths *p)
{
	int err = state_store_list(p->store, add_snapshot, p); /* yields */

	if (p->count > 0)
		qsort(p->at, p->count, sizeof(*p->at), compare_paths);
	return err;
}

/*
 * Read the manifest. It is not an error if the manifest is missing or damaged.
 * Yields.
 */
static int read_manifest(struct snapshot_paths *p)
{
	size_t len;
	void *text;
	int err = state_store_get(p->store, MANIFEST_NAME, MANIFEST_MAX, &text,
				  &len);

	if (err == -ENOENT)
		return 0;
	p->has_manifest = true;
	p->manifest_status = MANIFEST_DAMAGED;
	if (err == -EIO || err == -EFBIG)
		return 0;
	if (err < 0)
		return err;
	p->manifest_status = manifest_parse((struct wire_view){ text, len },
					    NULL, &p->manifest);
	free(text);
	return 0;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Open the folder "snapshots" in @path if it exists, else @path. */
static int open_folder(const char *path, struct snapshot_paths *p)
{
	char *below = NULL;
	int err;

	if (asprintf(&below, "%s/snapshots", path) < 0)
		below = NULL;
	memory_must(below);
	err = state_store_open_dir_readonly(is_folder(below) ? below : path,
					    &p->store);
	free(below);
	return err;
}

/* Open the folder that contains the file @path. */
static int open_above(const char *path, struct snapshot_paths *p)
{
	size_t len = (size_t)(snapshot_name(path) - path);
	char *above = memory_must(len > 0 ? strndup(path, len) : strdup("."));
	int err = state_store_open_dir_readonly(above, &p->store);

	free(above);
	p->single = true;
	add_path(p, strdup(path));
	return err;
}

static int open_path(const char *path, struct snapshot_paths *p)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? open_folder(path, p) : open_above(path, p);
}

/* Advice for the user about a bucket that cannot be opened. */
static const char *advice_for(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENODATA:
		return "; it is the --state of a collector that is wanted";
	case -ENOTUNIQ:
		return "; say which one with --collector-id";
	case -EACCES:
		return "; see --user, --token-file, --creds and --nkey";
	case -EPROTO:
		return "; see --tls-ca, --tls-cert and --tls-key";
	case -EINVAL:
	case -ENOMEM:
		return "";
	default:
		return "; wanted is a NATS server with JetStream that lets you "
		       "read there";
	}
}

static bool open_bucket(const struct snapshot_source *from,
			struct snapshot_paths *p)
{
	struct nats_error why;
	int err = state_store_open_kv_readonly(&from->access.nats,
					       from->collector, &why,
					       &p->store); /* yields */

	if (err < 0)
		fprintf(stderr, "arancini snapshot: %s: %s%s\n", from->path,
			why.text, advice_for(err));
	return err == 0;
}

static bool find_files(const struct snapshot_source *from,
		       struct snapshot_paths *p)
{
	const char *path = from->path;
	int err = 0;

	if (!config_is_url(path))
		err = open_path(path, p);
	else if (!open_bucket(from, p))
		return false;
	/*
	 * Read the manifest before the list of files: it may be older than the
	 * files, but must not be newer.
	 */
	if (err == 0 && !p->single)
		err = read_manifest(p);
	if (err == 0 && !p->single)
		err = list_snapshots(p);
	if (err < 0)
		return report_path(path, strerror(-err));
	/*
	 * An existing state has at least a manifest: a collector writes one
	 * when it starts, even without routers.
	 */
	return p->has_manifest || p->count > 0 ||
	       report_path(path, "there are no snapshots; it is the --state "
				 "folder of a collector that is wanted");
}

bool snapshot_paths_find(const struct snapshot_source *from,
			 struct snapshot_paths *out)
{
	*out = (struct snapshot_paths){ .at = NULL };
	if (find_files(from, out))
		return true;
	snapshot_paths_release(out);
	return false;
}

void snapshot_paths_release(struct snapshot_paths *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->at[i]);
	free(p->at);
	manifest_release(&p->manifest);
	state_store_close(p->store);
}
