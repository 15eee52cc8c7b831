/*
 * collector/http/token.h - access checks: token, Host and Origin
 *
 * Pure functions, except http_token_get().
 */
#ifndef COLLECTOR_HTTP_TOKEN_H
#define COLLECTOR_HTTP_TOKEN_H

#include <stdbool.h>

#define HTTP_TOKEN_NAME "http-token"
#define HTTP_TOKEN_LEN	64 /* length of a generated token */

/* The time depends only on the length of @given. */
bool http_token_equal(const char *token, const char *given);

/*
 * Read the token from the file in @folder. If there is none, or one that other
 * users may have read or chosen, generate a token and write it there, readable
 * by its owner only. A restart reuses the file, so it works on a full disk.
 * Blocks. Returns the error of the failed system call; *@out is then undefined.
 */
int http_token_get(const char *folder, char out[HTTP_TOKEN_LEN + 1]);

/*
 * True if a Host header names this machine, with or without a port. False for a
 * foreign name that resolves to this machine (DNS rebinding).
 */
bool http_host_is_local(const char *host);

/*
 * True if @origin ("http://host:port") is our own, given the Host header @host.
 */
bool http_origin_is_own(const char *origin, const char *host);

#endif
