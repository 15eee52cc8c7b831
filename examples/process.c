/*
 * Child processes: pipes, how they end, and a deadline for them.
 */
#include <spargio/fiber.h>
#include <spargio/op.h>
#include <spargio/process.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Read until the other end is closed; at most @size - 1 bytes are kept. */
static int read_all(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	do {
		int err = sp_wait_fd(fd, POLLIN); /* yields */

		if (err < 0)
			return err;
		n = read(fd, text + len, size - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	text[len] = '\0';
	return 0;
}

static int sort_numbers(void)
{
	static const char *const argv[] = { "sort", "-n", NULL };
	static const char numbers[] = "10\n9\n1\n";
	struct sp_process_opts opts = {
		.argv = argv,
		.io = { { SP_IO_PIPE, 0 }, { SP_IO_PIPE, 0 } },
	};
	struct sp_process *child;
	struct sp_exit how = { 0 };
	char text[64] = "";
	int in, out, err;

	err = sp_process_spawn(&opts, &child); /* yields */
	if (err < 0)
		return err; /* -ENOENT: there is no such program */
	in = sp_process_take_fd(child, 0);
	out = sp_process_take_fd(child, 1);
	/* Little enough to fit into a pipe. */
	if (write(in, numbers, strlen(numbers)) < 0)
		err = -sp_errno();
	close(in); /* the end of its input */
	if (err == 0)
		err = read_all(out, text, sizeof(text));
	close(out);
	if (err == 0)
		err = sp_process_wait(child, &how); /* yields */
	/* Whatever happened before, also a cancel: nothing is left behind. */
	sp_process_free(child);
	if (err < 0)
		return err;
	for (char *c = text; *c != '\0'; c++)
		if (*c == '\n')
			*c = ' ';
	printf("sorted: %sstatus %d\n", text, how.status);
	return 0;
}

/* Ask politely, wait a while, then insist. */
static int end_politely(struct sp_process *child, struct sp_exit *how)
{
	int err;

	sp_process_kill(child, SIGTERM);
	err = sp_process_wait_until(child, sp_in(SP_S), how); /* yields */
	if (err != -ETIMEDOUT)
		return err;
	sp_process_kill(child, SIGKILL);
	return sp_process_wait(child, how); /* yields */
}

static int stop_a_slow_one(void)
{
	static const char *const argv[] = { "sleep", "100", NULL };
	struct sp_process_opts opts = { .argv = argv };
	struct sp_process *child;
	struct sp_exit how;
	int err;

	err = sp_process_spawn(&opts, &child);
	if (err < 0)
		return err;
	err = sp_process_wait_until(child, sp_in(10 * SP_MS), &how);
	if (err == -ETIMEDOUT)
		err = end_politely(child, &how);
	sp_process_free(child);
	if (err == 0)
		printf("ended by %s\n", strsignal(how.signal));
	return err;
}

static int body(void *arg)
{
	int err;

	(void)arg;
	err = sort_numbers();
	if (err == 0)
		err = stop_a_slow_one();
	return err;
}

int main(void)
{
	/* A child that goes away early must not take us with it. */
	signal(SIGPIPE, SIG_IGN);
	return sp_run(NULL, body, NULL) == 0 ? 0 : 1;
}
