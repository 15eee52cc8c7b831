/*
 * arancini generate - BMP sessions that nobody recorded
 */
#include "cli/generate.h"

#include "cli/command.h"
#include "collector/base/json.h"
#include "cli/xalloc.h"
#include "cli/number.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"Usage: arancini generate [OPTION]... --to HOST:PORT | -o FILE\n"
	"Make up routers that send their tables over BMP, then changes to "
	"them.\n"
	"\n"
	"The same options make the same bytes, on any machine. Prefix lengths, "
	"AS\n"
	"paths, communities and the like are as in the Internet of 2026.\n"
	"Numbers may end in k, M or G.\n"
	"\n"
	"  --to HOST:PORT        one TCP session a router\n"
	"  --spread-sources      each router from an address of its own, "
	"127.1.0.1\n"
	"                        and up; HOST must be in 127/8\n"
	"  -o FILE               the session of one router as a raw BMP "
	"stream;\n"
	"                        \"-\" is standard output\n"
	"\n"
	"  --routers N           default 1\n"
	"  --peers N             of a router; default 1\n"
	"  --prefixes N          of a peer; default 10k\n"
	"  --v6-share SHARE      of IPv6 among them; default 0.193\n"
	"  --nlri-per-update N   prefixes in each UPDATE, 1 to 500; default 6\n"
	"  --attr-sets SHARE     distinct attribute sets a route; default "
	"0.18.\n"
	"                        An UPDATE has one, so N prefixes in each "
	"mean\n"
	"                        1/N at most\n"
	"  --seed N              default 1\n"
	"\n"
	"  --churn RATE          updates of routes a second after the tables, "
	"by\n"
	"                        all routers together; \"max\" as fast as they "
	"go\n"
	"  --churn-count N       so many updates in all, then end\n"
	"  --duration SECONDS    end after so long; without either: never\n"
	"  --churn-mix C:D:W     shares of path changes, duplicates and "
	"withdraws;\n"
	"                        default 89:3:8. An update to a withdrawn "
	"route\n"
	"                        brings it back\n"
	"  --flaps N             peers that go down and come back meanwhile\n"
	"  --wall-clock          real times in the headers instead of counted "
	"ones\n"
	"  --hold                keep the sessions open at the end, until "
	"SIGINT\n"
	"\n"
	"  --json                what was sent, as a JSON object on standard "
	"output\n"
	"  --help                this text\n"
	"\n"
	"Exit status: 0 if all was sent, 1 if the collector could not be "
	"reached or\n"
	"closed early, or a file could not be written, 2 for wrong usage.\n";

static int usage(const char *what, const char *word)
{
	fprintf(stderr,
		"arancini generate: %s%s; see 'arancini generate --help'\n",
		what, word);
	return EXIT_USAGE;
}

static int refuse(const char *option, const char *value)
{
	fprintf(stderr,
		"arancini generate: --%s cannot be '%s'; "
		"see 'arancini generate --help'\n",
		option, value);
	return EXIT_USAGE;
}

/* What the options say, before it becomes a plan. */
struct options {
	struct generate g;
	bool churn;
	uint64_t churn_count;
	uint64_t duration; /* microseconds */
	bool spread;
	bool json;
};

enum {
	OPTION_TO = 256,
	OPTION_SPREAD,
	OPTION_ROUTERS,
	OPTION_PEERS,
	OPTION_PREFIXES,
	OPTION_V6_SHARE,
	OPTION_PER_UPDATE,
	OPTION_ATTR_SETS,
	OPTION_SEED,
	OPTION_CHURN,
	OPTION_CHURN_COUNT,
	OPTION_DURATION,
	OPTION_CHURN_MIX,
	OPTION_FLAPS,
	OPTION_WALL_CLOCK,
	OPTION_HOLD,
	OPTION_JSON,
	OPTION_HELP
};

