#include "collector/config/text_check.h"

#include "collector/base/router_identity.h"
#include "collector/config/value.h"
#include "egress/message_id.h"
#include "egress/nats/auth.h"

#include <stdlib.h>
#include <string.h>

static bool text_has_only(const char *text, const char *more)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

	for (; *text != '\0'; text++)
		if (strchr(word, *text) == NULL && strchr(more, *text) == NULL)
			return false;
	return true;
}

static bool is_port(const char *text)
{
	char *end;
	unsigned long v;

	if (*text < '0' || *text > '9' || strlen(text) > 5)
		return false;
	v = strtoul(text, &end, 10);
	return *end == '\0' && v > 0 && v <= UINT16_MAX;
}

/* True for "name:port", "192.0.2.1:port" and "[2001:db8::1]:port". */
static bool is_host_port(const char *text)
{
	const char *colon = strrchr(text, ':');
	struct config_address address;
	size_t len;

	if (colon == NULL || !is_port(colon + 1))
		return false;
	if (text[0] == '[')
		return config_address_parse(text, &address) == 0;
	len = (size_t)(colon - text);
	return len > 0 && memchr(text, ':', len) == NULL &&
	       text_has_only(text, ".:");
}

const char *config_check_host_port(const char *text)
{
	return is_host_port(text) ? NULL
				  : "allowed is HOST:PORT as core1:1790 or "
				    "[2001:db8::1]:1790";
}

const char *config_check_collector(const char *text)
{
	return collector_id_valid(text)
		       ? NULL
		       : "allowed are up to 63 letters, digits, '-' and '_'";
}

/*
 * Write @text to @out with "x" for each "{collector}". False if braces remain.
 */
static bool without_collector(const char *text, char *out, size_t cap)
{
	static const char word[] = "{collector}";
	size_t n = 0;

	while (*text != '\0' && n + 2 < cap) {
		if (strncmp(text, word, sizeof(word) - 1) == 0) {
			text += sizeof(word) - 1;
			out[n++] = 'x';
			continue;
		}
		out[n++] = *text++;
	}
	out[n] = '\0';
	return strpbrk(out, "{}") == NULL;
}

const char *config_check_subject(const char *text)
{
	static const char why[] =
		"allowed are words joined by dots, of letters, digits, '-', "
		"'_' and {collector}";
	char plain[CONFIG_TEXT_MAX + 2];

	if (!without_collector(text, plain, sizeof(plain)) ||
	    !text_has_only(plain, "."))
		return why;
	if (plain[0] == '.' || plain[strlen(plain) - 1] == '.' ||
	    strstr(plain, "..") != NULL)
		return why;
	return NULL;
}

const char *config_check_stream(const char *text)
{
	char plain[CONFIG_TEXT_MAX + 2];

	return without_collector(text, plain, sizeof(plain)) &&
			       text_has_only(plain, "")
		       ? NULL
		       : "allowed are letters, digits, '-', '_' and "
			 "{collector}";
}

const char *config_check_inbox(const char *text)
{
	if (strchr(text, '{') == NULL && config_check_subject(text) == NULL &&
	    strlen(text) < NATS_INBOX_PREFIX_MAX)
		return NULL;
	return "allowed are words joined by dots, of letters, digits, '-' and "
	       "'_', 63 bytes at most";
}

const char *config_check_domain(const char *text)
{
	if (strpbrk(text, ".{") == NULL && config_check_subject(text) == NULL &&
	    strlen(text) < NATS_DOMAIN_MAX)
		return NULL;
	return "allowed is one word of letters, digits, '-' and '_', 63 bytes "
	       "at most";
}

const char *config_check_nats_url(const char *text)
{
	const char *host;

	if (strncmp(text, "nats://", 7) == 0)
		host = text + 7;
	else if (strncmp(text, "tls://", 6) == 0)
		host = text + 6;
	else
		return "allowed is a URL as nats://host:4222 or "
		       "tls://host:4222";
	if (strchr(host, '@') != NULL)
		return "no user or password in a URL: use --nats-user and "
		       "--nats-password-file";
	return is_host_port(host) ? NULL
				  : "allowed is a URL as nats://host:4222 or "
				    "tls://host:4222";
}

bool config_is_url(const char *state)
{
	return strstr(state, "://") != NULL;
}

const char *config_check_state(const char *text)
{
	return config_is_url(text) ? config_check_nats_url(text) : NULL;
}

const char *config_check_alias(const char *text)
{
	static const uint8_t nowhere[16];
	struct rib_identity id;

	return identity_from_name(nowhere, text, strlen(text), &id) == 0
		       ? NULL
		       : "too long for a subject: each byte that is no letter, "
			 "digit or '-' counts three, and 189 is the most";
}
