#include "cli/tail.h"

#include "cli/command.h"
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS UINT64_C(1000000000)

static bool read_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *text != '-';
}

/* Parse a duration such as "10m", and return the time so long ago. */
static bool read_ago(const char *text, uint64_t *out)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	size_t digits = strspn(text, "0123456789");
	uint64_t now = (uint64_t)time(NULL);

	if (digits == 0 || digits > 9 || strlen(text) != digits + 1)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t ago = strtoull(text, NULL, 10) * units[i].seconds;

		if (text[digits] != units[i].unit)
			continue;
		*out = ago < now ? (now - ago) * NS : 0;
		return true;
	}
	return false;
}

static bool read_since(struct tail *t, const char *text)
{
	struct tm tm = { 0 };
	uint64_t seconds;
	const char *end;

	t->nats.from = NATS_FROM_TIME;
	if (strcmp(text, "all") == 0 || strcmp(text, "new") == 0) {
		t->nats.from = *text == 'a' ? NATS_FROM_ALL : NATS_FROM_NEW;
		return true;
	}
	if (read_ago(text, &t->nats.at))
		return true;
	if (log_position_parse((struct wire_view){ (const uint8_t *)text,
						   strlen(text) },
			       &t->mark)) {
		t->nats.from = NATS_FROM_SEQ;
		t->nats.at = t->mark.position + 1;
		return true;
	}
	if (read_number(text, &seconds) && seconds < UINT64_MAX / NS) {
		t->nats.at = seconds * NS;
		return true;
	}
	end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (end == NULL || (strcmp(end, "Z") != 0 && *end != '\0'))
		return false;
	t->nats.at = (uint64_t)timegm(&tm) * NS;
	return true;
}

static enum option_status add_server(const struct option_value *v)
{
	struct tail *t = v->field;
	struct nats_options *nats = &t->access.nats;

	if (nats->server_count == NATS_SERVERS_MAX)
		return OPTION_INVALID;
	nats->servers[nats->server_count++] = v->text;
	return OPTION_ACCEPTED;
}

static enum option_status set_since(const struct option_value *v)
{
	return option_status_of(read_since(v->field, v->text));
}

static enum option_status set_count(const struct option_value *v)
{
	struct tail *t = v->field;

	return option_status_of(read_number(v->text, &t->count));
}

static enum option_status set_idle(const struct option_value *v)
{
	struct tail *t = v->field;
	uint64_t seconds;

	if (!read_number(v->text, &seconds) || seconds > v->row->max)
		return OPTION_INVALID;
	t->idle_ms = (int64_t)seconds * 1000;
	return OPTION_ACCEPTED;
}

static enum option_status set_form(const struct option_value *v)
{
	struct tail *t = v->field;

	t->form = (enum tail_form)v->row->key;
	return OPTION_ACCEPTED;
}

/* clang-format off */
static const struct option_row stream_rows[] = {
	{ "nats", .argument = "URL",
	  .help = "read from JetStream; may be repeated",
	  OPTION_SET(add_server), .invalid = "too many servers at " },
	{ "stream", .argument = "NAME",
	  .help = "the stream (default ARANCINI)",
	  OPTION_TEXT(struct tail, nats.stream) },
	OPTION_ROWS_END,
};

static const struct option_row rows[] = {
	{ "journal", .argument = "DIR",
	  .help = "read a collector's journal instead",
	  OPTION_TEXT(struct tail, journal) },
	{ "subject", .argument = "FILTER",
	  .help = "only these, such as\n"
		  "'arancini.updates.v4_192_0_2_1.>'",
	  OPTION_TEXT(struct tail, nats.filter) },
	{ "since", .argument = "all|new|TIME|MARK",
	  .help = "where to start (default new); TIME is\n"
		  "2026-11-16T12:00:00Z, seconds since 1970,\n"
		  "or 90s, 10m, 2h, 1d ago; MARK is what 'arancini\n"
		  "snapshot' says: 'stream 1763251200 4711'",
	  OPTION_SET(set_since), .invalid = "no time we can read: " },
	{ "count", .argument = "N", .help = "end after so many",
	  OPTION_SET(set_count), .invalid = "not a number: " },
	{ "idle-exit", .argument = "SECONDS",
	  .help = "end when nothing came for so long",
	  OPTION_SET(set_idle), .max = INT32_MAX,
	  .invalid = "not a number: " },
	{ "json", .help = "JSON lines, also on a terminal",
	  OPTION_SET(set_form), .key = TAIL_JSON },
	{ "raw", .help = "Cap'n Proto messages as they are, unpacked",
	  OPTION_SET(set_form), .key = TAIL_RAW },
	OPTION_HELP_ROW,
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	{ .rows = stream_rows, .column = NATS_ACCESS_COLUMN },
	NATS_ACCESS_SECTION(struct tail, access),
	{ .rows = rows, .column = NATS_ACCESS_COLUMN },
	OPTION_SECTIONS_END,
};

static const struct command_line line = {
	.command = "tail",
	.usage =
"Usage: arancini tail (--nats URL | --journal DIR) [OPTION]...\n"
"Follow what a collector publishes, one line an update or event.\n\n",
	.sections = sections,
	.notes =
"\n"
"On a terminal the lines are for people, elsewhere they are JSON with the\n"
"names of schema/update.capnp. A broker that restarts is waited for.\n"
"\n"
"Exit status: 0 if it ended as asked for (--count, --idle-exit), 1 if the\n"
"stream or the journal cannot be read on, 2 for wrong usage.\n",
};
/* clang-format on */

/* Return EXIT_SUCCESS, or EXIT_USAGE if options exclude each other. */
static int check_options(const struct tail *t)
{
	if ((t->access.nats.server_count > 0) == (t->journal != NULL))
		return options_misuse(&line, "--nats or --journal?", "");
	if (t->nats.from == NATS_FROM_SEQ &&
	    t->mark.journal != (t->journal != NULL))
		return options_misuse(&line, "the mark is of a ",
				      t->mark.journal ? "journal" : "stream");
	return EXIT_SUCCESS;
}

static int tail_run(struct tail *t)
{
	if (!nats_access_read(&t->access, "tail"))
		return EXIT_FAILURE;
	t->nats.nats = t->access.nats;
	if (egress_codec_new(&t->codec) < 0) {
		fputs("arancini tail: out of memory\n", stderr);
		return EXIT_FAILURE;
	}
	return t->journal != NULL ? tail_from_journal(t) : tail_from_nats(t);
}

int tail_main(int argc, char **argv)
{
	struct tail t = {
		.nats = { .stream = "ARANCINI", .from = NATS_FROM_NEW },
		.access.nats.name = "arancini tail",
		.form = isatty(STDOUT_FILENO) ? TAIL_TEXT : TAIL_JSON,
	};
	struct operands operands;
	int code;

	if (!options_read(&line, argc, argv, &t, &operands))
		return operands.exit_code;
	code = check_options(&t);
	if (code != EXIT_SUCCESS)
		return code;
	code = tail_run(&t);
	egress_codec_free(t.codec);
	json_fini(&t.out);
	nats_access_release(&t.access);
	return code;
}
