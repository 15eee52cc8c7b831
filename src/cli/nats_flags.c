#include "cli/nats_flags.h"

#include "collector/base/secret_memory.h"
#include "collector/config/value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(member) OPTION_TEXT(struct nats_access, member)

/* clang-format off */
const struct option_row nats_access_rows[] = {
	{ "domain", .argument = "NAME", TEXT(nats.domain) },
	{ "user", .argument = "NAME", TEXT(nats.user) },
	{ "password-file", .argument = "FILE", TEXT(password_file) },
	{ "token-file", .argument = "FILE", TEXT(token_file) },
	{ "creds", .argument = "FILE", TEXT(nats.creds) },
	{ "nkey", .argument = "KEY", TEXT(nats.nkey) },
	{ "nkey-seed", .argument = "FILE", TEXT(nats.nkey_seed) },
	{ "tls-ca", .argument = "FILE", TEXT(nats.tls_ca) },
	{ "tls-cert", .argument = "FILE", TEXT(nats.tls_cert) },
	{ "tls-key", .argument = "FILE", TEXT(nats.tls_key) },
	OPTION_ROWS_END,
};
/* clang-format on */

/*
 * Read a secret from @file; free it with secret_free(). NULL after an error on
 * standard error.
 */
static char *read_secret(const char *file, const char *command)
{
	struct config_secret secret = { .path = strdup(file) };
	char why[CONFIG_WHY_MAX] = "out of memory";
	bool readable;
	int err = -ENOMEM;

	if (secret.path != NULL)
		err = config_secret_read(&secret, why, &readable);
	free(secret.path);
	if (err == 0)
		return secret.value;
	fprintf(stderr, "arancini %s: %s: %s\n", command, file,
		err == -EINVAL || err == -ENOMEM ? why : strerror(-err));
	return NULL;
}

bool nats_access_read(struct nats_access *a, const char *command)
{
	if (a->password_file != NULL)
		a->password = read_secret(a->password_file, command);
	if (a->token_file != NULL)
		a->token = read_secret(a->token_file, command);
	a->nats.password = a->password;
	a->nats.token = a->token;
	return (a->password_file == NULL || a->password != NULL) &&
	       (a->token_file == NULL || a->token != NULL);
}

void nats_access_release(struct nats_access *a)
{
	secret_free(a->password);
	secret_free(a->token);
}
