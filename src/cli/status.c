#include "cli/status.h"

#include "cli/api_json.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/xalloc.h"
#include "cli/router_name.h"

#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A second between two looks. */
#define PAUSE_MS 1000
/* Rows of a page of a list; and what a screen may show of one at most. */
#define PAGE	"1000"
#define WATCHED 1000

static const char help[] =
	"Usage: arancini status [OPTION]...\n"
	"What a running collector does: its output, its rates, its workers "
	"and\n"
	"routers.\n\n"
	"  --watch              go on, and draw it again every second; a "
	"collector\n"
	"                       that restarts is waited for\n"
	"  --peers              the peers as well\n"
	"  --router ROUTER      one router and its peers; an address, or what\n"
	"                       this command lists\n"
	"  --json               a JSON object, with --watch one a "
	"line\n" CLIENT_HELP "  --help               this text\n\n"
	"Colours only on a terminal, and not if NO_COLOR is set. Exit status: "
	"0 if\nthe collector answered, 1 if not, 2 for wrong usage.\n";

enum {
	OPTION_WATCH = 256,
	OPTION_PEERS,
	OPTION_ROUTER,
	OPTION_JSON,
	OPTION_HELP,
};

static const struct option options[] = {
	{ "watch", no_argument, NULL, OPTION_WATCH },
	{ "peers", no_argument, NULL, OPTION_PEERS },
	{ "router", required_argument, NULL, OPTION_ROUTER },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	CLIENT_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

struct status {
	struct client_options client_options;
	struct client *client;
	struct terminal terminal;
	bool watch;
	bool peers;
	bool json;
	char router[ROUTER_NAME_MAX]; /* its token, or empty */
};

static int usage(const char *what, const char *word)
{
	fprintf(stderr, "arancini status: %s%s; see 'arancini status --help'\n",
		what, word);
	return EXIT_USAGE;
}

/* Asking */

/* A list that grows page by page. */
struct gathering {
	const char *name;
	struct json_object *all;
	size_t enough; /* 0: all there are */
	bool cut;
};

static bool gather(void *arg, const struct json_object *answer)
{
	struct gathering *g = arg;
	struct json_object *list = answer_in(answer, g->name);

	for (size_t i = 0; i < answer_count(list); i++)
		json_object_array_add(g->all,
				      json_object_get(answer_at(list, i)));
	if (g->enough == 0 || answer_count(g->all) < g->enough)
		return true;
	g->cut = answer_text(answer, "next") != NULL;
	return false;
}

static int get_list(struct status *s, const char *path, const char *name,
		    struct json_object **out, bool *cut)
{
	struct gathering g = {
		.name = name,
		.all = memory_must(json_object_new_array()),
		.enough = s->watch ? WATCHED : 0,
	};
	int err = client_list(s->client, path, gather, &g);

	*out = g.all;
	*cut = *cut || g.cut;
	return err;
}

/* The router that was named, as a list of one. */
static int get_router(struct status *s, struct json_object **out)
{
	struct json_object *router;
	char path[64 + ROUTER_NAME_MAX];
	int err;

	snprintf(path, sizeof(path), "/api/v1/routers/%s", s->router);
	err = client_get(s->client, path, &router);
	if (err < 0)
		return err;
	*out = memory_must(json_object_new_array());
	json_object_array_add(*out, router);
	return 0;
}

static int get_lists(struct status *s, struct status_answers *answers)
{
	char path[64 + ROUTER_NAME_MAX];
	int err;

	if (s->router[0] != '\0')
		err = get_router(s, &answers->routers);
	else
		err = get_list(s, "/api/v1/routers?limit=" PAGE, "routers",
			       &answers->routers, &answers->cut);
	if (err < 0 || !(s->peers || s->router[0] != '\0'))
		return err;
	snprintf(path, sizeof(path), "/api/v1/peers?limit=" PAGE "%s%s",
		 s->router[0] != '\0' ? "&router=" : "", s->router);
	return get_list(s, path, "peers", &answers->peers, &answers->cut);
}

static int ask(struct status *s, struct status_answers *answers)
{
	int err = client_get(s->client, "/api/v1/status", &answers->status);

	return err < 0 ? err : get_lists(s, answers);
}

static void answers_fini(struct status_answers *answers)
{
	answer_free(answers->status);
	answer_free(answers->routers);
	answer_free(answers->peers);
	*answers = (struct status_answers){ 0 };
}

/* Showing */

static void print_json(const struct status_answers *answers)
{
	struct json_object *all = memory_must(json_object_new_object());

	json_object_object_add(all, "status", json_object_get(answers->status));
	json_object_object_add(all, "routers",
			       json_object_get(answers->routers));
	if (answers->peers != NULL)
		json_object_object_add(all, "peers",
				       json_object_get(answers->peers));
	answer_print(all);
	fflush(stdout);
	json_object_put(all);
}

/* What was answered last, or why nothing was, as one frame. */
static void draw(struct status *s, const struct status_answers *answers,
		 const char *trouble)
{
	char *text = NULL;
	size_t len;
	FILE *frame = memory_must(open_memstream(&text, &len));

	if (trouble != NULL)
		fprintf(frame, "%s%s; trying again%s\n\n",
			terminal_on(&s->terminal, TERMINAL_BAD), trouble,
			terminal_off(&s->terminal, TERMINAL_BAD));
	if (answers->status != NULL)
		status_text(frame, &s->terminal, answers);
	if (fclose(frame) != 0)
		text = memory_must(NULL);
	terminal_frame(&s->terminal, text);
	free(text);
}

/* Where nobody looks at a screen, trouble is said once and not drawn. */
static void complain(const struct status *s, bool *complained)
{
	if (!*complained)
		fprintf(stderr, "arancini status: %s; trying again\n",
			client_why(s->client));
	*complained = true;
}

static void look(struct status *s, struct status_answers *last,
		 bool *complained)
{
	struct status_answers now = { 0 };
	int err = ask(s, &now);

	if (err == 0) {
		answers_fini(last);
		*last = now;
		*complained = false;
	} else {
		answers_fini(&now);
	}
	if (err == -ECANCELED)
		return;
	if (s->terminal.drawing)
		draw(s, last, err < 0 ? client_why(s->client) : NULL);
	else if (err < 0)
		complain(s, complained);
	else if (s->json)
		print_json(last);
	else
		draw(s, last, NULL);
}

/* Until a signal to end. SIGWINCH only makes it look at once. */
static bool pause_ended(int signals)
{
	struct pollfd fd = { .fd = signals, .events = POLLIN };
	struct signalfd_siginfo info;

	if (poll(&fd, 1, PAUSE_MS) <= 0)
		return true;
	return read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info) &&
	       info.ssi_signo == SIGWINCH;
}

