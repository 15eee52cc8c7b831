/*
 * collector/base/redact.h - keep passwords out of messages
 */
#ifndef COLLECTOR_BASE_REDACT_H
#define COLLECTOR_BASE_REDACT_H

/*
 * Replace what stands before the "@" of each URL in @text by one asterisk: a
 * user, a password or a token.
 */
void redact_userinfo(char *text);

#endif
