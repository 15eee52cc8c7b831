/*
 * collector/config/text_check.h - rules for the text of single options
 *
 * Each config_check_...() returns NULL, or a text that says what is allowed.
 */
#ifndef COLLECTOR_CONFIG_TEXT_CHECK_H
#define COLLECTOR_CONFIG_TEXT_CHECK_H

#include <stdbool.h>

/* True if --state is the URL of a bucket, not a folder. */
bool config_is_url(const char *state);

const char *config_check_host_port(const char *text);
const char *config_check_collector(const char *text);
const char *config_check_subject(const char *text);
const char *config_check_stream(const char *text);
const char *config_check_inbox(const char *text);
const char *config_check_domain(const char *text);
const char *config_check_nats_url(const char *text);
const char *config_check_state(const char *text);
const char *config_check_alias(const char *text);

#endif
