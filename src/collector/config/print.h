/*
 * collector/config/print.h - write a configuration as a file
 */
#ifndef COLLECTOR_CONFIG_PRINT_H
#define COLLECTOR_CONFIG_PRINT_H

#include <stdio.h>

struct config;

/*
 * Write all values as a configuration file, each with its source. If the file
 * is read again, the values are the same. Secrets are not written, but their
 * file names are.
 */
void config_print(const struct config *config, FILE *to);

#endif
