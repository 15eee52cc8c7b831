/*
 * arancini generate - synthetic BMP sessions
 */
#include "cli/generate.h"

#include "cli/command.h"
#include "cli/options.h"
#include "collector/base/json.h"
#include "cli/xalloc.h"
#include "cli/number.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Values of the options; plan_churn() makes a plan of them. */
struct generate_options {
	struct generate g;
	bool churn;
	uint64_t churn_count;
	uint64_t duration; /* microseconds */
	bool spread;
	bool json;
};

static enum option_status set_share(const struct option_value *v)
{
	uint64_t millionths;

	if (!number_millionths(v->text, LOAD_MILLION, &millionths))
		return OPTION_INVALID;
	*(uint32_t *)v->field = (uint32_t)millionths;
	return OPTION_ACCEPTED;
}

/*
 * Parse C:D:W, three numbers whose ratio is the mix of changes, duplicates and
 * withdraws.
 */
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

static enum option_status set_mix(const struct option_value *v)
{
	struct generate_options *o = v->field;

	return option_status_of(parse_mix(v->text, &o->g.plan));
}

static enum option_status set_churn(const struct option_value *v)
{
	struct generate_options *o = v->field;
	uint64_t *rate = &o->g.plan.rate;

	o->churn = true;
	*rate = 0;
	if (strcmp(v->text, "max") == 0)
		return OPTION_ACCEPTED;
	return option_status_of(number_count(v->text, v->row->max, rate) &&
				*rate > 0);
}

/* clang-format off */
#define FLAG(member) OPTION_FLAG(struct generate_options, member)
#define TEXT(member) OPTION_TEXT(struct generate_options, member)
#define COUNT32(member, most) \
	OPTION_COUNT32(struct generate_options, member, most)
#define COUNT(member, most) OPTION_COUNT(struct generate_options, member, most)
#define SHARE(member) \
	OPTION_SET(set_share), \
	OPTION_FIELD(struct generate_options, member, uint32_t)

static const struct option_row output_rows[] = {
	{ "to", .argument = "HOST:PORT", .help = "one TCP session a router",
	  TEXT(g.target_name) },
	{ "spread-sources",
	  .help = "each router from an address of its own, 127.1.0.1\n"
		  "and up; HOST must be in 127/8",
	  FLAG(spread) },
	{ .letter = 'o', .argument = "FILE",
	  .help = "the session of one router as a raw BMP stream;\n"
		  "\"-\" is standard output",
	  TEXT(g.file) },
	OPTION_ROWS_END,
};

static const struct option_row table_rows[] = {
	{ "routers", .argument = "N", .help = "default 1",
	  COUNT32(g.plan.routers, 1u << 24) },
	{ "peers", .argument = "N", .help = "of a router; default 1",
	  COUNT32(g.plan.peers, 1u << 24) },
	{ "prefixes", .argument = "N", .help = "of a peer; default 10k",
	  COUNT32(g.plan.prefixes, 100000000) },
	{ "v6-share", .argument = "SHARE",
	  .help = "of IPv6 among them; default 0.193",
	  SHARE(g.plan.v6_share) },
	{ "nlri-per-update", .argument = "N",
	  .help = "prefixes in each UPDATE, 1 to 500; default 6",
	  COUNT32(g.plan.per_update, LOAD_PER_UPDATE_MAX) },
	{ "attr-sets", .argument = "SHARE",
	  .help = "distinct attribute sets a route; default 0.18.\n"
		  "An UPDATE has one, so N prefixes in each mean\n"
		  "1/N at most",
	  SHARE(g.plan.attr_sets) },
	{ "seed", .argument = "N", .help = "default 1",
	  COUNT(g.plan.seed, UINT64_MAX) },
	OPTION_ROWS_END,
};

static const struct option_row churn_rows[] = {
	{ "churn", .argument = "RATE",
	  .help = "updates of routes a second after the tables, by\n"
		  "all routers together; \"max\" as fast as they go",
	  OPTION_SET(set_churn), .max = 1000000000 },
	{ "churn-count", .argument = "N",
	  .help = "so many updates in all, then end",
	  COUNT(churn_count, LOAD_NO_END - 1) },
	{ "duration", .argument = "SECONDS",
	  .help = "end after so long; without either: never",
	  OPTION_MILLIONTHS(struct generate_options, duration,
			    UINT64_C(1000000) * 86400 * 366) },
	{ "churn-mix", .argument = "C:D:W",
	  .help = "shares of path changes, duplicates and withdraws;\n"
		  "default 89:3:8. An update to a withdrawn route\n"
		  "brings it back",
	  OPTION_SET(set_mix) },
	{ "flaps", .argument = "N",
	  .help = "peers that go down and come back meanwhile",
	  COUNT32(g.plan.flaps, 1000000) },
	{ "wall-clock",
	  .help = "real times in the headers instead of counted ones",
	  FLAG(g.wall_clock) },
	{ "hold",
	  .help = "keep the sessions open at the end, until SIGINT",
	  FLAG(g.plan.stay) },
	OPTION_ROWS_END,
};

static const struct option_row report_rows[] = {
	{ "json",
	  .help = "what was sent, as a JSON object on standard output",
	  FLAG(json) },
	OPTION_HELP_ROW,
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	{ .rows = output_rows, .column = 24 },
	{ .heading = "\n", .rows = table_rows, .column = 24 },
	{ .heading = "\n", .rows = churn_rows, .column = 24 },
	{ .heading = "\n", .rows = report_rows, .column = 24 },
	OPTION_SECTIONS_END,
};

static const struct command_line line = {
	.command = "generate",
	.usage =
"Usage: arancini generate [OPTION]... --to HOST:PORT | -o FILE\n"
"Make up routers that send their tables over BMP, then changes to them.\n"
"\n"
"The same options make the same bytes, on any machine. Prefix lengths, AS\n"
"paths, communities and the like are as in the Internet of 2026.\n"
"Numbers may end in k, M or G.\n"
"\n",
	.sections = sections,
	.notes =
"\n"
"Exit status: 0 if all was sent, 1 if the collector could not be reached or\n"
"closed early, or a file could not be written, 2 for wrong usage.\n",
};
/* clang-format on */

/* Set the number of updates from --churn, --churn-count and --duration. */
static const char *plan_churn(struct generate_options *o)
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

/* Return an error text for invalid combinations of options, or NULL. */
static const char *options_fault(struct generate_options *o)
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
	double table; /* updates per second */
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
	struct generate_options o = { .g.plan = LOAD_PLAN_INIT };
	struct operands operands;
	const char *what;
	int code, err;

	if (!options_read(&line, argc, argv, &o, &operands))
		return operands.exit_code;
	what = options_fault(&o);
	if (what != NULL)
		return options_misuse(&line, what, "");
	if (o.g.file == NULL) {
		code = target_init(&o.g.target, "generate", o.g.target_name,
				   o.spread);
		if (code != 0)
			return code;
	}
	err = load_table_new(&o.g.plan, &o.g.table);
	if (err < 0)
		return options_misuse(&line,
				      err == -ERANGE
					      ? "there are not so many prefixes"
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
