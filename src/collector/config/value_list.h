/*
 * collector/config/value_list.h - values that are lists
 *
 * config_value_parse() and config_value_format() call these functions.
 */
#ifndef COLLECTOR_CONFIG_VALUE_LIST_H
#define COLLECTOR_CONFIG_VALUE_LIST_H

#include "collector/config/value_types.h"

bool config_value_is_list(enum config_type type);

/* The number of elements of a list; 1 for other types. */
size_t config_value_count(const struct config_form *form, const void *value);

/* As config_value_parse(), for lists. */
int config_value_list_parse(const struct config_form *form, const char *text,
			    void *value, char why[CONFIG_WHY_MAX]);

/* As config_value_format(); @i is less than config_value_count(). */
void config_value_list_format(const struct config_form *form, const void *value,
			      size_t i, char *out, size_t cap);

#endif
