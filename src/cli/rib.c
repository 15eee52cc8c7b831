/*
 * arancini rib - the routes that a running collector has for a prefix
 */
#include "cli/human_units.h"
#include "cli/api_json.h"
#include "cli/client_command.h"
#include "cli/command.h"
#include "cli/xalloc.h"
#include "cli/number.h"
#include "cli/table.h"

#include "bmp/text.h"
#include "collector/query/looking_glass.h"

#include <arpa/inet.h>
#include <string.h>

/* The maximum page of the collector. */
#define PAGE 1000

#define FILTER_NUMBER(name, option, argument, member, parser, valid, help) \
	FILTER_##name,
enum filter_number {
	LOOKING_GLASS_FILTERS(FILTER_NUMBER) FILTERS
};

#define FILTER_NAME(name, option, argument, member, parser, valid, help) #name,
static const char *const filter_names[] = { LOOKING_GLASS_FILTERS(
	FILTER_NAME) };

struct rib_command {
	struct client_command command;
	const char *prefix;
	/* name of the match; NULL = depends on the prefix */
	const char *match;
	/* id of a peer, matched by the collector */
	const char *peer;
	const char *filters[FILTERS]; /* values of the collector's filters */
	/* an address of a peer was given, matched here */
	bool has_address;
	uint8_t address[16];
};

/* Options */

static bool read_address(const char *text, uint8_t address[16])
{
	memset(address, 0, 16);
	return inet_pton(AF_INET, text, address) == 1 ||
	       inet_pton(AF_INET6, text, address) == 1;
}

/* Set the match: the name of the option is also the name in the API. */
static enum option_status set_match(const struct option_value *v)
{
	struct rib_command *r = v->field;

	if (r->match != NULL)
		return OPTION_INVALID;
	r->match = v->row->name;
	return OPTION_ACCEPTED;
}

static enum option_status set_peer(const struct option_value *v)
{
	struct rib_command *r = v->field;

	r->has_address = read_address(v->text, r->address);
	r->peer = r->has_address ? NULL : v->text;
	return OPTION_ACCEPTED;
}

/*
 * Set a filter. The collector's parser checks the value here, so that an
 * invalid value is reported as wrong usage.
 */
static enum option_status set_filter(const struct option_value *v)
{
	struct rib_command *r = v->field;
	const struct query_param *param =
		query_param_find(looking_glass_params,
				 filter_names[v->row->key]);
	struct looking_glass scratch = { 0 };
	const char *why =
		param->parse(v->text, (char *)&scratch + param->field);

	if (why != NULL) {
		fprintf(stderr, "arancini rib: %s: '%s'; %s\n", why, v->text,
			param->hint);
		return OPTION_REPORTED;
	}
	r->filters[v->row->key] = v->text;
	return OPTION_ACCEPTED;
}

