#include "spargio/sched/stack_overflow.h"
#include "spargio/sched/current.h"
#include "spargio/sched/runtime.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SP_ASAN

/* ASan has a handler and a report of its own. */
void sp__stack_overflow_watch_begin(struct sp_shard *shard)
{
	(void)shard;
}

void sp__stack_overflow_watch_end(struct sp_shard *shard)
{
	(void)shard;
}

#else

#define SIGNAL_STACK 16384

/*
 * What the process did with SIGSEGV before us. A signal handler is the
 * process's and not a runtime's, so this is the one thing runtimes share.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;

static void write_stderr(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
}

static void report_overflow(const struct sp_fiber *f)
{
	const char *name = atomic_load_explicit(&f->name, memory_order_relaxed);

	write_stderr("spargio: fiber '");
	write_stderr(name == NULL ? "unnamed" : name);
	write_stderr(
		"' overran its stack; give it more with sp_attr.stack_size\n");
}

static void call_previous_handler(int sig, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(sig, info, context);
	} else if (before.sa_handler != SIG_DFL &&
		   before.sa_handler != SIG_IGN) {
		before.sa_handler(sig);
	} else {
		/* Returning faults again, and then it is fatal. */
		signal(sig, SIG_DFL);
	}
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct sp_shard *shard = sp__shard_self();
	struct sp__slot *slot = NULL;

	if (shard != NULL)
		slot = sp__stack_guard_owner(&shard->rt->stacks, info->si_addr);
	if (slot != NULL)
		report_overflow((struct sp_fiber *)(void *)slot);
	call_previous_handler(sig, info, context);
}

static void install_handler(void)
{
	struct sigaction action = {
		.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO | SA_ONSTACK,
	};

	struct sigaction now;

	sigemptyset(&action.sa_mask);
	pthread_mutex_lock(&lock);
	/* The host may have put another in our place since the last time. */
	if (sigaction(SIGSEGV, NULL, &now) == 0 &&
	    now.sa_sigaction != on_fault) {
		before = now;
		sigaction(SIGSEGV, &action, NULL);
	}
	pthread_mutex_unlock(&lock);
}

void sp__stack_overflow_watch_begin(struct sp_shard *shard)
{
	stack_t stack = { .ss_size = SIGNAL_STACK };
	stack_t old;

	install_handler();
	/* The host may have one already: it will do. */
	if (sigaltstack(NULL, &old) < 0 || !(old.ss_flags & SS_DISABLE))
		return;
	shard->signal_stack = malloc(SIGNAL_STACK);
	if (shard->signal_stack == NULL)
		return;
	stack.ss_sp = shard->signal_stack;
	sigaltstack(&stack, NULL);
}

void sp__stack_overflow_watch_end(struct sp_shard *shard)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	if (shard->signal_stack == NULL)
		return;
	sigaltstack(&none, NULL);
	free(shard->signal_stack);
	shard->signal_stack = NULL;
}

#endif
