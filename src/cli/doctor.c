/*
 * arancini doctor - check whether this host is suitable for a collector
 */
#include "cli/command.h"
#include "cli/doctor_broker.h"
#include "cli/options.h"
#include "collector/base/json.h"
#include "cli/xalloc.h"
#include "cli/sysctl_profile.h"

#include <stdlib.h>
#include <string.h>

#define CHECKS \
	(TUNING_SYSCTLS + TUNING_LIMITS + TUNING_URING + DOCTOR_BROKER_CHECKS)

static const char *const words[TUNING_STATUSES] = {
	[TUNING_OK] = "ok",
	[TUNING_WARN] = "warn",
	[TUNING_FAIL] = "fail",
};

static void print_lines(const struct tuning_check *checks, size_t n)
{
	int name = 0, value = 0;

	for (size_t i = 0; i < n; i++) {
		if ((int)strlen(checks[i].name) > name)
			name = (int)strlen(checks[i].name);
		if ((int)strlen(checks[i].value) > value)
			value = (int)strlen(checks[i].value);
	}
	for (size_t i = 0; i < n; i++) {
		const struct tuning_check *c = &checks[i];

		printf("%-4s  %-*s  %-*s  (wanted: %s)", words[c->status], name,
		       c->name, value, c->value, c->wanted);
		if (c->fix[0] != '\0')
			printf("  -> %s", c->fix);
		putchar('\n');
	}
}

static void print_json(const struct tuning_check *checks, size_t n,
		       const unsigned *counts)
{
	struct json j = { 0 };

	json_object(&j);
	for (int s = 0; s < TUNING_STATUSES; s++)
		json_uint_at(&j, words[s], counts[s]);
	json_key(&j, "checks");
	json_array(&j);
	for (size_t i = 0; i < n; i++) {
		json_object(&j);
		json_string_at(&j, "status", words[checks[i].status]);
		json_string_at(&j, "name", checks[i].name);
		json_string_at(&j, "value", checks[i].value);
		json_string_at(&j, "wanted", checks[i].wanted);
		if (checks[i].fix[0] != '\0')
			json_string_at(&j, "fix", checks[i].fix);
		json_end_object(&j);
	}
	json_end_array(&j);
	json_end_object(&j);
	json_end_line(&j);
	memory_had(!j.failed);
	fwrite(j.bytes, 1, j.len, stdout);
	json_fini(&j);
}

struct doctor {
	const char *root;
	const char *nats;
	const char *stream;
	bool json;
};

static int examine_host(const struct doctor *d)
{
	struct tuning_check checks[CHECKS];
	unsigned counts[TUNING_STATUSES] = { 0 };
	size_t n = tuning_sysctls(d->root, checks);

	n += tuning_limits(checks + n);
	n += tuning_uring(d->root, checks + n);
	if (d->nats != NULL)
		n += doctor_broker(d->nats, d->stream, checks + n);
	for (size_t i = 0; i < n; i++)
		counts[checks[i].status]++;
	if (d->json)
		print_json(checks, n, counts);
	else
		print_lines(checks, n);
	return counts[TUNING_FAIL] > 0 ? EXIT_FAILURE : 0;
}

static enum option_status print_profile(const struct option_value *v)
{
	(void)v;
	tuning_print(stdout);
	return OPTION_FINAL;
}

/* clang-format off */
static const struct option_row rows[] = {
	{ "print-sysctl", .help = "the profile as a file for /etc/sysctl.d",
	  OPTION_SET(print_profile) },
	{ "json", .help = "one JSON object instead of lines",
	  OPTION_FLAG(struct doctor, json) },
	{ "nats", .argument = "URL", .help = "also a broker: what its acknowledgements are worth",
	  OPTION_TEXT(struct doctor, nats) },
	{ "nats-stream", .argument = "NAME", .help = "its stream; default ARANCINI",
	  OPTION_TEXT(struct doctor, stream) },
	/* For tests: a prefix of /proc. Not in the help. */
	{ "root", .argument = "DIR", OPTION_TEXT(struct doctor, root) },
	OPTION_HELP_ROW,
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	{ .rows = rows, .column = 20 },
	OPTION_SECTIONS_END,
};

static const struct command_line line = {
	.command = "doctor",
	.usage =
"Usage: arancini doctor [OPTION]...\n"
"Check this host against the tuning profile, its limits and its kernel.\n"
"\n"
"Each line: ok, warn (works, but not as it should) or fail (connections or\n"
"data suffer under load); what it is, what it should be, and the command\n"
"that mends it. Limits are those of this shell, not of a service.\n"
"\n",
	.sections = sections,
	.notes =
"\n"
"Exit status: 0 if nothing failed, 1 if something did, 2 for wrong usage.\n",
};
/* clang-format on */

int doctor_main(int argc, char **argv)
{
	struct doctor doctor = { .root = "", .stream = "ARANCINI" };
	struct operands operands;

	if (!options_read(&line, argc, argv, &doctor, &operands))
		return operands.exit_code;
	return examine_host(&doctor);
}
