/*
 * cli/terminal.h - properties of standard output, and drawing on it
 *
 * Colours are used only on a terminal that supports them, and not if NO_COLOR
 * is set (no-color.org). A frame is drawn over the previous one, line by line,
 * to avoid flicker; without a terminal frames are printed one after another.
 *
 * Text from outside (a router's name, a broker's error) may contain anything.
 * Characters that could control the terminal are replaced by "?".
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum terminal_style {
	TERMINAL_PLAIN,
	TERMINAL_BOLD,
	TERMINAL_DIM,
	TERMINAL_GOOD,
	TERMINAL_WARN,
	TERMINAL_BAD,
	TERMINAL_STYLES
};

struct terminal {
	bool is; /* standard output is a terminal */
	bool colours;
	bool drawing; /* true between terminal_begin() and terminal_end() */
};

void terminal_init(struct terminal *t);

/* The escape sequences before and after styled text; "" without colours. */
const char *terminal_on(const struct terminal *t, enum terminal_style style);
const char *terminal_off(const struct terminal *t, enum terminal_style style);

/* Replace unsafe characters of @text in place. Returns its width in columns. */
size_t terminal_tame(char *text);
/* Write @text with unsafe characters replaced. */
void terminal_put(FILE *to, const char *text);

/* The number of rows and columns; 0 if not known. */
void terminal_size(const struct terminal *t, size_t *rows, size_t *columns);

/* Frames */

/*
 * terminal_begin() switches to a cleared screen, terminal_end() restores the
 * previous one.
 */
void terminal_begin(struct terminal *t);
void terminal_end(struct terminal *t);

/* Draw @text, lines that each end with a newline, over the previous frame. */
void terminal_frame(const struct terminal *t, const char *text);

#endif
