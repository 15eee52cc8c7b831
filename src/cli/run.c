/*
 * arancini run - the collector
 *
 * The collector is being built room by room; until its sessions land, this
 * says what works and exits, so that "make run" tells a newcomer the truth.
 */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

int run_main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		puts("Usage: arancini run\n"
		     "Runs the collector. It does not listen yet: this "
		     "version has the runtime and\n"
		     "the decoder, and 'arancini --help' lists what works.");
		return 0;
	}
	if (argc > 1) {
		fprintf(stderr,
			"arancini run: unknown argument '%s'; "
			"see 'arancini run --help'\n",
			argv[1]);
		return EXIT_USAGE;
	}
	puts("arancini " ARANCINI_VERSION ": the collector does not listen "
	     "yet.\n"
	     "What works so far: the runtime library (spargio) and the\n"
	     "commands that 'arancini --help' lists.");
	return 0;
}
