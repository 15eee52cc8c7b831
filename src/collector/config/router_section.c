#include "collector/config/router_section.h"

#include "collector/config/validate.h"
#include "collector/config/loader.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct config_router, member)

#define ROUTES_MAX UINT64_C(100000000000)

static const char *const bmp_v4_words[] = { "off", "tlv20", "legacy", NULL };
static const char *const as_width_words[] = { "2", "4", NULL };
static const uint8_t as_widths[] = { 2, 4 };

/* clang-format off */
const struct config_router_option config_router_keys[CONFIG_ROUTER_KEYS] = {
	[CONFIG_ROUTER_ALIAS] = {
		"alias", AT(alias), { .type = CONFIG_TEXT, .check = config_check_alias }, false, "NAME",
		"call the router so, in subjects too; only in sections by address or port" },
	[CONFIG_ROUTER_MD5_KEY] = {
		"md5-key-file", AT(md5_key), { .type = CONFIG_SECRET }, false, "FILE",
		"file with the key for TCP MD5 signatures (RFC 2385), at most 80 bytes; only in sections by address" },
	[CONFIG_ROUTER_BMP_V4] = {
		"bmp-v4", AT(bmp_v4), { .type = CONFIG_CHOICE, .words = bmp_v4_words }, true, "off|tlv20|legacy",
		"instead of --bmp-v4; holds from its next session on" },
	[CONFIG_ROUTER_ADD_PATH] = {
		"add-path", AT(add_path), { .type = CONFIG_FAMILIES }, true, "FAMILIES",
		"its routes of these families have path identifiers (RFC 7911), whatever its OPENs say: all, or names as ipv4-unicast; "
		"holds from its next session on" },
	[CONFIG_ROUTER_NO_ADD_PATH] = {
		"no-add-path", AT(no_add_path), { .type = CONFIG_FAMILIES }, true, "FAMILIES",
		"its routes of these families have no path identifiers, whatever its OPENs say; holds from its next session on" },
	[CONFIG_ROUTER_AS_WIDTH] = {
		"as-width", AT(as_width), { .type = CONFIG_CHOICE, .words = as_width_words }, true, "2|4",
		"bytes of an AS number in its AS paths, whatever its messages say; holds from its next session on" },
	[CONFIG_ROUTER_ROUTES_PER_ROUTER] = {
		"max-routes-per-router", AT(routes_per_router), { .type = CONFIG_NUMBER, .max = ROUTES_MAX }, true, "N",
		"instead of --max-routes-per-router" },
	[CONFIG_ROUTER_ROUTES_PER_PEER] = {
		"max-routes-per-peer", AT(routes_per_peer), { .type = CONFIG_NUMBER, .max = ROUTES_MAX }, true, "N",
		"instead of --max-routes-per-peer" },
	[CONFIG_ROUTER_FILTER] = {
		"filter", AT(filter), { .type = CONFIG_RULES, .flags = CONFIG_EMPTY }, true, "RULE",
		"rules that are asked before those of --filter" },
};
/* clang-format on */

/* Sections */

static bool parse_address(const char *text, uint8_t out[16])
{
	memcpy(out, (const uint8_t[16]){ [10] = 0xff, [11] = 0xff }, 16);
	return inet_pton(AF_INET, text, out + 12) == 1 ||
	       inet_pton(AF_INET6, text, out) == 1;
}

/* NULL, or why the title is none. */
static const char *parse_title(const char *title, struct config_router *out)
{
	static const uint8_t nowhere[16];
	struct config_address address;
	struct identity id;

	if (parse_address(title, out->address)) {
		out->kind = CONFIG_ROUTER_ADDRESS;
		return NULL;
	}
	memset(out->address, 0, sizeof(out->address));
	if (config_address_parse(title, &address) == 0) {
		out->kind = CONFIG_ROUTER_PORT;
		out->port = address.port;
		memcpy(out->address, address.address, sizeof(out->address));
		return address.port != 0 ? NULL : "port 0 is nobody's";
	}
	out->kind = CONFIG_ROUTER_NAME;
	return identity_from_name(nowhere, title, strlen(title), &id) == 0
		       ? NULL
		       : "behind 'router' goes an address, ADDRESS:PORT or a "
			 "name";
}

