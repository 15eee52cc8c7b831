/*
 * cli/command.h - the interface of a subcommand
 *
 * Each subcommand gets its own argc and argv, with its name as argv[0], and
 * returns the exit code of the process.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

/* Exit code for wrong usage. 0 and 1 are EXIT_SUCCESS and EXIT_FAILURE. */
#define EXIT_USAGE 2

struct command {
	const char *name;
	const char *summary; /* one line, for --help */
	int (*main)(int argc, char **argv);
};

/*
 * All commands, in the order of --help: X(name, summary). The man page gets its
 * list from this table, and README.md must mention each command.
 */
/* clang-format off */
#define COMMANDS(X) \
	X(run, "the collector") \
	X(decode, "print what a capture says, as JSON lines") \
	X(replay, "play captured sessions back at a collector") \
	X(generate, "make up routers and send what they say") \
	X(tail, "follow what a collector publishes") \
	X(snapshot, "look into the state that is kept") \
	X(status, "what a running collector does") \
	X(rib, "the routes a running collector has for a prefix") \
	X(resync, "have a collector publish its tables again") \
	X(doctor, "check this host: settings, limits, kernel")
/* clang-format on */

#define COMMAND_PROTOTYPE(name, summary) int name##_main(int argc, char **argv);

COMMANDS(COMMAND_PROTOTYPE)

#endif
