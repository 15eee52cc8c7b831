#include "cli/bmp_senders.h"

#include "cli/xalloc.h"

#include <spargio/fiber.h>
#include <spargio/group.h>
#include <spargio/runtime.h>
#include <spargio/signal.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define SHOW_EVERY (100 * SP_MS)

struct runner {
	struct sessions *sessions;
	struct sp_signals *signals;
};

struct one {
	struct sessions *sessions;
	uint32_t index;
};

static int run_one(void *arg)
{
	struct one *one = arg;

	one->sessions->run(one->sessions->ctx, one->index);
	return 0;
}

static int show_often(void *arg)
{
	struct sessions *s = arg;

	while (sp_sleep(SHOW_EVERY) == 0)
		s->show(s->ctx);
	return 0;
}

static int heed_signals(void *arg)
{
	struct runner *runner = arg;
	struct sp_signal signal;

	if (sp_signals_wait(runner->signals, &signal) < 0)
		return 0;
	runner->sessions->stop = true;
	if (sp_signals_wait(runner->signals, &signal) < 0)
		return 0;
	progress_clear(&runner->sessions->progress);
	_exit(128 + signal.number);
}

static int run_all(void *arg)
{
	struct runner *runner = arg;
	struct sessions *s = runner->sessions;
	struct one *all = memory_must(calloc(s->count, sizeof(*all)));
	struct sp_group *group = NULL;
	int err = sp_group_new(&group);

	(void)sp_go(heed_signals, runner, NULL);
	if (s->progress.watched)
		(void)sp_go(show_often, s, NULL);
	for (uint32_t i = 0; i < s->count && err == 0; i++) {
		all[i] = (struct one){ s, i };
		/* The queue of new fibers is full: let some of them run. */
		while ((err = sp_group_go(group, run_one, &all[i])) == -EAGAIN)
			sp_yield();
	}
	if (err == 0)
		err = sp_group_wait(group);
	sp_group_free(group);
	free(all);
	return err;
}

int sessions_run(struct sessions *s)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct runner runner = { .sessions = s };
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	err = sp_signals_new(&set, &runner.signals);
	progress_init(&s->progress);
	opts.shards = 1;
	if (err == 0)
		err = sp_run(&opts, run_all, &runner);
	progress_clear(&s->progress);
	sp_signals_free(runner.signals);
	if (err < 0)
		fprintf(stderr, "arancini %s: cannot run: %s\n", s->command,
			strerror(-err));
	if (s->failed > 1)
		fprintf(stderr, "arancini %s: %u of %u sessions failed\n",
			s->command, s->failed, s->count);
	return err < 0 || s->failed > 0 ? EXIT_FAILURE : 0;
}

void sessions_complain(struct sessions *s, uint32_t index, const char *format,
		       ...)
{
	va_list args;

	if (s->failed++ > 0)
		return;
	progress_clear(&s->progress);
	fprintf(stderr, "arancini %s: router %u: ", s->command, index + 1);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
