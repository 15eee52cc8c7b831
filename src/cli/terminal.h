/*
 * cli/terminal.h - what standard output is, and drawing on it
 *
 * Colours only on a terminal that has some, and not where NO_COLOR is set
 * (no-color.org). A frame is drawn over the one before it, line by line, so
 * that nothing flickers; where there is no terminal, frames follow each other.
 *
 * What others wrote (a router its name, a broker its error) may hold anything.
 * It is tamed before it is shown: what would move the cursor becomes "?".
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
	bool is; /* standard output is one */
	bool colours;
	bool drawing; /* between begin and end */
};

void terminal_init(struct terminal *t);

/* What goes before and after styled text; "" without colours. */
const char *terminal_on(const struct terminal *t, enum terminal_style style);
const char *terminal_off(const struct terminal *t, enum terminal_style style);

/* Tame @text where it is. Returns how many columns it takes. */
size_t terminal_tame(char *text);
/* Write @text, tamed. */
void terminal_put(FILE *to, const char *text);

/* Rows and columns; 0 where there is no telling. */
void terminal_size(const struct terminal *t, size_t *rows, size_t *columns);

/* Frames */

/* Take the screen, and give it back as it was. */
void terminal_begin(struct terminal *t);
void terminal_end(struct terminal *t);

/* Put @text, lines that each end with a newline, in place of what was there. */
void terminal_frame(const struct terminal *t, const char *text);

#endif
