/*
 * cli/nats_flags.h - the options by which a command is let in by a NATS server
 *
 * A secret is in a file, so that nobody sees it in the list of processes.
 */
#ifndef CLI_NATS_FLAGS_H
#define CLI_NATS_FLAGS_H

#include "egress/nats/auth.h"

#include <getopt.h>

#define NATS_ACCESS_HELP                                              \
	"  --user NAME, --password-file FILE, --token-file FILE,\n"   \
	"  --creds FILE, --nkey KEY, --nkey-seed FILE,\n"             \
	"  --tls-ca FILE, --tls-cert FILE, --tls-key FILE\n"          \
	"                        to be let in, as --nats-... of the " \
	"collector\n"

/* Above those of any command. */
enum nats_access_option {
	NATS_ACCESS_USER = 512,
	NATS_ACCESS_PASSWORD,
	NATS_ACCESS_TOKEN,
	NATS_ACCESS_CREDS,
	NATS_ACCESS_NKEY,
	NATS_ACCESS_NKEY_SEED,
	NATS_ACCESS_CA,
	NATS_ACCESS_CERT,
	NATS_ACCESS_KEY,
};

/* Rows of a table for getopt_long(). */
/* clang-format off */
#define NATS_ACCESS_OPTIONS \
	{ "user", required_argument, NULL, NATS_ACCESS_USER }, \
	{ "password-file", required_argument, NULL, NATS_ACCESS_PASSWORD }, \
	{ "token-file", required_argument, NULL, NATS_ACCESS_TOKEN }, \
	{ "creds", required_argument, NULL, NATS_ACCESS_CREDS }, \
	{ "nkey", required_argument, NULL, NATS_ACCESS_NKEY }, \
	{ "nkey-seed", required_argument, NULL, NATS_ACCESS_NKEY_SEED }, \
	{ "tls-ca", required_argument, NULL, NATS_ACCESS_CA }, \
	{ "tls-cert", required_argument, NULL, NATS_ACCESS_CERT }, \
	{ "tls-key", required_argument, NULL, NATS_ACCESS_KEY }
/* clang-format on */

struct nats_access {
	struct nats_options nats;
	const char *password_file;
	const char *token_file;
	char *password; /* what is in it; ours */
	char *token;
};

/* False: @option is none of these. */
bool nats_access_set(struct nats_access *a, int option, const char *value);

/* Read the secrets. False, and it was said for @command, if one cannot be. */
bool nats_access_read(struct nats_access *a, const char *command);
void nats_access_release(struct nats_access *a);

#endif
