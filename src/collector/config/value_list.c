/*
 * Values with several elements.
 */
#include "collector/config/value_list.h"

#include "collector/config/value_scalar.h"

#include "bmp/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool config_value_is_list(enum config_type type)
{
	return type == CONFIG_ADDRESSES || type == CONFIG_NETWORKS ||
	       type == CONFIG_TEXTS || type == CONFIG_RULES ||
	       type == CONFIG_FAMILIES;
}

/* Families: a set, unordered and without duplicates */

static bgp_family_set all_families(void)
{
	bgp_family_set all = 0;

	for (int f = 0; f < BGP_FAMILIES; f++)
		all |= bgp_family_bit((enum bgp_family)f);
	return all;
}

/*
 * The families of this name; empty if the name is unknown. The unknown family
 * is not included.
 */
static bgp_family_set find_families(const char *name)
{
	if (strcmp(name, "all") == 0)
		return all_families();
	for (int f = 0; f < BGP_FAMILIES; f++)
		if (strcmp(name, bgp_family_info((enum bgp_family)f)->name) ==
		    0)
			return bgp_family_bit((enum bgp_family)f);
	return 0;
}

/*
 * Add the family of "ipv4-unicast" for all views, or of "in-post:ipv4-unicast"
 * for the views before the colon.
 */
static int add_families(const struct config_form *form, const char *s,
			struct config_families *set, char why[CONFIG_WHY_MAX])
{
	const char *colon = strchr(s, ':');
	unsigned int views = FILTER_ALL_VIEWS;
	bgp_family_set found;

	if (colon != NULL) {
		views = filter_find_views(s, (size_t)(colon - s));
		s = colon + 1;
	}
	found = find_families(s);
	if (views == 0 || found == 0)
		return config_value_refuse(form, why);
	for (int v = 0; v < BMP_VIEWS; v++)
		if (views >> v & 1)
			set->of_view[v] |= found;
	return 0;
}

/*
 * The elements of a set of families are listed in this order: the families of
 * all views, then those of single views. If all families are in the set, there
 * is one element for them, "all".
 */
static size_t count_set(bgp_family_set set)
{
	return set == all_families() ? 1 : (size_t)__builtin_popcountll(set);
}

static bgp_family_set of_all_views(const struct config_families *set)
{
	bgp_family_set all = ~(bgp_family_set)0;

	for (int v = 0; v < BMP_VIEWS; v++)
		all &= set->of_view[v];
	return all;
}

/*
 * The families to list for @view alone: those that not every view has. If @view
 * has all families and another view has not, these are all families, which are
 * written as one element.
 */
static bgp_family_set of_one_view(const struct config_families *set, int view)
{
	bgp_family_set all = of_all_views(set);
	bgp_family_set own = set->of_view[view];

	return own == all_families() && all != own ? own : own & ~all;
}

static size_t count_families(const struct config_families *set)
{
	size_t n = count_set(of_all_views(set));

	for (int v = 0; v < BMP_VIEWS; v++)
		n += count_set(of_one_view(set, v));
	return n;
}

static const char *family_name(bgp_family_set set, size_t i)
{
	if (set == all_families())
		return "all";
	while (i-- > 0)
		set &= set - 1;
	return bgp_family_info((enum bgp_family)__builtin_ctzll(set))->name;
}

static void format_family(const struct config_families *set, size_t i,
			  struct text *t)
{
	bgp_family_set part = of_all_views(set);
	int v = -1;

	while (i >= count_set(part)) {
		i -= count_set(part);
		part = of_one_view(set, ++v);
	}
	if (v >= 0) {
		text_str(t, filter_view_name((enum bmp_view)v));
		text_str(t, ":");
	}
	text_str(t, family_name(part, i));
}

/* Adding */

static int add_address(const struct config_form *form, const char *s,
		       struct config_addresses *list, char why[CONFIG_WHY_MAX])
{
	struct config_address *grown;
	struct config_address a;

	if (config_address_parse(s, &a) < 0)
		return config_value_refuse(form, why);
	grown = reallocarray(list->at, list->count + 1, sizeof(a));
	if (grown == NULL)
		return -ENOMEM;
	grown[list->count] = a;
	list->at = grown;
	list->count++;
	return 0;
}

static int add_network(const struct config_form *form, const char *s,
		       struct acl_list *list, char why[CONFIG_WHY_MAX])
{
	int err = acl_list_add(list, s);

	return err == -EINVAL ? config_value_refuse(form, why) : err;
}

static int add_text(const struct config_form *form, const char *s,
		    struct config_texts *list, char why[CONFIG_WHY_MAX])
{
	struct config_form one = *form;
	char **grown;
	char *copy = NULL;
	int err;

