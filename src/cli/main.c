/*
 * arancini - one binary, one subcommand per job
 *
 * Each command is in its own file; command.h lists them. Exit
 * codes: 0 done, 1 failed, 2 wrong usage.
 */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#define COMMAND_ROW(name, summary) { #name, summary, name##_main },

static const struct command commands[] = { COMMANDS(COMMAND_ROW) };

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *to)
{
	fputs("Usage: arancini COMMAND [OPTION]...\n"
	      "A BMP collector: routers in, curated BGP updates out.\n\n"
	      "Commands:\n",
	      to);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  %-10s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\n'arancini COMMAND --help' explains a command.\n"
	      "'arancini --version' prints the version.\n",
	      to);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("arancini " ARANCINI_VERSION);
		return 0;
	}
	command = find_command(argv[1]);
	if (command == NULL) {
		fprintf(stderr,
			"arancini: there is no command '%s'; "
			"'arancini --help' lists them\n",
			argv[1]);
		return EXIT_USAGE;
	}
	return command->main(argc - 1, argv + 1);
}
