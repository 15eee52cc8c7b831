/*
 * collector/config/ini.h - read options from a configuration file
 */
#ifndef COLLECTOR_CONFIG_INI_H
#define COLLECTOR_CONFIG_INI_H

#include <stddef.h>

struct config_loader;

/*
 * Read options from @bytes, the content of a file; @name is for error messages.
 */
void config_ini_read(struct config_loader *loader, const char *name,
		     const char *bytes, size_t len);

#endif
