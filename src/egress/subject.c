#include "egress/subject.h"

#include "bmp/text.h"
#include "rib/event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t router_v4(const uint8_t *a, char out[SUBJECT_ROUTER_MAX])
{
	return (size_t)snprintf(out, SUBJECT_ROUTER_MAX, "v4_%u_%u_%u_%u", a[0],
				a[1], a[2], a[3]);
}

size_t subject_router(const uint8_t addr[16], char out[SUBJECT_ROUTER_MAX])
{
	size_t used = 2;

	if (wire_is_mapped(addr))
		return router_v4(addr + 12, out);

	memcpy(out, "v6", 2);
	for (int i = 0; i < 16; i += 2) {
		unsigned int group = (unsigned int)addr[i] << 8 | addr[i + 1];

		used += (size_t)snprintf(out + used, SUBJECT_ROUTER_MAX - used,
					 "_%x", group);
	}
	return used;
}

/* True if @c may be used in a token of a subject and in a file name. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-';
}

size_t subject_router_named(const char *name, char out[SUBJECT_ROUTER_MAX])
{
	static const char hex[] = "0123456789abcdef";
	size_t len = 3;

	memcpy(out, "id_", 3);
	for (; *name != '\0'; name++) {
		uint8_t c = (uint8_t)*name;
		bool plain = is_plain(*name);

		if (len + (plain ? 1 : 3) >= SUBJECT_ROUTER_MAX) {
			out[0] = '\0';
			return 0;
		}
		out[len++] = (char)(plain ? *name : '_');
		if (plain)
			continue;
		out[len++] = hex[c >> 4];
		out[len++] = hex[c & 15];
	}
	out[len] = '\0';
	return len;
}

/* The collector's id as a token, truncated if necessary. */
static void put_collector(const char *id, char *out, size_t cap)
{
	size_t len = 0;

	for (; *id != '\0' && len + 1 < cap; id++)
		out[len++] = (char)(is_plain(*id) ? *id : '_');
	out[len] = '\0';
}

/* True if @prefix may be the beginning of a subject, before a dot. */
static bool is_prefix(const char *prefix)
{
	char before = '.';

	for (; *prefix != '\0'; prefix++) {
		if (*prefix == '.' && before == '.')
			return false;
		if (*prefix <= ' ' || *prefix == 0x7f || *prefix == '*' ||
		    *prefix == '>' || *prefix == '{' || *prefix == '}')
			return false;
		before = *prefix;
	}
	return before != '.';
}

int subject_prefix(const char *pattern, const char *collector,
		   char out[SUBJECT_PREFIX_MAX + 1])
{
	static const char word[] = "{collector}";
	char made[SUBJECT_PREFIX_MAX + 1];
	char token[SUBJECT_ROUTER_MAX];
	size_t used = 0;

	put_collector(collector, token, sizeof(token));
	while (*pattern != '\0') {
		bool is_word = strncmp(pattern, word, sizeof(word) - 1) == 0;
		const char *piece = is_word ? token : pattern;
		size_t len = is_word ? strlen(token) : 1;

		if (len > SUBJECT_PREFIX_MAX - used)
			return -ENAMETOOLONG;
		memcpy(made + used, piece, len);
		used += len;
		pattern += is_word ? sizeof(word) - 1 : 1;
	}
	made[used] = '\0';
	if (!is_prefix(made))
		return -EINVAL;
	memcpy(out, made, used + 1);
	return 0;
}

/* Begin a subject with "<prefix>.<router>." */
static struct text start_subject(const char *prefix, const char *router,
				 char made[SUBJECT_MAX])
{
	struct text t = text_start(made, SUBJECT_MAX);

	text_str(&t, prefix);
	text_char(&t, '.');
	text_str(&t, router);
	text_char(&t, '.');
	return t;
}

static int end_subject(struct text *t, const char *made, char out[SUBJECT_MAX])
{
	size_t len = text_end(t);

	if (len >= SUBJECT_MAX)
		return -ENAMETOOLONG;
	memcpy(out, made, len + 1);
	return (int)len;
}

/*
 * Hot: once per batch. printf() is not used, because it would take longer than
 * encoding the batch's updates.
 */
int subject_update(const char *prefix, const char *router, uint32_t peer_as,
		   uint16_t afi, uint8_t safi, char out[SUBJECT_MAX])
{
	char made[SUBJECT_MAX];
	struct text t = start_subject(prefix, router, made);

	text_u64(&t, peer_as);
	text_char(&t, '.');
	text_u64(&t, afi);
	text_char(&t, '_');
	text_u64(&t, safi);
	return end_subject(&t, made, out);
}

const char *subject_event_kind(unsigned kind)
{
	static const char *const names[RIB_EVENTS] = {
		[RIB_EVENT_PEER_UP] = "peerUp",
		[RIB_EVENT_PEER_DOWN] = "peerDown",
		[RIB_EVENT_END_OF_RIB] = "endOfRib",
		[RIB_EVENT_SWEPT] = "swept",
		[RIB_EVENT_STALE] = "stale",
		[RIB_EVENT_SUSPECT] = "suspect",
		[RIB_EVENT_UNKNOWN] = "unknown",
		[RIB_EVENT_LIMIT] = "limit",
		[RIB_EVENT_RESYNC] = "resync",
		[RIB_EVENT_STATISTICS] = "statistics",
		[RIB_EVENT_SESSION_OPEN] = "sessionOpen",
		[RIB_EVENT_SESSION_CLOSE] = "sessionClose",
		[RIB_EVENT_EPOCH] = "epoch",
		[RIB_EVENT_CLASH] = "clash",
		[RIB_EVENT_MESSAGES_LOST] = "messagesLost",
		[RIB_EVENT_MIRROR] = "mirror",
	};

	return kind < RIB_EVENTS ? names[kind] : "other";
}

int subject_event(const char *prefix, const char *router, unsigned kind,
		  char out[SUBJECT_MAX])
{
	char made[SUBJECT_MAX];
	struct text t = start_subject(prefix, router, made);

	text_str(&t, subject_event_kind(kind));
	return end_subject(&t, made, out);
}
