#include "cli/options.h"

#include "cli/command.h"
#include "cli/number.h"
#include "cli/xalloc.h"
#include "collector/base/redact.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Value of the first row for getopt_long(); above all letters. */
#define FIRST_VALUE 256
/* Maximum of "--name ARGUMENT" in the help. */
#define SHOWN_MAX 64
/* Rows that share one text are listed side by side up to this column. */
#define LIST_WIDTH 56

/* The rows of a command as arguments of getopt_long(). */
struct grammar {
	struct option *names; /* val is FIRST_VALUE + index of the row */
	char *letters;
};

static bool is_last_row(const struct option_row *row)
{
	return row->name == NULL && row->letter == 0;
}

static size_t count_rows(const struct command_line *line)
{
	size_t count = 0;

	for (const struct option_section *s = line->sections; s->rows != NULL;
	     s++)
		for (const struct option_row *r = s->rows; !is_last_row(r); r++)
			count++;
	return count;
}

static void grammar_init(struct grammar *g, const struct command_line *line)
{
	size_t rows = count_rows(line);
	struct option *name = memory_must(calloc(rows + 1, sizeof(*name)));
	char *letter = memory_must(calloc(2 * rows + 2, 1));
	int value = FIRST_VALUE;

	g->names = name;
	g->letters = letter;
	/* A colon makes getopt_long() return ':' for a missing value. */
	*letter++ = ':';
	for (const struct option_section *s = line->sections; s->rows != NULL;
	     s++)
		for (const struct option_row *r = s->rows; !is_last_row(r);
		     r++, value++) {
			bool takes_value = r->argument != NULL;

			if (r->name != NULL)
				*name++ = (struct option){ r->name, takes_value,
							   NULL, value };
			if (r->letter != 0)
				*letter++ = r->letter;
			if (r->letter != 0 && takes_value)
				*letter++ = ':';
		}
}

static void grammar_fini(struct grammar *g)
{
	free(g->names);
	free(g->letters);
}

/*
 * The row for @value, a result of getopt_long(), and in *@base the offset of
 * the struct that its section fills; NULL for '?' and ':'.
 */
static const struct option_row *find_row(const struct command_line *line,
					 int value, size_t *base)
{
	int index = FIRST_VALUE;

	for (const struct option_section *s = line->sections; s->rows != NULL;
	     s++)
		for (const struct option_row *r = s->rows; !is_last_row(r); r++)
			if (index++ == value || r->letter == value) {
				*base = s->field;
				return r;
			}
	return NULL;
}

/* Help */

/*
 * Write the option as it is shown in the help: "--name ARGUMENT", or "-x
 * ARGUMENT" if it has only a letter. Returns the length.
 */
static size_t format_option(const struct option_row *row, char out[SHOWN_MAX])
{
	const char letter[] = { row->letter, '\0' };
	int len = snprintf(out, SHOWN_MAX, "%s%s%s%s",
			   row->name != NULL ? "--" : "-",
			   row->name != NULL ? row->name : letter,
			   row->argument != NULL ? " " : "",
			   row->argument != NULL ? row->argument : "");

	return (size_t)len;
}

/* Print @text, each line beginning at @column; @used is the current column. */
static void print_text(const char *text, size_t used, unsigned column)
{
	if (used + 2 > column) {
		putchar('\n');
		used = 0;
	}
	printf("%*s", (int)(column - used), "");
	for (; *text != '\0'; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("%*s", (int)column, "");
	}
	putchar('\n');
}

static void print_row(const struct option_row *row, unsigned column)
{
	char shown[SHOWN_MAX];
	size_t len = format_option(row, shown);

	printf("  %s", shown);
	print_text(row->help, 2 + len, column);
}

/*
 * Print the options of all rows side by side, separated by commas, and below
 * them the text of the section.
 */
static void print_list(const struct option_section *s)
{
	char shown[SHOWN_MAX];
	size_t used = 1;

	putchar(' ');
	for (const struct option_row *r = s->rows; !is_last_row(r); r++) {
		size_t width = strlen(" ,") + format_option(r, shown);

		if (used + width > LIST_WIDTH) {
			fputs("\n ", stdout);
			used = 1;
		}
		printf(" %s%s", shown, is_last_row(r + 1) ? "" : ",");
		used += width;
	}
	print_text(s->one_help, used, s->column);
}

