#include "cli/sysctl_profile.h"

#include <spargio/probe.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define NUMBERS 3 /* maximum numbers in one setting */

enum bound {
	AT_LEAST,
	AT_MOST
};

struct setting {
	const char *name;
	uint64_t wanted[NUMBERS];
	int count;
	enum bound bound;
	enum tuning_status otherwise;
	const char *why;
};

/* clang-format off */
static const struct setting profile[] = {
	{ "fs.file-max", { 2097152 }, 1, AT_LEAST, TUNING_FAIL,
	  "Descriptors of the whole host: a session takes one." },
	{ "net.core.rmem_max", { 33554432 }, 1, AT_LEAST, TUNING_FAIL,
	  "What --rcvbuf may ask for: a table dump waits here." },
	{ "net.core.wmem_max", { 33554432 }, 1, AT_LEAST, TUNING_WARN,
	  "The same towards the broker." },
	{ "net.core.optmem_max", { 131072 }, 1, AT_LEAST, TUNING_WARN,
	  "TCP-MD5 keys of routers: 140 bytes each, at each listener." },
	{ "net.core.netdev_max_backlog", { 10000 }, 1, AT_LEAST, TUNING_FAIL,
	  "Packets between the card and TCP, for each CPU." },
	{ "net.core.somaxconn", { 4096 }, 1, AT_LEAST, TUNING_FAIL,
	  "Bounds --backlog: thousands of routers may come back at once." },
	{ "net.ipv4.tcp_rmem", { 4096, 131072, 33554432 }, 3, AT_LEAST,
	  TUNING_FAIL,
	  "Least, first and largest receive buffer; the kernel tunes between." },
	{ "net.ipv4.tcp_wmem", { 4096, 65536, 33554432 }, 3, AT_LEAST,
	  TUNING_WARN,
	  "The same for sending." },
	{ "net.ipv4.tcp_fin_timeout", { 15 }, 1, AT_MOST, TUNING_WARN,
	  "Seconds that a half-closed session of a lost router stays." },
	{ "net.ipv4.tcp_max_syn_backlog", { 4096 }, 1, AT_LEAST, TUNING_FAIL,
	  "Handshakes under way, of all listeners." },
};
/* clang-format on */

#define SETTINGS (sizeof(profile) / sizeof(profile[0]))

_Static_assert(SETTINGS <= TUNING_SYSCTLS, "no room for the profile");

/*
 * Open files: the recommended limit, and the minimum for 20,000 sessions
 * (--max-sessions).
 */
#define NOFILE_WANTED	65536
#define NOFILE_SESSIONS 20480

/* Sysctls */

/*
 * Read the first line of the file of sysctl @name. False if it cannot be read.
 */
static bool read_sysctl(const char *root, const char *name, char *out,
			size_t size)
{
	char path[512];
	size_t prefix =
		(size_t)snprintf(path, sizeof(path), "%s/proc/sys/", root);
	FILE *file;
	bool there;

	if (prefix + strlen(name) >= sizeof(path))
		return false;
	for (size_t i = 0; i <= strlen(name); i++)
		path[prefix + i] = name[i];
	for (char *p = path + prefix; *p != '\0'; p++)
		if (*p == '.')
			*p = '/';
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	there = fgets(out, (int)size, file) != NULL;
	fclose(file);
	out[there ? strcspn(out, "\n") : 0] = '\0';
	for (char *p = out; *p != '\0'; p++)
		if (*p == '\t')
			*p = ' ';
	return there;
}

static bool meets_setting(const struct setting *s, const char *value)
{
	for (int i = 0; i < s->count; i++) {
		char *end;
		uint64_t number = strtoull(value, &end, 10);

		if (end == value ||
		    (s->bound == AT_LEAST ? number < s->wanted[i]
					  : number > s->wanted[i]))
			return false;
		value = end;
	}
	return true;
}

static void write_wanted(const struct setting *s, char *out, size_t size)
{
	size_t len = 0;

	for (int i = 0; i < s->count && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%" PRIu64,
					i > 0 ? " " : "", s->wanted[i]);
}

static void check_setting(const char *root, const struct setting *s,
			  struct tuning_check *out)
{
	char wanted[48];

