#include "collector/reload.h"

#include "collector/collector.h"
#include "collector/base/log.h"
#include "collector/config/config.h"
#include "collector/config/diff.h"
#include "collector/config/errors.h"
#include "collector/config/loader.h"

#include <errno.h>
#include <stdlib.h>

struct reload_read {
	struct reload_read *next;
	struct config config;
};

void reload_init(struct reload *r, int argc, char *const *argv,
		 char *const *env, const struct config *config)
{
	*r = (struct reload){ argc, argv, env, config, NULL };
}

static void reads_release(struct reload_read *list)
{
	while (list != NULL) {
		struct reload_read *next = list->next;

		config_release(&list->config);
		free(list);
		list = next;
	}
}

void reload_fini(struct reload *r)
{
	reads_release(r->read);
	r->read = NULL;
}

/* Log lines */

static void log_why(struct log *log, const char *why)
{
	struct log_line line;

	if (!log_begin(log, LOG_LEVEL_ERROR, "reload_failed", &line))
		return;
	log_text(&line, "why", why);
	log_text(&line, "hint", "all stays as it was");
	log_end(&line);
}

static void log_mistakes(struct log *log, const struct config_errors *errors)
{
	for (size_t i = 0; i < errors->kept; i++)
		log_why(log, errors->lines[i]);
}

struct differences {
	struct log *log;
	uint64_t changed;
	uint64_t restart;
};

static void log_difference(void *arg, const char *name, bool reload)
{
	struct differences *d = arg;
	struct log_line line;

	d->changed += reload;
	d->restart += !reload;
	if (!log_begin(d->log, reload ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING,
		       reload ? "option_changed" : "option_needs_restart",
		       &line))
		return;
	log_text(&line, "option", name);
	log_end(&line);
}

static void log_reloaded(const struct differences *d)
{
	struct log_line line;

	if (!log_begin(d->log, LOG_LEVEL_INFO, "reloaded", &line))
		return;
	log_u64(&line, "changed", d->changed);
	log_u64(&line, "need_restart", d->restart);
	log_end(&line);
}

/* Reloading */

static int config_read(const struct reload *r, struct log *log,
		       struct config *out)
{
	struct config_errors errors = CONFIG_ERRORS_INIT;
	struct config_request request;
	int err = config_load(r->argc, r->argv, r->env, &errors, &request, out);

	if (err == -EINVAL)
		log_mistakes(log, &errors);
	else if (err < 0)
		log_why(log, "no memory");
	config_errors_release(&errors);
	return err;
}

/*
 * Make the new configuration, in which options that need a restart keep their
 * values. The caller owns it; NULL on error.
 */
static struct reload_read *read_prepare(const struct reload *r,
					struct differences *d, int *err)
{
	struct reload_read *read = calloc(1, sizeof(*read));

	*err = read == NULL ? -ENOMEM : config_read(r, d->log, &read->config);
	if (*err < 0) {
		free(read);
		return NULL;
	}
	config_compare(r->config, &read->config, log_difference, d);
	*err = config_keep(r->config, &read->config);
	if (*err < 0) {
		log_why(d->log, "no memory");
		reads_release(read);
		return NULL;
	}
	return read;
}

int reload_run(struct reload *r, struct collector *c, struct log *log)
{
	struct differences d = { .log = log };
	struct reload_read *read;
	int err;

	read = read_prepare(r, &d, &err);
	if (read == NULL)
		return err;
	read->next = r->read;
	r->read = read;
	err = collector_reload(c, &read->config);
	if (err < 0) {
		/*
		 * After this error some workers may use the new configuration
		 * and others the old one.
		 */
		log_why(log, "a worker could not be told");
		return err;
	}
	reads_release(read->next);
	read->next = NULL;
	r->config = &read->config;
	log_reloaded(&d);
	return 0;
}
