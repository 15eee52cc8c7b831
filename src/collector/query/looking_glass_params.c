/*
 * The parameters of /api/v1/rib. A new parameter needs a member of struct
 * looking_glass or rib_query, a row of LOOKING_GLASS_FILTERS and a parser here;
 * see docs/extending.md.
 */
#include "collector/policy/filter.h"
#include "collector/query/looking_glass.h"
#include "collector/query/prefix_param.h"
#include "bmp/names.h"

#include <string.h>

static const char *const match_names[RIB_MATCHES] = {
	[RIB_MATCH_EXACT] = "exact",
	[RIB_MATCH_LONGEST] = "longest",
	[RIB_MATCH_MORE_SPECIFIC] = "more-specific",
};

const char *looking_glass_match_name(enum rib_match match)
{
	return match_names[match];
}

/* Parse the prefix. Also sets the default of "match", which is parsed later. */
static const char *parse_prefix(const char *text, void *field)
{
	struct rib_query *query = field;
	struct query_prefix prefix;
	const char *why = query_prefix_parse(text, &prefix);

	if (why != NULL)
		return why;
	memcpy(query->address, prefix.address, 16);
	query->prefix_len = prefix.len;
	query->ipv6 = prefix.ipv6;
	query->match = prefix.is_address ? RIB_MATCH_LONGEST : RIB_MATCH_EXACT;
	return NULL;
}

static const char *parse_match(const char *text, void *field)
{
	for (int i = 0; i < RIB_MATCHES; i++) {
		if (strcmp(match_names[i], text) != 0)
			continue;
		*(uint8_t *)field = (uint8_t)i;
		return NULL;
	}
	return "not a match";
}

static const char *parse_view(const char *text, void *field)
{
	for (unsigned i = 0; i < BMP_VIEWS; i++) {
		if (strcmp(bmp_view_name(i), text) != 0)
			continue;
		*(uint8_t *)field = (uint8_t)(1U << i);
		return NULL;
	}
	return "not a view";
}

static const char *parse_family(const char *text, void *field)
{
	for (int f = 1; f < BGP_FAMILIES; f++) {
		if (strcmp(bgp_family_info((enum bgp_family)f)->name, text) !=
		    0)
			continue;
		*(bgp_family_set *)field = bgp_family_bit((enum bgp_family)f);
		return NULL;
	}
	return "not a family";
}

static const char *parse_rd(const char *text, void *field)
{
	struct rib_query *query = field;

	query->has_rd = true;
	return filter_rd_parse(text, &query->rd) < 0
		       ? "not a route distinguisher"
		       : NULL;
}

/* clang-format off */
#define AT(member) offsetof(struct looking_glass, member)
#define FILTER_ROW(name, option, argument, member, parser, valid, help) \
	{ #name, AT(member), parser, .hint = (valid) },

const struct query_param looking_glass_params[] = {
	{ "prefix", AT(query), parse_prefix,
	  .hint = "192.0.2.0/24 or 2001:db8::1", .required = true },
	{ "match", AT(query.match), parse_match,
	  .hint = "exact, longest, more-specific" },
	QUERY_ROUTER_ROW(struct looking_glass),
	{ "peer", AT(page.peer), query_parse_peer, .hint = QUERY_PEER_HINT,
	  .needs = "router" },
	LOOKING_GLASS_FILTERS(FILTER_ROW)
	QUERY_PAGE_ROWS(struct looking_glass),
	QUERY_PARAMS_END,
};
/* clang-format on */
