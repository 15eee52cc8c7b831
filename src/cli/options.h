/*
 * cli/options.h - the command line of a subcommand, as a table
 *
 *	static const struct option_row rows[] = {
 *		{ "exact", .help = "this very prefix", OPTION_SET(set_exact) },
 *		{ "limit", .argument = "N", .help = "at most so many routes",
 *		  OPTION_COUNT(struct rib, limit, UINT64_MAX) },
 *		OPTION_HELP_ROW,
 *		OPTION_ROWS_END,
 *	};
 *	static const struct option_section sections[] = {
 *		{ .rows = rows, .column = 23 },
 *		OPTION_SECTIONS_END,
 *	};
 *	static const struct command_line line = { "rib", "Usage: ...", sections };
 *
 *	if (!options_read(&line, argc, argv, &rib, &operands))
 *		return operands.exit_code;
 *
 * The same rows are what getopt_long(3) accepts, what a mistake is reported
 * from and what --help prints. Commands that share options share a table of
 * rows: the section of such a table has the offset, in the command's own
 * struct, of the struct that these rows fill.
 *
 * "arancini run" does not use this table: its options are also keys of a file,
 * see collector/config/options.h.
 *
 * Threads	One: getopt_long() has static state.
 * Ownership	A text option points into argv.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Result of a setter. */
enum option_status {
	OPTION_ACCEPTED,
	/* the value is invalid; report it, see option_row.invalid */
	OPTION_INVALID,
	/* the value is invalid, and the setter has printed why */
	OPTION_REPORTED,
	OPTION_FINAL, /* the command is done: exit 0 */
	OPTION_SHOW_HELP,
};

struct option_row;

/* Arguments of a setter. */
struct option_value {
	const struct option_row *row;
	void *field;	  /* the member at option_row.field, or NULL */
	const char *text; /* NULL if the option has no value */
};

struct option_row {
	const char *name;     /* name without dashes; NULL = only a letter */
	char letter;	      /* 0 = no letter */
	const char *argument; /* name of the value; NULL = no value */
	/* has its own line breaks; NULL = not in --help */
	const char *help;
	size_t field;	   /* offset in the struct at option_section.field */
	uint64_t min, max; /* limits of a number */
	int key;	   /* for use by the setter of the command */
	/*
	 * start of the error text for an invalid value; NULL = "--NAME cannot
	 * be"
	 */
	const char *invalid;
	enum option_status (*set)(const struct option_value *v);
};

struct option_section {
	const char *heading; /* text above the rows, or NULL */
	const struct option_row *rows;
	size_t field;	 /* offset of the struct that the rows fill */
	unsigned column; /* column of the help texts */
	/* if set, all rows are listed together above this text */
	const char *one_help;
};

struct command_line {
	const char *command;
	const char *usage; /* start of the --help output */
	const struct option_section *sections;
	const char *notes; /* end of the --help output */
	bool has_operands; /* false = operands are refused */
};

/* The arguments that are not options. */
struct operands {
	char **words;
	int count;
	int exit_code; /* set only if options_read() returns false */
};

/*
 * Set the options of @argv in *@into. @into is NULL if no row has a member;
 * setters then get no field. Returns false if the command must end, after
 * --help or after an error that was printed: out->exit_code is then set.
 */
bool options_read(const struct command_line *line, int argc, char **argv,
		  void *into, struct operands *out);

/* Report wrong usage: @what followed by @word. Returns EXIT_USAGE. */
int options_misuse(const struct command_line *line, const char *what,
		   const char *word);

static inline enum option_status option_status_of(bool valid)
{
	return valid ? OPTION_ACCEPTED : OPTION_INVALID;
}

/*
 * Setters for the types of fields. The macros below name them in a row, and
 * check the type of the field.
 */
enum option_status option_set_flag(const struct option_value *v);
enum option_status option_set_text(const struct option_value *v);
enum option_status option_set_count32(const struct option_value *v);
enum option_status option_set_count(const struct option_value *v);
enum option_status option_set_millionths(const struct option_value *v);
enum option_status option_show_help(const struct option_value *v);

extern const struct option_row option_help_rows[];

/* clang-format off */
#define OPTION_FIELD(type, member, wanted) \
	.field = _Generic(((type *)NULL)->member, \
	/* NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a type */ \
			  wanted: offsetof(type, member))

#define OPTION_FLAG(type, member) \
	.set = option_set_flag, OPTION_FIELD(type, member, bool)
#define OPTION_TEXT(type, member) \
	.set = option_set_text, OPTION_FIELD(type, member, const char *)
/*
 * Whole numbers up to @most. OPTION_MILLIONTHS has decimal places and stores
 * millionths.
 */
#define OPTION_COUNT32(type, member, most) \
	.set = option_set_count32, .max = (most), \
	OPTION_FIELD(type, member, uint32_t)
#define OPTION_COUNT(type, member, most) \
	.set = option_set_count, .max = (most), \
	OPTION_FIELD(type, member, uint64_t)
#define OPTION_MILLIONTHS(type, member, most) \
	.set = option_set_millionths, .max = (most), \
	OPTION_FIELD(type, member, uint64_t)
/* A setter of the command itself, which gets the whole struct. */
#define OPTION_SET(setter) .set = (setter)

#define OPTION_HELP_ROW \
	{ "help", 'h', .help = "this text", OPTION_SET(option_show_help) }
/* A section that has only --help. */
#define OPTION_HELP_SECTION(at) { .rows = option_help_rows, .column = (at) }
#define OPTION_ROWS_END { .name = NULL }
#define OPTION_SECTIONS_END { .rows = NULL }
/* clang-format on */

#endif
