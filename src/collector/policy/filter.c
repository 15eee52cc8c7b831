#include "collector/policy/filter.h"

#include "rib/event.h"

#include "bmp/names.h"
#include "bmp/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Maximum length of the input; the formatted rule must be shorter than its
 * buffer.
 */
#define FILTER_INPUT_MAX 255

#define ALL_TYPES    0xffu /* including types without a name */
#define ALL_FAMILIES ((UINT64_C(1) << BGP_FAMILIES) - 1)

#define VIEW(v) (1u << BMP_VIEW_##v)

static const char *const actions[FILTER_ACTIONS] = {
	[FILTER_PUBLISH] = "publish",
	[FILTER_STORE] = "store",
	[FILTER_DROP] = "drop",
};

/*
 * Names of two views come first, because printing uses the first name whose
 * views are all in the set.
 */
static const struct {
	const char *name;
	uint8_t views;
} views[] = {
	{ "pre", VIEW(IN_PRE) | VIEW(OUT_PRE) },
	{ "post", VIEW(IN_POST) | VIEW(OUT_POST) },
	{ "in", VIEW(IN_PRE) | VIEW(IN_POST) },
	{ "out", VIEW(OUT_PRE) | VIEW(OUT_POST) },
	{ "in-pre", VIEW(IN_PRE) },
	{ "in-post", VIEW(IN_POST) },
	{ "out-pre", VIEW(OUT_PRE) },
	{ "out-post", VIEW(OUT_POST) },
	{ "loc-rib", VIEW(LOC_RIB) },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Parsing: each word has a function that parses its value. */

static int parse_peer(const char *value, struct filter_rule *r)
{
	struct acl_list one = { 0 };
	int err = acl_list_add(&one, value);

	if (err == 0) {
		r->peer = one.networks[0];
		r->has_peer = true;
	}
	free(one.networks);
	return err;
}

/*
 * Parse a number up to @max that is followed by @end or by the end of the text.
 */
static int parse_number(const char **s, char end, uint64_t max, uint64_t *out)
{
	char *after;
	uint64_t v;

	if (**s < '0' || **s > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(*s, &after, 10);
	if (errno != 0 || v > max || (*after != end && *after != '\0'))
		return -EINVAL;
	*s = *after == '\0' ? after : after + 1;
	*out = v;
	return 0;
}

static int parse_as(const char *value, struct filter_rule *r)
{
	bool range = strchr(value, '-') != NULL;
	uint64_t low = 0, high = 0;

	if (parse_number(&value, range ? '-' : '\0', UINT32_MAX, &low) < 0)
		return -EINVAL;
	high = low;
	if (range && parse_number(&value, '\0', UINT32_MAX, &high) < 0)
		return -EINVAL;
	if (high < low)
		return -EINVAL;
	r->as_low = (uint32_t)low;
	r->as_high = (uint32_t)high;
	return 0;
}

static int find_type(const char *name, uint64_t *set)
{
	for (unsigned int i = 0; i < BMP_PEER_TYPES; i++)
		if (strcmp(name, bmp_peer_type_name(i)) == 0) {
			*set |= UINT64_C(1) << i;
			return 0;
		}
	return -EINVAL;
}

unsigned int filter_find_views(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(views); i++)
		if (strlen(views[i].name) == len &&
		    memcmp(name, views[i].name, len) == 0)
			return views[i].views;
	return 0;
}

const char *filter_view_name(enum bmp_view view)
{
	size_t i = 0;

	while (views[i].views != 1u << view)
		i++;
	return views[i].name;
}

static int find_view(const char *name, uint64_t *set)
{
	unsigned int found = filter_find_views(name, strlen(name));

	*set |= found;
	return found != 0 ? 0 : -EINVAL;
}

static int find_family(const char *name, uint64_t *set)
{
	for (unsigned int i = 0; i < BGP_FAMILIES; i++)
		if (strcmp(name, bgp_family_info(i)->name) == 0) {
			*set |= UINT64_C(1) << i;
			return 0;
		}
	return -EINVAL;
}

/* Parse names separated by commas; @find adds each of them to the set. */
static int parse_set(const char *value, int (*find)(const char *, uint64_t *),
		     uint64_t *out)
{
	char text[FILTER_INPUT_MAX + 1];
	char *rest = text;
	const char *name;
	uint64_t set = 0;

	snprintf(text, sizeof(text), "%s", value);
	while ((name = strsep(&rest, ",")) != NULL)
		if (find(name, &set) < 0)
			return -EINVAL;
	*out = set;
	return 0;
}

static int parse_type(const char *value, struct filter_rule *r)
{
	uint64_t set = 0;
	int err = parse_set(value, find_type, &set);

	r->types = (uint8_t)set;
	return err;
}

static int parse_view(const char *value, struct filter_rule *r)
{
	uint64_t set = 0;
	int err = parse_set(value, find_view, &set);

	r->views = (uint8_t)set;
	return err;
}

static int parse_family(const char *value, struct filter_rule *r)
{
	return parse_set(value, find_family, &r->families);
}

static int rd_of_hex(const char *value, uint64_t *out)
{
	char *end;

	if (strlen(value) != 18 || strspn(value + 2, "0123456789abcdef") != 16)
		return -EINVAL;
	*out = strtoull(value, &end, 16);
	return 0;
}

/*
 * Parse a route distinguisher (RFC 4364 4.2): type 1 for an address, type 0 for
 * a two-byte AS, type 2 for a four-byte AS.
 */
static int rd_of_text(const char *value, uint64_t *out)
{
	const char *colon = strrchr(value, ':');
	char first[INET_ADDRSTRLEN];
	uint8_t ip[4];
	uint64_t as, number;

	if (colon == NULL || (size_t)(colon - value) >= sizeof(first))
		return -EINVAL;
	memcpy(first, value, (size_t)(colon - value));
	first[colon - value] = '\0';
	colon++;
	value = first;
	if (inet_pton(AF_INET, first, ip) == 1) {
		if (parse_number(&colon, '\0', UINT16_MAX, &number) < 0)
			return -EINVAL;
		*out = UINT64_C(1) << 48 | (uint64_t)wire_get_u32(ip) << 16 |
		       number;
		return 0;
	}
	if (parse_number(&value, '\0', UINT32_MAX, &as) < 0 ||
	    parse_number(&colon, '\0',
			 as > UINT16_MAX ? UINT16_MAX : UINT32_MAX,
			 &number) < 0)
		return -EINVAL;
	*out = as > UINT16_MAX ? UINT64_C(2) << 48 | as << 16 | number
			       : as << 32 | number;
	return 0;
}

int filter_rd_parse(const char *value, uint64_t *out)
{
	if (strncmp(value, "0x", 2) == 0)
		return rd_of_hex(value, out);
	return rd_of_text(value, out);
}

static int parse_rd(const char *value, struct filter_rule *r)
{
	r->has_rd = true;
	return filter_rd_parse(value, &r->rd);
}

static const struct word {
	const char *name;
	int (*parse)(const char *value, struct filter_rule *r);
	const char *allowed;
} words[] = {
	{ "peer", parse_peer, "an address or a network as 192.0.2.0/24" },
	{ "as", parse_as, "a number or a range as 64500-64510" },
	{ "type", parse_type, "some of global, rd, local, loc-rib" },
	{ "view", parse_view,
	  "some of in-pre, in-post, out-pre, out-post, loc-rib, pre, post, in, "
	  "out" },
	{ "family", parse_family,
	  "names as ipv4-unicast, l2vpn-evpn, or unknown" },
	{ "rd", parse_rd, "64500:1, 192.0.2.1:1 or 0x and 16 hex digits" },
};

/*
 * Parse "word=value" in @text and set the members of *@r for it. @seen: bit
 * mask of the words that the rule already has.
 */
static int parse_word(char *text, struct filter_rule *r, unsigned int *seen,
		      char why[FILTER_WHY_MAX])
{
	char *value = strchr(text, '=');

	if (value != NULL)
		*value++ = '\0';
	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcmp(text, words[i].name) != 0 || value == NULL)
			continue;
		if (*seen & 1u << i) {
			snprintf(why, FILTER_WHY_MAX, "'%s' twice in one rule",
				 text);
			return -EINVAL;
		}
		*seen |= 1u << i;
		if (words[i].parse(value, r) == 0)
			return 0;
		snprintf(why, FILTER_WHY_MAX, "%s='%.40s': allowed is %s", text,
			 value, words[i].allowed);
		return -EINVAL;
	}
	snprintf(why, FILTER_WHY_MAX,
		 "'%.40s' is none of peer=, as=, type=, view=, family=, rd=",
		 text);
	return -EINVAL;
}

