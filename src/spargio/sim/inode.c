#include "spargio/sim/inode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 512

enum change_type {
	CHANGE_WRITE,
	CHANGE_TRUNCATE,
	CHANGE_ADD,
	CHANGE_REMOVE,
};

struct sp__sim_change {
	struct sp__sim_change *next;
	enum change_type type;
	struct sp__sim_inode *inode; /* for CHANGE_ADD */
	size_t offset, len;
	uint8_t data[]; /* CHANGE_WRITE: the bytes; ADD, REMOVE: the name */
};

struct sp__sim_inode *sp__sim_inode_new(struct sp_sim_host *host, mode_t mode)
{
	struct sp__sim_inode *inode = sp__sim_calloc(1, sizeof(*inode));

	if (inode == NULL)
		return NULL;
	inode->number = ++host->disk->inodes;
	inode->mode = mode;
	inode->refs = 1;
	inode->changed = host->sim->now;
	inode->changes_tail = &inode->changes;
	return inode;
}

/* Changes */

static struct sp__sim_change *add_change(struct sp__sim_inode *inode,
					 enum change_type type,
					 const void *data, size_t len)
{
	struct sp__sim_change *change =
		sp__sim_calloc(1, sizeof(*change) + len);

	if (change == NULL)
		return NULL;
	change->type = type;
	change->len = len;
	if (len > 0)
		memcpy(change->data, data, len);
	*inode->changes_tail = change;
	inode->changes_tail = &change->next;
	return change;
}

static void free_change(struct sp__sim_change *change)
{
	if (change->inode != NULL)
		sp__sim_inode_put(change->inode);
	free(change);
}

static struct sp__sim_change *take_changes(struct sp__sim_inode *inode)
{
	struct sp__sim_change *changes = inode->changes;

	inode->changes = NULL;
	inode->changes_tail = &inode->changes;
	return changes;
}

/* Entries of a directory, in the order in which they were added */

static struct sp__sim_entry **find_entry(struct sp__sim_entry **list,
					 const char *name, size_t len)
{
	while (*list != NULL && (strncmp((*list)->name, name, len) != 0 ||
				 (*list)->name[len] != '\0'))
		list = &(*list)->next;
	return list;
}

static void remove_entry(struct sp__sim_entry **list, const char *name)
{
	struct sp__sim_entry **at = find_entry(list, name, strlen(name));
	struct sp__sim_entry *entry = *at;

	if (entry == NULL)
		return;
	*at = entry->next;
	sp__sim_inode_put(entry->inode);
	free(entry);
}

static int add_entry(struct sp__sim_entry **list, const char *name,
		     struct sp__sim_inode *inode)
{
	size_t len = strlen(name);
	struct sp__sim_entry **at = find_entry(list, name, len);
	struct sp__sim_entry *entry = *at;

	if (entry != NULL) {
		inode->refs++;
		sp__sim_inode_put(entry->inode);
		entry->inode = inode;
		return 0;
	}
	entry = sp__sim_malloc(sizeof(*entry) + len + 1);
	if (entry == NULL)
		return -ENOMEM;
	inode->refs++;
	*entry = (struct sp__sim_entry){ .inode = inode };
	memcpy(entry->name, name, len + 1);
	*at = entry;
	return 0;
}

static void free_entries(struct sp__sim_entry *entry)
{
	while (entry != NULL) {
		struct sp__sim_entry *next = entry->next;

		sp__sim_inode_put(entry->inode);
		free(entry);
		entry = next;
	}
}

static int copy_entries(struct sp__sim_entry *from, struct sp__sim_entry **to)
{
	int err = 0;

	*to = NULL;
	for (; from != NULL && err == 0; from = from->next)
		err = add_entry(to, from->name, from->inode);
	return err;
}

void sp__sim_inode_put(struct sp__sim_inode *inode)
{
	struct sp__sim_change *change;

	if (--inode->refs > 0)
		return;
	change = take_changes(inode);
	while (change != NULL) {
		struct sp__sim_change *next = change->next;

		free_change(change);
		change = next;
	}
	free_entries(inode->entries);
	free_entries(inode->stored_entries);
	free(inode->seen.data);
	free(inode->stored.data);
	free(inode);
}

