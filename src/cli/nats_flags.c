#include "cli/nats_flags.h"

#include "collector/config/value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the value of an option is kept, or NULL if it is another. */
static const char **place_of(struct nats_access *a, int option)
{
	switch (option) {
	case NATS_ACCESS_USER:
		return &a->nats.user;
	case NATS_ACCESS_PASSWORD:
		return &a->password_file;
	case NATS_ACCESS_TOKEN:
		return &a->token_file;
	case NATS_ACCESS_CREDS:
		return &a->nats.creds;
	case NATS_ACCESS_NKEY:
		return &a->nats.nkey;
	case NATS_ACCESS_NKEY_SEED:
		return &a->nats.nkey_seed;
	case NATS_ACCESS_CA:
		return &a->nats.tls_ca;
	case NATS_ACCESS_CERT:
		return &a->nats.tls_cert;
	case NATS_ACCESS_KEY:
		return &a->nats.tls_key;
	default:
		return NULL;
	}
}

bool nats_access_set(struct nats_access *a, int option, const char *value)
{
	const char **place = place_of(a, option);

	if (place != NULL)
		*place = value;
	return place != NULL;
}

/* What the file holds, yours to free; NULL with a line on stderr. */
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
	free(a->password);
	free(a->token);
}
