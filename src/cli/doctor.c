/*
 * arancini doctor - is this host fit for a collector?
 */
#include "cli/command.h"
#include "collector/base/json.h"
#include "cli/xalloc.h"
#include "cli/sysctl_profile.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Usage: arancini doctor [OPTION]...\n"
	"Check this host against the tuning profile, its limits and its "
	"kernel.\n"
	"\n"
	"Each line: ok, warn (works, but not as it should) or fail "
	"(connections or\n"
	"data suffer under load); what it is, what it should be, and the "
	"command\n"
	"that mends it. Limits are those of this shell, not of a service.\n"
	"\n"
	"  --print-sysctl   the profile as a file for /etc/sysctl.d\n"
	"  --json           one JSON object instead of lines\n"
	"  --help           this text\n"
	"\n"
	"Exit status: 0 if nothing failed, 1 if something did, 2 for wrong "
	"usage.\n";

#define CHECKS (TUNING_SYSCTLS + TUNING_LIMITS + TUNING_URING)

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

static int examine(const char *root, bool as_json)
{
	struct tuning_check checks[CHECKS];
	unsigned counts[TUNING_STATUSES] = { 0 };
	size_t n = tuning_sysctls(root, checks);

	n += tuning_limits(checks + n);
	n += tuning_uring(root, checks + n);
	for (size_t i = 0; i < n; i++)
		counts[checks[i].status]++;
	if (as_json)
		print_json(checks, n, counts);
	else
		print_lines(checks, n);
	return counts[TUNING_FAIL] > 0 ? EXIT_FAILURE : 0;
}

enum {
	OPTION_PRINT = 256,
	OPTION_JSON,
	OPTION_ROOT,
	OPTION_HELP
};

static const struct option options[] = {
	{ "print-sysctl", no_argument, NULL, OPTION_PRINT },
	{ "json", no_argument, NULL, OPTION_JSON },
	/* For tests: what stands before /proc. */
	{ "root", required_argument, NULL, OPTION_ROOT },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static int usage(const char *what, const char *word)
{
	fprintf(stderr, "arancini doctor: %s%s; see 'arancini doctor --help'\n",
		what, word);
	return EXIT_USAGE;
}

int doctor_main(int argc, char **argv)
{
	const char *root = "";
	bool as_json = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case OPTION_PRINT:
			tuning_print(stdout);
			return 0;
		case OPTION_JSON:
			as_json = true;
			break;
		case OPTION_ROOT:
			root = optarg;
			break;
		case OPTION_HELP:
		case 'h':
			fputs(help, stdout);
			return 0;
		case ':':
			return usage("a value is missing after ",
				     argv[optind - 1]);
		default:
			return usage("unknown option ", argv[optind - 1]);
		}
	}
	if (optind < argc)
		return usage("what is ", argv[optind]);
	return examine(root, as_json);
}