/* clang-format off */
#define MATCH OPTION_SET(set_match), .invalid = "only one kind of match"
#define FILTER_OPTION(filter, option, value, member, parser, valid, text) \
	{ (option), .argument = (value), .help = (text), \
	  .key = FILTER_##filter, OPTION_SET(set_filter) },

static const struct option_row rows[] = {
	{ "exact", .help = "this very prefix", MATCH },
	{ "longest", .help = "in each table the longest that covers it",
	  MATCH },
	{ "more-specific",
	  .help = "it and all inside it; looks at whole tables", MATCH },
	{ "router", .argument = "ROUTER",
	  .help = "only of this router; an address, or what\n"
		  "'arancini status' lists",
	  CLIENT_ROUTER(struct rib_command, command.router) },
	{ "peer", .argument = "PEER",
	  .help = "only of peers with this address; or, with\n"
		  "--router, the id of one peer",
	  OPTION_SET(set_peer) },
	LOOKING_GLASS_FILTERS(FILTER_OPTION)
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	{ .rows = rows, .column = CLIENT_HELP_COLUMN },
	CLIENT_ROWS_SECTION(struct rib_command, command),
	CLIENT_OPTION_SECTION(struct rib_command, command.options),
	OPTION_HELP_SECTION(CLIENT_HELP_COLUMN),
	OPTION_SECTIONS_END,
};

static const struct command_line line = {
	.command = "rib",
	.usage =
"Usage: arancini rib [OPTION]... PREFIX\n"
"Ask a running collector for the routes to a prefix, of all routers and\n"
"peers. An address without a length asks for the longest match.\n\n",
	.sections = sections,
	.has_operands = true,
	.notes =
"\n"
"On a terminal a table, elsewhere JSON lines with the names of\n"
"schema/update.capnp. Exit status: 0 if the collector answered (also that it\n"
"has no route), 1 if not, 2 for wrong usage.\n",
};
/* clang-format on */

/* Prefixes */

/* Clear the bits beyond @len; true if any were set. */
static bool mask_address(uint8_t *address, size_t bytes, unsigned len)
{
	bool stray = false;

	for (size_t i = 0; i < bytes; i++) {
		unsigned before = (unsigned)i * 8;
		unsigned keep = len <= before ? 0 : len - before;
		uint8_t bits = (uint8_t)(keep >= 8 ? 0xff : 0xff00 >> keep);

		stray |= (address[i] & ~bits) != 0;
		address[i] &= bits;
	}
	return stray;
}

static int report_stray_bits(const char *prefix, int family,
			     const uint8_t *address, unsigned len)
{
	char text[INET6_ADDRSTRLEN];

	fprintf(stderr,
		"arancini rib: '%s' has bits beyond its length; did you mean "
		"%s/%u?\n",
		prefix, inet_ntop(family, address, text, sizeof(text)), len);
	return EXIT_USAGE;
}

/* Check the prefix. Returns 0, or the exit code after an error was printed. */
static int check_prefix(struct rib_command *r)
{
	const char *slash = strchr(r->prefix, '/');
	size_t chars =
		slash != NULL ? (size_t)(slash - r->prefix) : strlen(r->prefix);
	char host[INET6_ADDRSTRLEN] = "";
	uint8_t address[16];
	int family = memchr(r->prefix, ':', chars) != NULL ? AF_INET6 : AF_INET;
	uint32_t most = family == AF_INET ? 32 : 128, len = most;

	if (chars < sizeof(host))
		memcpy(host, r->prefix, chars);
	if (inet_pton(family, host, address) != 1 ||
	    (slash != NULL && !number_count32(slash + 1, most, &len)))
		return options_misuse(
			&line,
			"no prefix such as 192.0.2.0/24 or 2001:db8::/32: ",
			r->prefix);
	if (mask_address(address, most / 8, len))
		return report_stray_bits(r->prefix, family, address, len);
	if (r->match == NULL)
		r->match = slash == NULL ? "longest" : "exact";
	return 0;
}

/* Showing */

static const struct table_column columns[] = {
	{ "PREFIX", false }, { "ROUTER", false },  { "PEER", false },
	{ "AS", true },	     { "VIEW", false },	   { "NEXT HOP", false },
	{ "AGE", true },     { "AS PATH", false }, { "COMMUNITIES", false },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void cell_text(struct table *t, const struct json_object *route,
		      const char *name)
{
	const char *text = answer_text(route, name);

	table_cell(t, text != NULL ? TERMINAL_PLAIN : TERMINAL_DIM, "%s",
		   text != NULL ? text : "-");
}

static void cell_prefix(struct table *t, const struct json_object *route)
{
	const char *rd = answer_text(route, "routeDistinguisher");
	const char *address = answer_text(route, "prefixAddr");
	bool stale = answer_bool(route, "stale");
	char path[32] = "";

	if (answer_has(route, "pathId"))
		snprintf(path, sizeof(path), " path %llu",
			 (unsigned long long)answer_uint(route, "pathId"));
	table_cell(t, stale ? TERMINAL_WARN : TERMINAL_PLAIN, "%s%s%s/%llu%s%s",
		   rd != NULL ? rd : "", rd != NULL ? " " : "",
		   address != NULL ? address : "?",
		   (unsigned long long)answer_uint(route, "prefixLen"), path,
		   stale ? " (stale)" : "");
}

/* Add a cell with the elements of a list, separated by blanks, and @after. */
static void cell_list(struct table *t, const struct json_object *list,
		      const char *after)
{
	char *text = NULL;
	size_t len;
	FILE *to = memory_must(open_memstream(&text, &len));

	for (size_t i = 0; i < answer_count(list); i++)
		fprintf(to, "%s%s", i > 0 ? " " : "", answer_text_at(list, i));
	fputs(after, to);
	if (fclose(to) != 0)
		text = memory_must(NULL);
	table_cell(t, TERMINAL_PLAIN, "%s", text);
	free(text);
}

/* The origin as routers show it at the end of a path. */
static const char *origin_mark(const struct json_object *route)
{
	const char *origin = answer_text(route, "origin");

	if (origin == NULL)
		return "";
	switch (origin[0]) {
	case 'I':
		return strcmp(origin, "IGP") == 0 ? " i" : " ?";
	case 'E':
		return " e";
	default:
		return "";
	}
}

static void put_route(struct table *t, const struct json_object *route)
{
	char age[AMOUNT_MAX];
	bool known = !answer_has(route, "attributesKnown") ||
		     answer_bool(route, "attributesKnown");

	cell_prefix(t, route);
	cell_text(t, route, "router");
	cell_text(t, route, "peerAddr");
	table_cell(t, TERMINAL_PLAIN, "%llu",
		   (unsigned long long)answer_uint(route, "peerAsn"));
	cell_text(t, route, "view");
	if (known)
		cell_text(t, route, "nextHop");
	else
		table_cell(t, TERMINAL_DIM, "not known yet");
	table_cell(t, TERMINAL_PLAIN, "%s",
		   amount_age(answer_text(route, "changedAt"), age));
	cell_list(t, answer_in(route, "asPath"),
		  known ? origin_mark(route) : "");
	cell_list(t, answer_in(route, "communities"), "");
}

/* True if the route is from the requested peer. */
static bool is_wanted(const void *arg, const struct json_object *route)
{
	const struct rib_command *r = arg;
	const char *peer = answer_text(route, "peerAddr");
	uint8_t address[16];

	return !r->has_address ||
	       (peer != NULL && read_address(peer, address) &&
		memcmp(address, r->address, sizeof(address)) == 0);
}

/* Asking */

/* Append a parameter to a URL; nothing if @value is NULL or "". */
static void put_param(FILE *to, const char *name, const char *value)
{
	char *escaped;

	if (value == NULL || value[0] == '\0')
		return;
	escaped = client_escape(value);
	fprintf(to, "&%s=%s", name, escaped);
	free(escaped);
}

static char *query_of(const struct rib_command *r)
{
	char *path = NULL;
	size_t len;
	FILE *to = memory_must(open_memstream(&path, &len));

	fprintf(to, "/api/v1/rib?limit=%d", PAGE);
	put_param(to, "prefix", r->prefix);
	put_param(to, "match", r->match);
	put_param(to, "router", r->command.router);
	put_param(to, "peer", r->peer);
	for (int i = 0; i < FILTERS; i++)
		put_param(to, filter_names[i], r->filters[i]);
	if (fclose(to) != 0)
		path = memory_must(NULL);
	return path;
}

static int list_routes(void *arg)
{
	struct rib_command *r = arg;
	const struct client_rows routes = {
		.name = "routes",
		.columns = columns,
		.column_count = COLUMNS,
		.put = put_route,
		.wanted = is_wanted,
		.arg = r,
	};
	char *path = query_of(r);
	uint64_t shown;
	int err = client_command_rows(&r->command, path, &routes, &shown);

	if (err == 0 && shown == 0)
		fprintf(stderr, "arancini rib: no route for %s (%s)\n",
			r->prefix, r->match);
	free(path);
	return err;
}

int rib_main(int argc, char **argv)
{
	struct rib_command r = { 0 };
	struct operands operands;
	int code;

	client_command_init(&r.command, &line);
	r.command.json = !r.command.terminal.is;
	if (!options_read(&line, argc, argv, &r, &operands))
		return operands.exit_code;
	if (operands.count != 1)
		return options_misuse(&line, "one prefix is wanted", "");
	if (r.peer != NULL && r.command.router[0] == '\0')
		return options_misuse(
			&line,
			"--peer wants an address, or --router as well; it has ",
			r.peer);
	r.prefix = operands.words[0];
	code = check_prefix(&r);
	if (code != 0)
		return code;
	return client_command_run(&r.command, list_routes, &r);
}
