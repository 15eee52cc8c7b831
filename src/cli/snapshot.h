/*
 * cli/snapshot.h - what the parts of "arancini snapshot" share
 *
 *	snapshot.c		options
 *	snapshot_store.c	which files there are, and their manifest
 *	snapshot_file.c		one file, into a rib or only checked
 *	snapshot_show.c		ls, show, verify
 *	snapshot_export.c	a table as updates
 *
 * All of it runs in a fiber, and what reads yields.
 */
#ifndef CLI_SNAPSHOT_H
#define CLI_SNAPSHOT_H

#include "cli/nats_flags.h"

#include "collector/checkpoint/manifest.h"
#include "rib/snapshot_reader.h"

struct state_store;

#define SNAPSHOT_SUFFIX ".snap"

/* How often to begin again with what its collector replaces meanwhile. */
#define SNAPSHOT_TRIES 10

/* Where to look. */
struct snapshot_source {
	const char *path;	   /* or the URL of a server with a bucket */
	const char *collector;	   /* of a bucket; NULL: the only one */
	struct nats_access access; /* to it */
};

/* The files that were named: all of a folder or a bucket, or one. */
struct snapshot_paths {
	struct state_store *store; /* that they are on */
	bool single;		   /* one, and no manifest */
	char **at;
	size_t count;
	struct manifest manifest;
	enum manifest_status manifest_status;
	bool has_manifest; /* it is there; whether it is good, see above */
};

/*
 * @from is a folder of snapshots, the folder of the state above it, a file, or
 * a bucket, and must outlive *@out. False, and it was said on stderr, if it is
 * none of them; a folder with neither snapshots nor a manifest is none.
 */
bool snapshot_paths_find(const struct snapshot_source *from,
			 struct snapshot_paths *out);
void snapshot_paths_release(struct snapshot_paths *p);

/* The name on its state store of the file at @path. */
const char *snapshot_name(const char *path);

/* A file, read to its end or to where it is damaged. */
struct snapshot_file {
	const char *path;
	enum rib_snapshot_status status;
	uint64_t size;
	struct rib *rib; /* NULL: it was only checked */
	struct rib_snapshot_reader *reader;
	const struct rib_snapshot_facts *facts;
	char token[IDENTITY_TOKEN_MAX + 1]; /* "" if there is no router in it */
	bool has_mark;
	struct log_position mark; /* from where on the log counts */
};

enum snapshot_load {
	SNAPSHOT_CHECK,	     /* nothing is kept */
	SNAPSHOT_ATTRIBUTES, /* into a rib */
	SNAPSHOT_PRESENCE,   /* into one that keeps no attributes */
};

/*
 * Read it. @sink is that of the rib, if there is one. False, and it was said,
 * if it cannot be opened or read; a damaged one can.
 */
bool snapshot_file_read(const char *path, enum snapshot_load load,
			const struct rib_sink *sink,
			const struct snapshot_paths *paths,
			struct snapshot_file *out);
void snapshot_file_release(struct snapshot_file *f);

/* The commands: exit codes. */
int snapshot_ls(const struct snapshot_paths *p);
int snapshot_show(const struct snapshot_paths *p);
int snapshot_verify(const struct snapshot_paths *p);

struct snapshot_export {
	const char *router; /* address, name or token; NULL: all */
	const char *prefix; /* of subjects */
	bool capnp;
};

int snapshot_export(const struct snapshot_paths *p,
		    const struct snapshot_export *what);

#endif
