/*
 * collector/config/validate.h - rules for options that depend on each other
 */
#ifndef COLLECTOR_CONFIG_VALIDATE_H
#define COLLECTOR_CONFIG_VALIDATE_H

struct config;
struct config_errors;

/* Add an error to @errors for each rule that is violated. */
void config_check(const struct config *config, struct config_errors *errors);

#endif
