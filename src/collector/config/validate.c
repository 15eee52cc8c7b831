#include "collector/config/validate.h"

#include "collector/config/config.h"
#include "egress/message_id.h"
#include "egress/nats/conn.h"
#include "egress/subject.h"

#include <stdlib.h>
#include <string.h>

static bool only(const char *text, const char *more)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

	for (; *text != '\0'; text++)
		if (strchr(word, *text) == NULL && strchr(more, *text) == NULL)
			return false;
	return true;
}

static bool is_port(const char *text)
{
	char *end;
	unsigned long v;

	if (*text < '0' || *text > '9' || strlen(text) > 5)
		return false;
	v = strtoul(text, &end, 10);
	return *end == '\0' && v > 0 && v <= UINT16_MAX;
}

/* "name:port", "192.0.2.1:port" or "[2001:db8::1]:port". */
static bool is_host_port(const char *text)
{
	const char *colon = strrchr(text, ':');
	struct config_address address;
	size_t len;

	if (colon == NULL || !is_port(colon + 1))
		return false;
	if (text[0] == '[')
		return config_address_parse(text, &address) == 0;
	len = (size_t)(colon - text);
	return len > 0 && memchr(text, ':', len) == NULL && only(text, ".:");
}

const char *config_check_host_port(const char *text)
{
	return is_host_port(text) ? NULL
				  : "allowed is HOST:PORT as core1:1790 or "
				    "[2001:db8::1]:1790";
}

const char *config_check_collector(const char *text)
{
	return collector_id_valid(text)
		       ? NULL
		       : "allowed are up to 63 letters, digits, '-' and '_'";
}

/* The text without "{collector}"; false if that leaves a brace. */
static bool without_collector(const char *text, char *out, size_t cap)
{
	static const char word[] = "{collector}";
	size_t n = 0;

	while (*text != '\0' && n + 2 < cap) {
		if (strncmp(text, word, sizeof(word) - 1) == 0) {
			text += sizeof(word) - 1;
			out[n++] = 'x';
			continue;
		}
		out[n++] = *text++;
	}
	out[n] = '\0';
	return strpbrk(out, "{}") == NULL;
}

const char *config_check_subject(const char *text)
{
	static const char why[] =
		"allowed are words joined by dots, of letters, digits, '-', "
		"'_' and {collector}";
	char plain[CONFIG_TEXT_MAX + 2];

	if (!without_collector(text, plain, sizeof(plain)) || !only(plain, "."))
		return why;
	if (plain[0] == '.' || plain[strlen(plain) - 1] == '.' ||
	    strstr(plain, "..") != NULL)
		return why;
	return NULL;
}

const char *config_check_stream(const char *text)
{
	char plain[CONFIG_TEXT_MAX + 2];

	return without_collector(text, plain, sizeof(plain)) && only(plain, "")
		       ? NULL
		       : "allowed are letters, digits, '-', '_' and "
			 "{collector}";
}

const char *config_check_inbox(const char *text)
{
	if (strchr(text, '{') == NULL && config_check_subject(text) == NULL &&
	    strlen(text) < NATS_INBOX_PREFIX_MAX)
		return NULL;
	return "allowed are words joined by dots, of letters, digits, '-' and "
	       "'_', 63 bytes at most";
}

const char *config_check_nats_url(const char *text)
{
	const char *host;

	if (strncmp(text, "nats://", 7) == 0)
		host = text + 7;
	else if (strncmp(text, "tls://", 6) == 0)
		host = text + 6;
	else
		return "allowed is a URL as nats://host:4222 or "
		       "tls://host:4222";
	if (strchr(host, '@') != NULL)
		return "no user or password in a URL: use --nats-user and "
		       "--nats-password-file";
	return is_host_port(host) ? NULL
				  : "allowed is a URL as nats://host:4222 or "
				    "tls://host:4222";
}

bool config_is_url(const char *state)
{
	return strstr(state, "://") != NULL;
}

const char *config_check_state(const char *text)
{
	return config_is_url(text) ? config_check_nats_url(text) : NULL;
}

const char *config_check_alias(const char *text)
{
	static const uint8_t nowhere[16];
	struct identity id;

	return identity_from_name(nowhere, text, strlen(text), &id) == 0
		       ? NULL
		       : "too long for a subject: each byte that is no letter, "
			 "digit or '-' counts three, and 189 is the most";
}

/* Options together */

static void check_expanded(const struct config *c, const char *flag,
			   const char *text, size_t max,
			   struct config_errors *m)
{
	char *whole = config_expand(c, text);

