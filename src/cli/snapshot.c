/*
 * arancini snapshot - inspect the state that a collector keeps across restarts
 *
 * Read-only: the collector may be running.
 */
#include "cli/snapshot.h"

#include "cli/command.h"
#include "cli/fiber.h"
#include "cli/options.h"

#include "collector/config/text_check.h"
#include "egress/nats/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct subcommand {
	const char *name;
	int (*run)(const struct snapshot_paths *p); /* NULL for export */
};

static const struct subcommand commands[] = {
	{ "ls", snapshot_ls },
	{ "show", snapshot_show },
	{ "verify", snapshot_verify },
	{ "export", NULL },
};

struct task {
	const struct subcommand *command;
	struct snapshot_source from;
	struct snapshot_export what;
};

static const struct subcommand *find_subcommand(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

static enum option_status set_collector(const struct option_value *v)
{
	struct task *t = v->field;

	t->from.collector = v->text;
	return option_status_of(config_check_collector(v->text) == NULL);
}

static enum option_status set_prefix(const struct option_value *v)
{
	struct task *t = v->field;

	t->what.prefix = v->text;
	return option_status_of(strlen(v->text) > 0 && strlen(v->text) < 100);
}

static enum option_status set_format(const struct option_value *v)
{
	struct task *t = v->field;

	t->what.capnp = strcmp(v->text, "capnp") == 0;
	return option_status_of(t->what.capnp || strcmp(v->text, "json") == 0);
}

/* clang-format off */
static const struct option_row export_rows[] = {
	{ "router", .argument = "NAME",
	  .help = "only this one: address, name, or token as in subjects",
	  OPTION_TEXT(struct task, what.router) },
	{ "format", .argument = "json|capnp",
	  .help = "capnp: messages back to back, as with 'tail --raw'",
	  OPTION_SET(set_format), .invalid = "json or capnp, not " },
	{ "prefix", .argument = "PREFIX",
	  .help = "of the subjects (default arancini.updates)",
	  OPTION_SET(set_prefix), .invalid = "no prefix of subjects: " },
	OPTION_ROWS_END,
};

static const struct option_row bucket_rows[] = {
	{ "collector-id", .argument = "NAME",
	  .help = "whose snapshots; not needed if there is only one",
	  OPTION_SET(set_collector), .invalid = "no id of a collector: " },
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	{ .heading = "Options of export:\n",
	  .rows = export_rows, .column = NATS_ACCESS_COLUMN },
	{ .heading = "\nOptions where PATH is a URL:\n",
	  .rows = bucket_rows, .column = NATS_ACCESS_COLUMN },
	NATS_ACCESS_SECTION(struct task, from.access),
	{ .heading = "\n",
	  .rows = option_help_rows, .column = NATS_ACCESS_COLUMN },
	OPTION_SECTIONS_END,
};

static const struct command_line line = {
	.command = "snapshot",
	.usage =
"Usage: arancini snapshot ls|show|verify|export PATH [OPTION]...\n"
"Look into the snapshots of a collector. PATH is its --state: a folder, the\n"
"folder 'snapshots' in it, or one file; or nats://host:4222 (tls://) for those\n"
"in a bucket. A collector may be running on it.\n"
"\n"
"  ls        one line a router: routes, tables, size, age, and the mark from\n"
"            which on the stream (or the journal) goes on\n"
"  show      what a file says of itself, its peers and tables\n"
"  verify    read everything and check every sum; what is damaged is named,\n"
"            with the offset\n"
"  export    the tables as updates, JSON lines as 'arancini tail' prints them;\n"
"            the mark goes to standard error\n"
"\n",
	.sections = sections,
	.has_operands = true,
	.notes =
"\n"
"Who starts from an export reads on with 'arancini tail --since MARK'.\n"
"\n"
"Exit status: 0; 1 if a file is damaged or cannot be read, or if there is\n"
"none; 2 for wrong usage.\n",
};
/* clang-format on */

static int run_subcommand(void *arg)
{
	const struct task *t = arg;
	struct snapshot_paths paths;
	int code;

	if (!snapshot_paths_find(&t->from, &paths))
		return EXIT_FAILURE;
	code = t->command->run != NULL ? t->command->run(&paths)
				       : snapshot_export(&paths, &t->what);
	snapshot_paths_release(&paths);
	return code;
}

/*
 * Run the subcommand. If the source is a bucket, libnats starts threads, which
 * nats_finish() ends.
 */
static int open_source(struct task *t)
{
	struct nats_access *access = &t->from.access;
	bool url = config_is_url(t->from.path);
	int code = EXIT_FAILURE;

	if (config_check_state(t->from.path) != NULL)
		return options_misuse(
			&line,
			"a URL is nats://host:4222 or tls://host:4222, "
			"without a user, not ",
			t->from.path);
	if (!url && t->from.collector != NULL)
		return options_misuse(&line,
				      "--collector-id is for a URL, not for ",
				      t->from.path);
	access->nats.servers[0] = t->from.path;
	access->nats.server_count = 1;
	if (nats_access_read(access, "snapshot"))
		code = fiber_main("snapshot", run_subcommand, t);
	nats_access_release(access);
	if (url)
		nats_finish();
	return code;
}

int snapshot_main(int argc, char **argv)
{
	struct task t = {
		.from.access.nats.name = "arancini snapshot",
		.what.prefix = "arancini.updates",
	};
	struct operands operands;
	char **words;

	if (!options_read(&line, argc, argv, &t, &operands))
		return operands.exit_code;
	words = operands.words;
	if (operands.count < 2)
		return options_misuse(&line, "a command and a PATH", "");
	if (operands.count > 2)
		return options_misuse(&line, "one PATH only, not ",
				      words[operands.count - 1]);
	t.command = find_subcommand(words[0]);
	if (t.command == NULL)
		return options_misuse(&line, "there is no command ", words[0]);
	if (t.command->run != NULL && (t.what.router != NULL || t.what.capnp))
		return options_misuse(&line, "options are of export, not of ",
				      t.command->name);
	t.from.path = words[1];
	return open_source(&t);
}
