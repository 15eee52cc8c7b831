#include "collector/config/errors.h"

#include "collector/base/redact.h"
#include "bmp/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer words are not compared with option names. */
#define WORD_MAX 40

static void release_list(char **lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(lines[i]);
	free(lines);
}

void config_errors_release(struct config_errors *errors)
{
	release_list(errors->lines, errors->kept);
	release_list(errors->notes, errors->note_count);
	*errors = CONFIG_ERRORS_INIT;
}

/* Replace control characters, so that one error is one line. */
static void make_printable(char *s)
{
	struct wire_view rest = { (const uint8_t *)s, strlen(s) };

	while (rest.len > 0) {
		size_t len = text_utf8_len(rest);
		uint32_t code;
		bool unsafe = len == 0 || text_is_unsafe(rest.p, len, &code);

		len += len == 0;
		if (unsafe)
			memset(s, '?', len);
		s += len;
		rest.p += len;
		rest.len -= len;
	}
}

static bool line_append(char ***lines, size_t *count, char *line)
{
	char **grown = reallocarray(*lines, *count + 1, sizeof(*grown));

	if (grown == NULL)
		return false;
	grown[(*count)++] = line;
	*lines = grown;
	return true;
}

__attribute__((format(printf, 4, 0))) static void line_format(
	struct config_errors *errors, char ***lines, size_t *count,
	const char *format, va_list args)
{
	char *line;

	if (vasprintf(&line, format, args) < 0) {
		errors->out_of_memory = true;
		return;
	}
	make_printable(line);
	redact_userinfo(line);
	if (!line_append(lines, count, line)) {
		errors->out_of_memory = true;
		free(line);
	}
}

void config_errors_add(struct config_errors *errors, const char *format, ...)
{
	va_list args;

	if (errors->count++ >= CONFIG_ERRORS_MAX)
		return;
	va_start(args, format);
	line_format(errors, &errors->lines, &errors->kept, format, args);
	va_end(args);
}

void config_errors_note(struct config_errors *errors, const char *format, ...)
{
	va_list args;

	if (errors->note_count >= CONFIG_ERRORS_MAX)
		return;
	va_start(args, format);
	line_format(errors, &errors->notes, &errors->note_count, format, args);
	va_end(args);
}

static unsigned int min_of_three(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * The number of letters to add, remove, change or swap with their neighbour to
 * make @a equal to @b (optimal string alignment). Keeps the last three rows of
 * the table.
 */
static unsigned int edit_distance(const char *a, size_t a_len, const char *b,
				  size_t b_len)
{
	unsigned int rows[3][WORD_MAX + 1];

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned int *now = rows[i % 3];
		const unsigned int *up = rows[(i + 2) % 3];
		const unsigned int *up2 = rows[(i + 1) % 3];

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_len; j++) {
			bool same = a[i - 1] == b[j - 1];

			now[j] = min_of_three(up[j] + 1, now[j - 1] + 1,
					      up[j - 1] + (same ? 0 : 1));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && up2[j - 2] + 1 < now[j])
				now[j] = up2[j - 2] + 1;
		}
	}
	return rows[a_len % 3][b_len];
}

const char *config_errors_nearest(const char *word, const char *const *names)
{
	size_t len = strlen(word);
	unsigned int best = len < 3 ? 0 : len < 6 ? 1 : 2;
	const char *found = NULL;

	if (len > WORD_MAX)
		return NULL;
	for (; *names != NULL; names++) {
		size_t n = strlen(*names);
		unsigned int d;

		if (n > WORD_MAX)
			continue;
		d = edit_distance(word, len, *names, n);
		/* Of equal distances take the first. */
		if (d < best || (d == best && found == NULL)) {
			best = d;
			found = *names;
		}
	}
	return found;
}
