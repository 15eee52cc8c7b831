#include "cli/startup_banner.h"

#include "collector/collector.h"
#include "collector/config/config.h"
#include "collector/output.h"
#include "bmp/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *format_endpoint(const uint8_t address[16], uint16_t port,
				   char *buf, size_t cap)
{
	struct text t = text_start(buf, cap);

	text_ip_port(&t, address, port);
	text_end(&t);
	return buf;
}

static void print_doors(struct collector *c, const struct config *config,
			FILE *to)
{
	const struct config_addresses *at = &config->listen.addresses;
	size_t open = 0;
	char buf[64];

	for (size_t i = 0; i < at->count; i++) {
		/* The listener was left out because the host has no IPv6. */
		if (collector_port(c, i) == 0)
			continue;
		fprintf(to, "%s%s", open++ == 0 ? "  routers    " : ", ",
			format_endpoint(at->at[i].address, collector_port(c, i),
					buf, sizeof(buf)));
	}
	if (open > 0)
		fputc('\n', to);
}

static void print_output(const struct config *config, FILE *to)
{
	char *journal = output_journal(config);
	char *stream = config_expand(config, config->nats.stream);

	fprintf(to, "  state      %s\n", config->snapshot.state);
	if (config->egress.discard)
		fputs("  output     none (--discard)\n", to);
	else if (config->nats.urls.count > 0 && stream != NULL)
		fprintf(to, "  output     JetStream, stream %s\n", stream);
	else if (config->nats.urls.count == 0 && journal != NULL)
		fprintf(to, "  output     %s\n", journal);
	free(stream);
	free(journal);
}

/*
 * Print the options with which "tail" reaches the collector's NATS server. The
 * URL is printed without a password.
 */
static void print_tail_nats(const struct config *config, FILE *to)
{
	const struct {
		const char *flag, *value;
	} rest[] = {
		{ "domain", config->nats.domain },
		{ "user", config->nats.user },
		{ "password-file", config->nats.password.path },
		{ "token-file", config->nats.token.path },
		{ "creds", config->nats.creds },
		{ "nkey", config->nats.nkey },
		{ "nkey-seed", config->nats.nkey_seed },
		{ "tls-ca", config->nats.tls_ca },
		{ "tls-cert", config->nats.tls_cert },
		{ "tls-key", config->nats.tls_key },
	};
	char *stream = config_expand(config, config->nats.stream);

	fprintf(to, "and watch:\n  %s tail --nats %s", program_invocation_name,
		config->nats.urls.at[0]);
	if (stream != NULL && strcmp(stream, "ARANCINI") != 0)
		fprintf(to, " --stream %s", stream);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		if (rest[i].value != NULL && rest[i].value[0] != '\0')
			fprintf(to, " --%s %s", rest[i].flag, rest[i].value);
	fputs(" --since all\n", to);
	free(stream);
}

/* Print commands that the user can paste on this host. */
static void print_next(struct collector *c, const struct config *config,
		       FILE *to)
{
	const char *self = program_invocation_name;
	char *journal = output_journal(config);
	uint16_t port = collector_port(c, 0);

	if (config->listen.addresses.count > 0)
		fprintf(to,
			"\nSend it something, from another terminal:\n"
			"  %s generate --to 127.0.0.1:%u --peers 2 --prefixes "
			"1000\n"
			"  %s replay FILE --to 127.0.0.1:%u\n",
			self, port, self, port);
	if (config->nats.urls.count > 0)
		print_tail_nats(config, to);
	else if (journal != NULL && !config->egress.discard)
		fprintf(to, "and watch:\n  %s tail --journal %s --since all\n",
			self, journal);
	fputc('\n', to);
	free(journal);
}

void greeting_print(struct collector *c, const struct config *config, FILE *to)
{
	char buf[64];

	fputs("\narancini is running; Ctrl-C stops it.\n\n", to);
	print_doors(c, config, to);
	if (collector_http_port(c) != 0)
		fprintf(to, "  dashboard  http://%s/\n",
			format_endpoint(config->http.listen.address,
					collector_http_port(c), buf,
					sizeof(buf)));
	print_output(config, to);
	print_next(c, config, to);
}
