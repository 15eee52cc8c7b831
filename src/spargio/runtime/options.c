#include "spargio/runtime/options.h"
#include "spargio/sched/runq.h"
#include "spargio/sched/stack.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS_MAX 1024
/* Limits of the kernel, or of useful values. */
#define RECV_BUFFERS_MAX 32768
#define RECV_SIZE_MIN	 64
#define RECV_SIZE_MAX	 (16 * 1024 * 1024)
#define STEAL_BATCH_MAX	 (SP__RUNQ_SIZE / 2)

uint32_t sp__cpus_available(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	return (uint32_t)CPU_COUNT(&set);
}

static uint32_t or_default(uint32_t value, uint32_t fallback)
{
	return value == 0 ? fallback : value;
}

static uint32_t power_of_two(uint32_t value)
{
	uint32_t p = 1;

	while (p < value && p < UINT32_C(1) << 31)
		p <<= 1;
	return p;
}

/* The value of a variable; NULL if it is not set or empty. */
static const char *environment_value(const char *name)
{
	const char *value = getenv(name);

	return value == NULL || *value == '\0' ? NULL : value;
}

static int backend_parse(const char *text, enum sp_backend *out)
{
	static const char *const names[] = {
		[SP_BACKEND_AUTO] = "auto",
		[SP_BACKEND_URING] = "uring",
		[SP_BACKEND_EPOLL] = "epoll",
		[SP_BACKEND_SIM] = "sim",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			*out = (enum sp_backend)i;
			return 0;
		}
	}
	return -EINVAL;
}

/*
 * A simulation must not depend on the machine. So do not use the number of
 * CPUs, the watchdog thread, or the signal stack of the thread.
 */
static void simulated_defaults(struct sp_opts *o)
{
	o->shards = or_default(o->shards, 2);
	o->spin_us = 0;
	o->affinity = NULL;
	o->no_overflow_handler = true;
	o->watchdog_ms = 0;
}

static int spin_parse(const char *text, int32_t *out)
{
	char *end;
	long value;

	/*
	 * For a number that does not fit into a long, strtol() returns
	 * LONG_MIN or LONG_MAX, which are refused below.
	 */
	value = strtol(text, &end, 10);
	if (end == text || *end != '\0' || value > INT32_MAX ||
	    value < SP_SPIN_ADAPTIVE)
		return -EINVAL;
	*out = (int32_t)value;
	return 0;
}

/*
 * A misspelt value returns -EINVAL, so that it cannot silently choose another
 * back end.
 */
static int read_environment(struct sp_opts *o)
{
	const char *backend = environment_value("SP_BACKEND");
	const char *spin = environment_value("SP_SPIN");
	int err = 0;

	if (backend != NULL)
		err = backend_parse(backend, &o->backend);
	if (err == 0 && spin != NULL)
		err = spin_parse(spin, &o->spin_us);
	return err;
}

int sp__options_fill(const struct sp_opts *given, struct sp_opts *o)
{
	int err;

	*o = given == NULL ? SP_OPTS_INIT : *given;
	/*
	 * The environment does not apply to the runtime of a simulated host.
	 */
	err = o->backend == SP_BACKEND_SIM ? 0 : read_environment(o);
	if (err < 0)
		return err;
	if (o->backend == SP_BACKEND_SIM)
		simulated_defaults(o);
	o->shards = or_default(o->shards, sp__cpus_available());
	o->ring_entries = or_default(o->ring_entries, 256);
	o->cq_entries = or_default(o->cq_entries, 8 * o->ring_entries);
	o->mailbox_capacity =
		power_of_two(or_default(o->mailbox_capacity, 4096));
	o->stealable_capacity = or_default(o->stealable_capacity, 4096);
	o->steal_budget = or_default(o->steal_budget, o->shards);
	o->steal_stride = or_default(o->steal_stride, 1);
	o->steal_batch = or_default(o->steal_batch, STEAL_BATCH_MAX);
	o->steal_locality = or_default(o->steal_locality, 2);
	o->steal_delay_us = or_default(o->steal_delay_us, 20);
	o->stack_size = o->stack_size == 0 ? 65536 : o->stack_size;
	o->pool_threads = or_default(o->pool_threads, 4);
	o->pool_queue = or_default(o->pool_queue, 1024);
	o->recv_buffers = power_of_two(or_default(o->recv_buffers, 256));
	o->recv_buffer_size = or_default(o->recv_buffer_size, 16384);
	o->counted_wake = o->counted_wake == 0 ? 1 : o->counted_wake;
	if (o->shards > SHARDS_MAX || o->spin_us < SP_SPIN_ADAPTIVE ||
	    sp__stack_class(o->stack_size) < 0 || o->recv_buffers < 2 ||
	    o->recv_buffers > RECV_BUFFERS_MAX ||
	    o->steal_batch > STEAL_BATCH_MAX ||
	    o->recv_buffer_size < RECV_SIZE_MIN ||
	    o->recv_buffer_size > RECV_SIZE_MAX)
		return -EINVAL;
	return 0;
}

bool sp__options_simulated(const struct sp_opts *given)
{
	struct sp_opts o;

	return sp__options_fill(given, &o) == 0 && o.backend == SP_BACKEND_SIM;
}
