#include "cli/status.h"

#include "cli/api_json.h"
#include "cli/client_command.h"
#include "cli/command.h"
#include "cli/xalloc.h"

#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Pause between two updates. */
#define PAUSE_MS 1000
/* Rows of a page of a list, and the maximum rows on a screen. */
#define PAGE	"1000"
#define WATCHED 1000

struct status {
	struct client_command command;
	bool watch;
	bool peers;
};

/* clang-format off */
static const struct option_row rows[] = {
	{ "watch",
	  .help = "go on, and draw it again every second; a collector\n"
		  "that restarts is waited for",
	  OPTION_FLAG(struct status, watch) },
	{ "peers", .help = "the peers as well",
	  OPTION_FLAG(struct status, peers) },
	{ "router", .argument = "ROUTER",
	  .help = "one router and its peers; an address, or what\n"
		  "this command lists",
	  CLIENT_ROUTER(struct status, command.router) },
	{ "json", .help = "a JSON object, with --watch one a line",
	  OPTION_FLAG(struct status, command.json) },
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	{ .rows = rows, .column = CLIENT_HELP_COLUMN },
	CLIENT_OPTION_SECTION(struct status, command.options),
	OPTION_HELP_SECTION(CLIENT_HELP_COLUMN),
	OPTION_SECTIONS_END,
};

static const struct command_line line = {
	.command = "status",
	.usage =
"Usage: arancini status [OPTION]...\n"
"What a running collector does: its output, its rates, its workers and\n"
"routers.\n\n",
	.sections = sections,
	.notes =
"\n"
"Colours only on a terminal, and not if NO_COLOR is set. Exit status: 0 if\n"
"the collector answered, 1 if not, 2 for wrong usage.\n",
};
/* clang-format on */

/* Asking */

static int get_list(struct status *s, const char *path, const char *name,
		    struct json_object **out, bool *cut)
{
	return client_command_list(&s->command, path, name,
				   s->watch ? WATCHED : 0, out, cut);
}

/* Get the router of --router, as a list with one element. */
static int get_router(struct status *s, struct json_object **out)
{
	struct json_object *router;
	char path[64 + ROUTER_NAME_MAX];
	int err;

	snprintf(path, sizeof(path), "/api/v1/routers/%s", s->command.router);
	err = client_get(s->command.client, path, &router);
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

	if (s->command.router[0] != '\0')
		err = get_router(s, &answers->routers);
	else
		err = get_list(s, "/api/v1/routers?limit=" PAGE, "routers",
			       &answers->routers, &answers->cut);
	if (err < 0 || !(s->peers || s->command.router[0] != '\0'))
		return err;
	snprintf(path, sizeof(path), "/api/v1/peers?limit=" PAGE "%s%s",
		 s->command.router[0] != '\0' ? "&router=" : "",
		 s->command.router);
	return get_list(s, path, "peers", &answers->peers, &answers->cut);
}

static int get_answers(struct status *s, struct status_answers *answers)
{
	int err = client_get(s->command.client, "/api/v1/status",
			     &answers->status);

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

/* Draw one frame: the error @trouble, unless NULL, and the last answers. */
static void draw_frame(struct status *s, const struct status_answers *answers,
		       const char *trouble)
{
	char *text = NULL;
	size_t len;
	FILE *frame = memory_must(open_memstream(&text, &len));

	if (trouble != NULL)
		fprintf(frame, "%s%s; trying again%s\n\n",
			terminal_on(&s->command.terminal, TERMINAL_BAD),
			trouble,
			terminal_off(&s->command.terminal, TERMINAL_BAD));
	if (answers->status != NULL)
		status_text(frame, &s->command.terminal, answers);
	if (fclose(frame) != 0)
		text = memory_must(NULL);
	terminal_frame(&s->command.terminal, text);
	free(text);
}

/* Print the error once, not every second, if there is no terminal. */
static void report_trouble(const struct status *s, bool *reported)
{
	if (!*reported)
		fprintf(stderr, "arancini status: %s; trying again\n",
			client_why(s->command.client));
	*reported = true;
}

static void refresh_frame(struct status *s, struct status_answers *last,
			  bool *reported)
{
	struct status_answers now = { 0 };
	int err = get_answers(s, &now);

	if (err == 0) {
		answers_fini(last);
		*last = now;
		*reported = false;
	} else {
		answers_fini(&now);
	}
	if (err == -ECANCELED)
		return;
	if (s->command.terminal.drawing)
		draw_frame(s, last,
			   err < 0 ? client_why(s->command.client) : NULL);
	else if (err < 0)
		report_trouble(s, reported);
	else if (s->command.json)
		print_json(last);
	else
		draw_frame(s, last, NULL);
}

/*
 * Wait for PAUSE_MS, or until a signal comes. True to continue: after the pause
 * or after SIGWINCH, which only causes an immediate update.
 */
static bool pause_ended(int signals)
{
	struct pollfd fd = { .fd = signals, .events = POLLIN };
	struct signalfd_siginfo info;

	if (poll(&fd, 1, PAUSE_MS) <= 0)
		return true;
	return read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info) &&
	       info.ssi_signo == SIGWINCH;
}

static int watch_collector(void *arg)
{
	struct status *s = arg;
	struct status_answers last = { 0 };
	bool reported = false;

	if (!s->command.json)
		terminal_begin(&s->command.terminal);
	do
		refresh_frame(s, &last, &reported);
	while (!ferror(stdout) && pause_ended(s->command.options.signals));
	terminal_end(&s->command.terminal);
	answers_fini(&last);
	return 0;
}

static int watch_main(struct status *s)
{
	sigset_t set;
	int code, signals;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0) {
		fprintf(stderr, "arancini status: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	s->command.options.signals = signals;
	code = client_command_run(&s->command, watch_collector, s);
	close(signals);
	return ferror(stdout) ? EXIT_FAILURE : code;
}

static int show_once(void *arg)
{
	struct status *s = arg;
	struct status_answers answers = { 0 };
	int err = get_answers(s, &answers);

	if (err == 0 && s->command.json)
		print_json(&answers);
	else if (err == 0)
		status_text(stdout, &s->command.terminal, &answers);
	answers_fini(&answers);
	return err;
}

int status_main(int argc, char **argv)
{
	struct status s = { 0 };
	struct operands operands;

	client_command_init(&s.command, &line);
	if (!options_read(&line, argc, argv, &s, &operands))
		return operands.exit_code;
	return s.watch ? watch_main(&s)
		       : client_command_run(&s.command, show_once, &s);
}
