#include "spargio/sched/idle_spin.h"

#include <spargio/time.h>

#define SPIN_FIRST_NS (20 * SP_US)
#define SPIN_MAX_NS   (50 * SP_US)
#define SPIN_MIN_NS   (2 * SP_US)
#define NEAR_NS	      (200 * SP_US) /* a wait that a spin may have caught */
#define PROBE_MIN     4
#define PROBE_MAX     256
#define REPLY_NS      (400 * SP_US) /* waking a thread, and its answer */
#define REPLY_MAX     256

void sp__idle_spin_init(struct sp__idle_spin *spin, bool may_spin)
{
	*spin = (struct sp__idle_spin){
		.ns = may_spin ? SPIN_FIRST_NS : 0,
		.probe_every = 1,
		.reply_every = 1,
	};
}

/*
 * Two shards that wait for each other and both sleep see waits that are mostly
 * the other one's waking up. No spin that is shorter catches the answer, so
 * both go on sleeping for ever. The shard that has just woken the other one
 * therefore spins for as long as waking up takes. One answer caught this way is
 * enough: the other shard, which then spins, too, gets the next request at
 * once. Where no answer comes such spins are in vain, and made ever more
 * rarely: one of REPLY_NS in REPLY_MAX wake-ups costs about as much as sending
 * these.
 */
int64_t sp__idle_spin_begin(struct sp__idle_spin *spin, bool sent_wakeup)
{
	if (spin->ns == 0 || !sent_wakeup ||
	    ++spin->unanswered < spin->reply_every)
		return spin->ns;
	spin->unanswered = 0;
	if (spin->reply_every < REPLY_MAX)
		spin->reply_every *= 2;
	return REPLY_NS;
}

/*
 * Spin on while it pays, shrink the spin when it was in vain. After some waits
 * that were not much longer than a spin try a full one all the same, ever more
 * rarely while that does not pay.
 */
void sp__idle_spin_end(struct sp__idle_spin *spin, int64_t waited, bool slept)
{
	if (spin->ns == 0)
		return;
	if (!slept) {
		spin->ns = SPIN_MAX_NS;
		spin->probe_every = PROBE_MIN;
		if (waited <= SPIN_MAX_NS) {
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