static int parse_action(const char *text, struct filter_rule *r,
			char why[FILTER_WHY_MAX])
{
	for (unsigned int i = 0; i < FILTER_ACTIONS; i++)
		if (text != NULL && strcmp(text, actions[i]) == 0) {
			r->action = (uint8_t)i;
			return 0;
		}
	snprintf(why, FILTER_WHY_MAX,
		 "a rule begins with publish, store or drop, not with '%.40s'",
		 text != NULL ? text : "");
	return -EINVAL;
}

static int too_long(char why[FILTER_WHY_MAX])
{
	snprintf(why, FILTER_WHY_MAX,
		 "longer than %d bytes; make several rules of it",
		 FILTER_TEXT_MAX);
	return -EINVAL;
}

static int parse_rule(const char *text, struct filter_rule *out,
		      char why[FILTER_WHY_MAX])
{
	struct filter_rule r = {
		.types = ALL_TYPES,
		.views = FILTER_ALL_VIEWS,
		.as_high = UINT32_MAX,
		.families = ALL_FAMILIES,
	};
	char copy[FILTER_INPUT_MAX + 1];
	unsigned int seen = 0;
	char *save = NULL;
	char *word;
	int err;

	if (strlen(text) >= sizeof(copy))
		return too_long(why);
	snprintf(copy, sizeof(copy), "%s", text);
	err = parse_action(strtok_r(copy, " \t", &save), &r, why);
	while (err == 0 && (word = strtok_r(NULL, " \t", &save)) != NULL)
		err = parse_word(word, &r, &seen, why);
	if (err == 0 && filter_rule_format(&r, NULL, 0) > FILTER_TEXT_MAX)
		return too_long(why);
	if (err == 0)
		*out = r;
	return err;
}

