#include "cli/startup_signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void quit_signals(sigset_t *out)
{
	sigemptyset(out);
	sigaddset(out, SIGTERM);
	sigaddset(out, SIGINT);
}

/*
 * End the process by the signal itself, so that the parent sees it in the wait
 * status.
 */
static void die_by_signal(struct quit *q, int number)
{
	struct log_line line;
	sigset_t set;

	if (log_begin(q->log, LOG_LEVEL_WARNING, "stopped_while_starting",
		      &line)) {
		log_text(&line, "signal",
			 number == SIGTERM ? "SIGTERM" : "SIGINT");
		log_end(&line);
	}
	/* A shell starts background processes with SIGINT ignored. */
	signal(number, SIG_DFL);
	quit_signals(&set);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
}

static void *quit_main(void *quit)
{
	struct quit *q = quit;
	struct pollfd fds[] = {
		{ .fd = q->done, .events = POLLIN },
		{ .fd = q->signals, .events = POLLIN },
	};
	struct signalfd_siginfo info;
	int ready;

	do
		ready = poll(fds, 2, -1);
	while (ready < 0 && errno == EINTR);
	/* If the start has completed, leave the signal to the main thread. */
	if (fds[0].revents == 0 &&
	    read(q->signals, &info, sizeof(info)) == sizeof(info))
		die_by_signal(q, (int)info.ssi_signo);
	return NULL;
}

static int open_fds(struct quit *q)
{
	sigset_t set;

	quit_signals(&set);
	q->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (q->signals < 0)
		return -errno;
	q->done = eventfd(0, EFD_CLOEXEC);
	return q->done < 0 ? -errno : 0;
}

int quit_watch(struct quit *q, struct log *log)
{
	int err;

	*q = (struct quit){ .log = log, .signals = -1, .done = -1 };
	err = open_fds(q);
	if (err == 0)
		err = -pthread_create(&q->thread, NULL, quit_main, q);
	q->watching = err == 0;
	if (err < 0)
		quit_unwatch(q);
	return err;
}

void quit_unwatch(struct quit *q)
{
	if (q->watching) {
		eventfd_write(q->done, 1);
		pthread_join(q->thread, NULL);
		q->watching = false;
	}
	if (q->signals >= 0)
		close(q->signals);
	if (q->done >= 0)
		close(q->done);
	q->signals = q->done = -1;
}