static const struct option long_options[] = {
	{ "to", required_argument, NULL, OPTION_TO },
	{ "spread-sources", no_argument, NULL, OPTION_SPREAD },
	{ "routers", required_argument, NULL, OPTION_ROUTERS },
	{ "peers", required_argument, NULL, OPTION_PEERS },
	{ "prefixes", required_argument, NULL, OPTION_PREFIXES },
	{ "v6-share", required_argument, NULL, OPTION_V6_SHARE },
	{ "nlri-per-update", required_argument, NULL, OPTION_PER_UPDATE },
	{ "attr-sets", required_argument, NULL, OPTION_ATTR_SETS },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "churn", required_argument, NULL, OPTION_CHURN },
	{ "churn-count", required_argument, NULL, OPTION_CHURN_COUNT },
	{ "duration", required_argument, NULL, OPTION_DURATION },
	{ "churn-mix", required_argument, NULL, OPTION_CHURN_MIX },
	{ "flaps", required_argument, NULL, OPTION_FLAPS },
	{ "wall-clock", no_argument, NULL, OPTION_WALL_CLOCK },
	{ "hold", no_argument, NULL, OPTION_HOLD },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static bool parse_share(const char *text, uint32_t *out)
{
	uint64_t value;

	if (!number_millionths(text, LOAD_MILLION, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

/* C:D:W, three numbers on any scale. */
static bool parse_mix(const char *text, struct load_plan *plan)
{
	uint32_t shares[3];
	char copy[64];
	char *rest = copy;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return false;
	for (int i = 0; i < 3; i++) {
		const char *part = strsep(&rest, ":");

		if (part == NULL || !number_count32(part, 1000000, &shares[i]))
			return false;
	}
	if (rest != NULL)
		return false;
	plan->changes = shares[0];
	plan->duplicates = shares[1];
	plan->withdraws = shares[2];
	return true;
}

static bool parse_churn(const char *text, struct options *o)
{
	o->churn = true;
	o->g.plan.rate = 0;
	if (strcmp(text, "max") == 0)
		return true;
	return number_count(text, 1000000000, &o->g.plan.rate) &&
	       o->g.plan.rate > 0;
}

/* An option whose value is a number or the like. */
static bool parse_value(int option, struct options *o)
{
	struct load_plan *plan = &o->g.plan;

	switch (option) {
	case OPTION_ROUTERS:
		return number_count32(optarg, 1u << 24, &plan->routers);
	case OPTION_PEERS:
		return number_count32(optarg, 1u << 24, &plan->peers);
	case OPTION_PREFIXES:
		return number_count32(optarg, 100000000, &plan->prefixes);
	case OPTION_V6_SHARE:
		return parse_share(optarg, &plan->v6_share);
	case OPTION_PER_UPDATE:
		return number_count32(optarg, LOAD_PER_UPDATE_MAX,
				      &plan->per_update);
	case OPTION_ATTR_SETS:
		return parse_share(optarg, &plan->attr_sets);
	case OPTION_SEED:
		return number_count(optarg, UINT64_MAX, &plan->seed);
	case OPTION_CHURN:
		return parse_churn(optarg, o);
	case OPTION_CHURN_COUNT:
		return number_count(optarg, LOAD_NO_END - 1, &o->churn_count);
	case OPTION_DURATION:
		return number_millionths(optarg,
					 UINT64_C(1000000) * 86400 * 366,
					 &o->duration);
	case OPTION_CHURN_MIX:
		return parse_mix(optarg, plan);
	case OPTION_FLAPS:
		return number_count32(optarg, 1000000, &plan->flaps);
	default:
		return false;
	}
}

/* -1: go on; otherwise the exit code. */
static int parse(struct options *o, int argc, char **argv)
{
	int option, which = 0;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":ho:", long_options,
				     &which)) != -1) {
		switch (option) {
		case OPTION_TO:
			o->g.target_name = optarg;
			break;
		case 'o':
			o->g.file = optarg;
			break;
		case OPTION_SPREAD:
			o->spread = true;
			break;
		case OPTION_WALL_CLOCK:
			o->g.wall_clock = true;
			break;
		case OPTION_HOLD:
			o->g.plan.stay = true;
			break;
		case OPTION_JSON:
			o->json = true;
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
			if (!parse_value(option, o))
				return refuse(long_options[which].name, optarg);
		}
	}
	if (optind < argc)
		return usage("what is ", argv[optind]);
	return -1;
}

/* How many updates, from what was said about them. */
static const char *plan_churn(struct options *o)
{
	struct load_plan *plan = &o->g.plan;

	if (!o->churn) {
		if (o->churn_count > 0 || o->duration > 0 || plan->flaps > 0)
			return "--churn says how fast: a rate, or max";
		return NULL;
	}
	plan->churn = LOAD_NO_END;
	if (o->churn_count > 0)
		plan->churn = o->churn_count;
	else if (o->duration > 0 && plan->rate > 0)
		plan->churn = (uint64_t)((unsigned __int128)o->duration *
					 plan->rate / 1000000);
	else if (o->duration > 0)
		o->g.duration_ns = (int64_t)(o->duration * 1000);
	if (o->g.file != NULL && plan->churn == LOAD_NO_END)
		return "a file ends: give --churn-count, or a rate and "
		       "--duration";
	return NULL;
}