	if (whole == NULL)
		m->out_of_memory = true;
	else if (strlen(whole) > max)
		config_errors_add(m,
				  "--%s '%s' is longer than %zu bytes with "
				  "{collector} replaced",
				  flag, text, max);
	free(whole);
}

/* Whether subjects that begin with @a could begin with @b as well. */
static bool within(const char *a, const char *b)
{
	size_t len = strlen(b);

	return strncmp(a, b, len) == 0 && (a[len] == '\0' || a[len] == '.');
}

static void check_subjects(const struct config *c, struct config_errors *m)
{
	const char *updates = c->egress.updates, *events = c->egress.events;

	check_expanded(c, "subject-updates", updates, SUBJECT_PREFIX_MAX - 1,
		       m);
	check_expanded(c, "subject-events", events, SUBJECT_PREFIX_MAX - 1, m);
	if (within(updates, events) || within(events, updates))
		config_errors_add(
			m,
			"--subject-updates '%s' and --subject-events '%s' "
			"overlap: neither may begin with the other",
			updates, events);
}

static void check_nats_login(const struct config *c, struct config_errors *m)
{
	bool password =
		c->nats.password.path != NULL || c->nats.password.value != NULL;
	bool token = c->nats.token.path != NULL || c->nats.token.value != NULL;
	bool user = *c->nats.user != '\0';
	int ways = (user || password) + token + (*c->nats.creds != '\0') +
		   (*c->nats.nkey != '\0');

	if (user != password)
		config_errors_add(
			m, user ? "--nats-user needs --nats-password-file"
				: "--nats-password-file needs "
				  "--nats-user");
	if (ways > 1)
		config_errors_add(m,
				  "only one of --nats-user, --nats-token-file, "
				  "--nats-creds and --nats-nkey can be used");
	if ((*c->nats.tls_cert != '\0') != (*c->nats.tls_key != '\0'))
		config_errors_add(m, *c->nats.tls_cert != '\0'
					     ? "--nats-tls-cert needs "
					       "--nats-tls-key"
					     : "--nats-tls-key needs "
					       "--nats-tls-cert");
	if ((*c->nats.nkey != '\0') != (*c->nats.nkey_seed != '\0'))
		config_errors_add(m,
				  *c->nats.nkey != '\0'
					  ? "--nats-nkey needs --nats-nkey-seed"
					  : "--nats-nkey-seed needs "
					    "--nats-nkey");
	if (c->nats.urls.count > NATS_SERVERS_MAX)
		config_errors_add(m, "--nats has %zu servers; %d is the most",
				  c->nats.urls.count, NATS_SERVERS_MAX);
	if (c->nats.take_over && c->nats.urls.count == 0)
		config_errors_add(m, "--take-over needs --nats");
	if (c->egress.discard && c->nats.urls.count != 0)
		config_errors_add(
			m, "--discard and --nats: what is discarded goes "
			   "to no server");
}

static void check_listen(const struct config *c, struct config_errors *m)
{
	const struct config_addresses *list = &c->listen.addresses;

	if (list->count == 0 && c->listen.connect.count == 0)
		config_errors_add(
			m, "--listen is empty and there is no --connect: "
			   "no router could ever come in");
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < i; k++)
			if (list->at[i].port == list->at[k].port &&
			    list->at[i].port != 0 &&
			    memcmp(list->at[i].address, list->at[k].address,
				   16) == 0)
				config_errors_add(
					m,
					"--listen has the same address "
					"twice, at places %zu and %zu",
					k + 1, i + 1);
}

/* What would be in the folder of the state has to be said where there is none. */
static void check_state(const struct config *c, struct config_errors *m)
{
	if (!config_state_is_url(c))
		return;
	if (*c->journal.directory == '\0')
		config_errors_add(
			m,
			"--state '%s' is no folder that the journal could "
			"be in: give --journal DIR",
			c->snapshot.state);
	if (c->http.listen.set &&
	    !config_address_is_loopback(&c->http.listen) &&
	    c->http.token.value == NULL && c->http.token.path == NULL)
		config_errors_add(
			m,
			"--state '%s' is no folder that a token could be "
			"in, and --http is not on loopback: give "
			"--http-token-file FILE",
			c->snapshot.state);
}

void config_check(const struct config *c, struct config_errors *m)
{
	check_listen(c, m);
	check_subjects(c, m);
	check_expanded(c, "nats-stream", c->nats.stream, 255, m);
	check_nats_login(c, m);
	check_state(c, m);
}
