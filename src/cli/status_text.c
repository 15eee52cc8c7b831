/*
 * A collector on one screen: identity, input and output, workers, routers, and
 * their peers if requested.
 */
#include "cli/status.h"

#include "cli/human_units.h"
#include "cli/api_json.h"
#include "cli/table.h"

#include <string.h>

/* The text of member @name, or "-" if it is missing. */
static const char *text_or_dash(const struct json_object *in, const char *name)
{
	const char *text = answer_text(in, name);

	return text != NULL ? text : "-";
}

static void cell_count(struct table *t, const struct json_object *in,
		       const char *name)
{
	char text[AMOUNT_MAX];

	if (answer_has(in, name))
		table_cell(t, TERMINAL_PLAIN, "%s",
			   amount_count(answer_int(in, name), text));
	else
		table_cell(t, TERMINAL_DIM, "-");
}

/*
 * Add a cell with a number that should be zero; another number is highlighted.
 */
static void cell_zero(struct table *t, const struct json_object *in,
		      const char *name)
{
	char text[AMOUNT_MAX];
	int64_t value = answer_int(in, name);

	if (answer_has(in, name))
		table_cell(t, value != 0 ? TERMINAL_WARN : TERMINAL_PLAIN, "%s",
			   amount_count(value, text));
	else
		table_cell(t, TERMINAL_DIM, "-");
}

static void cell_age(struct table *t, const struct json_object *in,
		     const char *name)
{
	char text[AMOUNT_MAX];

	table_cell(t, TERMINAL_PLAIN, "%s",
		   amount_age(answer_text(in, name), text));
}

static enum terminal_style style_of(const char *state)
{
	static const struct {
		const char *state;
		enum terminal_style style;
	} styles[] = {
		{ "up", TERMINAL_GOOD },	{ "implied", TERMINAL_GOOD },
		{ "accepting", TERMINAL_GOOD }, { "stale", TERMINAL_WARN },
		{ "spooling", TERMINAL_WARN },	{ "down", TERMINAL_BAD },
		{ "blocked", TERMINAL_BAD },
	};

	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		if (strcmp(styles[i].state, state) == 0)
			return styles[i].style;
	return TERMINAL_PLAIN;
}

static void cell_state(struct table *t, const struct json_object *in)
{
	const char *state = text_or_dash(in, "state");

	table_cell(t, style_of(state), "%s", state);
}

/* The head */

static void put_styled(FILE *to, const struct terminal *terminal,
		       enum terminal_style style, const char *text)
{
	fputs(terminal_on(terminal, style), to);
	terminal_put(to, text);
	fputs(terminal_off(terminal, style), to);
}

static void put_collector(FILE *to, const struct terminal *terminal,
			  const struct json_object *status)
{
	const struct json_object *ready = answer_in(status, "ready");
	char up[AMOUNT_MAX];
	bool is = answer_bool(ready, "ready");

	put_styled(to, terminal, TERMINAL_BOLD, "collector  ");
	terminal_put(to, text_or_dash(status, "collector"));
	fputs(", version ", to);
	terminal_put(to, text_or_dash(status, "version"));
	fprintf(to, ", up %s, ",
		amount_seconds(answer_real(status, "uptimeSeconds"), up));
	put_styled(to, terminal, is ? TERMINAL_GOOD : TERMINAL_BAD,
		   is ? "ready" : "not ready");
	if (!is) {
		fputs(": ", to);
		terminal_put(to, text_or_dash(ready, "why"));
	}
	fputc('\n', to);
}

/* Print the cause of a degraded or stopped output, and advice. */
static void put_cause(FILE *to, const struct terminal *terminal,
		      const struct json_object *output)
{
	const char *status = text_or_dash(output, "status");

	if (answer_text(output, "cause") == NULL)
		return;
	fputs("           ", to);
	put_styled(to, terminal,
		   strcmp(status, "stopped") == 0 ? TERMINAL_BAD
						  : TERMINAL_WARN,
		   status);
	fputs(": ", to);
	terminal_put(to, text_or_dash(output, "why"));
	fputs("; ", to);
	terminal_put(to, text_or_dash(output, "action"));
	fputc('\n', to);
}

/*
 * Print what is known of acknowledged messages that the stream lost; nothing if
 * it lost none.
 */
