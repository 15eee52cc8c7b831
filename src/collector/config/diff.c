/*
 * Find the changes of a reload, and keep the running values of options that
 * need a restart.
 */
#include "collector/config/diff.h"

#include "collector/config/options.h"
#include "collector/config/router_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The receiver of the differences. */
struct report {
	void (*each)(void *arg, const char *name, bool reload);
	void *arg;
	size_t restart;
};

static void difference_report(struct report *r, const char *name, bool reload)
{
	r->restart += !reload;
	if (r->each != NULL)
		r->each(r->arg, name, reload);
}

static bool key_is_given(const struct config_router *r, size_t key)
{
	return r != NULL && (r->given & 1u << key) != 0;
}

static bool same_key(const struct config_router *a,
		     const struct config_router *b, size_t key)
{
	if (key_is_given(a, key) != key_is_given(b, key))
		return false;
	return !key_is_given(a, key) ||
	       config_value_equal(&config_router_keys[key].form,
				  config_router_at_const(a, key),
				  config_router_at_const(b, key));
}

/*
 * Report the keys in which two sections with one title differ. @a is NULL if
 * the section was added, @b if it was removed.
 */
static void compare_router(const char *title, const struct config_router *a,
			   const struct config_router *b, struct report *report)
{
	char name[256];

	for (size_t i = 0; i < CONFIG_ROUTER_KEYS; i++) {
		if (same_key(a, b, i))
			continue;
		snprintf(name, sizeof(name), "[router %s] %s", title,
			 config_router_keys[i].key);
		difference_report(report, name, config_router_keys[i].reload);
	}
}

size_t config_compare(const struct config *running, const struct config *read,
		      void (*each)(void *arg, const char *name, bool reload),
		      void *arg)
{
	struct report report = { each, arg, 0 };
	char name[80];

	for (size_t i = 0; i < config_option_count; i++) {
		const struct config_option *o = &config_options[i];

		if (config_value_equal(&o->form, config_at_const(running, o),
				       config_at_const(read, o)))
			continue;
		snprintf(name, sizeof(name), "--%s", o->flag);
		difference_report(&report, name, o->reload);
	}
	for (size_t i = 0; i < read->router_count; i++) {
		const struct config_router *now = &read->routers[i];

		compare_router(now->title, config_router_same(running, now),
			       now, &report);
	}
	for (size_t i = 0; i < running->router_count; i++) {
		const struct config_router *old = &running->routers[i];

		if (config_router_same(read, old) == NULL)
			compare_router(old->title, old, NULL, &report);
	}
	return report.restart;
}

/* Keep the running values of options that need a restart */

static int keep_router(const struct config_router *running,
		       struct config_router *read)
{
	for (size_t i = 0; i < CONFIG_ROUTER_KEYS; i++) {
		const struct config_form *form = &config_router_keys[i].form;
		int err = 0;

		if (config_router_keys[i].reload)
			continue;
		if (key_is_given(running, i))
			err = config_value_copy(form,
						config_router_at_const(running,
								       i),
						config_router_at(read, i));
		else
			config_value_release(form, config_router_at(read, i));
		if (err < 0)
			return err;
		read->given &= ~(1u << i);
		read->given |= key_is_given(running, i) ? 1u << i : 0;
	}
	return 0;
}

static bool needs_restart(const struct config_router *r)
{
	for (size_t i = 0; i < CONFIG_ROUTER_KEYS; i++)
		if (!config_router_keys[i].reload && key_is_given(r, i))
			return true;
	return false;
}

/*
 * Add section @running to @read: it was removed from the file, but is in force
 * until a restart.
 */
static int keep_gone(const struct config_router *running, struct config *read)
{
	struct config_router made = {
		.title = strdup(running->title),
		.kind = running->kind,
		.port = running->port,
	};

	memcpy(made.address, running->address, sizeof(made.address));
	if (made.title == NULL || keep_router(running, &made) < 0 ||
	    config_router_add(read, &made) == NULL) {
		config_router_release(&made);
		return -ENOMEM;
	}
	return 0;
}

static int keep_routers(const struct config *running, struct config *read)
{
	int err = 0;

	for (size_t i = 0; i < read->router_count && err == 0; i++)
		err = keep_router(config_router_same(running,
						     &read->routers[i]),
				  &read->routers[i]);
	for (size_t i = 0; i < running->router_count && err == 0; i++)
		if (config_router_same(read, &running->routers[i]) == NULL &&
		    needs_restart(&running->routers[i]))
			err = keep_gone(&running->routers[i], read);
	return err;
}

int config_keep(const struct config *running, struct config *read)
{
	for (size_t i = 0; i < config_option_count; i++) {
		const struct config_option *o = &config_options[i];
		int err;

		if (o->reload)
			continue;
		err = config_value_copy(&o->form, config_at_const(running, o),
					config_at(read, o));
		if (err < 0)
			return err;
		read->sources[i] = running->sources[i];
	}
	return keep_routers(running, read);
}
