/*
 * cli/startup_banner.h - the text that "arancini run" prints on a terminal
 *
 * It has the addresses for routers, the address of the HTTP server, the place
 * of the data, and useful commands. The caller prints it only on a terminal; a
 * service manager gets only the log.
 */
#ifndef CLI_STARTUP_BANNER_H
#define CLI_STARTUP_BANNER_H

#include <stdio.h>

struct collector;
struct config;

/* Print the text to @to. @c is a running collector, started with @config. */
void greeting_print(struct collector *c, const struct config *config, FILE *to);

#endif
