/*
 * The CRC-32 of each file below a folder, computed on all shards.
 *
 *	hasher FOLDER		prints "CRC PATH" for each file, in any order
 *
 * The walk spawns a stealable fiber for each file, at most 32 at a time, so
 * that a large tree needs bounded memory and idle shards help busy ones.
 *
 * This program is C and C++.
 */
#include <spargio/spargio.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE	   32
#define PIECE	   65536
#define POLYNOMIAL 0xedb88320u

static uint32_t table[256];

static struct hasher {
	struct sp_group *group;
	struct sp_sem slots;
	const char *folder;
} hasher = { NULL, SP_SEM_INIT(AT_ONCE), NULL };

static void make_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = (crc & 1) != 0 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[i] = crc;
	}
}

static uint32_t add_bytes(uint32_t crc, const unsigned char *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
	return crc;
}

static int hash_descriptor(int fd, uint32_t *out)
{
	unsigned char *data = (unsigned char *)malloc(PIECE);
	uint32_t crc = UINT32_MAX;
	off_t at = 0;
	ssize_t n = -ENOMEM;

	while (data != NULL &&
	       (n = sp_pread(fd, data, PIECE, at)) > 0) { /* yields */
		crc = add_bytes(crc, data, (size_t)n);
		at += n;
		sp_yield(); /* a file in memory is read without waiting */
	}
	free(data);
	*out = ~crc;
	return n < 0 ? (int)n : 0;
}

/* Frees the path. */
static int hash_file(void *arg)
{
	char *path = (char *)arg;
	uint32_t crc;
	int fd = sp_open_regular(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	int err = fd < 0 ? fd : hash_descriptor(fd, &crc);

	if (fd >= 0)
		sp_close(fd);
	if (err == 0)
		printf("%08x %s\n", crc, path);
	else
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
	free(path);
	(void)sp_sem_post(&hasher.slots);
	return err;
}

static int visit(const struct sp_walk_entry *entry, void *arg)
{
	size_t len = strlen(hasher.folder) + strlen(entry->path) + 2;
	char *path;
	int err;

	(void)arg;
	if (entry->type != DT_REG)
		return 0;
	err = sp_sem_wait(&hasher.slots); /* yields */
	if (err < 0)
		return err;
	path = (char *)malloc(len);
	if (path == NULL)
		return -ENOMEM;
	snprintf(path, len, "%s/%s", hasher.folder, entry->path);
	err = sp_group_go(hasher.group, hash_file, path);
	if (err < 0)
		free(path);
	return err;
}

/* Called before the runtime starts; what is not 0 is the exit status. */
static int configure(struct sp_opts *opts, int argc, char **argv)
{
	(void)argv;
	if (argc != 2) {
		fputs("hasher FOLDER\n", stderr);
		return 2;
	}
	opts->name = "hasher";
	return 0;
}

static int body(int argc, char **argv)
{
	int walked, err;

	(void)argc;
	make_table();
	hasher.folder = argv[1];
	err = sp_group_new(&hasher.group);
	if (err < 0)
		return err;
	walked = sp_walk(AT_FDCWD, hasher.folder, visit, NULL); /* yields */
	err = sp_group_wait(hasher.group);			/* yields */
	sp_group_free(hasher.group);
	if (walked < 0)
		fprintf(stderr, "%s: %s\n", hasher.folder, strerror(-walked));
	return walked < 0 ? walked : err;
}

SP_MAIN_WITH(configure, body)
