/*
 * egress/nats/options.h - our options as libnats wants them
 *
 * Private to nats_*.c, which alone know libnats.
 */
#ifndef EGRESS_NATS_OPTIONS_H
#define EGRESS_NATS_OPTIONS_H

#include "egress/nats/auth.h"

#include <nats/nats.h>

/* What libnats reads and writes at once. */
#define NATS_IO_BUFFER (256 << 10)

#define NATS_INBOX_MAX (NATS_INBOX_PREFIX_MAX + 40)

/*
 * A subject for answers that nobody can guess: the prefix and 128 random bits.
 * Who cannot subscribe to the prefix cannot forge an answer.
 */
int nats_inbox_make(const struct nats_options *from, char out[NATS_INBOX_MAX]);

/* Yours to destroy. They do not reconnect. */
int nats_options_make(const struct nats_options *from, struct nats_error *why,
		      natsOptions **out);

/*
 * A connection whose bytes are moved by threads of libnats. It does not
 * reconnect: a lost one is replaced as a whole. Blocks.
 */
int nats_connect(const struct nats_options *from, struct nats_error *why,
		 natsConnection **out);

/* What a status means. */
int nats_errno(natsStatus s);

/* The same, with words for it in *@why. */
int nats_failed(natsStatus s, const char *doing, struct nats_error *why);

/*
 * The same of a request to @subject on @nc. The server does not answer a
 * request that the user has no right to make, but says so once on the
 * connection: then it is -EACCES and not a timeout, and @why names the subject.
 */
int nats_request_failed(natsConnection *nc, natsStatus s, const char *subject,
			const char *doing, struct nats_error *why);

/* What a server wrote, without bytes that are not printable. */
void nats_error_copy(struct nats_error *to, const char *text);

struct nats_conn;

natsConnection *nats_conn_connection(struct nats_conn *link);

#endif
