/*
 * collector/config/value_scalar.h - values that are not lists
 *
 * config_value_parse() and config_value_format() call these functions.
 */
#ifndef COLLECTOR_CONFIG_VALUE_SCALAR_H
#define COLLECTOR_CONFIG_VALUE_SCALAR_H

#include "collector/config/value_types.h"

/*
 * Write which values are allowed: "a whole number from 1 to 100". Also for
 * lists.
 */
void config_value_allowed(const struct config_form *form, char *out,
			  size_t cap);

/* Write which values are allowed to @why. Returns -EINVAL. */
int config_value_refuse(const struct config_form *form,
			char why[CONFIG_WHY_MAX]);

/* Parse "192.0.2.1:4000" or "[2001:db8::1]:4000". Returns 0 or -EINVAL. */
int config_address_parse(const char *s, struct config_address *out);

bool config_address_is_loopback(const struct config_address *at);

/* As config_value_parse(), for all types except lists and secrets. */
int config_scalar_parse(const struct config_form *form, const char *text,
			void *value, char why[CONFIG_WHY_MAX]);

/* As config_value_format(), for all types except lists. */
void config_scalar_format(const struct config_form *form, const void *value,
			  char *out, size_t cap);

#endif
