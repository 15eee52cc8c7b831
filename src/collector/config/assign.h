/*
 * collector/config/assign.h - give an option the value of a text
 *
 * The readers of flags, environment and file (args.h, ini.h) find an option and
 * its text, and pass both on with the place where the text is; here the text is
 * checked and replaces the value or is appended to it.
 */
#ifndef COLLECTOR_CONFIG_ASSIGN_H
#define COLLECTOR_CONFIG_ASSIGN_H

#include "collector/config/config.h"
#include "collector/config/errors.h"
#include "collector/config/options.h"

struct config_loader {
	struct config *config;
	struct config_errors *errors;
	bool out_of_memory; /* nothing that follows can be relied on */
};

/* A place to name in a mistake: "arancini.conf:12: [limits] max-sessions". */
struct config_place {
	enum config_origin origin;
	const char *file; /* CONFIG_FROM_FILE */
	unsigned int line;
	const char *section;
	const char *name; /* key, flag with dashes, or variable */
};

/* Set or extend @option. Mistakes are added; nothing is returned. */
void config_set(struct config_loader *loader,
		const struct config_option *option,
		const struct config_place *place, const char *text);

/* The value itself of a secret, from the environment. */
void config_set_secret(struct config_loader *loader,
		       const struct config_option *option,
		       const struct config_place *place, const char *text);

/* Sections of routers: begin one, NULL if it cannot be; then its keys. */
struct config_router *config_router_begin(struct config_loader *loader,
					  const struct config_place *place,
					  const char *title);
void config_router_set(struct config_loader *loader,
		       struct config_router *router,
		       const struct config_place *place, const char *text);

/* Say "WHERE: NAME = 'TEXT': WHY" as the place wants it. */
void config_complain(struct config_loader *loader,
		     const struct config_place *place, const char *text,
		     const char *why);

#endif
