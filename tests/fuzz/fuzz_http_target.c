/*
 * Bytes of a request's target. Whatever they are, what comes out is text, ends
 * inside the target's own memory, and is read the same way again; a peer that
 * is understood is written as it was or in one form that stays.
 */
#include "collector/http/cursor.h"
#include "collector/query/prefix_param.h"
#include "collector/query/query_param.h"
#include "collector/http/target.h"
#include "collector/http/token.h"
#include "collector/base/peer_id.h"
#include "bmp/text.h"

#include <stdlib.h>
#include <string.h>

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static void check_text(const struct http_target *t, const char *text)
{
	struct wire_view v = { (const uint8_t *)text, strlen(text) };

	demand(*text == '\0' ||
	       (text >= t->text && text + v.len <= t->text + HTTP_TARGET_MAX));
	while (v.len > 0) {
		size_t n = text_utf8_len(v);

		demand(n > 0 && v.p[0] >= 0x20);
		v.p += n;
		v.len -= n;
	}
}

/* What handlers do with a word that somebody sent. */
static void use(const char *text)
{
	struct query_prefix prefix;
	struct bmp_peer peer, again;
	char id[PEER_ID_MAX];
	uint8_t place[24];

	if (query_prefix_parse(text, &prefix) == NULL)
		demand(prefix.len <= (prefix.ipv6 ? 128 : 32));
	if (peer_id_parse(text, &peer) == 0) {
		demand(peer_id_text(peer.type, peer.distinguisher, peer.address,
				    id) < PEER_ID_MAX);
		demand(peer_id_parse(id, &again) == 0);
		demand(memcmp(peer.address, again.address, 16) == 0 &&
		       peer.distinguisher == again.distinguisher);
	}
	demand(!http_cursor_read(1, 1, text, place, sizeof(place)) ||
	       strlen(text) == 64);
	(void)http_host_is_local(text);
	(void)http_token_equal("token", text);
}

static void check(const struct http_target *t)
{
	size_t segments = t->segment_count < HTTP_SEGMENTS_MAX
				  ? t->segment_count
				  : HTTP_SEGMENTS_MAX;
	unsigned long n = 0;

	for (size_t i = 0; i < segments; i++) {
		check_text(t, t->segments[i]);
		use(t->segments[i]);
	}
	for (size_t i = 0; i < t->param_count; i++) {
		const struct http_param *p = &t->params[i];

		check_text(t, p->name);
		check_text(t, p->value);
		use(p->value);
		demand(http_target_param(t, p->name) == p->value);
		if (query_param_number(p->value, 1, 1000, &n))
			demand(n >= 1 && n <= 1000);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *target = malloc(size + 1);
	struct http_target t;

	if (target == NULL)
		return 0;
	if (size > 0)
		memcpy(target, data, size);
	target[size] = '\0';
	demand(http_target_words(http_target_parse(target, &t)) != NULL);
	check(&t);
	free(target);
	return 0;
}
