/*
 * collector/config/options.h - the table of all options
 *
 *	--nats-stream NAME	flag
 *	ARANCINI_NATS_STREAM	environment: made from the flag
 *	[nats] stream = NAME	file
 *
 * A secret has no flag for its value: --nats-password-file and
 * ARANCINI_NATS_PASSWORD_FILE name a file, ARANCINI_NATS_PASSWORD has the
 * value.
 */
#ifndef COLLECTOR_CONFIG_OPTIONS_H
#define COLLECTOR_CONFIG_OPTIONS_H

#include "collector/config/config.h"

struct config_option {
	const char *flag;    /* flag without the dashes */
	const char *section; /* section in the file */
	const char *key;
	struct config_form form;
	size_t offset;	    /* offset of the member in struct config */
	bool reload;	    /* a reload (SIGHUP) can change it */
	const char *preset; /* the default as text; lists separated by commas */
	const char *value;  /* placeholder of the value, in the help */
	const char *help;   /* help: one sentence without a full stop */
};

/* The sections of the file, in the order of the help. */
struct config_section {
	const char *name;
	const char *title; /* heading in the help */
	const char *help;  /* help: a sentence or two */
};

extern const struct config_option config_options[];
extern const size_t config_option_count;
extern const struct config_section config_sections[];
extern const size_t config_section_count;

#define CONFIG_ENV_MAX 64

/*
 * The environment variables of an option. CONFIG_ENV_OPTION has the name of the
 * flag; for a secret its value is the name of a file. A secret also has
 * CONFIG_ENV_DIRECT, without "_FILE" at the end, for the secret itself.
 */
enum config_env_kind {
	CONFIG_ENV_OPTION,
	CONFIG_ENV_DIRECT,
};
void config_option_env(const struct config_option *o, enum config_env_kind kind,
		       char out[CONFIG_ENV_MAX]);

/*
 * Find an option by its flag (@len bytes, no dashes), or by section and key.
 * NULL if there is none.
 */
const struct config_option *config_option_by_flag(const char *flag, size_t len);
const struct config_option *config_option_by_key(const char *section,
						 const char *key);
const struct config_section *config_section_find(const char *name);

static inline size_t config_option_index(const struct config_option *o)
{
	return (size_t)(o - config_options);
}

static inline void *config_at(struct config *config,
			      const struct config_option *option)
{
	return (char *)config + option->offset;
}

static inline const void *config_at_const(const struct config *config,
					  const struct config_option *option)
{
	return (const char *)config + option->offset;
}

/* True if the option with this flag, for example "listen", was not set. */
bool config_is_default(const struct config *config, const char *flag);

#endif