	/* "#" at the start of a line would begin a comment. */
	if (*s == '#') {
		snprintf(why, CONFIG_WHY_MAX, "begins with '#'");
		return -EINVAL;
	}
	one.type = CONFIG_TEXT;
	err = config_scalar_parse(&one, s, &copy, why);
	if (err < 0)
		return err;
	grown = reallocarray(list->at, list->count + 1, sizeof(*grown));
	if (grown == NULL) {
		free(copy);
		return -ENOMEM;
	}
	grown[list->count] = copy;
	list->at = grown;
	list->count++;
	return 0;
}

static int add_element(const struct config_form *form, const char *s,
		       void *value, char why[CONFIG_WHY_MAX])
{
	struct config_form whole = *form;
	char reason[FILTER_WHY_MAX];
	int err;

	whole.flags &= (uint8_t)~CONFIG_EMPTY;
	switch (form->type) {
	case CONFIG_ADDRESSES:
		return add_address(&whole, s, value, why);
	case CONFIG_NETWORKS:
		return add_network(&whole, s, value, why);
	case CONFIG_TEXTS:
		return add_text(&whole, s, value, why);
	case CONFIG_FAMILIES:
		return add_families(&whole, s, value, why);
	default:
		err = filter_add(value, s, reason);
		if (err == -EINVAL)
			snprintf(why, CONFIG_WHY_MAX, "%s", reason);
		return err;
	}
}

static char *element_trim(char *s)
{
	size_t len;

	s += strspn(s, " \t");
	len = strlen(s);
	while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		s[--len] = '\0';
	return s;
}

/* Free the elements after the first @count. */
static void list_truncate(const struct config_form *form, void *value,
			  size_t count)
{
	struct config_texts *texts = value;

	switch (form->type) {
	case CONFIG_ADDRESSES:
		((struct config_addresses *)value)->count = count;
		break;
	case CONFIG_NETWORKS:
		((struct acl_list *)value)->count = count;
		break;
	case CONFIG_TEXTS:
		while (texts->count > count)
			free(texts->at[--texts->count]);
		break;
	case CONFIG_FAMILIES:
		break; /* nothing to undo: parsed into a copy, see below */
	default:
		((struct filter *)value)->count = count;
	}
}

size_t config_value_count(const struct config_form *form, const void *value)
{
	switch (form->type) {
	case CONFIG_ADDRESSES:
		return ((const struct config_addresses *)value)->count;
	case CONFIG_NETWORKS:
		return ((const struct acl_list *)value)->count;
	case CONFIG_TEXTS:
		return ((const struct config_texts *)value)->count;
	case CONFIG_RULES:
		return ((const struct filter *)value)->count;
	case CONFIG_FAMILIES:
		return count_families(value);
	default:
		return 1;
	}
}

static int parse_elements(const struct config_form *form, const char *text,
			  void *value, char why[CONFIG_WHY_MAX])
{
	const char *between = form->type == CONFIG_RULES ? ";" : ",";
	size_t before = config_value_count(form, value);
	char *copy = strdup(text);
	char *rest = copy;
	char *element;
	int err = 0;

	if (copy == NULL)
		return -ENOMEM;
	rest = element_trim(copy);
	if (*rest == '\0' && form->flags & CONFIG_EMPTY)
		rest = NULL;
	while (err == 0 && (element = strsep(&rest, between)) != NULL)
		err = add_element(form, element_trim(element), value, why);
	if (err < 0)
		list_truncate(form, value, before);
	free(copy);
	return err;
}

int config_value_list_parse(const struct config_form *form, const char *text,
			    void *value, char why[CONFIG_WHY_MAX])
{
	struct config_families set = { 0 };
	struct config_families *all = value;
	int err;

	if (form->type != CONFIG_FAMILIES)
		return parse_elements(form, text, value, why);
	/*
	 * Parse into a copy, because a set does not know which elements were
	 * added last.
	 */
	err = parse_elements(form, text, &set, why);
	for (int v = 0; err == 0 && v < BMP_VIEWS; v++)
		all->of_view[v] |= set.of_view[v];
	return err;
}

/* Writing */

void config_value_list_format(const struct config_form *form, const void *value,
			      size_t i, char *out, size_t cap)
{
	const struct config_addresses *addresses = value;
	const struct acl_list *networks = value;
	const struct config_texts *texts = value;
	const struct filter *rules = value;
	struct text t = text_start(out, cap);

	switch (form->type) {
	case CONFIG_ADDRESSES:
		text_ip_port(&t, addresses->at[i].address,
			     addresses->at[i].port);
		break;
	case CONFIG_NETWORKS:
		acl_network_format(&networks->networks[i], out, cap);
		return;
	case CONFIG_TEXTS:
		text_str(&t, texts->at[i]);
		break;
	case CONFIG_FAMILIES:
		format_family(value, i, &t);
		break;
	default:
		filter_rule_format(&rules->rules[i], out, cap);
		return;
	}
	text_end(&t);
}
