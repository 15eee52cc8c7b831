/*
 * cli/command.h - the interface of a subcommand
 *
 * Each gets its own argc and argv, with its name as argv[0], and returns the
 * exit code of the process.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

/* 0 and 1 are EXIT_SUCCESS and EXIT_FAILURE. */
#define EXIT_USAGE 2

struct command {
	const char *name;
	const char *summary; /* one line, for --help */
	int (*main)(int argc, char **argv);
};

int decode_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int generate_main(int argc, char **argv);
int replay_main(int argc, char **argv);
int resync_main(int argc, char **argv);
int rib_main(int argc, char **argv);
int run_main(int argc, char **argv);
int snapshot_main(int argc, char **argv);
int status_main(int argc, char **argv);
int tail_main(int argc, char **argv);

#endif
