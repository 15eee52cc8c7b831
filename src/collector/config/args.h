/*
 * collector/config/args.h - read options from the command line and the
 * environment
 *
 * @argv has no name of the command in front; @env is like environ.
 */
#ifndef COLLECTOR_CONFIG_ARGS_H
#define COLLECTOR_CONFIG_ARGS_H

#include <stdbool.h>

struct config_loader;

/* Requests of the command line other than values of options. */
struct config_request {
	bool help;
	bool check;
};

/* The file that --config or ARANCINI_CONFIG names, or NULL. */
const char *config_args_file(int argc, char *const *argv, char *const *env);
void config_args_request(int argc, char *const *argv,
			 struct config_request *out);
void config_args_read(struct config_loader *loader, int argc,
		      char *const *argv);
void config_env_read(struct config_loader *loader, char *const *env);

#endif
