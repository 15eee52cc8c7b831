/*
 * collector/base/redact.h - keep passwords out of messages
 */
#ifndef COLLECTOR_BASE_REDACT_H
#define COLLECTOR_BASE_REDACT_H

/*
 * In each URL of @text replace the part before the "@" (a user, a password or a
 * token) by one asterisk.
 */
void redact_userinfo(char *text);

#endif
