#include "spargio/sched/idle_spin.h"

#include <spargio/time.h>

#define SPIN_FIRST_NS (20 * SP_US)
#define SPIN_MAX_NS   (50 * SP_US)
#define SPIN_MIN_NS   (2 * SP_US)
/* a wait short enough that a spin might have caught the work */
#define NEAR_NS	  (200 * SP_US)
#define PROBE_MIN 4
#define PROBE_MAX 256
/* time to wake a thread and get its reply */
#define REPLY_NS  (400 * SP_US)
#define REPLY_MAX 256
/* time in which a woken thread starts, if a CPU is free for it */
#define START_NS (60 * SP_US)
/*
 * wake-ups before the next long spin if the thread did not start in START_NS
 */
#define START_SKIP 64

void sp__idle_spin_init(struct sp__idle_spin *spin, bool may_spin)
{
	*spin = (struct sp__idle_spin){
		.ns = may_spin ? SPIN_FIRST_NS : 0,
		.probe_every = 1,
		.reply_every = 1,
		.start_ns = START_NS,
	};
}

/*
 * When two shards wait for each other and both sleep, each of them waits
 * mostly for the wake-up of the other one. If the spin is shorter than a
 * wake-up, it ends before the reply, and both shards keep sleeping. So a shard
 * that has just woken another one spins for as long as a wake-up takes. One
 * reply during such a long spin is enough: the other shard then spins, too,
 * and sees the next request immediately. If no reply comes, long spins become
 * rarer, down to one of REPLY_NS per REPLY_MAX wake-ups, which costs about as
 * much as sending these wake-ups.
 */
int64_t sp__idle_spin_begin(struct sp__idle_spin *spin, bool sent_wakeup)
{
	spin->for_reply = spin->ns != 0 && sent_wakeup &&
			  ++spin->unanswered >= spin->reply_every;
	if (!spin->for_reply)
		return spin->ns;
	spin->unanswered = 0;
	if (spin->reply_every < REPLY_MAX)
		spin->reply_every *= 2;
	return REPLY_NS;
}

/*
 * If the woken thread has not started after start_ns, there are two possible
 * reasons. If all CPUs are busy, it cannot start before this thread sleeps, so
 * spinning is in vain. But some machines need longer than START_NS to wake a
 * thread although a CPU is free. To tell these cases apart, the next long
 * spin, after START_SKIP wake-ups, is not ended early: if it gets the reply, a
 * CPU was free.
 */
bool sp__idle_spin_is_vain(struct sp__idle_spin *spin, int64_t spun,
			   bool started)
{
	if (!spin->for_reply || started || spin->contended ||
	    spun < spin->start_ns)
		return false;
	spin->contended = true;
	if (spin->reply_every < START_SKIP)
		spin->reply_every = START_SKIP;
	return true;
}

/*
 * Adapt the length of the next spin: full after a spin that found work,
 * shorter after one that did not. After some waits that were only a little
 * longer than a spin, try a full spin; try it ever more rarely while it finds
 * no work.
 */
void sp__idle_spin_end(struct sp__idle_spin *spin, int64_t waited, bool slept)
{
	if (spin->ns == 0)
		return;
	if (!slept) {
		spin->ns = SPIN_MAX_NS;
		spin->probe_every = PROBE_MIN;
		if (spin->for_reply) {
			spin->contended = false;
			spin->start_ns =
				waited > START_NS ? REPLY_NS : START_NS;
		}
		if (waited <= SPIN_MAX_NS && !spin->contended) {
			spin->unanswered = 0;
			spin->reply_every = 1;
		}
		return;
	}
	spin->ns = spin->ns * 3 / 4;
	if (spin->ns < SPIN_MIN_NS)
		spin->ns = SPIN_MIN_NS;
	if (waited > NEAR_NS || ++spin->near_misses < spin->probe_every)
		return;
	spin->near_misses = 0;
	spin->ns = SPIN_MAX_NS;
	if (spin->probe_every < PROBE_MAX)
		spin->probe_every *= 2;
}
