/*
 * arancini run - the collector
 *
 * The calling thread starts the collector and then waits for signals:
 *
 *	SIGTERM, SIGINT		drain and exit; the second one exits at once,
 *				and so does the first one during the start:
 *				startup_signals.h
 *	SIGHUP			read the configuration again
 */
#include "cli/command.h"

#include "collector/collector.h"
#include "collector/confine.h"
#include "collector/config/help.h"
#include "collector/config/config.h"
#include "collector/config/errors.h"
#include "collector/config/loader.h"
#include "collector/config/print.h"
#include "collector/base/log.h"
#include "collector/base/sd_notify.h"
#include "collector/reload.h"
#include "cli/startup_banner.h"
#include "cli/startup_signals.h"

#include <spargio/time.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Number of checks per heartbeat interval while a shard is stuck. */
#define RETRIES 8

static void print_mistakes(const struct config_errors *m)
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

/* Block the signals that the main thread waits for, *@set, and SIGPIPE. */
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

/* Let SIGTERM or SIGINT end the process immediately from now on. */
static void die_on_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/*
 * Notify the service manager that we are alive, if all shards make progress.
 * Returns the time of the next call. If a shard is stuck, the next check is
 * soon: so the manager restarts us only if the shard is stuck for its whole
 * time limit, not for half of it.
 */
static int64_t send_heartbeat(struct collector *c,
			      const struct sd_notify *notify)
{
	if (!collector_is_alive(c))
		return sp_in(notify->watchdog_ns / RETRIES);
	sd_notify_alive(notify);
	return sp_in(notify->watchdog_ns);
}

/* Wait for a signal, sending heartbeats when they are due. */
static int wait_for_signal(struct collector *c, const sigset_t *set,
			   const struct sd_notify *notify, int64_t *next_beat)
{
	int number = 0;

	while (number <= 0) {
		int64_t left = *next_beat - sp_now();
		struct timespec wait = { left / SP_S, left % SP_S };

		if (notify->watchdog_ns == 0)
			number = sigwaitinfo(set, NULL);
		else if (left <= 0)
			*next_beat = send_heartbeat(c, notify);
		else
			number = sigtimedwait(set, NULL, &wait);
	}
	return number;
}

static int wait_for_end(struct collector *c, struct reload *reload,
			struct log *log, const sigset_t *set,
			const struct sd_notify *notify)
{
	int64_t next_beat = sp_now();
	int number;

	while ((number = wait_for_signal(c, set, notify, &next_beat)) ==
	       SIGHUP) {
		sd_notify_reloading(notify, sp_now());
		reload_run(reload, c, log);
		/*
		 * Also report readiness after a failed reload: the collector
		 * continues with the previous configuration.
		 */
		sd_notify_ready(notify);
	}
	return number;
}

static void log_event(struct log *log, enum log_level level, const char *event)
{
	struct log_line line;

	if (log_begin(log, level, event, &line))
		log_end(&line);
}

/*
 * Free the memory only for the leak sanitizer, which reports memory that
 * nothing points to.
 */
static enum collector_memory memory_at_exit(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return COLLECTOR_MEMORY_FREE;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
	return COLLECTOR_MEMORY_FREE;
#endif
#endif
	return COLLECTOR_MEMORY_LEAVE;
}

static int run_collector(struct reload *reload, struct log *log,
			 const struct sd_notify *notify,
			 const struct confined_process *process,
			 const sigset_t *set)
{
	struct collector *c;
	struct quit quit;
	int err;

	quit_watch(&quit, log);
	sd_notify_status(notify, "Restoring the state");
	err = collector_start(reload->config, log, process, &c);
	quit_unwatch(&quit);
	if (err < 0)
		return EXIT_FAILURE;
	sd_notify_status(notify, "Collecting");
	sd_notify_ready(notify);
	if (isatty(STDERR_FILENO))
		greeting_print(c, reload->config, stderr);
	wait_for_end(c, reload, log, set, notify);
	sd_notify_stopping(notify);
	sd_notify_status(notify, "Publishing what was received, then exit");
	log_event(log, LOG_LEVEL_INFO, "stopping");
	die_on_signal();
	err = collector_stop(c, sp_in(reload->config->listen.drain_timeout),
			     memory_at_exit());
	if (err == -EBUSY) {
		/*
		 * The HTTP threads of the collector use the configuration and
		 * the log until the process exits.
		 */
		log_event(log, LOG_LEVEL_INFO, "stopped");
		_exit(EXIT_FAILURE);
	}
	log_event(log, err < 0 ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO,
		  err < 0 ? "shutdown_incomplete" : "stopped");
	return err < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run_configured(int argc, char **argv, const struct config *config)
{
	struct confined_process process;
	struct reload reload;
	struct sd_notify notify;
	struct log log;
	sigset_t set;
	int code = EXIT_FAILURE;

	block_signals(&set);
	log_init(&log, STDERR_FILENO, (enum log_format)config->log.format,
		 (enum log_level)config->log.level);
	sd_notify_open(&notify, getenv("NOTIFY_SOCKET"),
		       getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"));
	reload_init(&reload, argc, argv, environ, config);
	/*
	 * No other thread has started yet: threads inherit the restrictions of
	 * their creator.
	 */
	if (confine_process(config, &log, &process) == 0) {
		code = run_collector(&reload, &log, &notify, &process, &set);
		confine_release(&process);
	}
	reload_fini(&reload);
	sd_notify_close(&notify);
	log_fini(&log);
	return code;
}

int run_main(int argc, char **argv)
{
	struct config_errors errors = CONFIG_ERRORS_INIT;
	struct config_request request;
	struct config config;
	int status = 0;
	int err = config_load(argc - 1, argv + 1, environ, &errors, &request,
			      &config);

	print_mistakes(&errors);
	config_errors_release(&errors);
	if (err < 0)
		return err == -EINVAL ? EXIT_USAGE : 1;
	if (request.help)
		config_help(stdout);
	else if (request.check)
		config_print(&config, stdout);
	else
		status = run_configured(argc - 1, argv + 1, &config);
	config_release(&config);
	return status;
}
