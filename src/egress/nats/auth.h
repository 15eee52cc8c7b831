/*
 * egress/nats/auth.h - servers and credentials
 */
#ifndef EGRESS_NATS_AUTH_H
#define EGRESS_NATS_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATS_SERVERS_MAX 16
#define NATS_WORDS_MAX	 256

/* Prefix of the subjects to which the server sends answers. */
#define NATS_INBOX_PREFIX     "_INBOX"
#define NATS_INBOX_PREFIX_MAX 64 /* bytes, with the NUL */

/* Maximum length of the name of a domain, with the NUL. */
#define NATS_DOMAIN_MAX 64

/* The text of an error. */
struct nats_error {
	char text[NATS_WORDS_MAX];
};

/* How to reach the servers. The strings must stay valid. NULL = not used. */
struct nats_options {
	const char *servers[NATS_SERVERS_MAX]; /* URLs, tried in any order */
	size_t server_count;
	const char *name; /* name of this client, shown by the server */
	const char *user;
	const char *password;
	const char *token;
	const char *creds;     /* file with JWT and seed */
	const char *nkey;      /* public key; needs nkey_seed */
	const char *nkey_seed; /* file with the seed */
	/* file with CAs; tls_ca, tls_cert or tls_key enables TLS */
	const char *tls_ca;
	const char *tls_cert;	  /* file: client certificate; needs tls_key */
	const char *tls_key;	  /* file: key of tls_cert */
	const char *inbox_prefix; /* default NATS_INBOX_PREFIX */
	const char *domain;	  /* domain of JetStream */
	bool tls;	    /* use TLS with the system's CAs, as for tls:// */
	int64_t connect_ms; /* default 2000 */
	int64_t write_ms;   /* deadline of one write; default 2000 */
	int64_t ping_ms;    /* interval of PINGs; default 10000 */
};

#endif
