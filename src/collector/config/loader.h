/*
 * collector/config/loader.h - shared by the readers of flags, environment, file
 *
 * A reader finds option and text and hands both over with the place where they
 * stood; judging, replacing and appending happen here.
 */
#ifndef COLLECTOR_CONFIG_LOADER_H
#define COLLECTOR_CONFIG_LOADER_H

#include "collector/config/config.h"
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

/* Flags and environment. */
struct config_request;
const char *config_args_file(int argc, char *const *argv, char *const *env);
void config_args_request(int argc, char *const *argv,
			 struct config_request *out);
void config_args_read(struct config_loader *loader, int argc,
		      char *const *argv);
void config_env_read(struct config_loader *loader, char *const *env);

/* A file that is in memory; @name is for mistakes. */
void config_ini_read(struct config_loader *loader, const char *name,
		     const char *bytes, size_t len);

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

static inline void *config_router_at(struct config_router *router, size_t key)
{
	return (char *)router + config_router_keys[key].offset;
}

static inline const void *config_router_at_const(
	const struct config_router *router, size_t key)
{
	return (const char *)router + config_router_keys[key].offset;
}

void config_router_release(struct config_router *router);

/* The section about the same router, or NULL; and a new one, taking over. */
struct config_router *config_router_same(const struct config *config,
					 const struct config_router *like);
struct config_router *config_router_add(struct config *config,
					const struct config_router *made);

#endif
