/*
 * cli/router_name.h - a router's name on the command line
 *
 * A collector identifies its routers by the token in their subjects:
 * v4_192_0_2_1, id_core1. Users may also type the address.
 */
#ifndef CLI_ROUTER_NAME_H
#define CLI_ROUTER_NAME_H

#include <stdbool.h>

#define ROUTER_NAME_MAX 193

/*
 * Convert @text to a token. False, with @out unchanged, if @text is not a valid
 * name.
 */
bool router_name_token(const char *text, char out[ROUTER_NAME_MAX]);

#endif
