/*
 * collector/config/print.h - write a configuration as a file
 */
#ifndef COLLECTOR_CONFIG_PRINT_H
#define COLLECTOR_CONFIG_PRINT_H

#include <stdio.h>

struct config;

/*
 * All values in the form of the configuration file, each with its source.
 * Reading it back gives the same values; secrets are hidden, their file names
 * are not.
 */
void config_print(const struct config *config, FILE *to);

#endif
