/*
 * spargio/sim/inode.h - files and directories, in memory and on the disk
 *
 * An inode has the content that programs see, the content on the disk, and a
 * list of the changes since the last sync, in order. A sync applies the
 * changes to the content on the disk. When the power fails, the faults
 * SP_SIM_KEEP and SP_SIM_TEAR decide which changes are on the disk
 * nevertheless; afterwards programs see the content on the disk.
 *
 * To be kept, data of a file needs a sync of the file, and a name needs a sync
 * of its directory.
 */
#ifndef SPARGIO_SIM_INODE_H
#define SPARGIO_SIM_INODE_H

#include "spargio/sim/world.h"

#include <sys/stat.h>

struct sp__sim_inode;

struct sp__sim_entry {
	struct sp__sim_entry *next;
	struct sp__sim_inode *inode;
	char name[];
};

struct sp__sim_content {
	uint8_t *data;
	size_t len, size;
};

struct sp__sim_change;

struct sp__sim_inode {
	uint64_t number;
	mode_t mode;
	uint32_t refs;	/* references of entries, changes and open files */
	uint32_t links; /* entries of this inode that programs see */
	int64_t changed;
	/* File: content that programs see, and content on the disk. */
	struct sp__sim_content seen, stored;
	/* Directory: entries that programs see, and entries on the disk. */
	struct sp__sim_inode *parent;
	struct sp__sim_entry *entries, *stored_entries;
	struct sp__sim_change *changes, **changes_tail;
};

struct sp__sim_disk {
	struct sp__sim_inode *root;
	uint64_t inodes; /* number of inodes made so far */
	uint64_t used;	 /* bytes of all files */
};

/* Returns an inode with one reference, or NULL if out of memory. */
struct sp__sim_inode *sp__sim_inode_new(struct sp_sim_host *host, mode_t mode);
void sp__sim_inode_put(struct sp__sim_inode *inode);

/* The inode of the entry @name in directory @dir, or NULL. */
struct sp__sim_inode *sp__sim_inode_find(const struct sp__sim_inode *dir,
					 const char *name, size_t len);
/*
 * Change a directory. sp__sim_inode_add() replaces an existing entry of the
 * same name. 0, -ENOMEM, or -ENOENT if the entry to remove does not exist.
 */
int sp__sim_inode_add(struct sp__sim_inode *dir, const char *name,
		      struct sp__sim_inode *inode);
int sp__sim_inode_remove(struct sp__sim_inode *dir, const char *name);

/* Change a file: 0, -ENOMEM, or -ENOSPC. */
int sp__sim_inode_write(struct sp_sim_host *host, struct sp__sim_inode *inode,
			const void *data, size_t len, size_t offset);
int sp__sim_inode_truncate(struct sp_sim_host *host,
			   struct sp__sim_inode *inode, size_t len);

/* Apply all changes to the content on the disk. 0 or -ENOMEM. */
int sp__sim_inode_sync(struct sp__sim_inode *inode);
/* A sync has failed: drop some of the changes, drawn at random. */
void sp__sim_inode_lose(struct sp_sim *sim, struct sp__sim_inode *inode);
/* The power fails: apply its effects to the tree below @dir. */
void sp__sim_inode_crash(struct sp_sim_host *host, struct sp__sim_inode *dir);

#endif
