#include "collector/checkpoint/manifest.h"

#include "rib/checksum.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUM_LEN 13 /* "sum 1a2b3c4d\n" */

const char *manifest_text(enum manifest_status status)
{
	static const char *const texts[] = {
		[MANIFEST_OK] = "is whole",
		[MANIFEST_DAMAGED] = "is damaged",
		[MANIFEST_VERSION_NEW] = "is of a later version of arancini",
		[MANIFEST_FOREIGN] = "is of another collector",
		[MANIFEST_MEMORY] = "does not fit into memory",
	};

	return texts[status];
}

void manifest_release(struct manifest *m)
{
	free(m->entries);
	*m = (struct manifest){ .entries = NULL };
}

int manifest_add(struct manifest *m, const struct manifest_entry *entry)
{
	if (m->count == m->cap) {
		size_t cap = m->cap == 0 ? 64 : 2 * m->cap;
		void *more = realloc(m->entries, cap * sizeof(*m->entries));

		if (more == NULL)
			return -ENOMEM;
		m->entries = more;
		m->cap = cap;
	}
	m->entries[m->count++] = *entry;
	return 0;
}

/* Writing */

static void position_print(FILE *out, const struct log_position *position)
{
	char text[LOG_POSITION_MAX];

	log_position_format(position, text);
	fputs(text, out);
}

/* Print the id of the record that a file relies on, or "-", and a space. */
static void print_record(FILE *out, struct record_id record)
{
	char text[MESSAGE_ID_MAX] = "-";

	if (record.epoch != 0)
		record_id_format(record, text);
	fprintf(out, "%s ", text);
}

/*
 * Print the line "held". Nothing is printed if the extent is not known, or is
 * not that of the stream of m->mark.
 */
static void print_held(FILE *out, const struct manifest *m)
{
	char text[STREAM_EXTENT_MAX];

	if (m->mark.journal || m->held.created_ns == 0 ||
	    (uint64_t)m->held.created_ns != m->mark.identity)
		return;
	stream_extent_format(&m->held, text);
	fprintf(out, "held %s\n", text);
}

static void manifest_print(FILE *out, const struct manifest *m,
			   const char *collector)
{
	fprintf(out, "arancini manifest %d\ncollector %s\nmark ",
		MANIFEST_VERSION, collector);
	position_print(out, &m->mark);
	fputc('\n', out);
	print_held(out, m);
	for (size_t i = 0; i < m->count; i++) {
		const struct manifest_entry *e = &m->entries[i];

		fprintf(out, "router %s %s ", e->token,
			e->filed ? "filed" : "new");
		print_record(out, e->relies_on);
		position_print(out, &e->since);
		fputc('\n', out);
	}
}

