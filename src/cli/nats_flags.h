/*
 * cli/nats_flags.h - options with the credentials for a NATS server
 *
 * A secret is in a file, so that it is not visible in the list of processes.
 */
#ifndef CLI_NATS_FLAGS_H
#define CLI_NATS_FLAGS_H

#include "cli/options.h"

#include "egress/nats/auth.h"

/* Column of the help texts of these commands. */
#define NATS_ACCESS_COLUMN 24

struct nats_access {
	struct nats_options nats;
	const char *password_file;
	const char *token_file;
	char *password; /* content of the file; owned */
	char *token;
};

/* The rows fill a struct nats_access. */
extern const struct option_row nats_access_rows[];

/* clang-format off */
#define NATS_ACCESS_SECTION(type, member) \
	{ .rows = nats_access_rows, .field = offsetof(type, member), \
	  .column = NATS_ACCESS_COLUMN, \
	  .one_help = "to be let in, as --nats-... of the collector" }
/* clang-format on */

/*
 * Read the files with secrets. False if one cannot be read; the error was
 * printed for @command.
 */
bool nats_access_read(struct nats_access *a, const char *command);
void nats_access_release(struct nats_access *a);

#endif
