#include "collector/base/redact.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define BLANKS " \t'\""

/*
 * The length of the URL at @url. A password may contain a comma, so a comma
 * ends the URL only if another URL follows.
 */
static size_t url_len(const char *url)
{
	size_t len = strcspn(url, BLANKS);
	const char *scheme = strstr(url, "://");
	const char *next = scheme != NULL ? strstr(scheme + 3, "://") : NULL;

	if (next == NULL || (size_t)(next - url) > len)
		return len;
	while (next > scheme && *next != ',')
		next--;
	return *next == ',' ? (size_t)(next - url) : len;
}

/*
 * Replace the user information of the URL. It ends at the last "@", because a
 * password may contain an unescaped "@" or "/". If the URL has no scheme, only
 * text with a colon counts as user information.
 */
static void url_redact(char *url, size_t len)
{
	char *scheme = memmem(url, len, "://", 3);
	char *userinfo = scheme != NULL ? scheme + 3 : url;
	char *at = memrchr(userinfo, '@', len - (size_t)(userinfo - url));

	if (at == NULL || at == userinfo ||
	    (scheme == NULL &&
	     memchr(userinfo, ':', (size_t)(at - userinfo)) == NULL))
		return;
	*userinfo = '*';
	memmove(userinfo + 1, at, strlen(at) + 1);
}

void redact_userinfo(char *text)
{
	while (*text != '\0') {
		text += strspn(text, BLANKS ",");
		url_redact(text, url_len(text));
		/* The text may be shorter now. */
		text += url_len(text);
	}
}
