/*
 * collector/base/sandbox.h - what the process may still do once it has started
 *
 *	sandbox_user_find(name, &user);		while /etc may be read
 *	...					make folders, bind ports
 *	sandbox_user_become(&user);
 *	sandbox_rules_add(&rules, ...);
 *	sandbox_enter(mode, &rules, &state);	then start threads
 *
 * Landlock, no_new_privs and capabilities belong to a thread and are inherited
 * by the threads that it starts: sandbox_enter() is for a process that has one
 * thread. What it takes away never comes back. See docs/security.md and
 * decision 0121.
 */
#ifndef COLLECTOR_BASE_SANDBOX_H
#define COLLECTOR_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum sandbox_mode {
	SANDBOX_OFF,
	SANDBOX_ON,	 /* as far as the kernel allows */
	SANDBOX_REQUIRE, /* all of it, or an error */
};

const char *sandbox_mode_name(enum sandbox_mode mode);

/* What holds; made by sandbox_enter(), not changed afterwards. */
struct sandbox_state {
	enum sandbox_mode mode;
	int landlock_abi;   /* 0: Landlock is not in force */
	int landlock_error; /* why it is not; -errno */
	bool no_new_privs;
	bool no_capabilities;
	bool no_core_dumps;
	uid_t uid;
};

/* Paths */

enum sandbox_access {
	SANDBOX_READ,  /* files and folders below */
	SANDBOX_WRITE, /* also make, write, rename and remove them */
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
 * Allow @access to @path and all below. A path that does not exist by
 * sandbox_enter() is left out there. 0 or -ENOMEM.
 */
int sandbox_rules_add(struct sandbox_rules *rules, const char *path,
		      enum sandbox_access access);

/*
 * Allow to read the file @path, and a later one of the same name: the folders
 * of the name and of the file that it leads to. Of a file in the root folder
 * only the file itself. 0 or -ENOMEM.
 */
int sandbox_rules_add_file(struct sandbox_rules *rules, const char *path);

/*
 * What the C library, OpenSSL and the runtime read: /etc, /usr, libraries,
 * /proc, /sys, the folder of resolv.conf, random numbers. 0 or -ENOMEM.
 */
int sandbox_rules_add_system(struct sandbox_rules *rules);

void sandbox_rules_fini(struct sandbox_rules *rules);

/* User */

struct sandbox_user {
	char *name;
	uid_t uid;
	gid_t gid;
};

/* Look @name up. 0, -ENOENT if there is no such user, or -errno. */
int sandbox_user_find(const char *name, struct sandbox_user *out);
void sandbox_user_fini(struct sandbox_user *user);

/*
 * Become @user with its groups, for good. 0 at once if that is who runs it.
 * -EPERM: whoever runs it may not become somebody else.
 */
int sandbox_user_become(const struct sandbox_user *user);

/* Confinement */

/*
 * Empty the set of capabilities that execve(2) can give. Needs CAP_SETPCAP,
 * which goes with the user: before sandbox_user_become(). Without, it stays;
 * no_new_privs and Landlock guard execve(2), too.
 */
void sandbox_bounding_set_clear(void);

/*
 * Give up capabilities, core dumps and every path that has no rule. 0, and
 * *@out says what holds. With SANDBOX_REQUIRE -errno if something of it does
 * not; *@out says what. -errno in any mode if a rule could not be made: a
 * process with half of its rules would fail later.
 */
int sandbox_enter(enum sandbox_mode mode, const struct sandbox_rules *rules,
		  struct sandbox_state *out);

#endif
