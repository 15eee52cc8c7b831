#include "collector/base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Constants that the headers of Linux 6.1, which Debian 12 has, lack. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SANDBOX_DUMPABLE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANDBOX_DUMPABLE
#endif
#endif

/* Rights of Landlock */

#define READ_RIGHTS (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

/* The collector creates no devices, sockets, FIFOs or symbolic links. */
#define WRITE_RIGHTS                                                    \
	(READ_RIGHTS | LANDLOCK_ACCESS_FS_WRITE_FILE |                  \
	 LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_REMOVE_DIR |  \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER)

/* The only rights that a rule for a regular file may have. */
#define FILE_RIGHTS                                                     \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
	 LANDLOCK_ACCESS_FS_TRUNCATE)

/*
 * The rights that version @abi of Landlock knows. Those of them that no rule
 * grants are refused.
 */
static uint64_t rights_known(int abi)
{
	/* ABI 1 has all rights from EXECUTE to MAKE_SYM. */
	uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

	if (abi >= 2)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= 5)
		rights |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	return rights;
}

const char *sandbox_mode_name(enum sandbox_mode mode)
{
	static const char *const names[] = { "off", "on", "require" };

	return names[mode];
}

/* Paths */

int sandbox_rules_add(struct sandbox_rules *rules, const char *path,
		      enum sandbox_access access)
{
	char *copy = strdup(path);
	struct sandbox_rule *more =
		reallocarray(rules->at, rules->count + 1, sizeof(*rules->at));

	if (more != NULL)
		rules->at = more;
	if (copy == NULL || more == NULL) {
		free(copy);
		return -ENOMEM;
	}
	rules->at[rules->count++] = (struct sandbox_rule){ copy, access };
	/* cppcheck-suppress memleak ; the list has it */
	return 0;
}

/*
 * Add a rule for reading the folder that contains @path, or for @path itself if
 * that folder is the root.
 */
static int folder_rule_add(struct sandbox_rules *rules, const char *path)
{
	char *copy = strdup(path);
	const char *folder;
	int err;

	if (copy == NULL)
		return -ENOMEM;
	folder = dirname(copy);
	err = sandbox_rules_add(rules, strcmp(folder, "/") == 0 ? path : folder,
				SANDBOX_READ);
	free(copy);
	return err;
}

int sandbox_rules_add_file(struct sandbox_rules *rules, const char *path)
{
	char *target = realpath(path, NULL);
	int err = folder_rule_add(rules, path);

	if (err == 0 && target != NULL)
		err = folder_rule_add(rules, target);
	free(target);
	return err;
}

int sandbox_rules_add_system(struct sandbox_rules *rules)
{
	/*
	 * All of /etc and /proc: resolv.conf, hosts and nsswitch.conf may be
	 * replaced by new files, and an inode of procfs does not outlive its
	 * entry in the kernel's cache. /proc of other processes stays
	 * inaccessible, because Landlock refuses what ptrace(2) would need.
	 */
	static const char *const folders[] = {
		"/etc",		"/usr",	      "/lib",	   "/lib64",
		"/proc",	"/sys",	      "/run/nscd", "/var/run/nscd",
		"/nix/store",	"/gnu/store", "/dev/zero", "/dev/random",
		"/dev/urandom",
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (err == 0)
			err = sandbox_rules_add(rules, folders[i],
						SANDBOX_READ);
	if (err == 0)
		err = sandbox_rules_add(rules, "/dev/null", SANDBOX_WRITE);
	/* Hosts with a local resolver link resolv.conf to this folder. */
	if (err == 0)
		err = sandbox_rules_add_file(rules, "/etc/resolv.conf");
	/* Sanitizers read the program's own file for stack traces. */
	if (err == 0)
		err = sandbox_rules_add(rules, "/proc/self/exe", SANDBOX_READ);
	return err;
}

void sandbox_rules_fini(struct sandbox_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		free(rules->at[i].path);
	free(rules->at);
	*rules = (struct sandbox_rules){ 0 };
}

/* User */

int sandbox_user_find(const char *name, struct sandbox_user *out)
{
	struct passwd *found;

	errno = 0;
	found = getpwnam(name);
	if (found == NULL)
		return errno == 0 ? -ENOENT : -errno;
	*out = (struct sandbox_user){
		.name = strdup(name),
		.uid = found->pw_uid,
		.gid = found->pw_gid,
	};
	return out->name == NULL ? -ENOMEM : 0;
}

void sandbox_user_fini(struct sandbox_user *user)
{
	free(user->name);
	*user = (struct sandbox_user){ 0 };
}

int sandbox_user_become(const struct sandbox_user *user)
{
	if (getuid() == user->uid && geteuid() == user->uid)
		return 0;
	if (initgroups(user->name, user->gid) < 0 ||
	    setresgid(user->gid, user->gid, user->gid) < 0 ||
	    setresuid(user->uid, user->uid, user->uid) < 0)
		return -errno;
	/* Check that the process cannot become root again. */
	if (user->uid != 0 && setresuid(0, 0, 0) == 0)
		return -EPERM;
	return 0;
}

/* Landlock */

static int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? -errno : (int)abi;
}

