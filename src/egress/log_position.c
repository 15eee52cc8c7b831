#include "egress/log_position.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const logs[] = { "stream", "journal" };

size_t log_position_format(const struct log_position *where,
			   char out[LOG_POSITION_MAX])
{
	int n = snprintf(out, LOG_POSITION_MAX, "%s %" PRIu64 " %" PRIu64,
			 logs[where->journal], where->identity,
			 where->position);

	return (size_t)n;
}

/* Remove @word and the space after it from the front of @v. */
static bool take_word(struct wire_view *v, const char *word)
{
	size_t len = strlen(word);

	if (v->len <= len || memcmp(v->p, word, len) != 0 || v->p[len] != ' ')
		return false;
	v->p += len + 1;
	v->len -= len + 1;
	return true;
}

/*
 * Take a decimal number from the front of @v: at least one digit, no overflow.
 */
static bool take_number(struct wire_view *v, uint64_t *out)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < v->len && v->p[i] >= '0' && v->p[i] <= '9'; i++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, v->p[i] - '0', &n))
			return false;
	v->p += i;
	v->len -= i;
	*out = n;
	return i > 0;
}

bool log_position_parse(struct wire_view text, struct log_position *out)
{
	struct log_position where = { .journal = take_word(&text, logs[1]) };

	if (!where.journal && !take_word(&text, logs[0]))
		return false;
	if (!take_number(&text, &where.identity) || text.len == 0 ||
	    *text.p != ' ')
		return false;
	text.p++;
	text.len--;
	if (!take_number(&text, &where.position) || text.len != 0)
		return false;
	*out = where;
	return true;
}

/* Extents */

#define NUMBERS 5

size_t stream_extent_format(const struct stream_extent *extent,
			    char out[STREAM_EXTENT_MAX])
{
	int n = snprintf(out, STREAM_EXTENT_MAX,
			 "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64
			 " %" PRId64,
			 extent->first_seq, extent->last_seq, extent->deleted,
			 extent->first_ns, extent->last_ns);

	return (size_t)n;
}

bool stream_extent_parse(struct wire_view text, int64_t created_ns,
			 struct stream_extent *out)
{
	uint64_t n[NUMBERS];

	for (size_t i = 0; i < NUMBERS; i++) {
		if (i > 0 && (text.len == 0 || *text.p != ' '))
			return false;
		text.p += i > 0;
		text.len -= i > 0;
		if (!take_number(&text, &n[i]))
			return false;
	}
	if (text.len != 0 || n[3] > INT64_MAX || n[4] > INT64_MAX)
		return false;
	*out = (struct stream_extent){
		.created_ns = created_ns,
		.first_seq = n[0],
		.last_seq = n[1],
		.deleted = n[2],
		.first_ns = (int64_t)n[3],
		.last_ns = (int64_t)n[4],
	};
	return true;
}