static void put_loss(FILE *to, const struct terminal *terminal,
		     const struct json_object *output)
{
	int64_t resent = answer_int(output, "resentMessages");
	int64_t rollbacks = answer_int(output, "rollbacks");
	char amount[AMOUNT_MAX];

	if (resent <= 0 && rollbacks <= 0)
		return;
	fputs("           ", to);
	put_styled(to, terminal, TERMINAL_WARN, "the stream lost messages");
	if (resent > 0)
		fprintf(to, "; %s were sent again",
			amount_count(resent, amount));
	if (rollbacks > 0)
		fprintf(to, "; %s times every router was resynced",
			amount_count(rollbacks, amount));
	fputc('\n', to);
}

static void put_output(FILE *to, const struct terminal *terminal,
		       const struct json_object *status)
{
	const struct json_object *output = answer_in(status, "output");
	const char *error = answer_text(output, "lastError");
	const char *state = text_or_dash(output, "state");
	bool journal = strcmp(text_or_dash(output, "kind"), "journal") == 0;
	char a[AMOUNT_MAX], b[AMOUNT_MAX];

	put_styled(to, terminal, TERMINAL_BOLD, "output     ");
	terminal_put(to, text_or_dash(output, "kind"));
	fputs(", ", to);
	put_styled(to, terminal,
		   answer_bool(output, "spooling") ? TERMINAL_WARN
						   : style_of(state),
		   state);
	if (journal)
		fprintf(to, "; %s on disk",
			amount_bytes(answer_real(output, "journalBytes"), a));
	else
		fprintf(to, "; %s in flight, %s in the spool",
			amount_count(answer_int(output, "inFlight"), a),
			amount_bytes(answer_real(output, "spoolBytes"), b));
	if (answer_has(output, "safeSecondsP50"))
		fprintf(to, "; updates are safe in %s (99 %%: %s)",
			amount_seconds(answer_real(output, "safeSecondsP50"),
				       a),
			amount_seconds(answer_real(output, "safeSecondsP99"),
				       b));
	if (answer_bool(output, "diskFull"))
		put_styled(to, terminal, TERMINAL_BAD, "; disk full");
	fputc('\n', to);
	put_cause(to, terminal, output);
	put_loss(to, terminal, output);
	if (error != NULL && error[0] != '\0') {
		fputs("           last error: ", to);
		terminal_put(to, error);
		fputc('\n', to);
	}
}

static void put_tables(FILE *to, const struct terminal *terminal,
		       const struct json_object *status)
{
	const struct json_object *totals = answer_in(status, "totals");
	char a[AMOUNT_MAX], b[AMOUNT_MAX], c[AMOUNT_MAX], d[AMOUNT_MAX];

	put_styled(to, terminal, TERMINAL_BOLD, "tables     ");
	fprintf(to, "%s routes of %s peers (%s up, %s stale)",
		amount_count(answer_int(totals, "routes"), a),
		amount_count(answer_int(totals, "peers"), b),
		amount_count(answer_int(totals, "peersUp"), c),
		amount_count(answer_int(totals, "peersStale"), d));
	fprintf(to, " at %s routers; %.1f bytes a route, %s resident\n",
		amount_count(answer_int(totals, "routers"), a),
		answer_real(totals, "bytesPerRoute"),
		amount_bytes(answer_real(totals, "residentBytes"), b));
}

static void put_snapshots(FILE *to, const struct terminal *terminal,
			  const struct json_object *status)
{
	const struct json_object *kept = answer_in(status, "snapshots");
	int64_t failures = answer_int(kept, "failures");
	char a[AMOUNT_MAX], b[AMOUNT_MAX];

	if (kept == NULL)
		return;
	put_styled(to, terminal, TERMINAL_BOLD, "snapshots  ");
	fprintf(to, "%s in ", amount_count(answer_int(kept, "files"), a));
	terminal_put(to, text_or_dash(kept, "where"));
	if (answer_has(kept, "lastAt"))
		fprintf(to, ", the last %s ago",
			amount_age(answer_text(kept, "lastAt"), b));
	if (failures > 0) {
		fputs(", ", to);
		put_styled(to, terminal, TERMINAL_BAD,
			   amount_count(failures, a));
		put_styled(to, terminal, TERMINAL_BAD, " failed");
	}
	fputc('\n', to);
}