static bool same_router(const struct config_router *a,
			const struct config_router *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == CONFIG_ROUTER_NAME)
		return strcmp(a->title, b->title) == 0;
	return a->port == b->port && memcmp(a->address, b->address, 16) == 0;
}

struct config_router *config_router_same(const struct config *config,
					 const struct config_router *like)
{
	for (size_t i = 0; i < config->router_count; i++)
		if (same_router(&config->routers[i], like))
			return &config->routers[i];
	return NULL;
}

struct config_router *config_router_add(struct config *config,
					const struct config_router *made)
{
	struct config_router *grown =
		reallocarray(config->routers, config->router_count + 1,
			     sizeof(*grown));

	if (grown == NULL)
		return NULL;
	config->routers = grown;
	grown[config->router_count] = *made;
	return &grown[config->router_count++];
}

struct config_router *config_router_begin(struct config_loader *l,
					  const struct config_place *place,
					  const char *title)
{
	struct config_router made = { .line = place->line };
	const char *why = parse_title(title, &made);
	const struct config_router *twice;
	struct config_router *added;

	if (why != NULL) {
		config_errors_add(l->errors, "%s:%u: [router %s]: %s",
				  place->file, place->line, title, why);
		return NULL;
	}
	made.title = strdup(title);
	twice = made.title != NULL ? config_router_same(l->config, &made)
				   : NULL;
	if (twice != NULL) {
		config_errors_add(l->errors,
				  "%s:%u: [router %s] is the router of line %u",
				  place->file, place->line, title, twice->line);
		free(made.title);
		return NULL;
	}
	added = made.title != NULL ? config_router_add(l->config, &made) : NULL;
	if (added == NULL) {
		free(made.title);
		l->out_of_memory = true;
	}
	return added;
}

static int find_key(const char *name)
{
	for (int i = 0; i < CONFIG_ROUTER_KEYS; i++)
		if (strcmp(config_router_keys[i].key, name) == 0)
			return i;
	return CONFIG_ROUTER_KEYS;
}

static void complain_key(struct config_loader *l,
			 const struct config_place *place)
{
	const char *names[CONFIG_ROUTER_KEYS + 1] = { NULL };
	const char *nearest;

	for (int i = 0; i < CONFIG_ROUTER_KEYS; i++)
		names[i] = config_router_keys[i].key;
	nearest = config_errors_nearest(place->name, names);
	config_errors_add(l->errors, "%s:%u: [%s] has no key '%s'; %s%s%s",
			  place->file, place->line, place->section, place->name,
			  nearest != NULL ? "did you mean '"
					  : "see 'man 5 arancini.conf'",
			  nearest != NULL ? nearest : "",
			  nearest != NULL ? "'?" : "");
}

/* NULL, or why such a section cannot have this key. */
static const char *unfit(const struct config_router *router, int key)
{
	if (key == CONFIG_ROUTER_ALIAS && router->kind == CONFIG_ROUTER_NAME)
		return "only in a section by address or port; this one is by "
		       "name";
	if (key == CONFIG_ROUTER_MD5_KEY &&
	    router->kind != CONFIG_ROUTER_ADDRESS)
		return "only in a section by address: the kernel checks "
		       "signatures before it knows more";
	return NULL;
}

/* NULL, or why what was set does not go with the rest of the section. */
static const char *contradiction(const struct config_router *router, int key)
{
	if ((key == CONFIG_ROUTER_ADD_PATH ||
	     key == CONFIG_ROUTER_NO_ADD_PATH) &&
	    (router->add_path & router->no_add_path) != 0)
		return "a family is in add-path or in no-add-path, not in both";
	return NULL;
}

int config_router_parse(struct config_router *router,
			enum config_router_key key, const char *text,
			char why[CONFIG_WHY_MAX])
{
	int err = config_value_parse(&config_router_keys[key].form, text,
				     config_router_at(router, key), why);
	const char *against;

	if (err < 0)
		return err;
	router->given |= 1u << key;
	against = contradiction(router, key);
	if (against == NULL)
		return 0;
	snprintf(why, CONFIG_WHY_MAX, "%s", against);
	return -EINVAL;
}

