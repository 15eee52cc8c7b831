#include "spargio/sched/stack_overflow.h"
#include "spargio/sched/current.h"
#include "spargio/sched/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SP_ASAN

/* With ASan no handler is installed: ASan has its own handler and report. */
void sp__stack_overflow_watch_begin(struct sp_shard *shard)
{
	(void)shard;
}

void sp__stack_overflow_watch_end(struct sp_shard *shard)
{
	(void)shard;
}

#else

/*
 * Size of the signal stack. Our handler calls the program's handler on it,
 * which may have been written for the stack of a thread.
 */
#define SIGNAL_STACK 65536

/*
 * Signal handlers belong to the process, so all runtimes share these
 * variables, such as the previous action for SIGSEGV. The lock protects
 * changes; the handler only reads.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;
static uint32_t shards_watched;
static bool installed;

/* A line of text that is built with async-signal-safe code only. */
struct line {
	char text[256];
	size_t len;
};

static void line_add(struct line *line, const char *text)
{
	while (*text != '\0' && line->len < sizeof(line->text) - 1)
		line->text[line->len++] = *text++;
}

static void line_add_number(struct line *line, uint64_t value, uint32_t base)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	line_add(line, digits + at);
}

static void line_add_fiber(struct line *line, const struct sp_fiber *f)
{
	const char *name = atomic_load_explicit(&f->name, memory_order_relaxed);

	/* Write the id in hex, as in sp_dump(). */
	line_add_number(line,
			atomic_load_explicit(&f->id, memory_order_relaxed), 16);
	line_add(line, " '");
	line_add(line, name == NULL ? "-" : name);
	line_add(line, "'");
}

static void line_write(struct line *line)
{
	line->text[line->len] = '\n';
	(void)!write(STDERR_FILENO, line->text, line->len + 1);
}

/*
 * Write to standard error that @running touched the guard of the stack of
 * @owner.
 */
static void report_overflow(const struct sp_fiber *running,
			    const struct sp_fiber *owner)
{
	const char *top = (const char *)owner;
	struct line line = { .len = 0 };

	line_add(&line, "spargio: fiber ");
	if (running == NULL || running == owner) {
		line_add_fiber(&line, owner);
		line_add(&line, " overran its stack of ");
		line_add_number(&line, (uint64_t)(top - owner->slot.bottom),
				10);
		line_add(&line, " bytes; see sp_attr.stack_size");
	} else {
		/*
		 * A frame without stack probes has skipped the guard of its
		 * own stack, or the pointer is wrong.
		 */
		line_add_fiber(&line, running);
		line_add(&line, " touched the guard of the stack of fiber ");
		line_add_fiber(&line, owner);
	}
	line_write(&line);
}

static void take_default_action(int sig, const siginfo_t *info)
{
	bool is_sent = info->si_code <= 0; /* by kill(2), sigqueue(3), ... */

	if (is_sent && before.sa_handler == SIG_IGN)
		return;
	signal(sig, SIG_DFL);
	/* After the return a fault occurs again, with the same address. */
	if (is_sent)
		(void)raise(sig);
}

static void call_previous_handler(int sig, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(sig, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(sig);
	else
		take_default_action(sig, info);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct sp_shard *shard = sp__shard_self();
	struct sp__slot *slot = NULL;
	int error = errno;

	if (shard != NULL && info->si_code > 0)
		slot = sp__stack_guard_owner(&shard->rt->stacks, info->si_addr);
	if (slot != NULL)
		report_overflow(shard->current,
				(struct sp_fiber *)(void *)slot);
	errno = error;
	call_previous_handler(sig, info, context);
}

static bool is_action(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO ||
	       (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/* The lock is held. */
static void install_handler(void)
{
	const int flags_kept = SA_NODEFER | (int)SA_RESETHAND | SA_RESTART;
	struct sigaction action = { .sa_sigaction = on_fault };
	struct sigaction now;

	if (sigaction(SIGSEGV, NULL, &now) < 0 || now.sa_sigaction == on_fault)
		return;
	/*
	 * The program has replaced our handler, and its handler may call ours.
	 * If we installed ours again, the two would call each other forever.
	 */
	if (installed && is_action(&now))
		return;
	before = now;
	/*
	 * The previous handler must be called with its signal mask and flags,
	 * so take them over.
	 */
	action.sa_mask = before.sa_mask;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	if (is_action(&before))
		action.sa_flags |= before.sa_flags & flags_kept;
	installed = sigaction(SIGSEGV, &action, NULL) == 0;
}

/* The lock is held. */
static void remove_handler(void)
{
	struct sigaction now;

	if (!installed || sigaction(SIGSEGV, NULL, &now) < 0 ||
	    now.sa_sigaction != on_fault)
		return;
	installed = sigaction(SIGSEGV, &before, NULL) < 0;
}

static void signal_stack_begin(struct sp_shard *shard)
{
	stack_t stack = { .ss_size = SIGNAL_STACK };
	stack_t old;

	/* The program may have an alternate stack already: use that. */
	if (sigaltstack(NULL, &old) < 0 || !(old.ss_flags & SS_DISABLE))
		return;
#ifdef _SC_MINSIGSTKSZ
	/* On large CPUs the saved registers alone take more than 10 KiB. */
	stack.ss_size += (size_t)sysconf(_SC_MINSIGSTKSZ);
#endif
	shard->signal_stack = malloc(stack.ss_size);
	if (shard->signal_stack == NULL)
		return;
	stack.ss_sp = shard->signal_stack;
	sigaltstack(&stack, NULL);
}

static void signal_stack_end(struct sp_shard *shard)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	if (shard->signal_stack == NULL)
		return;
	sigaltstack(&none, NULL);
	free(shard->signal_stack);
	shard->signal_stack = NULL;
}

void sp__stack_overflow_watch_begin(struct sp_shard *shard)
{
	if (shard->rt->opts.no_overflow_handler)
		return;
	signal_stack_begin(shard);
	pthread_mutex_lock(&lock);
	shards_watched++;
	install_handler();
	pthread_mutex_unlock(&lock);
}

void sp__stack_overflow_watch_end(struct sp_shard *shard)
{
	if (shard->rt->opts.no_overflow_handler)
		return;
	pthread_mutex_lock(&lock);
	if (--shards_watched == 0)
		remove_handler();
	pthread_mutex_unlock(&lock);
	signal_stack_end(shard);
}

#endif
