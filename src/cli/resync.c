/*
 * arancini resync - make a running collector publish its tables again
 */
#include "cli/api_json.h"
#include "cli/client_command.h"
#include "cli/command.h"

#include <inttypes.h>
#include <stdio.h>

/* clang-format off */
static const struct option_row rows[] = {
	{ "json", .help = "what the collector answers",
	  OPTION_FLAG(struct client_command, json) },
	OPTION_HELP_ROW,
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	CLIENT_OPTION_SECTION(struct client_command, options),
	{ .rows = rows, .column = CLIENT_HELP_COLUMN },
	OPTION_SECTIONS_END,
};

static const struct command_line line = {
	.command = "resync",
	.usage =
"Usage: arancini resync [OPTION]... [ROUTER]\n"
"Ask a running collector to publish the table of one router, or of all,\n"
"again. Consumers get a resync event first, and then every route as an\n"
"announcement. ROUTER is an address, or what 'arancini status' lists.\n\n",
	.sections = sections,
	.has_operands = true,
	.notes =
"\nIt is done when the tables are out, not when this command ends. Exit status:\n"
"0 if the collector took it on, 1 if not, 2 for wrong usage.\n",
};
/* clang-format on */

static void print_count(uint64_t routers)
{
	if (routers == 1)
		puts("publishing the tables of 1 router again");
	else
		printf("publishing the tables of %" PRIu64 " routers again\n",
		       routers);
}

static int request_resync(void *arg)
{
	struct client_command *c = arg;
	struct json_object *answer;
	char path[64 + ROUTER_NAME_MAX];
	int err;

	snprintf(path, sizeof(path), "/api/v1/resync%s%s",
		 c->router[0] != '\0' ? "?router=" : "", c->router);
	err = client_post(c->client, path, &answer);
	if (err < 0)
		return err;
	if (c->json)
		answer_print(answer);
	else
		print_count(answer_uint(answer, "routers"));
	answer_free(answer);
	return 0;
}

int resync_main(int argc, char **argv)
{
	struct operands operands;
	struct client_command c;

	client_command_init(&c, &line);
	if (!options_read(&line, argc, argv, &c, &operands))
		return operands.exit_code;
	if (operands.count > 1)
		return options_misuse(&line,
				      "one router, or none for all; what is ",
				      operands.words[1]);
	if (operands.count == 1 &&
	    !router_name_token(operands.words[0], c.router))
		return options_misuse(&line, "no router: ", operands.words[0]);
	return client_command_run(&c, request_resync, &c);
}