static int watch(struct status *s, int signals)
{
	struct status_answers last = { 0 };
	bool complained = false;

	if (!s->json)
		terminal_begin(&s->terminal);
	do
		look(s, &last, &complained);
	while (!ferror(stdout) && pause_ended(signals));
	terminal_end(&s->terminal);
	answers_fini(&last);
	return ferror(stdout) ? EXIT_FAILURE : 0;
}

static int watch_main(struct status *s)
{
	sigset_t set;
	int code;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->client_options.signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (s->client_options.signals < 0) {
		fprintf(stderr, "arancini status: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	s->client = client_new(&s->client_options);
	code = watch(s, s->client_options.signals);
	client_free(s->client);
	close(s->client_options.signals);
	return code;
}

static int once(struct status *s)
{
	struct status_answers answers = { 0 };
	int err, code = 0;

	s->client = client_new(&s->client_options);
	err = ask(s, &answers);
	if (err < 0) {
		fprintf(stderr, "arancini status: %s\n", client_why(s->client));
		code = client_exit_code(err);
	} else if (s->json) {
		print_json(&answers);
	} else {
		status_text(stdout, &s->terminal, &answers);
	}
	answers_fini(&answers);
	client_free(s->client);
	return code;
}

/* NULL, or what is wrong. */
static const char *set_option(struct status *s, int option, const char *value)
{
	switch (option) {
	case OPTION_WATCH:
		s->watch = true;
		return NULL;
	case OPTION_PEERS:
		s->peers = true;
		return NULL;
	case OPTION_ROUTER:
		return router_name_token(value, s->router) ? NULL
							   : "no router: ";
	case OPTION_JSON:
		s->json = true;
		return NULL;
	default:
		return client_option(&s->client_options, option, value);
	}
}

int status_main(int argc, char **argv)
{
	struct status s = { .client_options = CLIENT_DEFAULTS };
	const char *wrong;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
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
			wrong = set_option(&s, option, optarg);
			if (wrong != NULL)
				return usage(wrong, optarg);
		}
	}
	if (optind < argc)
		return usage("what is ", argv[optind]);
	terminal_init(&s.terminal);
	return s.watch ? watch_main(&s) : once(&s);
}