struct sp__sim_inode *sp__sim_inode_find(const struct sp__sim_inode *dir,
					 const char *name, size_t len)
{
	struct sp__sim_entry *entries = dir->entries;
	struct sp__sim_entry *entry = *find_entry(&entries, name, len);

	return entry == NULL ? NULL : entry->inode;
}

int sp__sim_inode_remove(struct sp__sim_inode *dir, const char *name)
{
	struct sp__sim_inode *inode =
		sp__sim_inode_find(dir, name, strlen(name));

	if (inode == NULL)
		return -ENOENT;
	if (add_change(dir, CHANGE_REMOVE, name, strlen(name) + 1) == NULL)
		return -ENOMEM;
	inode->links--;
	remove_entry(&dir->entries, name);
	return 0;
}

int sp__sim_inode_add(struct sp__sim_inode *dir, const char *name,
		      struct sp__sim_inode *inode)
{
	struct sp__sim_inode *before =
		sp__sim_inode_find(dir, name, strlen(name));
	struct sp__sim_change *change =
		add_change(dir, CHANGE_ADD, name, strlen(name) + 1);

	if (change == NULL)
		return -ENOMEM;
	change->inode = inode;
	inode->refs++;
	if (before != NULL)
		before->links--;
	inode->links++;
	if (S_ISDIR(inode->mode))
		inode->parent = dir;
	return add_entry(&dir->entries, name, inode);
}

/* Content of a file */

static int resize_content(struct sp__sim_content *c, size_t len)
{
	if (len > c->size) {
		size_t size = c->size == 0 ? 4096 : c->size;
		uint8_t *grown;

		while (size < len)
			size *= 2;
		grown = sp__sim_realloc(c->data, size);
		if (grown == NULL)
			return -ENOMEM;
		c->data = grown;
		c->size = size;
	}
	if (len > c->len)
		memset(c->data + c->len, 0, len - c->len);
	c->len = len;
	return 0;
}

static int write_content(struct sp__sim_content *c, const uint8_t *data,
			 size_t len, size_t offset)
{
	int err = offset + len > c->len ? resize_content(c, offset + len) : 0;

	if (err == 0 && len > 0)
		memcpy(c->data + offset, data, len);
	return err;
}

static int check_space(struct sp_sim_host *host,
		       const struct sp__sim_inode *inode, size_t len)
{
	if (len > host->sim->opts.disk_size ||
	    (len > inode->seen.len && host->disk->used + len - inode->seen.len >
					      host->sim->opts.disk_size))
		return -ENOSPC;
	return 0;
}

int sp__sim_inode_write(struct sp_sim_host *host, struct sp__sim_inode *inode,
			const void *data, size_t len, size_t offset)
{
	size_t before = inode->seen.len;
	struct sp__sim_change *change;
	int err = check_space(host, inode, offset + len);

	if (err < 0)
		return err;
	change = add_change(inode, CHANGE_WRITE, data, len);
	if (change == NULL)
		return -ENOMEM;
	change->offset = offset;
	inode->changed = host->sim->now;
	err = write_content(&inode->seen, data, len, offset);
	host->disk->used += inode->seen.len - before;
	return err;
}

int sp__sim_inode_truncate(struct sp_sim_host *host,
			   struct sp__sim_inode *inode, size_t len)
{
	size_t before = inode->seen.len;
	struct sp__sim_change *change;
	int err = check_space(host, inode, len);

	if (err < 0)
		return err;
	change = add_change(inode, CHANGE_TRUNCATE, NULL, 0);
	if (change == NULL)
		return -ENOMEM;
	change->offset = len;
	inode->changed = host->sim->now;
	err = resize_content(&inode->seen, len);
	host->disk->used += inode->seen.len - before;
	return err;
}

/* The disk */

static int store_change(struct sp__sim_inode *inode,
			const struct sp__sim_change *change)
{
	switch (change->type) {
	case CHANGE_WRITE:
		return write_content(&inode->stored, change->data, change->len,
				     change->offset);
	case CHANGE_TRUNCATE:
		return resize_content(&inode->stored, change->offset);
	case CHANGE_ADD:
		return add_entry(&inode->stored_entries,
				 (const char *)change->data, change->inode);
	case CHANGE_REMOVE:
		remove_entry(&inode->stored_entries,
			     (const char *)change->data);
		break;
	}
	return 0;
}

