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
 * Read @argv (without the command's name), @env (like environ), the file that
 * these name, and the files with secrets. Returns 0, -EINVAL with the reasons
 * in @errors, or -ENOMEM. Release *@out only after success. @request is always
 * set; if it requests help, nothing else was read.
 */
int config_load(int argc, char *const *argv, char *const *env,
		struct config_errors *errors, struct config_request *request,
		struct config *out);
void config_release(struct config *config);

/* Read only the file content @bytes; no file is opened. */
int config_load_bytes(const char *name, const char *bytes, size_t len,
		      struct config_errors *errors, struct config *out);

#endif
