/*
 * collector/http/token.h - who may ask, and from where
 *
 * Pure but for http_token_get().
 */
#ifndef COLLECTOR_HTTP_TOKEN_H
#define COLLECTOR_HTTP_TOKEN_H

#include <stdbool.h>

#define HTTP_TOKEN_NAME "http-token"
#define HTTP_TOKEN_LEN	64 /* of one that is made here */

/* In a time that depends on the length of @given alone. */
bool http_token_equal(const char *token, const char *given);

/*
 * The token of the file in @folder. If there is none, or one that others may
 * have read or chosen, make a token and write it there, for its owner alone:
 * a start on a full disk needs no room for the token of the run before.
 * Blocks. The error of the system call that failed; *@out is then undefined.
 */
int http_token_get(const char *folder, char out[HTTP_TOKEN_LEN + 1]);

/*
 * Whether a Host header names this machine itself, with or without a port. A
 * page of somebody else whose name was made to point here does not (DNS
 * rebinding).
 */
bool http_host_is_local(const char *host);

/* Whether a page of @origin ("http://host:port") is one of ours at @host. */
bool http_origin_is_own(const char *origin, const char *host);

#endif
