/*
 * collector/config/validate.h - what some texts must be besides text
 *
 * Each returns NULL, or in words what is allowed.
 */
#ifndef COLLECTOR_CONFIG_VALIDATE_H
#define COLLECTOR_CONFIG_VALIDATE_H

#include "collector/config/errors.h"

struct config;

/* A state that is no folder. */
bool config_is_url(const char *state);

const char *config_check_host_port(const char *text);
const char *config_check_collector(const char *text);
const char *config_check_subject(const char *text);
const char *config_check_stream(const char *text);
const char *config_check_inbox(const char *text);
const char *config_check_nats_url(const char *text);
const char *config_check_state(const char *text);
const char *config_check_alias(const char *text);

/* What options must be to each other. Adds to @mistakes. */
void config_check(const struct config *config, struct config_errors *errors);

#endif
