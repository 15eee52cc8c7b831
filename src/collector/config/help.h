/*
 * collector/config/help.h - the text of "arancini run --help"
 */
#ifndef COLLECTOR_CONFIG_HELP_H
#define COLLECTOR_CONFIG_HELP_H

#include <stdio.h>

void config_help(FILE *to);

#endif