int filter_add(struct filter *filter, const char *text,
	       char why[FILTER_WHY_MAX])
{
	struct filter_rule *grown;
	struct filter_rule r;
	int err = parse_rule(text, &r, why);

	if (err < 0)
		return err;
	grown = reallocarray(filter->rules, filter->count + 1, sizeof(r));
	if (grown == NULL)
		return -ENOMEM;
	grown[filter->count] = r;
	filter->rules = grown;
	filter->count++;
	return 0;
}

void filter_release(struct filter *filter)
{
	free(filter->rules);
	*filter = FILTER_INIT;
}

int filter_copy(const struct filter *filter, struct filter *out)
{
	struct filter made = { .count = filter->count };

	if (filter->count > 0) {
		made.rules =
			reallocarray(NULL, filter->count, sizeof(*made.rules));
		if (made.rules == NULL)
			return -ENOMEM;
		memcpy(made.rules, filter->rules,
		       filter->count * sizeof(*made.rules));
	}
	*out = made;
	return 0;
}

static bool same_rule(const struct filter_rule *a, const struct filter_rule *b)
{
	if (a->has_peer &&
	    (a->peer.len != b->peer.len ||
	     memcmp(a->peer.addr, b->peer.addr, sizeof(a->peer.addr)) != 0))
		return false;
	return a->action == b->action && a->types == b->types &&
	       a->views == b->views && a->has_rd == b->has_rd &&
	       a->rd == b->rd && a->as_low == b->as_low &&
	       a->as_high == b->as_high && a->families == b->families &&
	       a->has_peer == b->has_peer;
}

bool filter_equal(const struct filter *a, const struct filter *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!same_rule(&a->rules[i], &b->rules[i]))
			return false;
	return true;
}

/* Writing */

static void format_set(struct text *t, const char *word, uint64_t set,
		       uint64_t all, const char *(*name)(unsigned int))
{
	char before = '=';

	if ((set & all) == all)
		return;
	text_char(t, ' ');
	text_str(t, word);
	for (unsigned int i = 0; i < 64; i++)
		if ((set & all) >> i & 1) {
			text_char(t, before);
			text_str(t, name(i));
			before = ',';
		}
}

