/*
 * collector/config/loader.h - a configuration from flags, environment and file
 */
#ifndef COLLECTOR_CONFIG_LOADER_H
#define COLLECTOR_CONFIG_LOADER_H

#include "collector/config/args.h"

#include <stddef.h>

struct config;
struct config_errors;

/*
 * Read @argv (without the command's name), @env (as environ), the file that
 * they name, and the files with secrets. 0, -EINVAL with the reasons in
 * @mistakes, or -ENOMEM. *@out must be released only after success. @request is
 * always filled in; if it requests help, nothing else was read.
 */
int config_load(int argc, char *const *argv, char *const *env,
		struct config_errors *errors, struct config_request *request,
		struct config *out);
void config_release(struct config *config);

/* The same from bytes in memory; no other file is opened. */
int config_load_bytes(const char *name, const char *bytes, size_t len,
		      struct config_errors *errors, struct config *out);

#endif