/* What cannot be, as a sentence, or NULL. */
static const char *fault(struct options *o)
{
	struct generate *g = &o->g;
	const char *what;

	if ((g->file == NULL) == (g->target_name == NULL))
		return "one of --to HOST:PORT and -o FILE is needed";
	if (g->file != NULL && (o->spread || g->plan.stay))
		return "--spread-sources and --hold are for --to";
	if (g->file != NULL && g->plan.routers != 1)
		return "a file is the session of one router";
	if (g->file != NULL && strcmp(g->file, "-") == 0 && o->json)
		return "--json and -o - both want standard output";
	what = plan_churn(o);
	return what != NULL ? what : load_plan_fault(&g->plan);
}

struct rates {
	double seconds;
	double table_seconds;
	double table; /* updates a second */
	double churn;
};

static struct rates rates_of(const struct generate *g)
{
	int64_t tables_at = g->tables_at != 0 ? g->tables_at : g->ended;
	uint64_t updates = generate_updates(&g->counts);
	uint64_t table = g->tables_at != 0 ? g->table_updates : updates;
	struct rates r = {
		.seconds = (double)(g->ended - g->began) / 1e9,
		.table_seconds = (double)(tables_at - g->began) / 1e9,
	};

	if (r.table_seconds > 0)
		r.table = (double)table / r.table_seconds;
	if (updates > table && r.seconds > r.table_seconds)
		r.churn = (double)(updates - table) /
			  (r.seconds - r.table_seconds);
	return r;
}

static void print_json(const struct generate *g)
{
	const struct load_counts *c = &g->counts;
	struct rates r = rates_of(g);
	struct json j = { 0 };

	json_object(&j);
	json_uint_at(&j, "bytes", c->bytes);
	json_uint_at(&j, "messages", c->messages);
	json_uint_at(&j, "bgpUpdates", c->updates);
	json_uint_at(&j, "announced", c->announced);
	json_uint_at(&j, "withdrawn", c->withdrawn);
	json_uint_at(&j, "changes", c->changes);
	json_uint_at(&j, "duplicates", c->duplicates);
	json_uint_at(&j, "withdraws", c->withdraws);
	json_uint_at(&j, "returns", c->returns);
	json_uint_at(&j, "flaps", c->flaps);
	json_uint_at(&j, "sessionsFailed", g->sessions.failed);
	json_uint_at(&j, "milliseconds", (uint64_t)(r.seconds * 1e3));
	json_uint_at(&j, "tableUpdatesPerSecond", (uint64_t)r.table);
	json_uint_at(&j, "churnUpdatesPerSecond", (uint64_t)r.churn);
	json_end_object(&j);
	json_end_line(&j);
	memory_had(!j.failed);
	fwrite(j.bytes, 1, j.len, stdout);
	json_fini(&j);
}

static void print_summary(const struct generate *g)
{
	const struct load_counts *c = &g->counts;
	struct rates r = rates_of(g);

	fprintf(stderr,
		"arancini generate: %llu updates in %llu messages, %.1f MB, "
		"%.2f s",
		(unsigned long long)generate_updates(c),
		(unsigned long long)c->messages, (double)c->bytes / 1e6,
		r.seconds);
	fprintf(stderr, "; table %.2f M updates/s", r.table / 1e6);
	if (r.churn > 0)
		fprintf(stderr, ", churn %.2f M updates/s", r.churn / 1e6);
	fputc('\n', stderr);
}

int generate_main(int argc, char **argv)
{
	struct options o = { .g.plan = LOAD_PLAN_INIT };
	const char *what;
	int code = parse(&o, argc, argv);
	int err;

	if (code >= 0)
		return code;
	what = fault(&o);
	if (what != NULL)
		return usage(what, "");
	if (o.g.file == NULL) {
		code = target_init(&o.g.target, "generate", o.g.target_name,
				   o.spread);
		if (code != 0)
			return code;
	}
	err = load_table_new(&o.g.plan, &o.g.table);
	if (err < 0)
		return usage(err == -ERANGE ? "there are not so many prefixes"
					    : strerror(-err),
			     "");
	code = o.g.file != NULL ? generate_to_file(&o.g)
				: generate_to_target(&o.g);
	if (o.json)
		print_json(&o.g);
	else if (o.g.counts.messages > 0)
		print_summary(&o.g);
	load_table_free(o.g.table);
	return code;
}
