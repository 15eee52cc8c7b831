/*
 * spargio/sim/inode.h - files and folders, and what of them is on the disk
 *
 * Each has its content as programs see it, its content on the disk, and in
 * between the changes since the last sync, in order. A sync applies them to the
 * disk. When the power fails, the plan says which of them are on the disk all
 * the same; then programs see what is on the disk.
 *
 * Data of a file needs a sync of the file, a name needs a sync of its folder.
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
	uint32_t refs;	/* entries, changes and open files */
	uint32_t links; /* entries that programs see */
	int64_t changed;
	/* A file. */
	struct sp__sim_content seen, stored;
	/* A folder. */
	struct sp__sim_inode *parent;
	struct sp__sim_entry *entries, *stored_entries;
	struct sp__sim_change *changes, **changes_tail;
};

struct sp__sim_disk {
	struct sp__sim_inode *root;
	uint64_t inodes; /* made so far */
	uint64_t used;	 /* bytes that files hold */
};

/* NULL if out of memory; the caller has a reference. */
struct sp__sim_inode *sp__sim_inode_new(struct sp_sim_host *host, mode_t mode);
void sp__sim_inode_put(struct sp__sim_inode *inode);

/* The entry of a folder, or NULL. */
struct sp__sim_inode *sp__sim_inode_find(const struct sp__sim_inode *dir,
					 const char *name, size_t len);
/* Change a folder: 0 or -ENOMEM. The name is replaced if it is there. */
int sp__sim_inode_add(struct sp__sim_inode *dir, const char *name,
		      struct sp__sim_inode *inode);
int sp__sim_inode_remove(struct sp__sim_inode *dir, const char *name);

/* Change a file: 0, -ENOMEM, or -ENOSPC. */
int sp__sim_inode_write(struct sp_sim_host *host, struct sp__sim_inode *inode,
			const void *data, size_t len, size_t offset);
int sp__sim_inode_truncate(struct sp_sim_host *host,
			   struct sp__sim_inode *inode, size_t len);

/* 0 or -ENOMEM. */
int sp__sim_inode_sync(struct sp__sim_inode *inode);
/* A sync failed: some of the changes never get to the disk. */
void sp__sim_inode_lose(struct sp_sim *sim, struct sp__sim_inode *inode);
/* The power fails, for the tree below @dir. */
void sp__sim_inode_crash(struct sp_sim_host *host, struct sp__sim_inode *dir);

#endif