static void put_process(FILE *to, const struct terminal *terminal,
			const struct json_object *status)
{
	const struct json_object *process = answer_in(status, "process");
	const char *mode = text_or_dash(process, "sandbox");
	const struct {
		bool holds;
		const char *lacks;
	} parts[] = {
		{ answer_int(process, "landlockAbi") > 0, "no Landlock" },
		{ answer_bool(process, "noNewPrivs"), "may gain privileges" },
		{ answer_bool(process, "noCapabilities"), "capabilities" },
		{ answer_bool(process, "noCoreDumps"), "core dumps" },
	};

	/* An older collector does not report its process. */
	if (process == NULL)
		return;
	put_styled(to, terminal, TERMINAL_BOLD, "process    ");
	fprintf(to, "user %lld, sandbox ",
		(long long)answer_int(process, "uid"));
	put_styled(to, terminal,
		   strcmp(mode, "off") == 0 ? TERMINAL_WARN : TERMINAL_PLAIN,
		   mode);
	for (size_t i = 0;
	     strcmp(mode, "off") != 0 && i < sizeof(parts) / sizeof(parts[0]);
	     i++) {
		if (parts[i].holds)
			continue;
		fputs(", ", to);
		put_styled(to, terminal, TERMINAL_WARN, parts[i].lacks);
	}
	fputc('\n', to);
}

/* The tables */

static const char *const flows[] = { "messages",   "bytes",	"received",
				     "suppressed", "published", "synthetic" };

#define FLOWS (sizeof(flows) / sizeof(flows[0]))

static void put_rates(FILE *to, const struct terminal *terminal,
		      const struct json_object *status)
{
	static const struct table_column columns[] = {
		{ "", false },		{ "MESSAGES", true },
		{ "BYTES", true },	{ "RECEIVED", true },
		{ "SUPPRESSED", true }, { "PUBLISHED", true },
		{ "SYNTHETIC", true },
	};
	static const struct {
		const char *name, *label;
	} rows[] = { { "rates", "a second" }, { "counters", "since start" } };
	struct table t;

	table_init(&t, columns, FLOWS + 1, terminal);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		table_cell(&t, TERMINAL_PLAIN, "%s", rows[i].label);
		for (size_t f = 0; f < FLOWS; f++)
			cell_count(&t, answer_in(status, rows[i].name),
				   flows[f]);
	}
	table_print(&t, to);
	table_fini(&t);
}

static void cell_share(struct table *t, double share)
{
	table_cell(t, share >= 0.9 ? TERMINAL_WARN : TERMINAL_PLAIN, "%.0f %%",
		   share * 100);
}

static void put_workers(FILE *to, const struct terminal *terminal,
			const struct json_object *workers)
{
	static const struct table_column columns[] = {
		{ "WORKER", true }, { "ROUTERS", true }, { "SESSIONS", true },
		{ "PEERS", true },  { "ROUTES", true },	 { "RECEIVED/S", true },
		{ "BUSY", true },   { "BRIDGE", true },
	};
	struct table t;

	table_init(&t, columns, sizeof(columns) / sizeof(columns[0]), terminal);
	for (size_t i = 0; i < answer_count(workers); i++) {
		const struct json_object *w = answer_at(workers, i);

		cell_count(&t, w, "id");
		cell_count(&t, w, "routers");
		cell_count(&t, w, "sessions");
		cell_count(&t, w, "peers");
		cell_count(&t, w, "routes");
		cell_count(&t, answer_in(w, "rates"), "received");
		cell_share(&t, answer_real(w, "busy"));
		cell_share(&t, answer_real(answer_in(w, "bridge"), "fill"));
	}
	table_print(&t, to);
	table_fini(&t);
}

static void put_routers(FILE *to, const struct terminal *terminal,
			const struct json_object *routers)
{
	static const struct table_column columns[] = {
		{ "ROUTER", false }, { "NAME", false },
		{ "STATE", false },  { "PEERS", true },
		{ "UP", true },	     { "STALE", true },
		{ "ROUTES", true },  { "DIFFERENCE", true },
		{ "ERRORS", true },  { "LAST MESSAGE", true },
	};
	struct table t;

	table_init(&t, columns, sizeof(columns) / sizeof(columns[0]), terminal);
	for (size_t i = 0; i < answer_count(routers); i++) {
		const struct json_object *r = answer_at(routers, i);

		table_cell(&t, TERMINAL_PLAIN, "%s", text_or_dash(r, "id"));
		table_cell(&t, TERMINAL_PLAIN, "%s",
			   text_or_dash(r, "sysName"));
		cell_state(&t, r);
		cell_count(&t, r, "peers");
		cell_count(&t, r, "peersUp");
		cell_zero(&t, r, "peersStale");
		cell_count(&t, r, "routes");
		cell_zero(&t, r, "difference");
		cell_zero(&t, r, "parseErrors");
		cell_age(&t, r, "lastMessageAt");
	}
	table_print(&t, to);
	table_fini(&t);
}

