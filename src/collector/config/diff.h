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
 * difference with the option's name ("--max-sessions", "[router core1] alias")
 * and whether it can be changed while running. Returns how many cannot.
 */
size_t config_compare(const struct config *running, const struct config *read,
		      void (*each)(void *arg, const char *name, bool reload),
		      void *arg);

/*
 * Give @read the values of @running wherever a change needs a restart, so that
 * @read describes what is in force. 0 or -ENOMEM; then @read can only be
 * released.
 */
int config_keep(const struct config *running, struct config *read);

#endif
