/*
 * What a confined process can and cannot do. Each check is a child: what it
 * gave up does not come back.
 */
#include "check.h"

#include "collector/base/sandbox.h"
#include "collector/base/secret_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
	char root[64];
	char in[80];	 /* may be written */
	char conf[80];	 /* may be read */
	char out[80];	 /* no rule */
	char file[96];	 /* in conf */
	int confined[2]; /* pipes of the two sides of a test */
	int replaced[2];
};

static void file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int place_init(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	strcpy(p->root, "/tmp/arancini-sandbox-XXXXXX");
	assert_non_null(mkdtemp(p->root));
	snprintf(p->in, sizeof(p->in), "%s/in", p->root);
	snprintf(p->conf, sizeof(p->conf), "%s/conf", p->root);
	snprintf(p->out, sizeof(p->out), "%s/out", p->root);
	snprintf(p->file, sizeof(p->file), "%s/file", p->conf);
	assert_int_equal(mkdir(p->in, 0700), 0);
	assert_int_equal(mkdir(p->conf, 0700), 0);
	assert_int_equal(mkdir(p->out, 0700), 0);
	file_write(p->file, "before");
	*state = p;
	return 0;
}

static int place_fini(void **state)
{
	struct place *p = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", p->root);
	/* A folder of our own. NOLINTNEXTLINE(cert-env33-c) */
	assert_int_equal(system(command), 0);
	free(p);
	return 0;
}

