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
#include <unistd.h>

bool http_token_equal(const char *token, const char *given)
{
	size_t len = strlen(token);
	size_t n = strlen(given);
	unsigned differs = n != len || len == 0;

	/* Every byte is looked at, equal or not. */
	for (size_t i = 0; i < n; i++)
		differs |=
			(unsigned)(unsigned char)(token[len > 0 ? i % len : 0] ^
						  given[i]);
	return differs == 0;
}

static int make_text(char out[HTTP_TOKEN_LEN + 1])
{
	uint8_t bytes[HTTP_TOKEN_LEN / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int write_file(const char *path, const char *text)
{
	size_t len = strlen(text);
	int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     0600);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len || write(fd, "\n", 1) != 1)
		err = -EIO;
	if (close(fd) < 0 && err == 0)
		err = -errno;
	return err;
}

int http_token_make(const char *folder, char out[HTTP_TOKEN_LEN + 1])
{
	char *path = NULL, *fresh = NULL;
	int err;

	if (asprintf(&path, "%s/" HTTP_TOKEN_NAME, folder) < 0)
		return -ENOMEM;
	if (asprintf(&fresh, "%s.new", path) < 0) {
		free(path);
		return -ENOMEM;
	}
	err = make_text(out);
	/* Of a run that ended in the middle of this. */
	unlink(fresh);
	if (err == 0)
		err = write_file(fresh, out);
	if (err == 0 && rename(fresh, path) < 0)
		err = -errno;
	free(fresh);
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