static void print_help(const struct command_line *line)
{
	fputs(line->usage, stdout);
	for (const struct option_section *s = line->sections; s->rows != NULL;
	     s++) {
		if (s->heading != NULL)
			fputs(s->heading, stdout);
		if (s->one_help != NULL) {
			print_list(s);
			continue;
		}
		for (const struct option_row *r = s->rows; !is_last_row(r); r++)
			if (r->help != NULL)
				print_row(r, s->column);
	}
	fputs(line->notes, stdout);
}

/* Reading */

int options_misuse(const struct command_line *line, const char *what,
		   const char *word)
{
	char *shown = memory_must(strdup(word));

	redact_userinfo(shown);
	fprintf(stderr, "arancini %s: %s%s; see 'arancini %s --help'\n",
		line->command, what, shown, line->command);
	free(shown);
	return EXIT_USAGE;
}

static int report_invalid(const struct command_line *line,
			  const struct option_row *row, const char *value)
{
	char *shown;

	if (row->invalid != NULL)
		return options_misuse(line, row->invalid,
				      value != NULL ? value : "");
	shown = memory_must(strdup(value));
	redact_userinfo(shown);
	fprintf(stderr,
		"arancini %s: --%s cannot be '%s'; see 'arancini %s --help'\n",
		line->command, row->name, shown, line->command);
	free(shown);
	return EXIT_USAGE;
}

/*
 * Call the setter of a row. True to continue; otherwise *@exit_code is the exit
 * code.
 */
static bool set_option(const struct command_line *line,
		       const struct option_value *value, int *exit_code)
{
	switch (value->row->set(value)) {
	case OPTION_ACCEPTED:
		return true;
	case OPTION_INVALID:
		*exit_code = report_invalid(line, value->row, value->text);
		return false;
	case OPTION_REPORTED:
		*exit_code = EXIT_USAGE;
		return false;
	case OPTION_SHOW_HELP:
		print_help(line);
		break;
	case OPTION_FINAL:
		break;
	}
	*exit_code = EXIT_SUCCESS;
	return false;
}

/*
 * Call the setter for @found, a result of getopt_long(). Returns as
 * set_option().
 */
static bool read_option(const struct command_line *line, int found, char **argv,
			char *into, int *exit_code)
{
	struct option_value value = { .text = optarg };
	size_t base = 0;

	value.row = find_row(line, found, &base);
	if (value.row != NULL) {
		if (into != NULL)
			value.field = into + base + value.row->field;
		return set_option(line, &value, exit_code);
	}
	*exit_code = options_misuse(line,
				    found == ':' ? "a value is missing after "
						 : "unknown option ",
				    argv[optind - 1]);
	return false;
}

bool options_read(const struct command_line *line, int argc, char **argv,
		  void *into, struct operands *out)
{
	struct grammar grammar;
	bool go_on = true;
	int found;

	grammar_init(&grammar, line);
	/* 0 instead of 1 resets the state of getopt_long(). */
	optind = 0;
	while (go_on && (found = getopt_long(argc, argv, grammar.letters,
					     grammar.names, NULL)) != -1)
		go_on = read_option(line, found, argv, into, &out->exit_code);
	grammar_fini(&grammar);
	if (!go_on)
		return false;
	out->words = argv + optind;
	out->count = argc - optind;
	if (out->count == 0 || line->has_operands)
		return true;
	out->exit_code = options_misuse(line, "what is ", out->words[0]);
	return false;
}

/* Setters */

enum option_status option_set_flag(const struct option_value *v)
{
	*(bool *)v->field = true;
	return OPTION_ACCEPTED;
}

enum option_status option_set_text(const struct option_value *v)
{
	*(const char **)v->field = v->text;
	return OPTION_ACCEPTED;
}

enum option_status option_set_count32(const struct option_value *v)
{
	uint32_t *out = v->field;

	return option_status_of(
		number_count32(v->text, (uint32_t)v->row->max, out) &&
		*out >= v->row->min);
}

enum option_status option_set_count(const struct option_value *v)
{
	uint64_t *out = v->field;

	return option_status_of(number_count(v->text, v->row->max, out) &&
				*out >= v->row->min);
}

enum option_status option_set_millionths(const struct option_value *v)
{
	uint64_t *out = v->field;

	return option_status_of(number_millionths(v->text, v->row->max, out) &&
				*out >= v->row->min);
}

enum option_status option_show_help(const struct option_value *v)
{
	(void)v;
	return OPTION_SHOW_HELP;
}

/* clang-format off */
const struct option_row option_help_rows[] = {
	OPTION_HELP_ROW,
	OPTION_ROWS_END,
};
/* clang-format on */
