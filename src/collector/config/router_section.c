#include "collector/config/router_section.h"

#include "collector/base/ip.h"
#include "collector/base/router_identity.h"
#include "collector/config/text_check.h"
#include "collector/policy/output_rate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct config_router, member)

#define ROUTES_MAX UINT64_C(100000000000)

const char *const config_bmp_v4_words[] = { "off", "tlv20", "legacy", "tlv21",
					    NULL };
static const char *const as_width_words[] = { "2", "4", NULL };
static const uint8_t as_widths[] = { 2, 4 };

/* clang-format off */
const struct config_router_option config_router_keys[CONFIG_ROUTER_KEYS] = {
	[CONFIG_ROUTER_ALIAS] = {
		"alias", AT(alias), { .type = CONFIG_TEXT, .check = config_check_alias }, false, "NAME",
		"call the router so, in subjects too; only in sections by address or port" },
	[CONFIG_ROUTER_NETWORKS] = {
		"networks", AT(networks), { .type = CONFIG_NETWORKS, .flags = CONFIG_EMPTY }, true, "NETWORK,...",
		"only sessions from these networks may have this name; only in sections by name" },
	[CONFIG_ROUTER_MD5_KEY] = {
		"md5-key-file", AT(md5_key), { .type = CONFIG_SECRET }, false, "FILE",
		"file with the key for TCP MD5 signatures (RFC 2385), at most 80 bytes; only in sections by address" },
	[CONFIG_ROUTER_BMP_V4] = {
		"bmp-v4", AT(bmp_v4), { .type = CONFIG_CHOICE, .words = config_bmp_v4_words }, true, "off|tlv20|legacy|tlv21",
		"instead of --bmp-v4; holds from its next session on" },
	[CONFIG_ROUTER_ADD_PATH] = {
		"add-path", AT(add_path), { .type = CONFIG_FAMILIES }, true, "FAMILIES",
		"its routes of these families have path identifiers (RFC 7911), whatever its OPENs say: all, or names as ipv4-unicast, "
		"of one view in-post:ipv4-unicast; holds from its next session on" },
	[CONFIG_ROUTER_NO_ADD_PATH] = {
		"no-add-path", AT(no_add_path), { .type = CONFIG_FAMILIES }, true, "FAMILIES",
		"its routes of these families have no path identifiers, whatever its OPENs say; as add-path" },
	[CONFIG_ROUTER_AS_WIDTH] = {
		"as-width", AT(as_width), { .type = CONFIG_CHOICE, .words = as_width_words }, true, "2|4",
		"bytes of an AS number in its AS paths, whatever its messages say; holds from its next session on" },
	[CONFIG_ROUTER_ROUTES_PER_ROUTER] = {
		"max-routes-per-router", AT(routes_per_router), { .type = CONFIG_NUMBER, .max = ROUTES_MAX }, true, "N",
		"instead of --max-routes-per-router" },
	[CONFIG_ROUTER_ROUTES_PER_PEER] = {
		"max-routes-per-peer", AT(routes_per_peer), { .type = CONFIG_NUMBER, .max = ROUTES_MAX }, true, "N",
		"instead of --max-routes-per-peer" },
	[CONFIG_ROUTER_OUTPUT_RATE] = {
		"max-output-rate", AT(output_rate),
		{ .type = CONFIG_SIZE, .flags = CONFIG_ZERO, .min = OUTPUT_RATE_MIN, .max = OUTPUT_RATE_MAX }, true, "SIZE",
		"instead of --max-output-rate" },
	[CONFIG_ROUTER_FILTER] = {
		"filter", AT(filter), { .type = CONFIG_RULES, .flags = CONFIG_EMPTY }, true, "RULE",
		"rules that are asked before those of --filter" },
};
/* clang-format on */

/* Sections */

const char *config_router_parse_title(const char *title,
				      struct config_router *out)
{
	static const uint8_t nowhere[16];
	struct config_address address;
	struct rib_identity id;

	if (ip_parse(title, out->address) >= 0) {
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

/*
 * Return why the new value of @key contradicts another key of the section; NULL
 * if it does not.
 */
static const char *key_contradiction(const struct config_router *router,
				     int key)
{
	if (key != CONFIG_ROUTER_ADD_PATH && key != CONFIG_ROUTER_NO_ADD_PATH)
		return NULL;
	for (int v = 0; v < BMP_VIEWS; v++)
		if ((router->add_path.of_view[v] &
		     router->no_add_path.of_view[v]) != 0)
			return "a family is in add-path or in no-add-path, "
			       "not in both";
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
	against = key_contradiction(router, key);
	if (against == NULL)
		return 0;
	snprintf(why, CONFIG_WHY_MAX, "%s", against);
	return -EINVAL;
}

void config_router_release(struct config_router *router)
{
	free(router->title);
	for (size_t i = 0; i < CONFIG_ROUTER_KEYS; i++)
		config_value_release(&config_router_keys[i].form,
				     config_router_at(router, i));
}

/*
 * A key that is not given leaves *@out unchanged: it then has the value of a
 * section with lower precedence.
 */
void config_router_overrides(const struct config_router *r,
			     struct bgp_overrides *out)
{
	for (int v = 0; v < BMP_VIEWS; v++) {
		bgp_family_set on = r->add_path.of_view[v];
		bgp_family_set off = r->no_add_path.of_view[v];

		out->add_path_on[v] = (out->add_path_on[v] | on) & ~off;
		out->add_path_off[v] = (out->add_path_off[v] & ~on) | off;
	}
	if (r->given & 1u << CONFIG_ROUTER_AS_WIDTH)
		out->as_width = as_widths[r->as_width];
}
