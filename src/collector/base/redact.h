/*
 * collector/base/redact.h - keep passwords out of messages
 */
#ifndef COLLECTOR_BASE_REDACT_H
#define COLLECTOR_BASE_REDACT_H

/*
 * Replace the part before the "@" of each URL in @text (a user, a password or a
 * token) by one asterisk.
 */
void redact_userinfo(char *text);

#endif
