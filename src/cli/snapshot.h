/*
 * cli/snapshot.h - shared parts of "arancini snapshot"
 *
 *	snapshot.c		options
 *	snapshot_store.c	which files there are, and their manifest
 *	snapshot_file.c		one file, into a rib or only checked
 *	snapshot_show.c		ls, show, verify
 *	snapshot_export.c	a table as updates
 *
 * All functions run in a fiber, and those that read files yield.
 */
#ifndef CLI_SNAPSHOT_H
#define CLI_SNAPSHOT_H

#include "cli/nats_flags.h"

#include "collector/checkpoint/manifest.h"
#include "rib/snapshot_reader.h"

struct state_store;

#define SNAPSHOT_SUFFIX ".snap"

/* The location of the state. */
struct snapshot_source {
	/* folder, file, or URL of a server with a bucket */
	const char *path;
	/* collector in a bucket; NULL = the only one */
	const char *collector;
	struct nats_access access; /* credentials for the server */
};

/* The selected files: all of a folder or a bucket, or one. */
struct snapshot_paths {
	struct state_store *store; /* state store of the files */
	bool single;		   /* one file, without a manifest */
	char **at;
	size_t count;
	struct manifest manifest;
	enum manifest_status manifest_status;
	bool has_manifest; /* a manifest exists; its status is above */
};

/*
 * Find the files in @from: a folder of snapshots, the state folder above it, a
 * file, or a bucket. @from must outlive *@out. False, after an error on
 * standard error, if it is none of these; a folder must have snapshots or a
 * manifest.
 */
bool snapshot_paths_find(const struct snapshot_source *from,
			 struct snapshot_paths *out);
void snapshot_paths_release(struct snapshot_paths *p);

/* The last part of @path: the name of the file in its state store. */
const char *snapshot_name(const char *path);

/* A file, read to its end or to the damage. */
struct snapshot_file {
	const char *path;
	enum rib_snapshot_status status;
	uint64_t size;
	struct rib *rib; /* NULL if only checked */
	struct rib_snapshot_reader *reader;
	const struct rib_snapshot_facts *facts;
	/* token of the router; "" if the file has no router */
	char token[IDENTITY_TOKEN_MAX + 1];
	bool has_mark;
	struct log_position mark; /* position from which the log is replayed */
};

enum snapshot_load {
	SNAPSHOT_CHECK,	     /* only check */
	SNAPSHOT_ATTRIBUTES, /* load into a rib */
	SNAPSHOT_PRESENCE,   /* load into a rib without attributes */
};

/*
 * Read the file. @sink is the sink of the rib, if a rib is loaded. False, after
 * an error on standard error, if the file cannot be opened or read. A damaged
 * file is not such an error: see out->status.
 */
bool snapshot_file_read(const char *path, enum snapshot_load load,
			const struct rib_sink *sink,
			const struct snapshot_paths *paths,
			struct snapshot_file *out);
void snapshot_file_release(struct snapshot_file *f);

/* The commands; they return exit codes. */
int snapshot_ls(const struct snapshot_paths *p);
int snapshot_show(const struct snapshot_paths *p);
int snapshot_verify(const struct snapshot_paths *p);

struct snapshot_export {
	const char *router; /* address, name or token; NULL = all */
	const char *prefix; /* prefix of subjects */
	bool capnp;
};

int snapshot_export(const struct snapshot_paths *p,
		    const struct snapshot_export *what);

#endif
