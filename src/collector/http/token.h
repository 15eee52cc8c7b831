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

/*
 * True if both are equal and not empty. The time depends only on their
 * lengths, not on their contents.
 */
bool http_token_equal(const char *token, const char *given);

/*
 * Read the token from the file in @folder. If there is no file, or other users
 * may have read it or chosen its content, generate a token and write it to a
 * new file, which only its owner can read. After a restart the same file is
 * read, so this works on a full disk. Blocks. Returns 0, or the error of the
 * failed system call; *@out is then undefined.
 */
int http_token_get(const char *folder, char out[HTTP_TOKEN_LEN + 1]);

/*
 * True if a Host header names this machine, with or without a port. False for a
 * foreign name, even if it resolves to this machine (DNS rebinding).
 */
bool http_host_is_local(const char *host);

/*
 * True if @origin ("http://host:port") is this server, whose name the client
 * gave as @host in the Host header.
 */
bool http_origin_is_own(const char *origin, const char *host);

#endif
