/*
 * cli/client_command.h - what all commands that ask a running collector share
 *
 *	client_command_init(&command.client, &line);
 *	if (!options_read(&line, argc, argv, &command, &operands))
 *		return operands.exit_code;
 *	return client_command_run(&command.client, ask, &command);
 *
 * The command brings the path it asks for and how the answer looks; options of
 * the connection, reports of errors and lists in pages are here.
 *
 * Threads	One. Blocking, as cli/client.h.
 */
#ifndef CLI_CLIENT_COMMAND_H
#define CLI_CLIENT_COMMAND_H

#include "cli/client.h"
#include "cli/options.h"
#include "cli/router_name.h"
#include "cli/terminal.h"

/* Where the help texts of these commands begin. */
#define CLIENT_HELP_COLUMN 23

struct client_command {
	const struct command_line *line;
	struct client_options options;
	struct client *client;	      /* during client_command_run() */
	struct terminal terminal;     /* standard output */
	char router[ROUTER_NAME_MAX]; /* its token; "" = all */
	bool json;		      /* print what the collector answers */
};

/* --url, --token-file, --tls-ca, --timeout: they fill a client_options. */
extern const struct option_row client_option_rows[];

/* clang-format off */
#define CLIENT_ROUTER(type, member) \
	.set = client_set_router, .field = offsetof(type, member), \
	.invalid = "no router: "
#define CLIENT_OPTION_SECTION(type, member) \
	{ .rows = client_option_rows, .column = CLIENT_HELP_COLUMN, \
	  .field = offsetof(type, member) }
/* clang-format on */

/* A router, as people name it; the field is client_command.router. */
enum option_status client_set_router(const struct option_value *v);

void client_command_init(struct client_command *c,
			 const struct command_line *line);

/*
 * Call @ask with @arg and a client, and report the error it returns. The exit
 * code of the command.
 */
int client_command_run(struct client_command *c, int (*ask)(void *arg),
		       void *arg);

/*
 * All pages of a list, which the answers call @name, in one array, *@out. It
 * ends early when it has @enough elements (0 = never), or 256 MiB of them; *@cut is
 * then set if there are more. *@out is the caller's also after an error.
 */
int client_command_list(struct client_command *c, const char *path,
			const char *name, size_t enough,
			struct json_object **out, bool *cut);

#endif
