#include "cli/terminal.h"

#include "bmp/text.h"
#include "cli/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *const codes[TERMINAL_STYLES] = {
	[TERMINAL_PLAIN] = "",	      [TERMINAL_BOLD] = "\033[1m",
	[TERMINAL_DIM] = "\033[2m",   [TERMINAL_GOOD] = "\033[32m",
	[TERMINAL_WARN] = "\033[33m", [TERMINAL_BAD] = "\033[31m",
};

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && *value != '\0';
}

void terminal_init(struct terminal *t)
{
	const char *kind = getenv("TERM");

	*t = (struct terminal){ .is = isatty(STDOUT_FILENO) };
	t->colours = t->is && !is_set("NO_COLOR") &&
		     (kind == NULL || strcmp(kind, "dumb") != 0);
}

const char *terminal_on(const struct terminal *t, enum terminal_style style)
{
	return t->colours ? codes[style] : "";
}

const char *terminal_off(const struct terminal *t, enum terminal_style style)
{
	return t->colours && style != TERMINAL_PLAIN ? "\033[0m" : "";
}

size_t terminal_tame(char *text)
{
	uint8_t *p = (uint8_t *)text, *end = p + strlen(text);
	size_t width = 0;

	for (; p < end; width++) {
		size_t len = text_utf8_len(
			(struct wire_view){ p, (size_t)(end - p) });
		uint32_t code;
		bool unsafe = len == 0 || text_is_unsafe(p, len, &code);

		if (unsafe)
			memset(p, '?', len == 0 ? 1 : len);
		p += unsafe ? 1 : len;
	}
	return width;
}

void terminal_put(FILE *to, const char *text)
{
	char *copy = memory_must(strdup(text));

	terminal_tame(copy);
	fputs(copy, to);
	free(copy);
}

void terminal_size(const struct terminal *t, size_t *rows, size_t *columns)
{
	struct winsize size = { 0 };

	if (t->is)
		(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*rows = size.ws_row;
	*columns = size.ws_col;
}

/*
 * Switch to the alternate screen, hide the cursor, and switch off the wrapping
 * of lines: longer lines are truncated.
 */
void terminal_begin(struct terminal *t)
{
	t->drawing = t->is;
	if (t->drawing)
		fputs("\033[?1049h\033[?25l\033[?7l\033[2J", stdout);
}

void terminal_end(struct terminal *t)
{
	if (t->drawing)
		fputs("\033[?7h\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	t->drawing = false;
}

void terminal_frame(const struct terminal *t, const char *text)
{
	size_t rows, columns, row = 1;

	terminal_size(t, &rows, &columns);
	if (!t->drawing) {
		fputs(text, stdout);
		fflush(stdout);
		return;
	}
	fputs("\033[H", stdout);
	/*
	 * The last row stays empty, because a newline there would scroll the
	 * screen.
	 */
	while (*text != '\0' && (rows == 0 || row++ < rows)) {
		size_t len = strcspn(text, "\n");

		printf("%.*s\033[K\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
	fputs("\033[J", stdout);
	fflush(stdout);
}
