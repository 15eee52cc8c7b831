/*
 * cli/startup_banner.h - the text that "arancini run" prints on a terminal
 *
 * Where routers connect, where the HTTP server and the data are, and useful
 * commands. Only on a terminal; a service manager gets only the log.
 */
#ifndef CLI_STARTUP_BANNER_H
#define CLI_STARTUP_BANNER_H

#include <stdio.h>

struct collector;
struct config;

/* @c runs with @config. */
void greeting_print(struct collector *c, const struct config *config, FILE *to);

#endif