static int landlock_ruleset_new(uint64_t rights)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = rights };
	/*
	 * Pass only the first member, because kernels and headers differ in the
	 * others.
	 */
	long fd = syscall(SYS_landlock_create_ruleset, &attr,
			  sizeof(attr.handled_access_fs), 0);

	return fd < 0 ? -errno : (int)fd;
}

static int landlock_rule_add(int ruleset, const struct sandbox_rule *rule,
			     uint64_t known)
{
	struct landlock_path_beneath_attr attr = {
		.allowed_access = rule->access == SANDBOX_WRITE ? WRITE_RIGHTS
								: READ_RIGHTS,
		.parent_fd = open(rule->path, O_PATH | O_CLOEXEC),
	};
	struct stat st;
	int err = 0;

	if (attr.parent_fd < 0) {
		err = -errno;
		/* A path that this process cannot open anyway needs no rule. */
		return err == -ENOENT || err == -ENOTDIR || err == -EACCES
			       ? 0
			       : err;
	}
	if (fstat(attr.parent_fd, &st) < 0)
		err = -errno;
	else if (!S_ISDIR(st.st_mode))
		attr.allowed_access &= FILE_RIGHTS;
	attr.allowed_access &= known;
	if (err == 0 && syscall(SYS_landlock_add_rule, ruleset,
				LANDLOCK_RULE_PATH_BENEATH, &attr, 0) < 0)
		err = -errno;
	close(attr.parent_fd);
	return err;
}

static int landlock_rules_add(int ruleset, const struct sandbox_rules *rules,
			      uint64_t known)
{
	int err = 0;

	for (size_t i = 0; err == 0 && i < rules->count; i++)
		err = landlock_rule_add(ruleset, &rules->at[i], known);
	return err;
}

/*
 * Enter the ruleset. Returns 0 also if Landlock cannot be used; then
 * out->landlock_error is the reason.
 */
static int landlock_enter(const struct sandbox_rules *rules,
			  struct sandbox_state *out)
{
	int abi = landlock_abi();
	int ruleset = abi < 0 ? abi : landlock_ruleset_new(rights_known(abi));
	int err;

	if (ruleset < 0) {
		out->landlock_error = ruleset;
		return 0;
	}
	err = landlock_rules_add(ruleset, rules, rights_known(abi));
	if (err == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		out->landlock_error = -errno;
	else if (err == 0)
		out->landlock_abi = abi;
	close(ruleset);
	return err;
}

/* Capabilities */

void sandbox_bounding_set_clear(void)
{
	for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		(void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
}

static bool capabilities_are_none(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	uint32_t any = 0;

	if (syscall(SYS_capget, &head, sets) < 0)
		return false;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		any |= sets[i].effective | sets[i].permitted |
		       sets[i].inheritable;
	return any == 0;
}

static bool capabilities_drop(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	/*
	 * A seccomp filter may refuse capset() even if no capability is left.
	 */
	if (!capabilities_are_none())
		(void)syscall(SYS_capset, &head, none);
	return capabilities_are_none();
}

/* Confinement */

/*
 * Disable core dumps: libnats and OpenSSL keep copies of passwords and keys in
 * their heaps, which our MADV_DONTDUMP does not cover. LeakSanitizer attaches
 * to its own process, which must then be dumpable: a build with it changes
 * nothing and returns false.
 */
static bool core_dumps_disable(void)
{
#ifdef SANDBOX_DUMPABLE
	return false;
#else
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
#endif
}

static int state_check(const struct sandbox_state *s)
{
	if (s->landlock_abi == 0)
		return s->landlock_error;
	return s->no_new_privs && s->no_capabilities && s->no_core_dumps
		       ? 0
		       : -EPERM;
}

int sandbox_enter(enum sandbox_mode mode, const struct sandbox_rules *rules,
		  struct sandbox_state *out)
{
	int err;

	*out = (struct sandbox_state){ .mode = mode, .uid = geteuid() };
	if (mode == SANDBOX_OFF)
		return 0;
	out->no_new_privs = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
	err = landlock_enter(rules, out);
	if (err < 0)
		return err;
	out->no_capabilities = capabilities_drop();
	out->no_core_dumps = core_dumps_disable();
	return mode == SANDBOX_REQUIRE ? state_check(out) : 0;
}
