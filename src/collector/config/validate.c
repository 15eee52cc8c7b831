#include "collector/config/validate.h"

#include "collector/config/config.h"
#include "collector/config/errors.h"
#include "egress/nats/conn.h"
#include "egress/subject.h"

#include <stdlib.h>
#include <string.h>

static void check_expanded(const struct config *c, const char *flag,
			   const char *text, size_t max,
			   struct config_errors *errors)
{
	char *whole = config_expand(c, text);

	if (whole == NULL)
		errors->out_of_memory = true;
	else if (strlen(whole) > max)
		config_errors_add(errors,
				  "--%s '%s' is longer than %zu bytes with "
				  "{collector} replaced",
				  flag, text, max);
	free(whole);
}

/* True if subjects that begin with @a could also begin with @b. */
static bool subject_within(const char *a, const char *b)
{
	size_t len = strlen(b);

	return strncmp(a, b, len) == 0 && (a[len] == '\0' || a[len] == '.');
}

static void check_subjects(const struct config *c, struct config_errors *errors)
{
	const char *updates = c->egress.updates, *events = c->egress.events;

	check_expanded(c, "subject-updates", updates, SUBJECT_PREFIX_MAX - 1,
		       errors);
	check_expanded(c, "subject-events", events, SUBJECT_PREFIX_MAX - 1,
		       errors);
	if (subject_within(updates, events) || subject_within(events, updates))
		config_errors_add(
			errors,
			"--subject-updates '%s' and --subject-events '%s' "
			"overlap: neither may begin with the other",
			updates, events);
}

static void check_nats_login(const struct config *c,
			     struct config_errors *errors)
{
	bool password =
		c->nats.password.path != NULL || c->nats.password.value != NULL;
	bool token = c->nats.token.path != NULL || c->nats.token.value != NULL;
	bool user = *c->nats.user != '\0';
	int ways = (user || password) + token + (*c->nats.creds != '\0') +
		   (*c->nats.nkey != '\0');

	if (user != password)
		config_errors_add(
			errors, user ? "--nats-user needs --nats-password-file"
				     : "--nats-password-file needs "
				       "--nats-user");
	if (ways > 1)
		config_errors_add(errors,
				  "only one of --nats-user, --nats-token-file, "
				  "--nats-creds and --nats-nkey can be used");
	if ((*c->nats.tls_cert != '\0') != (*c->nats.tls_key != '\0'))
		config_errors_add(errors, *c->nats.tls_cert != '\0'
						  ? "--nats-tls-cert needs "
						    "--nats-tls-key"
						  : "--nats-tls-key needs "
						    "--nats-tls-cert");
	if ((*c->nats.nkey != '\0') != (*c->nats.nkey_seed != '\0'))
		config_errors_add(errors,
				  *c->nats.nkey != '\0'
					  ? "--nats-nkey needs --nats-nkey-seed"
					  : "--nats-nkey-seed needs "
					    "--nats-nkey");
	if (c->nats.urls.count > NATS_SERVERS_MAX)
		config_errors_add(errors,
				  "--nats has %zu servers; %d is the most",
				  c->nats.urls.count, NATS_SERVERS_MAX);
	if (c->nats.take_over && c->nats.urls.count == 0)
		config_errors_add(errors, "--take-over needs --nats");
	if (c->egress.discard && c->nats.urls.count != 0)
		config_errors_add(
			errors, "--discard and --nats: what is discarded goes "
				"to no server");
}

static void check_listen(const struct config *c, struct config_errors *errors)
{
	const struct config_addresses *list = &c->listen.addresses;

	if (list->count == 0 && c->listen.connect.count == 0)
		config_errors_add(
			errors, "--listen is empty and there is no --connect: "
				"no router could ever come in");
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < i; k++)
			if (list->at[i].port == list->at[k].port &&
			    list->at[i].port != 0 &&
			    memcmp(list->at[i].address, list->at[k].address,
				   16) == 0)
				config_errors_add(
					errors,
					"--listen has the same address "
					"twice, at places %zu and %zu",
					k + 1, i + 1);
}

/*
 * Add an error for each path that defaults to the state folder, if --state is a
 * URL: then there is no such folder, and these paths must be given explicitly.
 */
static void check_state(const struct config *c, struct config_errors *errors)
{
	if (!config_state_is_url(c))
		return;
	if (*c->journal.directory == '\0')
		config_errors_add(
			errors,
			"--state '%s' is no folder that the journal could "
			"be in: give --journal DIR",
			c->snapshot.state);
	if (c->http.listen.set &&
	    !config_address_is_loopback(&c->http.listen) &&
	    c->http.token.value == NULL && c->http.token.path == NULL)
		config_errors_add(
			errors,
			"--state '%s' is no folder that a token could be "
			"in, and --http is not on loopback: give "
			"--http-token-file FILE",
			c->snapshot.state);
}

void config_check(const struct config *c, struct config_errors *errors)
{
	check_listen(c, errors);
	check_subjects(c, errors);
	check_expanded(c, "nats-stream", c->nats.stream, 255, errors);
	check_nats_login(c, errors);
	check_state(c, errors);
}
