/*
 * egress/nats/options.h - convert struct nats_options to options of libnats
 *
 * Private to client.c, conn.c and options.c, the only files that use libnats.
 */
#ifndef EGRESS_NATS_OPTIONS_H
#define EGRESS_NATS_OPTIONS_H

#include "bmp/wire.h"
#include "egress/nats/auth.h"

#include <nats/nats.h>

/* Bytes that libnats reads or writes in one call. */
#define NATS_IO_BUFFER (256 << 10)

struct nats_client {
	natsConnection *nc;
	const char *domain; /* NULL = that of the server */
};

/*
 * Make options for libnats, which disable reconnects. The caller destroys them.
 */
int nats_options_make(const struct nats_options *from, struct nats_error *why,
		      natsOptions **out);

/* The payload; a view into @msg. */
struct wire_view nats_message_data(const natsMsg *msg);

/* Convert a status of libnats to a negative errno. */
int nats_errno(natsStatus s);

/* Convert a status as above, and write a text to *@why. */
int nats_failed(natsStatus s, const char *doing, struct nats_error *why);

/*
 * Convert the status of a request to @subject on @nc, and write a text to
 * *@why. The server does not answer a request that the user may not make, but
 * reports the refusal once on the connection. Then the result is -EACCES
 * instead of -ETIMEDOUT, and *@why has the subject.
 */
int nats_request_failed(natsConnection *nc, natsStatus s, const char *subject,
			const char *doing, struct nats_error *why);

/* Copy a server's text without unprintable bytes. */
void nats_error_copy(struct nats_error *to, const char *text);

#endif
