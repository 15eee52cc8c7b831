#include "egress/nats/options.h"

#include "egress/nats/inbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CONNECT_MS 2000
#define WRITE_MS   2000
#define PING_MS	   10000

int nats_errno(natsStatus s)
{
	switch (s) {
	case NATS_OK:
		return 0;
	case NATS_TIMEOUT:
		return -ETIMEDOUT;
	case NATS_NO_MEMORY:
		return -ENOMEM;
	case NATS_CONNECTION_AUTH_FAILED:
	case NATS_NOT_PERMITTED:
		return -EACCES;
	case NATS_SSL_ERROR:
	case NATS_SECURE_CONNECTION_REQUIRED:
	case NATS_SECURE_CONNECTION_WANTED:
		return -EPROTO;
	case NATS_INVALID_ARG:
	case NATS_ADDRESS_MISSING:
		return -EINVAL;
	case NATS_NO_SERVER:
		return -ECONNREFUSED;
	case NATS_MAX_PAYLOAD:
		return -EMSGSIZE;
	default:
		return -ENOTCONN;
	}
}

int nats_failed(natsStatus s, const char *doing, struct nats_error *why)
{
	const char *detail = nats_GetLastError(NULL);

	snprintf(why->text, sizeof(why->text), "%s: %s%s%s", doing,
		 natsStatus_GetText(s), detail != NULL ? ": " : "",
		 detail != NULL ? detail : "");
	return nats_errno(s);
}

void nats_error_copy(struct nats_error *to, const char *text)
{
	size_t len = 0;

	for (; *text != '\0' && len < sizeof(to->text) - 1; text++)
		to->text[len++] = *text;
	to->text[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (to->text[i] < ' ' || to->text[i] > '~')
			to->text[i] = '?';
}

int nats_request_failed(natsConnection *nc, natsStatus s, const char *subject,
			const char *doing, struct nats_error *why)
{
	const char *last = NULL;

	if (s == NATS_NO_RESPONDERS) {
		snprintf(why->text, sizeof(why->text),
			 "%s: no JetStream answers: it is not enabled on the "
			 "server, for this account or in this domain, or not "
			 "ready yet",
			 doing);
		return -EOPNOTSUPP;
	}
	if (s != NATS_TIMEOUT ||
	    natsConnection_GetLastError(nc, &last) != NATS_NOT_PERMITTED ||
	    last == NULL ||
	    (strstr(last, subject) == NULL &&
	     strstr(last, "Subscription") == NULL))
		return nats_failed(s, doing, why);
	nats_error_copy(why, last);
	return -EACCES;
}

static natsStatus set_identity(natsOptions *o, const struct nats_options *from)
{
	natsStatus s = NATS_OK;

	if (from->user != NULL)
		s = natsOptions_SetUserInfo(o, from->user, from->password);
	if (s == NATS_OK && from->token != NULL)
		s = natsOptions_SetToken(o, from->token);
	if (s == NATS_OK && from->creds != NULL)
		s = natsOptions_SetUserCredentialsFromFiles(o, from->creds,
							    NULL);
	if (s == NATS_OK && from->nkey != NULL)
		s = natsOptions_SetNKeyFromSeed(o, from->nkey, from->nkey_seed);
	return s;
}

/*
 * libnats treats tls:// as nats:// and would connect without TLS, so such URLs
 * are handled here.
 */
static bool wants_tls(const struct nats_options *from)
{
	for (size_t i = 0; i < from->server_count; i++)
		if (strncmp(from->servers[i], "tls://", 6) == 0)
			return true;
	return from->tls || from->tls_ca != NULL || from->tls_cert != NULL;
}

static natsStatus set_tls(natsOptions *o, const struct nats_options *from)
{
	natsStatus s = NATS_OK;

	if (wants_tls(from))
		s = natsOptions_SetSecure(o, true);
	if (s == NATS_OK && from->tls_ca != NULL)
		s = natsOptions_LoadCATrustedCertificates(o, from->tls_ca);
	if (s == NATS_OK && from->tls_cert != NULL)
		s = natsOptions_LoadCertificatesChain(o, from->tls_cert,
						      from->tls_key);
	return s;
}

static int64_t or_default(int64_t value, int64_t fallback)
{
	return value > 0 ? value : fallback;
}

static natsStatus set_limits(natsOptions *o, const struct nats_options *from)
{
	natsStatus s = natsOptions_SetAllowReconnect(o, false);

	if (s == NATS_OK)
		s = natsOptions_SetTimeout(o, or_default(from->connect_ms,
							 CONNECT_MS));
	if (s == NATS_OK)
		s = natsOptions_SetWriteDeadline(o, or_default(from->write_ms,
							       WRITE_MS));
	if (s == NATS_OK)
		s = natsOptions_SetPingInterval(o, or_default(from->ping_ms,
							      PING_MS));
	if (s == NATS_OK)
		s = natsOptions_SetMaxPingsOut(o, 2);
	if (s == NATS_OK)
		s = natsOptions_SetIOBufSize(o, NATS_IO_BUFFER);
	return s;
}

/*
 * Set a random inbox prefix: libnats' own inboxes can be guessed, because it
 * seeds them with the time.
 */
static natsStatus set_inbox(natsOptions *o, const struct nats_options *from)
{
	char prefix[NATS_INBOX_MAX];

	if (nats_inbox_make(from, prefix) < 0)
		return NATS_INVALID_ARG;
	return natsOptions_SetCustomInboxPrefix(o, prefix);
}

/*
 * Ignores errors. It is set as error handler because libnats without one writes
 * errors to standard error.
 */
static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus s,
		     void *arg)
{
	(void)nc;
	(void)sub;
	(void)s;
	(void)arg;
}

int nats_options_make(const struct nats_options *from, struct nats_error *why,
		      natsOptions **out)
{
	natsOptions *o = NULL;
	natsStatus s = natsOptions_Create(&o);

	if (s == NATS_OK)
		s = natsOptions_SetServers(o, (const char **)from->servers,
					   (int)from->server_count);
	if (s == NATS_OK && from->name != NULL)
		s = natsOptions_SetName(o, from->name);
	if (s == NATS_OK)
		s = set_limits(o, from);
	if (s == NATS_OK)
		s = set_identity(o, from);
	if (s == NATS_OK)
		s = set_tls(o, from);
	if (s == NATS_OK)
		s = set_inbox(o, from);
	if (s == NATS_OK)
		s = natsOptions_SetErrorHandler(o, on_error, NULL);
	if (s != NATS_OK) {
		int err = nats_failed(s, "options", why);

		natsOptions_Destroy(o);
		return err;
	}
	*out = o;
	return 0;
}