/*
 * Write the views with as few names as possible, so that a rule does not become
 * much longer than its input.
 */
static void format_views(struct text *t, unsigned int set)
{
	char before = '=';

	if (set == FILTER_ALL_VIEWS)
		return;
	text_str(t, " view");
	for (size_t i = 0; i < COUNT(views); i++)
		if (set != 0 && (set & views[i].views) == views[i].views) {
			text_char(t, before);
			text_str(t, views[i].name);
			set &= ~(unsigned int)views[i].views;
			before = ',';
		}
}

static const char *family_word(unsigned int i)
{
	return bgp_family_info(i)->name;
}

/*
 * Write the usual form if parsing it gives the same value, else the hexadecimal
 * form.
 */
static void format_rd(struct text *t, uint64_t rd)
{
	char word[32];
	struct text w = text_start(word, sizeof(word));
	uint64_t again;

	text_rd(&w, rd);
	text_end(&w);
	if (rd_of_text(word, &again) < 0 || again != rd)
		snprintf(word, sizeof(word), "0x%016" PRIx64, rd);
	text_str(t, " rd=");
	text_str(t, word);
}

size_t filter_rule_format(const struct filter_rule *rule, char *out, size_t cap)
{
	struct text t = text_start(out, cap);
	char peer[ACL_TEXT_MAX];

	text_str(&t, actions[rule->action]);
	if (rule->has_peer) {
		acl_network_format(&rule->peer, peer, sizeof(peer));
		text_str(&t, " peer=");
		text_str(&t, peer);
	}
	if (rule->as_low != 0 || rule->as_high != UINT32_MAX) {
		text_str(&t, " as=");
		text_u64(&t, rule->as_low);
		if (rule->as_low != rule->as_high) {
			text_char(&t, '-');
			text_u64(&t, rule->as_high);
		}
	}
	format_set(&t, "type", rule->types, ALL_TYPES, bmp_peer_type_name);
	format_views(&t, rule->views);
	format_set(&t, "family", rule->families, ALL_FAMILIES, family_word);
	if (rule->has_rd)
		format_rd(&t, rule->rd);
	return text_end(&t);
}

/* Evaluation */

/*
 * True if the address matches. A Loc-RIB has no address: a rule with an address
 * does not match its zeros.
 */
static bool rule_fits_address(const struct filter_rule *r,
			      const struct filter_peer *p)
{
	return p->type != BMP_PEER_LOC_RIB &&
	       acl_network_has(&r->peer, p->address);
}

static bool rule_sees(const struct filter_rule *r, const struct filter_peer *p)
{
	/* Only rules without a type match an unknown type. */
	unsigned int type = p->type < BMP_PEER_TYPES ? p->type : 7;

	return (r->types >> type & 1) != 0 && (r->views >> p->view & 1) != 0 &&
	       p->as >= r->as_low && p->as <= r->as_high &&
	       (!r->has_rd || p->distinguisher == r->rd) &&
	       (!r->has_peer || rule_fits_address(r, p));
}

/*
 * Each family gets the action of the first rule that matches this peer and
 * names the family (or has no word "family").
 */
struct filter_mask filter_ask(const struct filter_chain *chain,
			      const struct filter_peer *peer)
{
	struct filter_mask m = { 0 };
	uint64_t open = ALL_FAMILIES;

	for (size_t i = 0; i < chain->count; i++)
		for (size_t k = 0; k < chain->at[i]->count; k++) {
			const struct filter_rule *r = &chain->at[i]->rules[k];
			uint64_t hit = r->families & open;

			if (hit == 0 || !rule_sees(r, peer))
				continue;
			if (r->action != FILTER_DROP)
				m.stored |= hit;
			if (r->action == FILTER_PUBLISH)
				m.published |= hit;
			open &= ~hit;
		}
	m.stored |= open;
	m.published |= open;
	return m;
}

enum filter_action filter_decide(const struct filter_chain *chain,
				 const struct filter_peer *peer,
				 enum bgp_family family)
{
	struct filter_mask m = filter_ask(chain, peer);

	if (filter_publishes(m, family))
		return FILTER_PUBLISH;
	return filter_stores(m, family) ? FILTER_STORE : FILTER_DROP;
}
