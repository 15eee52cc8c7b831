/*
 * collector/config/validate.h - rules for options that depend on each other
 */
#ifndef COLLECTOR_CONFIG_VALIDATE_H
#define COLLECTOR_CONFIG_VALIDATE_H

#include "collector/config/config.h"
#include "collector/config/errors.h"

/* Adds what is wrong to @errors. */
void config_check(const struct config *config, struct config_errors *errors);

#endif
