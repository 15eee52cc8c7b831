#include "collector/config/value.h"

#include "collector/base/secret_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET_MAX 4096

/* Take the text up to the first newline; @n bytes of @text were read. */
static int secret_extract(const char *text, size_t n, char **out, char *why)
{
	size_t len = strcspn(text, "\r\n");

	if (memchr(text, '\0', n) != NULL || n > SECRET_MAX) {
		snprintf(why, CONFIG_WHY_MAX,
			 n > SECRET_MAX ? "the file is longer than %d bytes"
					: "the file has a NUL byte",
			 SECRET_MAX);
		return -EINVAL;
	}
	if (len == 0) {
		snprintf(why, CONFIG_WHY_MAX,
			 "the file has nothing in its first line");
		return -EINVAL;
	}
	*out = secret_copy(text, len);
	return *out == NULL ? -ENOMEM : 0;
}

/*
 * Open a regular file. Devices and pipes are refused, because reading them
 * could block, and they could be empty at the next reload.
 */
static int open_regular(const char *path, struct stat *st, char *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err;

	if (fd < 0 || fstat(fd, st) < 0) {
		err = -errno;
		snprintf(why, CONFIG_WHY_MAX, "cannot be read: %s",
			 strerror(-err));
		if (fd >= 0)
			close(fd);
		return err;
	}
	if (!S_ISREG(st->st_mode)) {
		snprintf(why, CONFIG_WHY_MAX, "not a regular file");
		close(fd);
		return -EINVAL;
	}
	return fd;
}

int config_secret_read(struct config_secret *secret, char why[CONFIG_WHY_MAX],
		       bool *readable)
{
	char text[SECRET_MAX + 2];
	struct stat st = { 0 };
	ssize_t n;
	char *value = NULL;
	int fd = open_regular(secret->path, &st, why);
	int err;

	if (fd < 0)
		return fd;
	n = pread(fd, text, sizeof(text) - 1, 0);
	err = -errno;
	close(fd);
	if (n < 0) {
		snprintf(why, CONFIG_WHY_MAX, "cannot be read: %s",
			 strerror(-err));
		return err;
	}
	text[n] = '\0';
	err = secret_extract(text, (size_t)n, &value, why);
	explicit_bzero(text, sizeof(text));
	if (err < 0)
		return err;
	secret_free(secret->value);
	secret->value = value;
	*readable = (st.st_mode & S_IROTH) != 0;
	return 0;
}