/* Add a cell: for how many of its tables the peer sent End-of-RIB. */
static void cell_ends(struct table *t, const struct json_object *peer)
{
	const struct json_object *tables = answer_in(peer, "tables");
	size_t count = answer_count(tables), whole = 0;

	for (size_t i = 0; i < count; i++)
		whole += answer_bool(answer_at(tables, i), "endOfRib");
	table_cell(t, whole < count ? TERMINAL_WARN : TERMINAL_PLAIN,
		   "%zu of %zu", whole, count);
}

/*
 * Add a cell with the number of routes here minus the number that the router
 * reported, summed over the tables of the peer; "-" if the router reported a
 * number for none of them.
 */
static void cell_difference(struct table *t, const struct json_object *peer)
{
	const struct json_object *tables = answer_in(peer, "tables");
	char text[AMOUNT_MAX];
	int64_t sum = 0;
	bool known = false;

	for (size_t i = 0; i < answer_count(tables); i++) {
		const struct json_object *table = answer_at(tables, i);

		known |= answer_has(table, "difference");
		/* Unsigned, so that numbers from any server cannot overflow. */
		sum = (int64_t)((uint64_t)sum +
				(uint64_t)answer_int(table, "difference"));
	}
	if (known)
		table_cell(t, sum != 0 ? TERMINAL_WARN : TERMINAL_PLAIN, "%s",
			   amount_count(sum, text));
	else
		table_cell(t, TERMINAL_DIM, "-");
}

static void put_peers(FILE *to, const struct terminal *terminal,
		      const struct json_object *peers)
{
	static const struct table_column columns[] = {
		{ "ROUTER", false },	 { "PEER", false },
		{ "AS", true },		 { "STATE", false },
		{ "ROUTES", true },	 { "END-OF-RIB", true },
		{ "DIFFERENCE", true },	 { "FLAPS", true },
		{ "LAST CHANGE", true },
	};
	struct table t;

	table_init(&t, columns, sizeof(columns) / sizeof(columns[0]), terminal);
	for (size_t i = 0; i < answer_count(peers); i++) {
		const struct json_object *p = answer_at(peers, i);

		table_cell(&t, TERMINAL_PLAIN, "%s", text_or_dash(p, "router"));
		table_cell(&t, TERMINAL_PLAIN, "%s",
			   answer_has(p, "peerAddr")
				   ? text_or_dash(p, "peerAddr")
				   : text_or_dash(p, "id"));
		table_cell(&t, TERMINAL_PLAIN, "%llu",
			   (unsigned long long)answer_uint(p, "peerAsn"));
		cell_state(&t, p);
		cell_count(&t, p, "routes");
		cell_ends(&t, p);
		cell_difference(&t, p);
		cell_zero(&t, p, "flaps");
		cell_age(&t, p, "lastChangeAt");
	}
	table_print(&t, to);
	table_fini(&t);
}

void status_text(FILE *to, const struct terminal *terminal,
		 const struct status_answers *answers)
{
	const struct json_object *status = answers->status;

	put_collector(to, terminal, status);
	put_output(to, terminal, status);
	put_tables(to, terminal, status);
	put_snapshots(to, terminal, status);
	put_process(to, terminal, status);
	fputc('\n', to);
	put_rates(to, terminal, status);
	fputc('\n', to);
	put_workers(to, terminal, answer_in(status, "workers"));
	fputc('\n', to);
	if (answer_count(answers->routers) > 0)
		put_routers(to, terminal, answers->routers);
	else
		fputs("No router has been here yet: have them send BMP to "
		      "--listen.\n",
		      to);
	if (answers->peers != NULL) {
		fputc('\n', to);
		put_peers(to, terminal, answers->peers);
	}
	if (answers->cut)
		fputs("... and more\n", to);
}