	*out = (struct tuning_check){ .status = TUNING_OK };
	write_wanted(s, wanted, sizeof(wanted));
	snprintf(out->name, sizeof(out->name), "%s", s->name);
	snprintf(out->wanted, sizeof(out->wanted), "at %s %s",
		 s->bound == AT_LEAST ? "least" : "most", wanted);
	if (!read_sysctl(root, s->name, out->value, sizeof(out->value))) {
		/* A network namespace does not have all sysctls. */
		out->status = TUNING_WARN;
		snprintf(out->value, sizeof(out->value), "not visible here");
		snprintf(out->fix, sizeof(out->fix),
			 "look at it on the host, outside the container");
	} else if (!meets_setting(s, out->value)) {
		out->status = s->otherwise;
		snprintf(out->fix, sizeof(out->fix), "sysctl -w %s=\"%s\"",
			 s->name, wanted);
	}
}

size_t tuning_sysctls(const char *root, struct tuning_check *out)
{
	for (size_t i = 0; i < SETTINGS; i++)
		check_setting(root, &profile[i], &out[i]);
	return SETTINGS;
}

void tuning_print(FILE *to)
{
	fputs("# A host for the arancini BMP collector; sysctl --system "
	      "applies "
	      "it.\n"
	      "# 'arancini doctor' compares; leave out what is larger on your "
	      "host already.\n",
	      to);
	for (size_t i = 0; i < SETTINGS; i++) {
		char wanted[48];

		write_wanted(&profile[i], wanted, sizeof(wanted));
		fprintf(to, "\n# %s\n%s = %s\n", profile[i].why,
			profile[i].name, wanted);
	}
}

/* Limits of this process */

size_t tuning_limits(struct tuning_check *out)
{
	struct rlimit limit = { 0 };

	*out = (struct tuning_check){ .name = "open files" };
	snprintf(out->wanted, sizeof(out->wanted), "at least %d",
		 NOFILE_WANTED);
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
		out->status = TUNING_WARN;
		snprintf(out->value, sizeof(out->value), "not visible here");
		return 1;
	}
	snprintf(out->value, sizeof(out->value), "%llu, may be raised to %llu",
		 (unsigned long long)limit.rlim_cur,
		 (unsigned long long)limit.rlim_max);
	if (limit.rlim_cur >= NOFILE_WANTED)
		return 1;
	out->status =
		limit.rlim_cur < NOFILE_SESSIONS ? TUNING_FAIL : TUNING_WARN;
	snprintf(out->fix, sizeof(out->fix),
		 "ulimit -n %d; for a service LimitNOFILE=%d in its unit",
		 NOFILE_WANTED, NOFILE_WANTED);
	return 1;
}

/* io_uring */

static void check_ring(const char *root, const struct sp_probe *probe,
		       struct tuning_check *out)
{
	char disabled[32];

	*out = (struct tuning_check){ .name = "io_uring",
				      .wanted = "available" };
	if (probe->error == 0) {
		snprintf(out->value, sizeof(out->value), "available");
		return;
	}
	out->status = TUNING_FAIL;
	snprintf(out->value, sizeof(out->value),
		 "%s; the collector runs on epoll", strerror(-probe->error));
	if (read_sysctl(root, "kernel.io_uring_disabled", disabled,
			sizeof(disabled)) &&
	    strcmp(disabled, "0") != 0)
		snprintf(out->fix, sizeof(out->fix),
			 "sysctl -w kernel.io_uring_disabled=0");
	else
		snprintf(out->fix, sizeof(out->fix),
			 "allow the io_uring system calls in the seccomp "
			 "profile, or use Linux 6.1 or newer");
}

size_t tuning_uring(const char *root, struct tuning_check *out)
{
	struct sp_probe probe;
	size_t n = 0;

	sp_probe_get(&probe);
	check_ring(root, &probe, &out[n++]);
	for (int i = 0; i < SP_FEATURES && probe.error == 0; i++) {
		struct tuning_check *check = &out[n++];
		bool there = sp_probe_has(&probe, (enum sp_feature)i);

		*check = (struct tuning_check){
			.status = there ? TUNING_OK : TUNING_WARN,
			.wanted = "yes",
		};
		snprintf(check->name, sizeof(check->name), "io_uring %s",
			 sp_feature_name((enum sp_feature)i));
		snprintf(check->value, sizeof(check->value), "%s",
			 there ? "yes" : "no");
		if (!there)
			snprintf(check->fix, sizeof(check->fix),
				 "use Linux %s or newer",
				 sp_feature_since((enum sp_feature)i));
	}
	return n;
}

_Static_assert(SP_FEATURES + 1 <= TUNING_URING, "no room for the features");