char *manifest_format(const struct manifest *m, const char *collector,
		      size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	if (out == NULL)
		return NULL;
	manifest_print(out, m, collector);
	/* The text is complete only after fflush(). */
	if (fflush(out) == 0)
		fprintf(out, "sum %08x\n", rib_checksum(0, text, *len));
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* Reading */

/* Take the next line, without its newline. */
static bool take_line(struct wire_view *text, struct wire_view *line)
{
	const uint8_t *end =
		text->len == 0 ? NULL : memchr(text->p, '\n', text->len);

	if (end == NULL)
		return false;
	*line = (struct wire_view){ text->p, (size_t)(end - text->p) };
	text->len -= line->len + 1;
	text->p = end + 1;
	return true;
}

/* Take the next word of a line and the space after it. */
static bool take_word(struct wire_view *line, struct wire_view *word)
{
	const uint8_t *end =
		line->len == 0 ? NULL : memchr(line->p, ' ', line->len);

	if (end == NULL || end == line->p)
		return false;
	*word = (struct wire_view){ line->p, (size_t)(end - line->p) };
	line->len -= word->len + 1;
	line->p = end + 1;
	return true;
}

static bool word_is(struct wire_view v, const char *text)
{
	return v.len == strlen(text) && memcmp(v.p, text, v.len) == 0;
}

/*
 * Take the next line, which must begin with the word @key. *@value is the rest
 * of the line.
 */
static bool take_key(struct wire_view *text, const char *key,
		     struct wire_view *value)
{
	struct wire_view word;

	return take_line(text, value) && take_word(value, &word) &&
	       word_is(word, key);
}

static enum manifest_status check_version(struct wire_view *text, uint64_t *out)
{
	static const char known[] = "arancini manifest ";
	struct wire_view line;
	uint64_t version = 0;
	size_t at = sizeof(known) - 1;

	if (!take_line(text, &line) || line.len <= at ||
	    memcmp(line.p, known, at) != 0 || line.len > at + 9)
		return MANIFEST_DAMAGED;
	for (; at < line.len; at++) {
		if (line.p[at] < '0' || line.p[at] > '9')
			return MANIFEST_DAMAGED;
		version = 10 * version + (line.p[at] - '0');
	}
	if (version == 0)
		return MANIFEST_DAMAGED;
	*out = version;
	return version > MANIFEST_VERSION ? MANIFEST_VERSION_NEW : MANIFEST_OK;
}

/* Check the checksum in the last line, and remove that line. */
static bool check_sum(struct wire_view *text)
{
	char want[SUM_LEN + 1];

	if (text->len < SUM_LEN)
		return false;
	text->len -= SUM_LEN;
	snprintf(want, sizeof(want), "sum %08x\n",
		 rib_checksum(0, text->p, text->len));
	return memcmp(text->p + text->len, want, SUM_LEN) == 0;
}

static bool parse_record(struct wire_view word, struct record_id *out)
{
	char text[MESSAGE_ID_MAX];

	*out = (struct record_id){ 0 };
	if (word_is(word, "-"))
		return true;
	if (word.len >= sizeof(text))
		return false;
	memcpy(text, word.p, word.len);
	text[word.len] = '\0';
	return record_id_parse(text, out) && out->epoch != 0;
}

static bool parse_entry(struct wire_view line, uint64_t version,
			struct manifest_entry *out)
{
	struct wire_view word, token;
	struct rib_identity id;

	if (!take_word(&line, &word) || !word_is(word, "router") ||
	    !take_word(&line, &token) || token.len > IDENTITY_TOKEN_MAX ||
	    !take_word(&line, &word))
		return false;
	memcpy(out->token, token.p, token.len);
	out->token[token.len] = '\0';
	out->filed = word_is(word, "filed");
	if (!out->filed && !word_is(word, "new"))
		return false;
	out->relies_on = (struct record_id){ 0 };
	if (version > 1 &&
	    (!take_word(&line, &word) || !parse_record(word, &out->relies_on)))
		return false;
	return identity_from_token(out->token, &id) == 0 &&
	       log_position_parse(line, &out->since);
}

/* Take the line "held" if it is next. */
static bool take_held(struct wire_view *text, struct manifest *m)
{
	struct wire_view rest = *text, value;

	if (!take_key(&rest, "held", &value))
		return true;
	*text = rest;
	return !m->mark.journal &&
	       stream_extent_parse(value, (int64_t)m->mark.identity, &m->held);
}

static int entry_compare(const void *a, const void *b)
{
	const struct manifest_entry *x = a, *y = b;

	return strcmp(x->token, y->token);
}

static enum manifest_status manifest_parse_text(struct wire_view text,
						const char *collector,
						struct manifest *m)
{
	struct wire_view first = text, value;
	uint64_t version;
	enum manifest_status status = check_version(&first, &version);

	/* A later version may have another last line. */
	if (status != MANIFEST_OK)
		return status;
	if (!check_sum(&text) || !take_line(&text, &value))
		return MANIFEST_DAMAGED;
	if (!take_key(&text, "collector", &value))
		return MANIFEST_DAMAGED;
	if (collector != NULL && !word_is(value, collector))
		return MANIFEST_FOREIGN;
	if (!take_key(&text, "mark", &value) ||
	    !log_position_parse(value, &m->mark))
		return MANIFEST_DAMAGED;
	if (version > 2 && !take_held(&text, m))
		return MANIFEST_DAMAGED;
	while (take_line(&text, &value)) {
		struct manifest_entry entry;

		if (!parse_entry(value, version, &entry))
			return MANIFEST_DAMAGED;
		if (manifest_add(m, &entry) < 0)
			return MANIFEST_MEMORY;
	}
	if (m->count != 0)
		qsort(m->entries, m->count, sizeof(*m->entries), entry_compare);
	return text.len == 0 ? MANIFEST_OK : MANIFEST_DAMAGED;
}

enum manifest_status manifest_parse(struct wire_view text,
				    const char *collector, struct manifest *out)
{
	enum manifest_status status;

	*out = (struct manifest){ .entries = NULL };
	status = manifest_parse_text(text, collector, out);
	if (status != MANIFEST_OK)
		manifest_release(out);
	return status;
}

const struct manifest_entry *manifest_find(const struct manifest *m,
					   const char *token)
{
	struct manifest_entry key = { .filed = false };
	size_t len = strlen(token);

	if (m->count == 0 || len > IDENTITY_TOKEN_MAX)
		return NULL;
	memcpy(key.token, token, len + 1);
	return bsearch(&key, m->entries, m->count, sizeof(key), entry_compare);
}

bool manifest_read_from(const struct manifest_entry *entry,
			struct wire_view start_mark, struct record_id relies_on,
			struct log_position *out)
{
	if (!log_position_parse(start_mark, out))
		return false;
	if (entry != NULL && log_position_same_log(&entry->since, out) &&
	    record_id_compare(entry->relies_on, relies_on) == 0 &&
	    entry->since.position > out->position)
		*out = entry->since;
	return true;
}
