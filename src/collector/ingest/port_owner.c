#include "collector/ingest/port_owner.h"

#include "bmp/bytes.h"
#include "collector/base/log.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Maximum number of listeners at one port: a collector has one per worker. */
#define INODES_MAX 1024

#define TCP_STATE_LISTEN 0x0a

struct inode_set {
	unsigned long at[INODES_MAX];
	size_t count;
};

/* Listeners */

/* Parse an address of /proc/net/tcp: 32-bit words in host byte order. */
static bool hex_address_parse(const char *hex, uint8_t out[16])
{
	uint32_t words[4];
	size_t count = strlen(hex) / 8;

	if (count != 1 && count != 4)
		return false;
	for (size_t i = 0; i < count; i++)
		/* Eight digits fit. NOLINTNEXTLINE(cert-err34-c) */
		if (sscanf(hex + 8 * i, "%8x", &words[i]) != 1)
			return false;
	if (count == 4)
		memcpy(out, words, 16);
	else
		wire_put_mapped(out, (const uint8_t *)words);
	return true;
}

static bool address_is_any(const uint8_t address[16])
{
	static const uint8_t any[16];

	return memcmp(address, any, 16) == 0 ||
	       (wire_is_mapped(address) && memcmp(address + 12, any, 4) == 0);
}

/*
 * True if two listeners conflict. A wildcard conflicts with every address,
 * possibly also with those of the other family.
 */
static bool addresses_conflict(const uint8_t a[16], const uint8_t b[16])
{
	return address_is_any(a) || address_is_any(b) || memcmp(a, b, 16) == 0;
}

static void listener_inodes_read(const char *path, const uint8_t address[16],
				 uint16_t port, struct inode_set *found)
{
	FILE *lines = fopen(path, "re");
	char line[512];

	if (lines == NULL)
		return;
	while (fgets(line, sizeof(line), lines) != NULL &&
	       found->count < INODES_MAX) {
		uint8_t local[16];
		unsigned int at, state;
		unsigned long inode;
		char hex[33];

		/* The kernel's numbers fit. NOLINTNEXTLINE(cert-err34-c) */
		if (sscanf(line,
			   " %*u: %32[0-9A-F]:%4x %*[0-9A-F]:%*x %2x %*s %*s "
			   "%*s %*u %*u %lu",
			   hex, &at, &state, &inode) == 4 &&
		    state == TCP_STATE_LISTEN && at == port &&
		    hex_address_parse(hex, local) &&
		    addresses_conflict(local, address))
			found->at[found->count++] = inode;
	}
	fclose(lines);
}

/* Processes */

static bool inode_is_in(const struct inode_set *set, const char *link,
			size_t *which)
{
	unsigned long inode;

	/* The kernel's number fits. NOLINTNEXTLINE(cert-err34-c) */
	if (sscanf(link, "socket:[%lu]", &inode) != 1)
		return false;
	for (*which = 0; *which < set->count; (*which)++)
		if (set->at[*which] == inode)
			return true;
	return false;
}

/*
 * Find the next descriptor in @fds that is a socket of @set; *@which is its
 * index. False if there is none.
 */
static bool descriptor_find(DIR *fds, const struct inode_set *set,
			    size_t *which)
{
	struct dirent *entry;

	while ((entry = readdir(fds)) != NULL) {
		char link[64];
		ssize_t len = readlinkat(dirfd(fds), entry->d_name, link,
					 sizeof(link) - 1);

		if (len < 0)
			continue;
		link[len] = '\0';
		if (inode_is_in(set, link, which))
			return true;
	}
	return false;
}

/* Remove this process's sockets from @set. */
static void inodes_drop_own(struct inode_set *set)
{
	DIR *fds = opendir("/proc/self/fd");
	size_t which;

	if (fds == NULL)
		return;
	while (descriptor_find(fds, set, &which))
		set->at[which] = set->at[--set->count];
	closedir(fds);
}

static bool process_has(const char *pid, const struct inode_set *set)
{
	char path[300];
	size_t which;
	bool has;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	fds = opendir(path);
	if (fds == NULL)
		return false;
	has = descriptor_find(fds, set, &which);
	closedir(fds);
	return has;
}

static void process_name_read(pid_t pid, char out[16])
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return;
	if (fgets(out, 16, f) == NULL)
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	fclose(f);
}

static void process_find(const struct inode_set *set, struct port_owner *out)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	if (processes == NULL)
		return;
	while (out->pid == 0 && (entry = readdir(processes)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !process_has(entry->d_name, set))
			continue;
		out->pid = (pid_t)strtol(entry->d_name, NULL, 10);
		process_name_read(out->pid, out->name);
	}
	closedir(processes);
}

void port_owner_find(const uint8_t address[16], uint16_t port,
		     struct port_owner *out)
{
	struct inode_set set = { .count = 0 };

	*out = (struct port_owner){ .kind = PORT_OWNER_UNKNOWN };
	listener_inodes_read("/proc/net/tcp", address, port, &set);
	listener_inodes_read("/proc/net/tcp6", address, port, &set);
	if (set.count == 0)
		return;
	inodes_drop_own(&set);
	out->kind = set.count == 0 ? PORT_OWNER_SELF : PORT_OWNER_OTHER;
	if (set.count > 0)
		process_find(&set, out);
}

void port_owner_log(const struct port_owner *owner, struct log_line *line)
{
	if (owner->pid == 0)
		return;
	log_u64(line, "pid", (uint64_t)owner->pid);
	log_text(line, "process", owner->name);
}