static bool landlock_is_there(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0,
		       LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

/* Run @fn in a child, confined. It returns the line that failed, or 0. */
static void confined(const struct place *p, int (*fn)(const struct place *p))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		struct sandbox_rules rules = { 0 };
		struct sandbox_state held;
		int err = sandbox_rules_add(&rules, p->in, SANDBOX_WRITE);

		if (err == 0)
			err = sandbox_rules_add_file(&rules, p->file);
		if (err == 0)
			err = sandbox_rules_add_system(&rules);
		if (err == 0)
			err = sandbox_enter(SANDBOX_ON, &rules, &held);
		sandbox_rules_fini(&rules);
		_exit(err < 0 ? 255 : fn(p));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A number for each check, so that the exit status says which one failed. */
#define EXPECT_AT(number, condition)                              \
	do {                                                      \
		if (!(condition))                                 \
			failed = failed == 0 ? (number) : failed; \
	} while (0)

static bool opens(const char *folder, const char *name, int flags)
{
	char path[192];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int check_inside(const struct place *p)
{
	char a[128], b[128];
	int failed = 0;

	snprintf(a, sizeof(a), "%s/sub", p->in);
	snprintf(b, sizeof(b), "%s/new", p->in);
	EXPECT_AT(1, mkdir(a, 0700) == 0);
	EXPECT_AT(2, opens(p->in, "one", O_WRONLY | O_CREAT | O_TRUNC));
	EXPECT_AT(3, opens(p->in, "one", O_RDWR | O_TRUNC));
	EXPECT_AT(4, rename(a, b) == 0);
	EXPECT_AT(5, opens(p->in, "new/two", O_RDWR | O_CREAT));
	EXPECT_AT(6, rmdir(b) < 0 && errno == ENOTEMPTY);
	EXPECT_AT(7, opens(p->conf, "file", O_RDONLY));
	EXPECT_AT(8, opens("/etc", "passwd", O_RDONLY));
	EXPECT_AT(9, opens("/dev", "null", O_RDWR));
	EXPECT_AT(10, opens("/dev", "urandom", O_RDONLY));
	EXPECT_AT(11, opens("/proc/self", "statm", O_RDONLY));
	return failed;
}

static void test_inside(void **state)
{
	confined(*state, check_inside);
}

static int check_outside(const struct place *p)
{
	char *const argv[] = { (char[]){ "false" }, NULL };
	char from[128], to[128];
	int failed = 0;

	EXPECT_AT(1,
		  !opens(p->out, "one", O_WRONLY | O_CREAT) && errno == EACCES);
	EXPECT_AT(2, !opens(p->out, ".", O_RDONLY | O_DIRECTORY) &&
			     errno == EACCES);
	EXPECT_AT(3, !opens(p->conf, "file", O_WRONLY) && errno == EACCES);
	EXPECT_AT(4, unlink(p->file) < 0 && errno == EACCES);
	EXPECT_AT(5, !opens("/etc", "passwd", O_WRONLY) && errno == EACCES);
	EXPECT_AT(6, !opens("/tmp", "arancini-sandbox", O_WRONLY | O_CREAT) &&
			     errno == EACCES);
	EXPECT_AT(7, !opens("/proc/self", "mem", O_RDWR) && errno == EACCES);
	EXPECT_AT(8, opens(p->in, "script", O_WRONLY | O_CREAT));
	snprintf(from, sizeof(from), "%s/script", p->in);
	snprintf(to, sizeof(to), "%s/script", p->out);
	EXPECT_AT(9, rename(from, to) < 0);
	EXPECT_AT(10, symlink("/etc", to) < 0 && errno == EACCES);
	/* If it runs, its exit status is that of a failure. */
	execv("/bin/false", argv);
	EXPECT_AT(11, errno == EACCES);
	return failed;
}

static void test_outside(void **state)
{
	if (!landlock_is_there())
		skip();
	confined(*state, check_outside);
}

/* An editor writes a new file and renames it over the old one. */
static int check_replaced(const struct place *p)
{
	char byte = 0;
	int failed = 0;

	EXPECT_AT(1, write(p->confined[1], &byte, 1) == 1);
	EXPECT_AT(2, read(p->replaced[0], &byte, 1) == 1);
	EXPECT_AT(3, opens(p->conf, "file", O_RDONLY));
	return failed;
}

static void *file_replace(void *place)
{
	const struct place *p = place;
	char fresh[128], byte = 0;

	snprintf(fresh, sizeof(fresh), "%s/fresh", p->conf);
	if (read(p->confined[0], &byte, 1) == 1) {
		file_write(fresh, "after");
		rename(fresh, p->file);
		(void)!write(p->replaced[1], &byte, 1);
	}
	return NULL;
}

static void test_a_replaced_file_is_read(void **state)
{
	struct place *p = *state;
	pthread_t thread;

	assert_int_equal(pipe2(p->confined, O_CLOEXEC), 0);
	assert_int_equal(pipe2(p->replaced, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&thread, NULL, file_replace, p), 0);
	confined(p, check_replaced);
	pthread_join(thread, NULL);
	for (int i = 0; i < 2; i++) {
		close(p->confined[i]);
		close(p->replaced[i]);
	}
}

static int check_privileges(const struct place *p)
{
	char line[128] = "";
	FILE *f = fopen("/proc/self/status", "re");
	int failed = 0;
	unsigned long caps = 1;

	(void)p;
	EXPECT_AT(1, f != NULL);
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		/* The kernel's numbers fit. NOLINTBEGIN(cert-err34-c) */
		if (sscanf(line, "CapEff: %lx", &caps) == 1 ||
		    sscanf(line, "CapPrm: %lx", &caps) == 1)
			/* NOLINTEND(cert-err34-c) */
			EXPECT_AT(2, caps == 0);
	EXPECT_AT(3, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
#ifndef SANITIZED /* leak checkers have to look into the process */
	EXPECT_AT(4, prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
#endif
	if (f != NULL)
		fclose(f);
	return failed;
}

static void test_privileges_are_gone(void **state)
{
	confined(*state, check_privileges);
}

static void test_the_bounding_set_is_cleared(void **state)
{
	pid_t child;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip();
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		sandbox_bounding_set_clear();
		for (unsigned long i = 0; i <= CAP_LAST_CAP; i++)
			if (prctl(PR_CAPBSET_READ, i, 0, 0, 0) > 0)
				_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_off_changes_nothing(void **state)
{
	struct sandbox_rules rules = { 0 };
	struct sandbox_state held;

	(void)state;
	assert_int_equal(sandbox_enter(SANDBOX_OFF, &rules, &held), 0);
	assert_int_equal(held.landlock_abi, 0);
	assert_false(held.no_new_privs);
	assert_int_equal(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0);
}

static void test_user(void **state)
{
	struct sandbox_user user;
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(sandbox_user_find("no-such-user-here", &user),
			 -ENOENT);
	if (geteuid() != 0 || getpwnam("nobody") == NULL)
		skip();
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (sandbox_user_find("nobody", &user) < 0)
			_exit(1);
		if (sandbox_user_become(&user) < 0)
			_exit(2);
		if (user.uid == 0 || getuid() != user.uid ||
		    geteuid() != user.uid || getgid() != user.gid ||
		    setuid(0) == 0)
			_exit(3);
		/* Once more is nothing to do. */
		_exit(sandbox_user_become(&user) == 0 ? 0 : 4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Secrets */

/* Whether the mapping that @p is in has the flag "dd": do not dump. */
static bool page_is_left_out(const void *p)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	unsigned long low, high;
	bool here = false, left_out = false;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		/* The kernel's numbers fit. NOLINTNEXTLINE(cert-err34-c) */
		if (sscanf(line, "%lx-%lx ", &low, &high) == 2)
			here = (unsigned long)p >= low &&
			       (unsigned long)p < high;
		else if (here && strncmp(line, "VmFlags:", 8) == 0)
			left_out = strstr(line, " dd") != NULL;
	}
	fclose(f);
	return left_out;
}

static void test_a_secret_is_in_no_core_dump(void **state)
{
	char *heap = strdup("public");
	char *secret = secret_copy("s3cret and more", 6);
	char *none = secret_copy("", 0);

	(void)state;
	assert_string_equal(secret, "s3cret");
	assert_string_equal(none, "");
	assert_true(page_is_left_out(secret));
	assert_false(page_is_left_out(heap));
	secret_free(secret);
	secret_free(none);
	secret_free(NULL);
	free(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_inside, place_init,
						place_fini),
		cmocka_unit_test_setup_teardown(test_outside, place_init,
						place_fini),
		cmocka_unit_test_setup_teardown(test_a_replaced_file_is_read,
						place_init, place_fini),
		cmocka_unit_test_setup_teardown(test_privileges_are_gone,
						place_init, place_fini),
		cmocka_unit_test(test_the_bounding_set_is_cleared),
		cmocka_unit_test(test_off_changes_nothing),
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_a_secret_is_in_no_core_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
