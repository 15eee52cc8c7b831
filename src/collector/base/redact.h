/*
 * collector/base/redact.h - keep passwords out of messages
 */
#ifndef COLLECTOR_BASE_REDACT_H
#define COLLECTOR_BASE_REDACT_H

/*
 * In each URL of @text replace the user information (RFC 3986 3.2.1: a user, a
 * password or a token, up to the last "@") by one asterisk. In a URL without a
 * scheme only user information with a colon is replaced.
 */
void redact_userinfo(char *text);

#endif