void config_router_set(struct config_loader *l, struct config_router *router,
		       const struct config_place *place, const char *text)
{
	int key = find_key(place->name);
	char why[CONFIG_WHY_MAX];
	int err;

	if (key == CONFIG_ROUTER_KEYS) {
		complain_key(l, place);
		return;
	}
	if (unfit(router, key) != NULL) {
		config_complain(l, place, text, unfit(router, key));
		return;
	}
	if (router->given & 1u << key &&
	    !config_value_is_list(config_router_keys[key].form.type)) {
		config_complain(l, place, text,
				"was given before in this section");
		return;
	}
	err = config_router_parse(router, (enum config_router_key)key, text,
				  why);
	if (err == -EINVAL)
		config_complain(l, place, text, why);
	else if (err < 0)
		l->out_of_memory = true;
}

void config_router_release(struct config_router *router)
{
	free(router->title);
	for (size_t i = 0; i < CONFIG_ROUTER_KEYS; i++)
		config_value_release(&config_router_keys[i].form,
				     config_router_at(router, i));
}

/* Looking up */

/* The section of @kind that fits, or NULL. */
static const struct config_router *find(const struct config *config,
					enum config_router_kind kind,
					const uint8_t address[16],
					uint16_t port, const char *name)
{
	for (size_t i = 0; i < config->router_count; i++) {
		const struct config_router *r = &config->routers[i];

		if (r->kind != kind)
			continue;
		if (kind == CONFIG_ROUTER_NAME) {
			if (name != NULL && strcmp(r->title, name) == 0)
				return r;
		} else if (memcmp(r->address, address, 16) == 0 &&
			   (kind == CONFIG_ROUTER_ADDRESS || r->port == port)) {
			return r;
		}
	}
	return NULL;
}

/* What is not given is zero, and leaves what a weaker section said. */
void config_router_overrides(const struct config_router *r,
			     struct bgp_overrides *out)
{
	out->add_path_on |= r->add_path;
	out->add_path_off &= ~r->add_path;
	out->add_path_off |= r->no_add_path;
	out->add_path_on &= ~r->no_add_path;
	if (r->given & 1u << CONFIG_ROUTER_AS_WIDTH)
		out->as_width = as_widths[r->as_width];
}

static void apply(const struct config_router *r,
		  struct config_router_settings *out)
{
	config_router_overrides(r, &out->overrides);
	if (r->given & 1u << CONFIG_ROUTER_BMP_V4)
		out->bmp_v4 = r->bmp_v4;
	if (r->given & 1u << CONFIG_ROUTER_ROUTES_PER_ROUTER)
		out->routes.per_router = r->routes_per_router;
	if (r->given & 1u << CONFIG_ROUTER_ROUTES_PER_PEER)
		out->routes.per_peer = r->routes_per_peer;
}

void config_router_settings(const struct config *config,
			    const uint8_t address[16], uint16_t port,
			    const char *name,
			    struct config_router_settings *out)
{
	const struct config_router *fit[CONFIG_ROUTER_KINDS];

	*out = (struct config_router_settings){
		.bmp_v4 = config->listen.bmp_v4,
		.routes = { .per_peer = config->limits.routes_per_peer,
			    .per_router = config->limits.routes_per_router,
			    .all = config->limits.routes },
	};
	/* From the weakest to the strongest for values ... */
	for (int kind = 0; kind < CONFIG_ROUTER_KINDS; kind++) {
		fit[kind] = find(config, kind, address, port, name);
		if (fit[kind] != NULL)
			apply(fit[kind], out);
	}
	/* ... and the other way round for rules, the first of which counts. */
	for (int kind = CONFIG_ROUTER_KINDS - 1; kind >= 0; kind--)
		if (fit[kind] != NULL && fit[kind]->filter.count > 0)
			out->filters.at[out->filters.count++] =
				&fit[kind]->filter;
	out->filters.at[out->filters.count++] = &config->curation.filter;
}

const char *config_router_alias(const struct config *config,
				const uint8_t address[16], uint16_t port)
{
	const struct config_router *r =
		find(config, CONFIG_ROUTER_PORT, address, port, NULL);

	if (r == NULL || r->alias == NULL)
		r = find(config, CONFIG_ROUTER_ADDRESS, address, port, NULL);
	return r != NULL ? r->alias : NULL;
}
