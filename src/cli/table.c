#include "cli/table.h"

#include "cli/xalloc.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

void table_init(struct table *t, const struct table_column *columns,
		size_t count, const struct terminal *terminal)
{
	assert(count > 0);
	*t = (struct table){ .columns = columns,
			     .count = count,
			     .terminal = terminal };
	for (size_t i = 0; i < count; i++)
		t->widths[i] = strlen(columns[i].name);
}

static void clear_cells(struct table *t)
{
	for (size_t i = 0; i < t->used; i++)
		free(t->cells[i].text);
	t->used = 0;
}

void table_fini(struct table *t)
{
	clear_cells(t);
	free(t->cells);
}

void table_cell(struct table *t, enum terminal_style style, const char *format,
		...)
{
	struct table_text cell = { .style = style };
	size_t column = t->used % t->count;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&cell.text, format, args);
	va_end(args);
	if (len < 0)
		cell.text = memory_must(NULL);
	cell.width = terminal_tame(cell.text);
	if (cell.width > t->widths[column])
		t->widths[column] = cell.width;
	if (t->used == t->size) {
		t->size = t->size == 0 ? 64 : t->size * 2;
		t->cells = memory_must(
			realloc(t->cells, t->size * sizeof(*t->cells)));
	}
	t->cells[t->used++] = cell;
}

size_t table_rows(const struct table *t)
{
	return t->used / t->count;
}

static void print_cell(const struct table *t, size_t column, FILE *to,
		       const struct table_text *cell)
{
	int pad = (int)(t->widths[column] - cell->width);
	bool right = t->columns[column].right;
	bool last = column + 1 == t->count;

	fprintf(to, "%*s%s%s%s", right ? pad : 0, "",
		terminal_on(t->terminal, cell->style), cell->text,
		terminal_off(t->terminal, cell->style));
	if (!last)
		fprintf(to, "%*s  ", right ? 0 : pad, "");
	else
		fputc('\n', to);
}

void table_print(struct table *t, FILE *to)
{
	for (size_t i = 0; i < t->count && !t->headed; i++) {
		struct table_text name = {
			.text = (char *)t->columns[i].name,
			.width = strlen(t->columns[i].name),
			.style = TERMINAL_BOLD,
		};

		print_cell(t, i, to, &name);
	}
	t->headed = true;
	assert(t->count > 0);
	for (size_t i = 0; i < t->used; i++)
		print_cell(t, i % t->count, to, &t->cells[i]);
	clear_cells(t);
}
