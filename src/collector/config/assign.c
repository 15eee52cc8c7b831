#include "collector/config/assign.h"

#include "collector/base/secret_memory.h"
#include "collector/config/router_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void config_complain(struct config_loader *l, const struct config_place *place,
		     const char *text, const char *why)
{
	if (place->origin == CONFIG_FROM_FILE)
		config_errors_add(l->errors, "%s:%u: %s = '%s': %s",
				  place->file, place->line, place->name, text,
				  why);
	else
		config_errors_add(l->errors, "%s '%s': %s", place->name, text,
				  why);
}

void config_set(struct config_loader *l, const struct config_option *o,
		const struct config_place *place, const char *text)
{
	struct config_source *source =
		&l->config->sources[config_option_index(o)];
	void *value = config_at(l->config, o);
	bool list = config_value_is_list(o->form.type);
	char why[CONFIG_WHY_MAX];
	int err;

	if (!list && place->origin == CONFIG_FROM_FILE &&
	    source->origin == CONFIG_FROM_FILE) {
		config_errors_add(l->errors,
				  "%s:%u: %s was given before, in line %u",
				  place->file, place->line, place->name,
				  source->line);
		return;
	}
	/* Each layer replaces the list of the layer below. */
	if (list && source->origin != place->origin)
		config_value_release(&o->form, value);
	err = config_value_parse(&o->form, text, value, why);
	if (err == -ENOMEM) {
		l->out_of_memory = true;
		return;
	}
	if (err < 0)
		config_complain(l, place, text, why);
	/* The source of a list is that of its first element. */
	if (source->origin != place->origin)
		*source = (struct config_source){ (uint8_t)place->origin,
						  place->line };
}

void config_set_secret(struct config_loader *l, const struct config_option *o,
		       const struct config_place *place, const char *text)
{
	struct config_secret *secret = config_at(l->config, o);

	config_value_release(&o->form, secret);
	secret->value = secret_copy(text, strlen(text));
	if (secret->value == NULL)
		l->out_of_memory = true;
	l->config->sources[config_option_index(o)] =
		(struct config_source){ (uint8_t)place->origin, 0 };
}

/* Sections of routers */

struct config_router *config_router_begin(struct config_loader *l,
					  const struct config_place *place,
					  const char *title)
{
	struct config_router made = { .line = place->line };
	const char *why = config_router_parse_title(title, &made);
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

/* Return why a section of this kind cannot have this key; NULL if it can. */
static const char *key_refusal(const struct config_router *router, int key)
{
	if (key == CONFIG_ROUTER_ALIAS && router->kind == CONFIG_ROUTER_NAME)
		return "only in a section by address or port; this one is by "
		       "name";
	if (key == CONFIG_ROUTER_NETWORKS && router->kind != CONFIG_ROUTER_NAME)
		return "only in a section by name; this one is by address";
	if (key == CONFIG_ROUTER_MD5_KEY &&
	    router->kind != CONFIG_ROUTER_ADDRESS)
		return "only in a section by address: the kernel checks "
		       "signatures before it knows more";
	return NULL;
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
	if (key_refusal(router, key) != NULL) {
		config_complain(l, place, text, key_refusal(router, key));
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
