/*
 * cli/router_name.h - what a person calls a router
 *
 * A collector knows its routers by the token in their subjects: v4_192_0_2_1,
 * id_core1. People may also type the address.
 */
#ifndef CLI_ROUTER_NAME_H
#define CLI_ROUTER_NAME_H

#include <stdbool.h>

#define ROUTER_NAME_MAX 193

/* The token. False, and nothing written, for what can be none. */
bool router_name_token(const char *text, char out[ROUTER_NAME_MAX]);

#endif
