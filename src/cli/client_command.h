/*
 * cli/client_command.h - common parts of commands that query a running
 * collector
 *
 *	client_command_init(&command.client, &line);
 *	if (!options_read(&line, argc, argv, &command, &operands))
 *		return operands.exit_code;
 *	return client_command_run(&command.client, ask, &command);
 *
 * The command provides the path and the output format; connection options,
 * error reports and paging are here. A command that prints the rows of a list
 * gives the columns of a table and a function for a row to
 * client_command_rows(), which prints tables or JSON lines up to --limit; its
 * options are those of CLIENT_ROWS_SECTION.
 *
 * Threads	One. Blocking, as cli/client.h.
 */
#ifndef CLI_CLIENT_COMMAND_H
#define CLI_CLIENT_COMMAND_H

#include "cli/client.h"
#include "cli/options.h"
#include "cli/router_name.h"
#include "cli/table.h"
#include "cli/terminal.h"

/* Column of the help texts of these commands. */
#define CLIENT_HELP_COLUMN 23

struct client_command {
	const struct command_line *line;
	struct client_options options;
	struct client *client;	  /* during client_command_run() */
	struct terminal terminal; /* standard output */
	/* token of the router in the options; "" = all */
	char router[ROUTER_NAME_MAX];
	bool json;	/* print the JSON of the collector */
	uint64_t limit; /* maximum rows to print; 0 = all */
};

/* How a command prints the rows of a list. */
struct client_rows {
	const char *name; /* name of the array in an answer */
	const struct table_column *columns;
	size_t column_count;
	/* Add the cells of a row. */
	void (*put)(struct table *table, const struct json_object *row);
	/* False = leave the row out. NULL = print all rows. */
	bool (*wanted)(const void *arg, const struct json_object *row);
	const void *arg;
};

/* --url, --token-file, --tls-ca, --timeout: rows for struct client_options. */
extern const struct option_row client_option_rows[];

/* --limit, --json, --table: rows for struct client_command. */
extern const struct option_row client_rows_options[];

/* clang-format off */
#define CLIENT_ROWS_SECTION(type, member) \
	{ .rows = client_rows_options, .column = CLIENT_HELP_COLUMN, \
	  .field = offsetof(type, member) }
#define CLIENT_ROUTER(type, member) \
	.set = client_set_router, .field = offsetof(type, member), \
	.invalid = "no router: "
#define CLIENT_OPTION_SECTION(type, member) \
	{ .rows = client_option_rows, .column = CLIENT_HELP_COLUMN, \
	  .field = offsetof(type, member) }
/* clang-format on */

/*
 * Setter for client_command.router: convert the name or address that the user
 * typed to the token of the router.
 */
enum option_status client_set_router(const struct option_value *v);

void client_command_init(struct client_command *c,
			 const struct command_line *line);

/*
 * Make a client, call @ask with @arg, and report the error that @ask returns.
 * Returns the exit code.
 */
int client_command_run(struct client_command *c, int (*ask)(void *arg),
		       void *arg);

/*
 * Print the rows of all pages of @path, as JSON lines or tables. *@shown is the
 * number of printed rows. If --limit left some out, this is reported on
 * standard error.
 */
int client_command_rows(struct client_command *c, const char *path,
			const struct client_rows *rows, uint64_t *shown);

/*
 * Collect all pages of the list @name in one array, *@out. Ends early at
 * @enough elements (0 = no limit) or 256 MiB; *@cut is then set if there are
 * more elements. The caller owns *@out also after an error.
 */
int client_command_list(struct client_command *c, const char *path,
			const char *name, size_t enough,
			struct json_object **out, bool *cut);

#endif
