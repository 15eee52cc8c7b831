/*
 * arancini run - the collector
 *
 * The calling thread starts it and then waits for signals:
 *
 *	SIGTERM, SIGINT		drain and exit; the second one exits at once
 *	SIGHUP			reads the configuration again
 */
#include "cli/command.h"

#include "arancini/collector.h"
#include "arancini/config.h"
#include "arancini/notify.h"
#include "arancini/reload.h"
#include "cli/greeting.h"

#include <spargio/time.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void print_mistakes(const struct mistakes *m)
{
	for (size_t i = 0; i < m->note_count; i++)
		fprintf(stderr, "arancini run: note: %s\n", m->notes[i]);
	for (size_t i = 0; i < m->kept; i++)
		fprintf(stderr, "arancini run: %s\n", m->lines[i]);
	if (m->count > m->kept)
		fprintf(stderr, "arancini run: and %zu more mistakes\n",
			m->count - m->kept);
	if (m->out_of_memory)
		fputs("arancini run: out of memory\n", stderr);
}

/* The signals we wait for; SIGPIPE is nobody's. */
static void block_signals(sigset_t *set)
{
	sigset_t blocked;

	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	blocked = *set;
	sigaddset(&blocked, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

/* From here on a SIGTERM or SIGINT ends the process at once. */
static void die_on_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Wait for a signal, and meanwhile tell the service manager we are alive. */
static int wait_for_signal(const sigset_t *set, const struct notify *notify)
{
	int64_t beat =
		notify->watchdog_ns > 0 ? notify->watchdog_ns : 3600 * SP_S;
	struct timespec wait = { beat / SP_S, beat % SP_S };

	for (;;) {
		int number = sigtimedwait(set, NULL, &wait);

		if (number > 0)
			return number;
		if (errno == EAGAIN)
			notify_alive(notify);
	}
}

static void say(struct log *log, enum log_level level, const char *event)
{
	struct log_line line;

	if (log_begin(log, level, event, &line))
		log_end(&line);
}

static int serve(struct reload *reload, struct log *log,
		 const struct notify *notify, const sigset_t *set)
{
	struct collector *c;
	int err = collector_start(reload->config, log, &c);

	if (err < 0)
		return EXIT_FAILURE;
	notify_ready(notify);
	if (isatty(STDERR_FILENO))
		greeting_print(c, reload->config, stderr);
	while (wait_for_signal(set, notify) == SIGHUP)
		reload_run(reload, c, log);
	notify_stopping(notify);
	say(log, LOG_LEVEL_INFO, "stopping");
	die_on_signal();
	err = collector_stop(c, sp_in(reload->config->listen.drain_timeout));
	say(log, err < 0 ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO,
	    err < 0 ? "stopped_with_updates_not_safe" : "stopped");
	return err < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run(int argc, char **argv, const struct config *config)
{
	struct reload reload;
	struct notify notify;
	struct log log;
	sigset_t set;
	int code;

	block_signals(&set);
	log_init(&log, STDERR_FILENO, (enum log_format)config->log.format,
		 (enum log_level)config->log.level);
	notify_open(&notify, getenv("NOTIFY_SOCKET"), getenv("WATCHDOG_USEC"),
		    getenv("WATCHDOG_PID"));
	reload_init(&reload, argc, argv, environ, config);
	code = serve(&reload, &log, &notify, &set);
	reload_fini(&reload);
	notify_close(&notify);
	log_fini(&log);
	return code;
}

int run_main(int argc, char **argv)
{
	struct mistakes mistakes = MISTAKES_INIT;
	struct config_request request;
	struct config config;
	int status = 0;
	int err = config_load(argc - 1, argv + 1, environ, &mistakes, &request,
			      &config);

	print_mistakes(&mistakes);
	mistakes_release(&mistakes);
	if (err < 0)
		return err == -EINVAL ? EXIT_USAGE : 1;
	if (request.help)
		config_help(stdout);
	else if (request.check)
		config_print(&config, stdout);
	else
		status = run(argc - 1, argv + 1, &config);
	config_release(&config);
	return status;
}
