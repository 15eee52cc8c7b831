#include "cli/greeting.h"

#include "arancini/collector.h"
#include "arancini/outlet.h"
#include "bmp/text.h"

#include <errno.h>
#include <stdlib.h>

static const char *place(const uint8_t address[16], uint16_t port, char *buf,
			 size_t cap)
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
		/* Left out: there is no IPv6. */
		if (collector_port(c, i) == 0)
			continue;
		fprintf(to, "%s%s", open++ == 0 ? "  routers    " : ", ",
			place(at->at[i].address, collector_port(c, i), buf,
			      sizeof(buf)));
	}
	if (open > 0)
		fputc('\n', to);
}

static void print_output(const struct config *config, FILE *to)
{
	char *journal = outlet_journal(config);

	fprintf(to, "  state      %s\n", config->snapshot.state);
	if (config->egress.discard)
		fputs("  output     none (--discard)\n", to);
	else if (config->nats.urls.count > 0)
		fprintf(to, "  output     JetStream, stream %s\n",
			config->nats.stream);
	else if (journal != NULL)
		fprintf(to, "  output     %s\n", journal);
	free(journal);
}

/* Something that can be typed as it stands, on this host. */
static void print_next(struct collector *c, const struct config *config,
		       FILE *to)
{
	const char *self = program_invocation_name;
	char *journal = outlet_journal(config);
	uint16_t port = collector_port(c, 0);

	if (config->listen.addresses.count > 0)
		fprintf(to,
			"\nSend it something, from another terminal:\n"
			"  %s generate --to 127.0.0.1:%u --peers 2 --prefixes "
			"1000\n"
			"  %s replay FILE --to 127.0.0.1:%u\n",
			self, port, self, port);
	if (config->nats.urls.count > 0)
		fprintf(to, "and watch:\n  %s tail --nats URL --since all\n",
			self);
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
			place(config->http.listen.address,
			      collector_http_port(c), buf, sizeof(buf)));
	print_output(config, to);
	print_next(c, config, to);
}
