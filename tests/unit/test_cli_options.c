#include "check.h"

#include "cli/command.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

/* What a table of rows that commands share fills. */
struct shared {
	const char *url;
};

struct settings {
	bool flag;
	uint32_t few;
	uint64_t many;
	uint64_t share;
	const char *text;
	int finals;
	struct shared shared;
};

static enum option_status end_here(const struct option_value *v)
{
	struct settings *s = v->field;

	s->finals += v->row->key;
	return OPTION_FINAL;
}

static enum option_status reject(const struct option_value *v)
{
	(void)v;
	return OPTION_REPORTED;
}

/* clang-format off */
static const struct option_row rows[] = {
	{ "flag", 'f', OPTION_FLAG(struct settings, flag) },
	{ "few", .argument = "N", OPTION_COUNT32(struct settings, few, 10),
	  .min = 2 },
	{ "many", .argument = "N",
	  OPTION_COUNT(struct settings, many, UINT64_MAX) },
	{ "share", .argument = "SHARE",
	  OPTION_MILLIONTHS(struct settings, share, 1000000) },
	{ .letter = 'o', .argument = "TEXT", OPTION_TEXT(struct settings, text) },
	{ "final", OPTION_SET(end_here), .key = 7 },
	{ "rejected", .argument = "X", OPTION_SET(reject) },
	OPTION_ROWS_END,
};

static const struct option_row shared_rows[] = {
	{ "url", .argument = "URL", OPTION_TEXT(struct shared, url) },
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	{ .rows = rows },
	{ .rows = shared_rows, .field = offsetof(struct settings, shared) },
	OPTION_SECTIONS_END,
};
/* clang-format on */

static const struct command_line with_operands = {
	.command = "test",
	.usage = "",
	.sections = sections,
	.notes = "",
	.has_operands = true,
};

static const struct command_line without_operands = {
	.command = "test",
	.usage = "",
	.sections = sections,
	.notes = "",
};

#define WORDS_MAX 16

/* Reads @text, split at blanks, behind the name of the command. */
static bool read_line(const struct command_line *line, const char *text,
		      struct settings *s, struct operands *operands)
{
	static char copy[256];
	char *argv[WORDS_MAX + 2] = { "test" };
	int argc = 1;
	char *rest = copy, *word;

	*s = (struct settings){ 0 };
	*operands = (struct operands){ .exit_code = -1 };
	snprintf(copy, sizeof(copy), "%s", text);
	while ((word = strsep(&rest, " ")) != NULL && argc <= WORDS_MAX)
		if (*word != '\0')
			argv[argc++] = word;
	return options_read(line, argc, argv, s, operands);
}

static void test_each_kind_of_value_is_stored(void **state)
{
	struct operands operands;
	struct settings s;

	(void)state;
	assert_true(read_line(&with_operands,
			      "--flag --few 2 --many=3k --share 0.5 -o x "
			      "--url=u",
			      &s, &operands));
	assert_true(s.flag);
	assert_int_equal(s.few, 2);
	assert_int_equal(s.many, 3000);
	assert_int_equal(s.share, 500000);
	assert_string_equal(s.text, "x");
	assert_string_equal(s.shared.url, "u");
	assert_int_equal(operands.count, 0);
}

/* Options are found also behind operands, unless "--" is before them. */
static void test_operands(void **state)
{
	const struct {
		const char *line;
		int count;
		bool flag;
		const char *url;
	} cases[] = {
		{ "", 0, false, NULL },
		{ "a b", 2, false, NULL },
		{ "a --flag b", 2, true, NULL },
		{ "a b --url u", 2, false, "u" },
		{ "-- --flag", 1, false, NULL },
		{ "--flag -- a --url u", 3, true, NULL },
		{ "-", 1, false, NULL },
		{ "--fl a", 1, true, NULL },
		{ "-fo x a", 1, true, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct operands operands;
		struct settings s;
		bool go_on =
			read_line(&with_operands, cases[i].line, &s, &operands);

		CHECK(go_on && operands.count == cases[i].count &&
			      s.flag == cases[i].flag &&
			      (s.shared.url == NULL) == (cases[i].url == NULL),
		      "'%s': %d operands", cases[i].line, operands.count);
	}
}

static void test_a_mistake_is_wrong_usage(void **state)
{
	const char *const lines[] = {
		"--unknown",
		"-x",
		"--few",
		"-o",
		"--few 1",
		"--few 11",
		"--few x",
		"--few=",
		"--flag=1",
		"--f",
		"--many -",
		"--share 1.1",
		"--rejected x",
		"--bad --final",
		"a",
		"-- a",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct operands operands;
		struct settings s;
		bool go_on =
			read_line(&without_operands, lines[i], &s, &operands);

		CHECK(!go_on && operands.exit_code == EXIT_USAGE,
		      "'%s': exit code %d", lines[i], operands.exit_code);
	}
}

/* What is behind such an option is not looked at. */
static void test_an_option_can_end_the_command(void **state)
{
	struct operands operands;
	struct settings s;

	(void)state;
	assert_false(read_line(&without_operands, "--final --unknown", &s,
			       &operands));
	assert_int_equal(operands.exit_code, 0);
	assert_int_equal(s.finals, 7);
}

static enum option_status end_without_field(const struct option_value *v)
{
	assert_null(v->field);
	return OPTION_FINAL;
}

/* A command whose options are --help alone has no struct. */
static void test_a_command_may_have_no_struct(void **state)
{
	static const struct option_row only[] = {
		{ "final", .field = 8, OPTION_SET(end_without_field) },
		OPTION_ROWS_END,
	};
	static const struct option_section only_sections[] = {
		{ .rows = only },
		OPTION_SECTIONS_END,
	};
	static const struct command_line line = { "test", "", only_sections, "",
						  true };
	char *words[] = { "test", "--final", NULL };
	char *plain[] = { "test", "file", NULL };
	struct operands operands;

	(void)state;
	assert_false(options_read(&line, 2, words, NULL, &operands));
	assert_int_equal(operands.exit_code, 0);
	assert_true(options_read(&line, 2, plain, NULL, &operands));
	assert_int_equal(operands.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_of_value_is_stored),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_a_mistake_is_wrong_usage),
		cmocka_unit_test(test_an_option_can_end_the_command),
		cmocka_unit_test(test_a_command_may_have_no_struct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
