/*
 * cli/startup_banner.h - what a person at a terminal wants to know first
 *
 * Where routers connect, where to look, where the data is, and what to type
 * next. For "arancini run" on a terminal; a service manager gets the log only.
 */
#ifndef CLI_STARTUP_BANNER_H
#define CLI_STARTUP_BANNER_H

#include <stdio.h>

struct collector;
struct config;

/* @c runs with @config. */
void greeting_print(struct collector *c, const struct config *config, FILE *to);

#endif
