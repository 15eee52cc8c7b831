#include "spargio/io/placement.h"
#include "spargio/io/op.h"
#include "spargio/io/sys.h"
#include "spargio/sched/current.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/visit.h"

#include <spargio/op.h>
#include <spargio/placement.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

/* Time for which an idle stream stays on the shard of its last operation. */
#define RECENT_MS 10

/*
 * How many more operations a preferred shard may have than the least loaded
 * one. Moving a fiber and waking a shard cost as much as a few operations.
 */
#define SLACK 8

/* Leases */

/* The lowest bits of the upper two fields; see placement.h. */
#define SHARD_UNIT    (UINT64_C(1) << 48)
#define INFLIGHT_UNIT (UINT64_C(1) << 32)

int sp__leases_new(struct sp__leases **out)
{
	*out = calloc(1, sizeof(**out));
	return *out == NULL ? -ENOMEM : 0;
}

void sp__leases_free(struct sp__leases *leases)
{
	if (leases == NULL)
		return;
	for (int i = 0; i < SP__LEASES_PIECES; i++)
		free(atomic_load(&leases->pieces[i]));
	free(leases);
}

/* The lease word of @fd, made if @make is set; NULL if there is none. */
static _Atomic uint64_t *word_of(struct sp__leases *leases, int fd, bool make)
{
	_Atomic uint64_t *piece, *none = NULL;
	int i;

	if (fd >= SP__SIM_FD_BASE)
		fd -= SP__SIM_FD_BASE;
	i = fd / SP__LEASES_PIECE;
	if (fd < 0 || i >= SP__LEASES_PIECES)
		return NULL;
	/*
	 * Pairs with the compare-and-swap below: if the pointer is visible, the
	 * content of the piece is, too.
	 */
	piece = atomic_load_explicit(&leases->pieces[i], memory_order_acquire);
	if (piece == NULL && make) {
		piece = calloc(SP__LEASES_PIECE, sizeof(*piece));
		if (piece == NULL)
			return NULL;
		if (!atomic_compare_exchange_strong(&leases->pieces[i], &none,
						    piece)) {
			free((void *)piece);
			piece = none; /* another thread was faster */
		}
	}
	return piece == NULL ? NULL : &piece[fd % SP__LEASES_PIECE];
}

static uint32_t now_ms(void)
{
	/* Never 0, because 0 means "never dropped". */
	return (uint32_t)(sp_now() / SP_MS) | 1;
}

static uint32_t holder_of(uint64_t word)
{
	return (uint32_t)(word / SHARD_UNIT);
}

static uint32_t inflight_of(uint64_t word)
{
	return (uint32_t)(word / INFLIGHT_UNIT) & 0xffff;
}

static bool is_held(uint64_t word, uint32_t ms)
{
	uint32_t dropped = (uint32_t)word;

	return inflight_of(word) != 0 ||
	       (dropped != 0 && (int32_t)(ms - dropped) <= RECENT_MS);
}

static uint64_t pack_lease(uint32_t shard, uint32_t inflight, uint32_t dropped)
{
	return shard * SHARD_UNIT + inflight * INFLIGHT_UNIT + dropped;
}

/* Choosing */

static uint32_t pending_ops(const struct sp_rt *rt, uint32_t shard)
{
	return atomic_load_explicit(&rt->shards[shard].counts.pending_ops,
				    memory_order_relaxed);
}

static uint32_t choose_shard(struct sp_rt *rt, uint32_t prefer)
{
	uint32_t first = atomic_fetch_add_explicit(&rt->leases->turn, 1,
						   memory_order_relaxed);
	uint32_t best = first % rt->nshards;
	uint32_t least = pending_ops(rt, best);

	for (uint32_t i = 1; i < rt->nshards; i++) {
		uint32_t shard = (first + i) % rt->nshards;
		uint32_t n = pending_ops(rt, shard);

		if (n < least) {
			best = shard;
			least = n;
		}
	}
	if (prefer != SP_NO_SHARD && pending_ops(rt, prefer) <= least + SLACK)
		return prefer;
	return best;
}

static int lease_take(struct sp_rt *rt, const struct sp_placement *how)
{
	_Atomic uint64_t *word;
	uint64_t old, new;
	uint32_t shard, ms;

	if (how->prefer != SP_NO_SHARD && how->prefer >= rt->nshards)
		return -EINVAL;
	shard = choose_shard(rt, how->prefer);
	if (how->lease == SP_LEASE_WEAK)
		return (int)shard;
	word = word_of(rt->leases, how->fd, true);
	if (word == NULL)
		return how->fd < 0 ? -EBADF : -ENOMEM;
	ms = now_ms();
	old = atomic_load_explicit(word, memory_order_relaxed);
	do {
		uint32_t n = inflight_of(old);

		if (is_held(old, ms))
			shard = holder_of(old);
		/*
		 * A count of 0xffff is not incremented; after the drops it is
		 * then too low, and the lease ends early.
		 */
		new = pack_lease(shard, n < 0xffff ? n + 1 : n, 0);
	} while (!atomic_compare_exchange_weak(word, &old, new));
	return (int)shard;
}

