/*
 * egress/nats/options.h - convert our options to those of libnats
 *
 * Private to client.c, conn.c and options.c, the only files that use libnats.
 */
#ifndef EGRESS_NATS_OPTIONS_H
#define EGRESS_NATS_OPTIONS_H

#include "egress/nats/auth.h"

#include <nats/nats.h>

/* Bytes that libnats reads and writes at once. */
#define NATS_IO_BUFFER (256 << 10)

struct nats_client {
	natsConnection *nc;
};

/* The caller destroys the options. They disable reconnects. */
int nats_options_make(const struct nats_options *from, struct nats_error *why,
		      natsOptions **out);

/* The errno of a status. */
int nats_errno(natsStatus s);

/* The same, with a text in *@why. */
int nats_failed(natsStatus s, const char *doing, struct nats_error *why);

/*
 * The same for a request to @subject on @nc. The server does not answer a
 * request that the user may not make, but reports it once on the connection:
 * then the result is -EACCES and not a timeout, and @why has the subject.
 */
int nats_request_failed(natsConnection *nc, natsStatus s, const char *subject,
			const char *doing, struct nats_error *why);

/* Copy a server's text without unprintable bytes. */
void nats_error_copy(struct nats_error *to, const char *text);

#endif
