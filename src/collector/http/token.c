#include "collector/http/token.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

bool http_token_equal(const char *token, const char *given)
{
	size_t len = strlen(token);
	size_t n = strlen(given);
	unsigned differs = n != len || len == 0;

	/*
	 * Compare all bytes, so that the time does not depend on the first
	 * difference.
	 */
	for (size_t i = 0; i < n; i++)
		differs |=
			(unsigned)(unsigned char)(token[len > 0 ? i % len : 0] ^
						  given[i]);
	return differs == 0;
}

static int make_text(char out[HTTP_TOKEN_LEN + 1])
{
	uint8_t bytes[HTTP_TOKEN_LEN / 2];
	ssize_t n = getrandom(bytes, sizeof(bytes), 0);

	/* getrandom(2) returns fewer bytes only if a signal came. */
	if (n != (ssize_t)sizeof(bytes))
		return n < 0 ? -errno : -EINTR;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/*
 * True if @text is a generated token as it is in the file: the digits and a
 * newline.
 */
static bool is_token_text(const char text[HTTP_TOKEN_LEN + 1])
{
	for (size_t i = 0; i < HTTP_TOKEN_LEN; i++)
		if (strchr("0123456789abcdef", text[i]) == NULL ||
		    text[i] == '\0')
			return false;
	return text[HTTP_TOKEN_LEN] == '\n';
}

/*
 * True if this user wrote the file, and no other user could have read or chosen
 * the token.
 */
static bool is_own_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && (st.st_mode & 0077) == 0 &&
	       st.st_size == HTTP_TOKEN_LEN + 1;
}

static bool read_token(const char *path, char out[HTTP_TOKEN_LEN + 1])
{
	char text[HTTP_TOKEN_LEN + 1];
	/* O_NONBLOCK: do not block if a pipe or a device has the name. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool found;

	if (fd < 0)
		return false;
	found = is_own_file(fd) &&
		read(fd, text, sizeof(text)) == (ssize_t)sizeof(text) &&
		is_token_text(text);
	close(fd);
	if (!found)
		return false;
	memcpy(out, text, HTTP_TOKEN_LEN);
	out[HTTP_TOKEN_LEN] = '\0';
	return true;
}

/* Write all of @text; returns the error of write(2). */
static int write_text(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_file(const char *path, const char token[HTTP_TOKEN_LEN + 1])
{
	char text[HTTP_TOKEN_LEN + 2];
	int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     0600);
	int err;

	if (fd < 0)
		return -errno;
	snprintf(text, sizeof(text), "%s\n", token);
	err = write_text(fd, text, HTTP_TOKEN_LEN + 1);
	if (close(fd) < 0 && err == 0)
		err = -errno;
	return err;
}

static int make_token(const char *path, char out[HTTP_TOKEN_LEN + 1])
{
	char *fresh = NULL;
	int err;

	if (asprintf(&fresh, "%s.new", path) < 0)
		return -ENOMEM;
	err = make_text(out);
	/*
	 * Remove the temporary file that an earlier run left if it ended before
	 * the rename.
	 */
	unlink(fresh);
	if (err == 0)
		err = write_file(fresh, out);
	if (err == 0 && rename(fresh, path) < 0)
		err = -errno;
	if (err < 0)
		unlink(fresh);
	free(fresh);
	return err;
}

int http_token_get(const char *folder, char out[HTTP_TOKEN_LEN + 1])
{
	char *path;
	int err;

	if (asprintf(&path, "%s/" HTTP_TOKEN_NAME, folder) < 0)
		return -ENOMEM;
	err = read_token(path, out) ? 0 : make_token(path, out);
	free(path);
	return err;
}

bool http_host_is_local(const char *host)
{
	size_t len =
		host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
	char name[64];
	struct in_addr v4;

	if (len >= sizeof(name) || len > strlen(host))
		return false;
	if (host[len] != '\0' &&
	    (host[len] != ':' ||
	     strspn(host + len + 1, "0123456789") != strlen(host + len + 1)))
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	return strcasecmp(name, "localhost") == 0 ||
	       strcmp(name, "[::1]") == 0 ||
	       (inet_pton(AF_INET, name, &v4) == 1 &&
		ntohl(v4.s_addr) >> 24 == 127);
}

bool http_origin_is_own(const char *origin, const char *host)
{
	const char *at = strstr(origin, "://");

	return at != NULL && strcasecmp(at + 3, host) == 0;
}