int sp_lease_take(struct sp_rt *rt, const struct sp_placement *how)
{
	int ret;

	rt = sp__runtime_or_own(rt);
	if (rt == NULL)
		return -EPERM;
	ret = sp__visit_begin(rt);
	if (ret < 0)
		return ret;
	ret = lease_take(rt, how);
	sp__visit_end(rt);
	return ret;
}

static void lease_drop(struct sp_rt *rt, const struct sp_placement *how)
{
	_Atomic uint64_t *word;
	uint64_t old, new;
	/*
	 * After the last drop a hard lease ends immediately, a strong lease
	 * after RECENT_MS; so store the time for the latter.
	 */
	uint32_t ms = how->lease == SP_LEASE_HARD ? 0 : now_ms();

	word = word_of(rt->leases, how->fd, false);
	if (word == NULL)
		return;
	old = atomic_load_explicit(word, memory_order_relaxed);
	do {
		uint32_t n = inflight_of(old);

		if (n == 0)
			return;
		new = pack_lease(holder_of(old), n - 1, n == 1 ? ms : 0);
	} while (!atomic_compare_exchange_weak(word, &old, new));
}

void sp_lease_drop(struct sp_rt *rt, const struct sp_placement *how)
{
	rt = sp__runtime_or_own(rt);
	if (rt == NULL || how->lease == SP_LEASE_WEAK ||
	    sp__visit_begin(rt) < 0)
		return;
	lease_drop(rt, how);
	sp__visit_end(rt);
}

uint32_t sp_lease_shard(struct sp_rt *rt, int fd)
{
	uint32_t shard = SP_NO_SHARD;
	_Atomic uint64_t *word;

	rt = sp__runtime_or_own(rt);
	if (rt == NULL || sp__visit_begin(rt) < 0)
		return SP_NO_SHARD;
	word = word_of(rt->leases, fd, false);
	if (word != NULL) {
		uint64_t value =
			atomic_load_explicit(word, memory_order_relaxed);

		if (is_held(value, now_ms()))
			shard = holder_of(value);
	}
	sp__visit_end(rt);
	return shard;
}

/* Operations */

static int count_refused(struct sp_rt *rt, int err)
{
	struct sp_shard *here = sp__shard_self();

	if (here != NULL && here->rt == rt) {
		sp__count(&here->counts.refused_ops, 1);
	} else if (sp__visit_begin(rt) == 0) {
		atomic_fetch_add(&rt->leases->refused, 1);
		sp__visit_end(rt);
	}
	return err;
}

/* An operation requested by a thread that is not a shard of this runtime. */
struct request {
	void (*fill)(struct io_uring_sqe *sqe, void *arg);
	void *arg;
	int64_t deadline;
	uint32_t *flags;
	int res;
};

static int request_main(void *arg)
{
	struct request *r = arg;

	sp__count(&sp__shard_self()->counts.remote_ops, 1);
	r->res = sp__op_raw(r->fill, r->arg, r->deadline, r->flags);
	return 0;
}

/* Run the request in a fiber on @shard. */
static int run_request(struct sp_rt *rt, uint32_t shard, struct request *r)
{
	int err = sp_call_on(rt, shard, request_main, r, NULL);

	/*
	 * These errors mean that the caller is a cancelled fiber of another
	 * runtime; the operation was completed nevertheless.
	 */
	if (err == -ECANCELED || err == -ETIMEDOUT)
		return r->res;
	return err < 0 ? count_refused(rt, err) : r->res;
}

int sp_place_op(struct sp_rt *rt, const struct sp_placement *how,
		void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
		int64_t deadline, uint32_t *flags)
{
	struct request r = { fill, arg, deadline, flags, -ECANCELED };
	struct sp_fiber *self = sp__fiber_self();
	int shard, res;

	rt = sp__runtime_or_own(rt);
	if (rt == NULL)
		return -EPERM;
	shard = sp_lease_take(rt, how);
	if (shard < 0)
		return count_refused(rt, shard);
	if (self == NULL || self->shard->rt != rt)
		res = run_request(rt, (uint32_t)shard, &r);
	else
		res = sp_op_raw_on((uint32_t)shard, fill, arg, deadline, flags);
	sp_lease_drop(rt, how);
	return res;
}
