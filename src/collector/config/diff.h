/*
 * collector/config/diff.h - the changes of a reload, and those that need a
 * restart
 */
#ifndef COLLECTOR_CONFIG_DIFF_H
#define COLLECTOR_CONFIG_DIFF_H

#include <stdbool.h>
#include <stddef.h>

struct config;

/*
 * Compare the running configuration with a new one. Calls @each for every
 * difference: @name is the name of the option ("--max-sessions", "[router
 * core1] alias"); @reload is true if a reload can change the option. Returns
 * how many differences need a restart.
 */
size_t config_compare(const struct config *running, const struct config *read,
		      void (*each)(void *arg, const char *name, bool reload),
		      void *arg);

/*
 * Copy the values that need a restart from @running to @read, so that @read
 * becomes the configuration in force. Returns 0 or -ENOMEM; then @read can only
 * be released.
 */
int config_keep(const struct config *running, struct config *read);

#endif
