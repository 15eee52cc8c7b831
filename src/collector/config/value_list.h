/*
 * collector/config/value_list.h - elements of values that are lists
 *
 * Behind config_value_parse() and config_value_format(), which everybody else
 * calls; what they promise holds here, too.
 */
#ifndef COLLECTOR_CONFIG_VALUE_LIST_H
#define COLLECTOR_CONFIG_VALUE_LIST_H

#include "collector/config/value.h"

int config_value_list_parse(const struct config_form *form, const char *text,
			    void *value, char why[CONFIG_WHY_MAX]);

/* @i is less than config_value_count(). */
void config_value_list_format(const struct config_form *form, const void *value,
			      size_t i, char *out, size_t cap);

#endif
