#include "cli/tail.h"

#include "cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS UINT64_C(1000000000)

static const char help[] =
	"Usage: arancini tail (--nats URL | --journal DIR) [OPTION]...\n"
	"Follow what a collector publishes, one line an update or event.\n\n"
	"  --nats URL            read from JetStream; may be repeated\n"
	"  --stream NAME         the stream (default ARANCINI)\n"
	"" NATS_ACCESS_HELP
	"  --journal DIR         read a collector's journal instead\n"
	"  --subject FILTER      only these, such as\n"
	"                        'arancini.updates.v4_192_0_2_1.>'\n"
	"  --since all|new|TIME|MARK\n"
	"                        where to start (default new); TIME is\n"
	"                        2026-11-16T12:00:00Z, seconds since 1970,\n"
	"                        or 90s, 10m, 2h, 1d ago; MARK is what "
	"'arancini\n"
	"                        snapshot' says: 'stream 1763251200 4711'\n"
	"  --count N             end after so many\n"
	"  --idle-exit SECONDS   end when nothing came for so long\n"
	"  --json                JSON lines, also on a terminal\n"
	"  --raw                 Cap'n Proto messages as they are, unpacked\n"
	"  --help                this text\n\n"
	"On a terminal the lines are for people, elsewhere they are JSON with "
	"the\nnames of schema/update.capnp. A broker that restarts is waited "
	"for.\n\n"
	"Exit status: 0 if it ended as asked for (--count, --idle-exit), 1 if "
	"the\nstream or the journal cannot be read on, 2 for wrong usage.\n";

enum {
	OPTION_NATS = 256,
	OPTION_STREAM,
	OPTION_JOURNAL,
	OPTION_SUBJECT,
	OPTION_SINCE,
	OPTION_COUNT,
	OPTION_IDLE,
	OPTION_JSON,
	OPTION_RAW,
	OPTION_HELP,
};

static const struct option options[] = {
	{ "nats", required_argument, NULL, OPTION_NATS },
	{ "stream", required_argument, NULL, OPTION_STREAM },
	NATS_ACCESS_OPTIONS,
	{ "journal", required_argument, NULL, OPTION_JOURNAL },
	{ "subject", required_argument, NULL, OPTION_SUBJECT },
	{ "since", required_argument, NULL, OPTION_SINCE },
	{ "count", required_argument, NULL, OPTION_COUNT },
	{ "idle-exit", required_argument, NULL, OPTION_IDLE },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "raw", no_argument, NULL, OPTION_RAW },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static int usage(const char *what, const char *word)
{
	fprintf(stderr, "arancini tail: %s%s; see 'arancini tail --help'\n",
		what, word);
	return EXIT_USAGE;
}

static bool read_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *text != '-';
}

/* "10m": so long ago. */
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
	if (egress_mark_parse((struct wire_view){ (const uint8_t *)text,
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

/* An option with a value. NULL, or what is wrong. */
static const char *set_value(struct tail *t, int option, const char *value)
{
	struct nats_options *nats = &t->access.nats;
	uint64_t number = 0;

	if (nats_access_set(&t->access, option, value))
		return NULL;
	switch (option) {
	case OPTION_NATS:
		if (nats->server_count == NATS_SERVERS_MAX)
			return "too many servers at ";
		nats->servers[nats->server_count++] = value;
		return NULL;
	case OPTION_STREAM:
		t->nats.stream = value;
		return NULL;
	case OPTION_JOURNAL:
		t->journal = value;
		return NULL;
	case OPTION_SUBJECT:
		t->nats.filter = value;
		return NULL;
	case OPTION_SINCE:
		return read_since(t, value) ? NULL : "no time we can read: ";
	case OPTION_COUNT:
		return read_number(value, &t->count) ? NULL : "not a number: ";
	default:
		if (!read_number(value, &number) || number > INT32_MAX)
			return "not a number: ";
		t->idle_ms = (int64_t)number * 1000;
		return NULL;
	}
}

/* 0 to go on, or the exit code plus one. */
static int read_options(struct tail *t, int argc, char **argv)
{
	const char *wrong;
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case OPTION_JSON:
			t->form = TAIL_JSON;
			break;
		case OPTION_RAW:
			t->form = TAIL_RAW;
			break;
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
			wrong = set_value(t, option, optarg);
			if (wrong != NULL)
				return usage(wrong, optarg) + 1;
		}
	}
	if (optind != argc)
		return usage("what is ", argv[optind]) + 1;
	if ((t->access.nats.server_count > 0) == (t->journal != NULL))
		return usage("--nats or --journal?", "") + 1;
	if (t->nats.from == NATS_FROM_SEQ &&
	    t->mark.journal != (t->journal != NULL))
		return usage("the mark is of a ",
			     t->mark.journal ? "journal" : "stream") +
		       1;
	return 0;
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
	int code = read_options(&t, argc, argv);

	if (code > 0)
		return code - 1;
	code = tail_run(&t);
	egress_codec_free(t.codec);
	json_fini(&t.out);
	nats_access_release(&t.access);
	return code;
}
