/*
 * cli/table.h - tables with aligned columns
 *
 *	table_init(&t, columns, 3, &terminal);
 *	table_cell(&t, TERMINAL_GOOD, "%s", "up");	once a column
 *	table_print(&t, out);				heading and rows
 *
 * Rows are kept until they are printed, because the longest cell determines the
 * width of a column. Printing may be repeated with further rows, for lists in
 * pages: columns then never get narrower, and the heading is not repeated.
 * Unsafe characters in cells are replaced, see terminal.h.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/terminal.h"

#include <stdint.h>
#include <stdio.h>

#define TABLE_COLUMNS 12

struct table_column {
	const char *name;
	bool right; /* right-aligned, for numbers */
};

struct table_text {
	char *text;
	size_t width;
	enum terminal_style style;
};

struct table {
	const struct table_column *columns;
	size_t count;
	const struct terminal *terminal;
	size_t widths[TABLE_COLUMNS];
	struct table_text *cells; /* row by row */
	size_t used, size;
	bool headed;
};

void table_init(struct table *t, const struct table_column *columns,
		size_t count, const struct terminal *terminal);
void table_fini(struct table *t);

/* Add the next cell, from left to right, row by row. */
void table_cell(struct table *t, enum terminal_style style, const char *format,
		...) __attribute__((format(printf, 3, 4)));

/* The number of complete rows that were not printed yet. */
size_t table_rows(const struct table *t);

/* Print and remove the rows; before the first row, print the heading. */
void table_print(struct table *t, FILE *to);

#endif
