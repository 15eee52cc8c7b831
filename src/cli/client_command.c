#include "cli/client_command.h"

#include "cli/api_json.h"
#include "cli/command.h"
#include "cli/number.h"
#include "cli/xalloc.h"

#include <errno.h>
#include <json-c/json.h>

/* Options */

static enum option_status set_timeout(const struct option_value *v)
{
	struct client_options *options = v->field;
	uint64_t microseconds;

	if (!number_millionths(v->text, v->row->max, &microseconds) ||
	    microseconds < v->row->min)
		return OPTION_INVALID;
	options->timeout_ms = (long)(microseconds / 1000);
	return OPTION_ACCEPTED;
}

/* clang-format off */
const struct option_row client_option_rows[] = {
	{ "url", .argument = "URL",
	  .help = "the collector (default " CLIENT_URL ")",
	  OPTION_TEXT(struct client_options, url) },
	{ "token-file", .argument = "FILE",
	  .help = "the token it wants; without one, that in the state\n"
		  "folder of a collector on this host",
	  OPTION_TEXT(struct client_options, token_file) },
	{ "tls-ca", .argument = "FILE",
	  .help = "certificates to trust instead of the system's",
	  OPTION_TEXT(struct client_options, tls_ca) },
	{ "timeout", .argument = "SECONDS",
	  .help = "for each answer (default 10)",
	  OPTION_SET(set_timeout), .min = 1000, .max = UINT64_C(3600000000),
	  .invalid = "no time in seconds: " },
	OPTION_ROWS_END,
};
/* clang-format on */

static enum option_status set_table(const struct option_value *v)
{
	struct client_command *c = v->field;

	c->json = false;
	return OPTION_ACCEPTED;
}

/* clang-format off */
const struct option_row client_rows_options[] = {
	{ "limit", .argument = "N", .help = "at most so many rows",
	  OPTION_COUNT(struct client_command, limit, UINT64_MAX), .min = 1,
	  .invalid = "no number above 0: " },
	{ "json", .help = "JSON lines, also on a terminal",
	  OPTION_FLAG(struct client_command, json) },
	{ "table", .help = "a table, also elsewhere", OPTION_SET(set_table) },
	OPTION_ROWS_END,
};
/* clang-format on */

enum option_status client_set_router(const struct option_value *v)
{
	return option_status_of(router_name_token(v->text, v->field));
}

/* Asking */

void client_command_init(struct client_command *c,
			 const struct command_line *line)
{
	*c = (struct client_command){ .line = line,
				      .options = CLIENT_DEFAULTS };
	terminal_init(&c->terminal);
}

int client_command_run(struct client_command *c, int (*ask)(void *arg),
		       void *arg)
{
	int err;

	c->client = client_new(&c->options);
	err = ask(arg);
	if (err < 0)
		fprintf(stderr, "arancini %s: %s\n", c->line->command,
			client_why(c->client));
	client_free(c->client);
	c->client = NULL;
	if (ferror(stdout))
		return EXIT_FAILURE;
	return err < 0 ? client_exit_code(err) : EXIT_SUCCESS;
}

/* Rows that are printed page by page. */
struct printing {
	const struct client_command *command;
	const struct client_rows *rows;
	struct table table;
	uint64_t shown;
	bool more; /* there are more rows than --limit */
};

static bool print_page(void *arg, const struct json_object *answer)
{
	struct printing *p = arg;
	const struct client_rows *rows = p->rows;
	uint64_t limit = p->command->limit;
	struct json_object *list = answer_in(answer, rows->name);

	for (size_t i = 0;
	     i < answer_count(list) && i < CLIENT_ROWS_MAX && !p->more; i++) {
		struct json_object *row = answer_at(list, i);

		if (rows->wanted != NULL && !rows->wanted(rows->arg, row))
			continue;
		p->more = limit > 0 && p->shown == limit;
		if (p->more)
			break;
		p->shown++;
		if (p->command->json)
			answer_print(row);
		else
			rows->put(&p->table, row);
	}
	if (table_rows(&p->table) > 0)
		table_print(&p->table, stdout);
	fflush(stdout);
	return !p->more && !ferror(stdout);
}

int client_command_rows(struct client_command *c, const char *path,
			const struct client_rows *rows, uint64_t *shown)
{
	struct printing p = { .command = c, .rows = rows };
	int err;

	table_init(&p.table, rows->columns, rows->column_count, &c->terminal);
	err = client_list(c->client, path, print_page, &p);
	if (err == 0 && p.more)
		fprintf(stderr,
			"arancini %s: there are more; --limit ended this\n",
			c->line->command);
	table_fini(&p.table);
	*shown = p.shown;
	return err;
}

/*
 * Maximum bytes of collected pages, because a server could send pages without
 * end.
 */
#define GATHER_MAX (256u << 20)

/* A list that is collected page by page. */
struct gathering {
	const struct client *client;
	const char *name;
	struct json_object *all;
	size_t enough;
	size_t bytes;
	bool cut;
};

static bool add_page(void *arg, const struct json_object *answer)
{
	struct gathering *g = arg;
	struct json_object *list = answer_in(answer, g->name);

	for (size_t i = 0; i < answer_count(list) && i < CLIENT_ROWS_MAX; i++)
		json_object_array_add(g->all,
				      json_object_get(answer_at(list, i)));
	g->bytes += client_answer_bytes(g->client);
	if (g->bytes < GATHER_MAX &&
	    (g->enough == 0 || answer_count(g->all) < g->enough))
		return true;
	g->cut = answer_text(answer, "next") != NULL;
	return false;
}

int client_command_list(struct client_command *c, const char *path,
			const char *name, size_t enough,
			struct json_object **out, bool *cut)
{
	struct gathering g = {
		.client = c->client,
		.name = name,
		.all = memory_must(json_object_new_array()),
		.enough = enough,
	};
	int err = client_list(c->client, path, add_page, &g);

	*out = g.all;
	*cut = *cut || g.cut;
	return err;
}
