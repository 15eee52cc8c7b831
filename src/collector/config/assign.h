/*
 * collector/config/assign.h - set an option from text
 *
 * The readers of flags, environment and file (args.h, ini.h) find an option and
 * its text, and pass both with the place of the text. This module checks the
 * text and sets the value or appends to it.
 */
#ifndef COLLECTOR_CONFIG_ASSIGN_H
#define COLLECTOR_CONFIG_ASSIGN_H

#include "collector/config/config.h"
#include "collector/config/errors.h"
#include "collector/config/options.h"

struct config_loader {
	struct config *config;
	struct config_errors *errors;
	bool out_of_memory; /* out of memory: the result cannot be used */
};

/*
 * The place of a text, named in errors: "arancini.conf:12: [limits]
 * max-sessions".
 */
struct config_place {
	enum config_origin origin;
	const char *file; /* file name, for CONFIG_FROM_FILE */
	unsigned int line;
	const char *section;
	const char *name; /* key, flag with its dashes, or variable */
};

/*
 * Set @option, or append to its list. Errors are added to those of the loader.
 */
void config_set(struct config_loader *loader,
		const struct config_option *option,
		const struct config_place *place, const char *text);

/* Set the value of a secret from the environment. */
void config_set_secret(struct config_loader *loader,
		       const struct config_option *option,
		       const struct config_place *place, const char *text);

/*
 * Begin the section of a router, whose keys config_router_set() then sets.
 * Returns NULL after an error.
 */
struct config_router *config_router_begin(struct config_loader *loader,
					  const struct config_place *place,
					  const char *title);
void config_router_set(struct config_loader *loader,
		       struct config_router *router,
		       const struct config_place *place, const char *text);

/* Add the error "WHERE: NAME = 'TEXT': WHY", formatted for @place. */
void config_complain(struct config_loader *loader,
		     const struct config_place *place, const char *text,
		     const char *why);

#endif
