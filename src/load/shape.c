/*
 * Sources of the numbers:
 *
 *	lengths		the table of June 2026 (liuzhen9320/AS-Prefix:
 *			1,168,945 IPv4 and 279,855 IPv6 prefixes); rows below
 *			one in 100,000 are left out
 *	attributes	the 20,514 distinct attribute sets that 20 peers of a
 *			Route Views collector sent in 15 minutes of February
 *			2026 (morrowc/mrtparser, updates.20260222.1530). Values
 *			above the last row of a table are counted in that row.
 *			Paths of one and two ASes, one in a hundred, count as
 *			three, because a set needs two ASes besides the peer's
 *			to be unique (attr_sets.c)
 *	sharing		the RIS table of July 2010 with two full peers (bgpdump
 *			test data): 641,834 routes in 117,302 sets, of which the
 *			most used 1 % have 32 % of the routes, 5 % have 54 %,
 *			10 % 66 %, 20 % 77 %, and half of them one route each
 */
#include "load/shape.h"

/* clang-format off */
static const struct load_share ipv4_length[] = {
	{  8,     1 }, {  9,     1 }, { 10,     3 }, { 11,     8 },
	{ 12,    26 }, { 13,    51 }, { 14,   105 }, { 15,   192 },
	{ 16,  1224 }, { 17,   774 }, { 18,  1289 }, { 19,  2377 },
	{ 20,  4262 }, { 21,  4947 }, { 22, 10470 }, { 23, 10802 },
	{ 24, 63466 },
};

static const struct load_share ipv6_length[] = {
	{ 20,     5 }, { 24,    15 }, { 25,     5 }, { 26,     6 },
	{ 27,     7 }, { 28,    62 }, { 29,  1977 }, { 30,   271 },
	{ 31,   129 }, { 32,  9713 }, { 33,  2142 }, { 34,  2103 },
	{ 35,   745 }, { 36,  3711 }, { 37,   488 }, { 38,  1013 },
	{ 39,   689 }, { 40,  8849 }, { 41,  1742 }, { 42,  1291 },
	{ 43,   628 }, { 44,  9639 }, { 45,  1819 }, { 46,  2994 },
	{ 47,  3517 }, { 48, 46435 },
};

static const struct load_share hops[] = {
	{ 3, 1273 }, { 4, 3288 }, { 5, 3077 }, { 6, 1464 }, { 7, 487 },
	{ 8,  216 }, { 9,  143 }, { 10,  39 }, { LOAD_HOPS_MAX, 13 },
};

static const struct load_share prepends[] = {
	{ 0, 6426 }, { 1, 1023 }, { 2, 566 }, { 3, 559 }, { 4, 493 },
	{ 5,  161 }, { 6,  314 }, { 7, 148 }, { 8,  99 }, { 9,  87 },
	{ 10,  73 }, { 11,  26 }, { LOAD_PREPENDS_MAX, 25 },
};

static const struct load_share communities[] = {
	{  0, 1964 }, {  1, 1593 }, {  2, 1129 }, {  3,  352 }, {  4,  930 },
	{  5, 1155 }, {  6,  280 }, {  7,  370 }, {  8,  374 }, {  9,  301 },
	{ 10,  237 }, { 11,  359 }, { 12,  174 }, { 13,  280 }, { 14,  116 },
	{ 15,   90 }, { 16,   68 }, { 17,   56 }, { 18,   45 }, { 19,   29 },
	{ 20,   23 }, { 21,   19 }, { 22,   11 }, { 23,    6 }, { 24,    2 },
	{ 25,    2 }, { 28,    3 }, { LOAD_COMMUNITIES_MAX, 24 },
};

static const struct load_share ext_communities[] = {
	{ 0, 9358 }, { 1, 619 }, { LOAD_EXT_MAX, 24 },
};

static const struct load_share large_communities[] = {
	{ 0, 8873 }, { 1, 122 }, { 2, 10 }, { 3, 13 }, { 4, 892 },
	{ 5,   37 }, { 6,   9 }, { 7, 10 }, { 8,  3 }, { LOAD_LARGE_MAX, 31 },
};

static const struct load_share origin[] = {
	{ 0, 9619 }, { 1, 4 }, { 2, 377 },
};

static const struct load_share med[] = { { 0, 5807 }, { 1, 4193 } };
static const struct load_share aggregator[] = { { 0, 9115 }, { 1, 885 } };
static const struct load_share atomic_aggregate[] = {
	{ 0, 9557 }, { 1, 443 },
};

/*
 * For the blocks that remain after each set was used once: the value is the
 * part of the sets, in thousandths, from which such a block draws its set.
 */
static const struct load_share sharing[] = {
	{ 10, 385 }, { 50, 268 }, { 100, 129 }, { 200, 119 }, { 500, 100 },
};

#define TABLE(t) { t, sizeof(t) / sizeof((t)[0]) }

static const struct {
	const struct load_share *rows;
	size_t count;
} tables[LOAD_SHAPES] = {
	[LOAD_IPV4_LENGTH] = TABLE(ipv4_length),
	[LOAD_IPV6_LENGTH] = TABLE(ipv6_length),
	[LOAD_HOPS] = TABLE(hops),
	[LOAD_PREPENDS] = TABLE(prepends),
	[LOAD_COMMUNITIES] = TABLE(communities),
	[LOAD_EXT_COMMUNITIES] = TABLE(ext_communities),
	[LOAD_LARGE_COMMUNITIES] = TABLE(large_communities),
	[LOAD_ORIGIN] = TABLE(origin),
	[LOAD_MED] = TABLE(med),
	[LOAD_AGGREGATOR] = TABLE(aggregator),
	[LOAD_ATOMIC_AGGREGATE] = TABLE(atomic_aggregate),
	[LOAD_SHARING] = TABLE(sharing),
};
/* clang-format on */

const struct load_share *load_shape_rows(enum load_shape shape, size_t *count)
{
	*count = tables[shape].count;
	return tables[shape].rows;
}

uint16_t load_shape_draw(enum load_shape shape, struct load_random *random)
{
	const struct load_share *rows = tables[shape].rows;
	size_t last = tables[shape].count - 1;
	uint32_t sum = 0;
	uint32_t at;
	size_t i;

	for (i = 0; i <= last; i++)
		sum += rows[i].share;
	at = load_random_below(random, sum);
	for (i = 0; i < last && at >= rows[i].share; i++)
		at -= rows[i].share;
	return rows[i].value;
}
