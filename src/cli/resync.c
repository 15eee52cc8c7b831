/*
 * arancini resync - have a running collector publish its tables again
 */
#include "cli/api_json.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/router_name.h"

#include <inttypes.h>
#include <stdio.h>

static const char help[] =
	"Usage: arancini resync [OPTION]... [ROUTER]\n"
	"Ask a running collector to publish the table of one router, or of "
	"all,\n"
	"again. Consumers get a resync event first, and then every route as "
	"an\n"
	"announcement. ROUTER is an address, or what 'arancini status' "
	"lists.\n\n" CLIENT_HELP
	"  --json               what the collector answers\n"
	"  --help               this text\n\n"
	"It is done when the tables are out, not when this command ends. Exit "
	"status:\n0 if the collector took it on, 1 if not, 2 for wrong "
	"usage.\n";

enum {
	OPTION_JSON = 256,
	OPTION_HELP,
};

static const struct option options[] = {
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	CLIENT_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static int usage(const char *what, const char *word)
{
	fprintf(stderr, "arancini resync: %s%s; see 'arancini resync --help'\n",
		what, word);
	return EXIT_USAGE;
}

static void print_count(uint64_t routers)
{
	if (routers == 1)
		puts("publishing the tables of 1 router again");
	else
		printf("publishing the tables of %" PRIu64 " routers again\n",
		       routers);
}

static int resync(const struct client_options *client_options,
		  const char *token, bool as_json)
{
	struct client *client = client_new(client_options);
	struct json_object *answer;
	char path[64 + ROUTER_NAME_MAX];
	int err, code = 0;

	snprintf(path, sizeof(path), "/api/v1/resync%s%s",
		 token[0] != '\0' ? "?router=" : "", token);
	err = client_post(client, path, &answer);
	if (err < 0) {
		fprintf(stderr, "arancini resync: %s\n", client_why(client));
		code = client_exit_code(err);
	} else if (as_json) {
		answer_print(answer);
		answer_free(answer);
	} else {
		print_count(answer_uint(answer, "routers"));
		answer_free(answer);
	}
	client_free(client);
	return code;
}

int resync_main(int argc, char **argv)
{
	struct client_options client_options = CLIENT_DEFAULTS;
	char token[ROUTER_NAME_MAX] = "";
	bool as_json = false;
	const char *wrong;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case OPTION_JSON:
			as_json = true;
			break;
		case OPTION_HELP:
		case 'h':
			fputs(help, stdout);
			return 0;
		case ':':
			return usage("a value is missing after ",
				     argv[optind - 1]);
		case '?':
			return usage("unknown option ", argv[optind - 1]);
		default:
			wrong = client_option(&client_options, option, optarg);
			if (wrong != NULL)
				return usage(wrong, optarg);
		}
	}
	if (argc - optind > 1)
		return usage("one router, or none for all; what is ",
			     argv[optind + 1]);
	if (optind < argc && !router_name_token(argv[optind], token))
		return usage("no router: ", argv[optind]);
	return resync(&client_options, token, as_json);
}
