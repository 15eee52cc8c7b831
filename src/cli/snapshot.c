/*
 * arancini snapshot - look into what a collector keeps over a restart
 *
 * Only reads: a collector may run on it meanwhile.
 */
#include "cli/snapshot.h"

#include "cli/command.h"
#include "cli/fiber.h"

#include "collector/config/text_check.h"
#include "egress/nats/conn.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Usage: arancini snapshot ls|show|verify|export PATH [OPTION]...\n"
	"Look into the snapshots of a collector. PATH is its --state: a "
	"folder, "
	"the\nfolder 'snapshots' in it, or one file; or nats://host:4222 "
	"(tls://) for those\nin a bucket. A collector may be running on "
	"it.\n\n"
	"  ls        one line a router: routes, tables, size, age, and the "
	"mark from\n            which on the stream (or the journal) goes on\n"
	"  show      what a file says of itself, its peers and tables\n"
	"  verify    read everything and check every sum; what is damaged is "
	"named,\n            with the offset\n"
	"  export    the tables as updates, JSON lines as 'arancini tail' "
	"prints them;\n            the mark goes to standard error\n\n"
	"Options of export:\n"
	"  --router NAME         only this one: address, name, or token as in "
	"subjects\n"
	"  --format json|capnp   capnp: messages back to back, as with 'tail "
	"--raw'\n"
	"  --prefix PREFIX       of the subjects (default "
	"arancini.updates)\n\n"
	"Options where PATH is a URL:\n"
	"  --collector-id NAME   whose snapshots; not needed if there is only "
	"one\n"
	"" NATS_ACCESS_HELP "\n"
	"  --help                this text\n\n"
	"Who starts from an export reads on with 'arancini tail --since "
	"MARK'.\n\n"
	"Exit status: 0; 1 if a file is damaged or cannot be read, or if there "
	"is\nnone; 2 for wrong usage.\n";

enum {
	OPTION_ROUTER = 256,
	OPTION_FORMAT,
	OPTION_PREFIX,
	OPTION_COLLECTOR,
	OPTION_HELP,
};

static const struct option options[] = {
	{ "router", required_argument, NULL, OPTION_ROUTER },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "prefix", required_argument, NULL, OPTION_PREFIX },
	{ "collector-id", required_argument, NULL, OPTION_COLLECTOR },
	NATS_ACCESS_OPTIONS,
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

struct subcommand {
	const char *name;
	int (*run)(const struct snapshot_paths *p); /* NULL: export */
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

static const struct subcommand *find(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

static int usage(const char *what, const char *word)
{
	fprintf(stderr,
		"arancini snapshot: %s%s; see 'arancini snapshot --help'\n",
		what, word);
	return EXIT_USAGE;
}

static const char *set_option(struct task *t, int option, const char *value)
{
	struct snapshot_export *what = &t->what;

	if (nats_access_set(&t->from.access, option, value))
		return NULL;
	switch (option) {
	case OPTION_ROUTER:
		what->router = value;
		return NULL;
	case OPTION_COLLECTOR:
		t->from.collector = value;
		return config_check_collector(value) == NULL
			       ? NULL
			       : "no id of a collector: ";
	case OPTION_PREFIX:
		what->prefix = value;
		return strlen(value) > 0 && strlen(value) < 100
			       ? NULL
			       : "no prefix of subjects: ";
	default:
		what->capnp = strcmp(value, "capnp") == 0;
		return what->capnp || strcmp(value, "json") == 0
			       ? NULL
			       : "json or capnp, not ";
	}
}

/* 0 to go on, or the exit code plus one. */
static int read_options(struct task *t, int argc, char **argv)
{
	const char *wrong;
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case 'h':
		case OPTION_HELP:
			fputs(help, stdout);
			return EXIT_SUCCESS + 1;
		case ':':
			return usage("a value is missing after ",
				     argv[optind - 1]) +
			       1;
		case '?':
			return usage("unknown option ", argv[optind - 1]) + 1;
		default:
			wrong = set_option(t, option, optarg);
			if (wrong != NULL)
				return usage(wrong, optarg) + 1;
		}
	}
	return 0;
}

static int run(void *arg)
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

/* Where there is a bucket, libnats has threads until it is told to go. */
static int look(struct task *t)
{
	struct nats_access *access = &t->from.access;
	bool url = config_is_url(t->from.path);
	int code = EXIT_FAILURE;

	if (config_check_state(t->from.path) != NULL)
		return usage("a URL is nats://host:4222 or tls://host:4222, "
			     "without a user, not ",
			     t->from.path);
	if (!url && t->from.collector != NULL)
		return usage("--collector-id is for a URL, not for ",
			     t->from.path);
	access->nats.servers[0] = t->from.path;
	access->nats.server_count = 1;
	if (nats_access_read(access, "snapshot"))
		code = fiber_main("snapshot", run, t);
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
	int code = read_options(&t, argc, argv);

	if (code > 0)
		return code - 1;
	if (argc - optind != 2)
		return usage(argc - optind < 2 ? "a command and a PATH"
					       : "one PATH only, not ",
			     argc - optind < 2 ? "" : argv[argc - 1]);
	t.command = find(argv[optind]);
	if (t.command == NULL)
		return usage("there is no command ", argv[optind]);
	if (t.command->run != NULL && optind > 1 &&
	    (t.what.router != NULL || t.what.capnp))
		return usage("options are of export, not of ", t.command->name);
	t.from.path = argv[optind + 1];
	return look(&t);
}
