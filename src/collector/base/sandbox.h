/*
 * collector/base/sandbox.h - reduce the rights of the process after its start
 *
 *	sandbox_user_find(name, &user);		while /etc can be read
 *	...					make folders, bind ports
 *	sandbox_user_become(&user);
 *	sandbox_rules_add(&rules, ...);
 *	sandbox_enter(mode, &rules, &state);	then start threads
 *
 * Landlock, no_new_privs and capabilities belong to a thread and are inherited
 * by the threads that it starts: call sandbox_enter() while the process has one
 * thread. Rights that are given up cannot be regained. See docs/security.md and
 * decision 0121.
 */
#ifndef COLLECTOR_BASE_SANDBOX_H
#define COLLECTOR_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum sandbox_mode {
	SANDBOX_OFF,
	SANDBOX_ON,	 /* use the protections that the kernel supports */
	SANDBOX_REQUIRE, /* require all protections, else fail */
};

const char *sandbox_mode_name(enum sandbox_mode mode);

/* The protections in force; set by sandbox_enter() and constant afterwards. */
struct sandbox_state {
	enum sandbox_mode mode;
	int landlock_abi; /* 0 if Landlock is not in force */
	/* the reason, -errno, if Landlock is not in force */
	int landlock_error;
	bool no_new_privs;
	bool no_capabilities;
	bool no_core_dumps;
	uid_t uid;
};

/* Paths */

enum sandbox_access {
	SANDBOX_READ,  /* read files and folders at and below the path */
	SANDBOX_WRITE, /* also create, write, rename and remove files */
};

struct sandbox_rule {
	char *path;
	enum sandbox_access access;
};

struct sandbox_rules {
	struct sandbox_rule *at;
	size_t count;
};

/*
 * Allow @access to @path and everything below. Ignored if the path does not
 * exist at sandbox_enter(). Returns 0 or -ENOMEM.
 */
int sandbox_rules_add(struct sandbox_rules *rules, const char *path,
		      enum sandbox_access access);

/*
 * Allow reading the file @path, also after it was replaced by another file of
 * the same name. For this the folders of the name and of the link's target are
 * added; for a file in the root folder only the file itself. Returns 0 or
 * -ENOMEM.
 */
int sandbox_rules_add_file(struct sandbox_rules *rules, const char *path);

/*
 * Allow reading the files that the C library, OpenSSL and the runtime need:
 * /etc, /usr, libraries, /proc, /sys, the folder of resolv.conf, random
 * numbers. Returns 0 or -ENOMEM.
 */
int sandbox_rules_add_system(struct sandbox_rules *rules);

void sandbox_rules_fini(struct sandbox_rules *rules);

/* User */

struct sandbox_user {
	char *name;
	uid_t uid;
	gid_t gid;
};

/*
 * Look up the user @name. Returns 0, -ENOENT if there is no such user, or
 * -errno.
 */
int sandbox_user_find(const char *name, struct sandbox_user *out);
void sandbox_user_fini(struct sandbox_user *user);

/*
 * Switch to @user and its groups permanently. Returns 0 without a change if the
 * process already runs as @user. -EPERM if the process may not switch users.
 */
int sandbox_user_become(const struct sandbox_user *user);

/* Confinement */

/*
 * Empty the set of capabilities that execve(2) can give. Needs CAP_SETPCAP,
 * which is lost with the user: call it before sandbox_user_become(). Without
 * CAP_SETPCAP the set is not changed; no_new_privs and Landlock still restrict
 * execve(2).
 */
void sandbox_bounding_set_clear(void);

/*
 * Give up capabilities, core dumps and all paths without a rule. Returns 0, and
 * *@out says which protections are in force. With SANDBOX_REQUIRE returns
 * -errno if a protection is missing. In any mode returns -errno if a rule could
 * not be added, because a process that lacks some of its rules would fail
 * later.
 */
int sandbox_enter(enum sandbox_mode mode, const struct sandbox_rules *rules,
		  struct sandbox_state *out);

#endif