int sp__sim_inode_sync(struct sp__sim_inode *inode)
{
	struct sp__sim_change *change = take_changes(inode);
	int err = 0;

	while (change != NULL) {
		struct sp__sim_change *next = change->next;

		if (err == 0)
			err = store_change(inode, change);
		free_change(change);
		change = next;
	}
	return err;
}

void sp__sim_inode_lose(struct sp_sim *sim, struct sp__sim_inode *inode)
{
	struct sp__sim_change **at = &inode->changes;

	while (*at != NULL) {
		struct sp__sim_change *change = *at;

		if (sp__sim_below(sim, SP__SIM_DISK, 2) == 0) {
			at = &change->next;
			continue;
		}
		*at = change->next;
		free_change(change);
	}
	inode->changes_tail = at;
}

/* SP_SIM_TEAR: only some sectors of a write are on the disk. */
static void store_torn(struct sp_sim *sim, struct sp__sim_inode *inode,
		       const struct sp__sim_change *change)
{
	size_t begin = 0;

	while (begin < change->len) {
		size_t end = begin + SECTOR - (change->offset + begin) % SECTOR;

		if (end > change->len)
			end = change->len;
		if (sp__sim_below(sim, SP__SIM_DISK, 2) == 0)
			(void)write_content(&inode->stored,
					    change->data + begin, end - begin,
					    change->offset + begin);
		begin = end;
	}
}

static void crash_file(struct sp_sim_host *host, struct sp__sim_inode *inode)
{
	struct sp_sim *sim = host->sim;
	struct sp__sim_change *change = take_changes(inode);

	if (inode->stored.len > 0 &&
	    sp__sim_strikes(sim, SP__SIM_DISK, SP_SIM_FLIP))
		inode->stored.data[sp__sim_below(sim, SP__SIM_DISK,
						 inode->stored.len)] ^=
			(uint8_t)(1U << sp__sim_below(sim, SP__SIM_DISK, 8));
	while (change != NULL) {
		struct sp__sim_change *next = change->next;
		bool kept = sp__sim_strikes(sim, SP__SIM_DISK, SP_SIM_KEEP);

		if (kept && change->type == CHANGE_WRITE &&
		    sp__sim_strikes(sim, SP__SIM_DISK, SP_SIM_TEAR))
			store_torn(sim, inode, change);
		else if (kept)
			(void)store_change(inode, change);
		free_change(change);
		change = next;
	}
	inode->seen.len = 0;
	(void)write_content(&inode->seen, inode->stored.data, inode->stored.len,
			    0);
	host->disk->used += inode->seen.len;
}

/*
 * Changes of a directory reach the disk in order: so after a power failure the
 * first changes are on the disk, perhaps none or all.
 */
static void crash_folder(struct sp_sim_host *host, struct sp__sim_inode *dir)
{
	struct sp_sim *sim = host->sim;
	struct sp__sim_change *change = take_changes(dir);
	bool kept = true;

	while (change != NULL) {
		struct sp__sim_change *next = change->next;

		kept = kept && sp__sim_strikes(sim, SP__SIM_DISK, SP_SIM_KEEP);
		if (kept)
			(void)store_change(dir, change);
		free_change(change);
		change = next;
	}
	free_entries(dir->entries);
	(void)copy_entries(dir->stored_entries, &dir->entries);
	for (struct sp__sim_entry *e = dir->entries; e != NULL; e = e->next)
		e->inode->links = 0;
}

static void crash_content(struct sp_sim_host *host, struct sp__sim_inode *dir)
{
	for (struct sp__sim_entry *e = dir->entries; e != NULL; e = e->next) {
		if (S_ISDIR(e->inode->mode))
			sp__sim_inode_crash(host, e->inode);
		else if (e->inode->links == 0)
			crash_file(host, e->inode);
		e->inode->links++;
		if (S_ISDIR(e->inode->mode))
			e->inode->parent = dir;
	}
}

void sp__sim_inode_crash(struct sp_sim_host *host, struct sp__sim_inode *dir)
{
	crash_folder(host, dir);
	crash_content(host, dir);
}
