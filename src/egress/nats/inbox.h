/*
 * egress/nats/inbox.h - make subjects for answers
 */
#ifndef EGRESS_NATS_INBOX_H
#define EGRESS_NATS_INBOX_H

#include "egress/nats/auth.h"

#define NATS_INBOX_MAX (NATS_INBOX_PREFIX_MAX + 40)

/*
 * Make a subject for answers that cannot be guessed: the prefix and 128 random
 * bits. A client that may not subscribe to the prefix cannot forge an answer.
 */
int nats_inbox_make(const struct nats_options *from, char out[NATS_INBOX_MAX]);

#endif
