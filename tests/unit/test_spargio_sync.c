#include "waiting.h"

#include <spargio/sync.h>

#include <errno.h>
#include <string.h>

/* Fibers 0 and 2 are pinned to shard 0, 1 and 3 to shard 1 (or also 0). */
#define FIBERS 4

struct crew {
	struct sp_task task[FIBERS];
};

static void crew_start(struct crew *crew, int (*fn)(void *), void *arg)
{
	uint32_t shards = sp_shard_count(sp_runtime());

	for (uint32_t i = 0; i < FIBERS; i++)
		EXPECT_EQ(sp_go_on(NULL, i % shards, fn, arg, &crew->task[i]),
			  0);
}

static void crew_join(struct crew *crew)
{
	for (int i = 0; i < FIBERS; i++) {
		int ret = -1;

		EXPECT_EQ(sp_join(crew->task[i], &ret), 0);
		EXPECT_EQ(ret, 0);
	}
}

/* Wait until *@counter is @want: the others have come to where they wait. */
static void until(atomic_int *counter, int want)
{
	while (atomic_load(counter) != want)
		sp_yield();
}

/* Mutex */

#define ROUNDS 20000

static struct {
	struct sp_mutex mutex;
	long count; /* guarded; a plain variable on purpose */
	int inside;
	atomic_int started;
} shared;

static int lock_many_times(void *arg)
{
	int yields = (int)(intptr_t)arg;

	for (int i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(sp_mutex_lock(&shared.mutex), 0);
		EXPECT_EQ(shared.inside++, 0);
		shared.count++;
		if (yields && i % 64 == 0)
			sp_yield();
		EXPECT_EQ(--shared.inside, 0);
		EXPECT_EQ(sp_mutex_unlock(&shared.mutex), 0);
	}
	return 0;
}

static int exclusion_body(void *arg)
{
	struct crew crew;

	shared.count = 0;
	crew_start(&crew, lock_many_times, arg);
	crew_join(&crew);
	EXPECT_EQ(shared.count, FIBERS * ROUNDS);
	return 0;
}

static void test_mutex_excludes(void **state)
{
	(void)state;
	for (uint32_t shards = 1; shards <= 2; shards++) {
		run_on(shards, exclusion_body, (void *)0);
		run_on(shards, exclusion_body, (void *)1);
	}
}

static int stealable_exclusion_body(void *arg)
{
	struct sp_task task[FIBERS];

	shared.count = 0;
	for (int i = 0; i < FIBERS; i++)
		EXPECT_EQ(sp_go(lock_many_times, arg, &task[i]), 0);
	for (int i = 0; i < FIBERS; i++)
		EXPECT_EQ(sp_join(task[i], NULL), 0);
	EXPECT_EQ(shared.count, FIBERS * ROUNDS);
	return 0;
}

static void test_mutex_excludes_fibers_that_move(void **state)
{
	(void)state;
	run_on(2, stealable_exclusion_body, (void *)1);
}

static int mutex_misuse_body(void *arg)
{
	struct sp_mutex mutex = SP_MUTEX_INIT;

	(void)arg;
	EXPECT_EQ(sp_mutex_unlock(&mutex), -EPERM);
	EXPECT_EQ(sp_mutex_lock(&mutex), 0);
	EXPECT_EQ(sp_mutex_lock(&mutex), -EDEADLK);
	EXPECT_EQ(sp_mutex_trylock(&mutex), -EBUSY);
	EXPECT_EQ(sp_mutex_unlock(&mutex), 0);
	EXPECT_EQ(sp_mutex_trylock(&mutex), 0);
	EXPECT_EQ(sp_mutex_unlock(&mutex), 0);
	EXPECT_EQ(sp_mutex_unlock(&mutex), -EPERM);
	return 0;
}

static void test_mutex_misuse_is_an_error(void **state)
{
	struct sp_mutex mutex = SP_MUTEX_INIT;

	(void)state;
	run_on(1, mutex_misuse_body, NULL);
	assert_int_equal(sp_mutex_lock(&mutex), -EPERM);
	assert_int_equal(sp_mutex_trylock(&mutex), -EPERM);
	assert_int_equal(sp_mutex_unlock(&mutex), -EPERM);
}

static int unlock_others(void *arg)
{
	return sp_mutex_unlock(arg);
}

static int lock_until_soon(void *arg)
{
	return sp_mutex_lock_until(arg, sp_in(2 * SP_MS));
}

static int lock_it(void *arg)
{
	return sp_mutex_lock(arg);
}

static int mutex_give_up_body(void *arg)
{
	struct sp_mutex mutex = SP_MUTEX_INIT;
	uint32_t shard = sp_shard_count(sp_runtime()) - 1;
	struct sp_task task;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_mutex_lock(&mutex), 0);
	EXPECT_EQ(sp_call_on(NULL, shard, unlock_others, &mutex, &ret), 0);
	EXPECT_EQ(ret, -EPERM);
	EXPECT_EQ(sp_call_on(NULL, shard, lock_until_soon, &mutex, &ret), 0);
	EXPECT_EQ(ret, -ETIMEDOUT);
	EXPECT_EQ(sp_go_on(NULL, shard, lock_it, &mutex, &task), 0);
	until_waiting(sp_runtime(), "mutex", 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	/* Neither of them left anything behind. */
	EXPECT_EQ(sp_mutex_unlock(&mutex), 0);
	EXPECT_EQ(sp_mutex_lock(&mutex), 0);
	EXPECT_EQ(sp_mutex_unlock(&mutex), 0);
	return 0;
}

static void test_mutex_waiter_can_give_up(void **state)
{
	(void)state;
	run_on(1, mutex_give_up_body, NULL);
	run_on(2, mutex_give_up_body, NULL);
}

static atomic_bool enough;

/* Holds the lock whenever others run, and takes it back at once. */
static int block_shard(void *arg)
{
	(void)arg;
	while (!atomic_load(&enough)) {
		EXPECT_EQ(sp_mutex_lock(&shared.mutex), 0);
		sp_yield();
		EXPECT_EQ(sp_mutex_unlock(&shared.mutex), 0);
	}
	return 0;
}

static int fairness_body(void *arg)
{
	uint32_t shard = sp_shard_count(sp_runtime()) - 1;
	struct sp_task task;

	(void)arg;
	atomic_store(&enough, false);
	EXPECT_EQ(sp_go_on(NULL, shard, block_shard, NULL, &task), 0);
	for (int i = 0; i < 100; i++) {
		EXPECT_EQ(sp_mutex_lock(&shared.mutex), 0);
		EXPECT_EQ(sp_mutex_unlock(&shared.mutex), 0);
		sp_yield();
	}
	atomic_store(&enough, true);
	EXPECT_EQ(sp_join(task, NULL), 0);
	return 0;
}

static void test_mutex_is_not_kept_from_a_waiter(void **state)
{
	(void)state;
	run_on(1, fairness_body, NULL);
	run_on(2, fairness_body, NULL);
}

/* Waiters that give up at random, among others that do not. */
static int lock_or_not(void *arg)
{
	long *count = arg;

	for (int i = 0; i < 2000; i++) {
		int err = sp_mutex_lock_until(&shared.mutex,
					      i % 3 ? SP_NEVER : sp_now());

		if (err == 0) {
			(*count)++;
			if (i % 16 == 0)
				sp_yield();
			EXPECT_EQ(sp_mutex_unlock(&shared.mutex), 0);
		} else {
			EXPECT_EQ(err, -ETIMEDOUT);
		}
	}
	return 0;
}

static int mutex_churn_body(void *arg)
{
	struct crew crew;
	long count = 0;

	(void)arg;
	crew_start(&crew, lock_or_not, &count);
	crew_join(&crew);
	EXPECT(count >= FIBERS * 2000 * 2 / 3);
	EXPECT_EQ(sp_mutex_trylock(&shared.mutex), 0);
	EXPECT_EQ(sp_mutex_unlock(&shared.mutex), 0);
	return 0;
}

static void test_mutex_survives_waiters_that_give_up(void **state)
{
	(void)state;
	run_on(1, mutex_churn_body, NULL);
	run_on(2, mutex_churn_body, NULL);
}

/* Condition */

static struct {
	struct sp_mutex mutex;
	struct sp_cond cond;
	atomic_int waiting;
	int order[FIBERS];
	int woken;
	int tickets;
} meet;

static int wait_in_line(void *arg)
{
	int me = (int)(intptr_t)arg;

	EXPECT_EQ(sp_mutex_lock(&meet.mutex), 0);
	atomic_fetch_add(&meet.waiting, 1);
	EXPECT_EQ(sp_cond_wait(&meet.cond, &meet.mutex), 0);
	meet.order[meet.woken++] = me;
	EXPECT_EQ(sp_mutex_unlock(&meet.mutex), 0);
	return 0;
}

static int cond_order_body(void *arg)
{
	uint32_t shards = sp_shard_count(sp_runtime());
	struct sp_task task[FIBERS];

	(void)arg;
	meet.woken = 0;
	atomic_store(&meet.waiting, 0);
	for (int i = 0; i < FIBERS; i++) {
		EXPECT_EQ(sp_go_on(NULL, (uint32_t)i % shards, wait_in_line,
				   (void *)(intptr_t)i, &task[i]),
			  0);
		until(&meet.waiting, i + 1);
	}
	for (int i = 0; i < FIBERS; i++) {
		/* The last one counts itself before it waits. */
		EXPECT_EQ(sp_mutex_lock(&meet.mutex), 0);
		EXPECT_EQ(sp_mutex_unlock(&meet.mutex), 0);
		sp_cond_signal(&meet.cond);
		EXPECT_EQ(sp_join(task[i], NULL), 0);
		EXPECT_EQ(meet.woken, i + 1);
		EXPECT_EQ(meet.order[i], i);
	}
	sp_cond_signal(&meet.cond); /* nobody waits: not remembered */
	return 0;
}

static void test_cond_wakes_in_order_of_arrival(void **state)
{
	(void)state;
	run_on(1, cond_order_body, NULL);
	run_on(2, cond_order_body, NULL);
}

static int consume_tickets(void *arg)
{
	int *mine = arg;

	for (;;) {
		EXPECT_EQ(sp_mutex_lock(&meet.mutex), 0);
		while (meet.tickets == 0)
			EXPECT_EQ(sp_cond_wait(&meet.cond, &meet.mutex), 0);
		if (meet.tickets < 0) {
			EXPECT_EQ(sp_mutex_unlock(&meet.mutex), 0);
			return 0;
		}
		meet.tickets--;
		(*mine)++;
		EXPECT_EQ(sp_mutex_unlock(&meet.mutex), 0);
	}
}

static int cond_no_lost_signal_body(void *arg)
{
	struct sp_task task[FIBERS];
	int taken[FIBERS] = { 0 };
	int sum = 0, left;

	(void)arg;
	meet.tickets = 0;
	for (uint32_t i = 0; i < FIBERS; i++)
		EXPECT_EQ(sp_go_on(NULL, i % 2, consume_tickets, &taken[i],
				   &task[i]),
			  0);
	for (int i = 0; i < 5000; i++) {
		EXPECT_EQ(sp_mutex_lock(&meet.mutex), 0);
		meet.tickets++;
		sp_cond_signal(&meet.cond);
		EXPECT_EQ(sp_mutex_unlock(&meet.mutex), 0);
	}
	do {
		sp_yield();
		EXPECT_EQ(sp_mutex_lock(&meet.mutex), 0);
		left = meet.tickets;
		if (left == 0)
			meet.tickets = -1;
		EXPECT_EQ(sp_mutex_unlock(&meet.mutex), 0);
	} while (left != 0);
	sp_cond_broadcast(&meet.cond);
	for (int i = 0; i < FIBERS; i++) {
		EXPECT_EQ(sp_join(task[i], NULL), 0);
		sum += taken[i];
	}
	EXPECT_EQ(sum, 5000);
	return 0;
}

static void test_cond_loses_no_signal(void **state)
{
	(void)state;
	run_on(2, cond_no_lost_signal_body, NULL);
}

static int cond_cancelled(void *arg)
{
	int err;

	(void)arg;
	EXPECT_EQ(sp_mutex_lock(&meet.mutex), 0);
	atomic_fetch_add(&meet.waiting, 1);
	err = sp_cond_wait(&meet.cond, &meet.mutex);
	/* Ours again, although we are cancelled and it was taken. */
	EXPECT_EQ(meet.tickets, 7);
	EXPECT_EQ(sp_mutex_unlock(&meet.mutex), 0);
	return err;
}

static int cond_cancel_body(void *arg)
{
	uint32_t shard = sp_shard_count(sp_runtime()) - 1;
	struct sp_task task;
	int ret = 0;

	(void)arg;
	atomic_store(&meet.waiting, 0);
	meet.tickets = 0;
	EXPECT_EQ(sp_go_on(NULL, shard, cond_cancelled, NULL, &task), 0);
	until(&meet.waiting, 1);
	EXPECT_EQ(sp_mutex_lock(&meet.mutex), 0);
	EXPECT_EQ(sp_cancel(task), 0);
	until_waiting(sp_runtime(), "mutex", 1);
	meet.tickets = 7;
	EXPECT_EQ(sp_mutex_unlock(&meet.mutex), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);

	EXPECT_EQ(sp_cond_wait(&meet.cond, &meet.mutex), -EPERM);
	EXPECT_EQ(sp_mutex_lock(&meet.mutex), 0);
	EXPECT_EQ(sp_cond_wait_until(&meet.cond, &meet.mutex, sp_in(SP_MS)),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_mutex_unlock(&meet.mutex), 0);
	return 0;
}

static void test_cond_gives_the_mutex_back_when_cancelled(void **state)
{
	(void)state;
	run_on(1, cond_cancel_body, NULL);
	run_on(2, cond_cancel_body, NULL);
	assert_int_equal(sp_cond_wait(&meet.cond, &meet.mutex), -EPERM);
}

/* Semaphore */

static struct sp_sem sem = SP_SEM_INIT(2);
static atomic_int holders, most_holders;

static int hold(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5000; i++) {
		int now, most = atomic_load(&most_holders);

		EXPECT_EQ(sp_sem_wait(&sem), 0);
		now = atomic_fetch_add(&holders, 1) + 1;
		while (now > most &&
		       !atomic_compare_exchange_weak(&most_holders, &most, now))
			;
		/* The first one stays until there are two: that must come. */
		while (atomic_load(&most_holders) < 2)
			sp_yield();
		if (i % 32 == 0)
			sp_yield();
		atomic_fetch_sub(&holders, 1);
		EXPECT_EQ(sp_sem_post(&sem), 0);
	}
	return 0;
}

static int sem_bound_body(void *arg)
{
	struct crew crew;

	(void)arg;
	atomic_store(&most_holders, 0);
	crew_start(&crew, hold, NULL);
	crew_join(&crew);
	EXPECT_EQ(atomic_load(&most_holders), 2);
	EXPECT_EQ(sp_sem_trywait(&sem), 0);
	EXPECT_EQ(sp_sem_trywait(&sem), 0);
	EXPECT_EQ(sp_sem_trywait(&sem), -EAGAIN);
	EXPECT_EQ(sp_sem_wait_until(&sem, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_sem_post(&sem), 0);
	EXPECT_EQ(sp_sem_post(&sem), 0);
	return 0;
}

static void test_sem_bounds_its_holders(void **state)
{
	struct sp_sem full = SP_SEM_INIT(UINT32_MAX);

	(void)state;
	run_on(1, sem_bound_body, NULL);
	run_on(2, sem_bound_body, NULL);
	assert_int_equal(sp_sem_post(&full), -EOVERFLOW);
	assert_int_equal(sp_sem_wait(&full), -EPERM);
}

static int take_unit(void *arg)
{
	return sp_sem_wait(arg);
}

static int sem_cancel_body(void *arg)
{
	struct sp_sem none = SP_SEM_INIT(0);
	struct sp_task first, second;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, 0, take_unit, &none, &first), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, take_unit, &none, &second), 0);
	until_waiting(sp_runtime(), "semaphore", 2);
	EXPECT_EQ(sp_cancel(first), 0);
	/* The cancelled one is still in the list: it must not eat the unit. */
	EXPECT_EQ(sp_sem_post(&none), 0);
	EXPECT_EQ(sp_join(second, &ret), 0);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(sp_join(first, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	return 0;
}

static void test_sem_unit_is_not_lost_on_a_cancelled_waiter(void **state)
{
	(void)state;
	run_on(1, sem_cancel_body, NULL);
}

/* Reader-writer lock */

static struct {
	struct sp_rwlock lock;
	atomic_int readers, most_readers;
	atomic_int writers;
	atomic_int waiting;
	long value;
} book;

static void read_once(void)
{
	int now, most = atomic_load(&book.most_readers);

	EXPECT_EQ(sp_rwlock_rdlock(&book.lock), 0);
	EXPECT_EQ(atomic_load(&book.writers), 0);
	now = atomic_fetch_add(&book.readers, 1) + 1;
	if (now > most)
		atomic_store(&book.most_readers, now);
	sp_yield();
	atomic_fetch_sub(&book.readers, 1);
	EXPECT_EQ(sp_rwlock_unlock(&book.lock), 0);
}

static void write_once(void)
{
	EXPECT_EQ(sp_rwlock_wrlock(&book.lock), 0);
	EXPECT_EQ(atomic_fetch_add(&book.writers, 1), 0);
	EXPECT_EQ(atomic_load(&book.readers), 0);
	book.value++;
	sp_yield();
	atomic_fetch_sub(&book.writers, 1);
	EXPECT_EQ(sp_rwlock_unlock(&book.lock), 0);
}

static int read_and_write(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2000; i++) {
		if (i % 8 == 0)
			write_once();
		else
			read_once();
	}
	return 0;
}

static int rwlock_body(void *arg)
{
	struct crew crew;

	(void)arg;
	book.value = 0;
	atomic_store(&book.most_readers, 0);
	crew_start(&crew, read_and_write, NULL);
	crew_join(&crew);
	EXPECT_EQ(book.value, FIBERS * 2000 / 8);
	EXPECT(atomic_load(&book.most_readers) > 1);
	return 0;
}

static void test_rwlock_keeps_writers_alone(void **state)
{
	(void)state;
	run_on(1, rwlock_body, NULL);
	run_on(2, rwlock_body, NULL);
}

static int read_forever(void *arg)
{
	(void)arg;
	while (!atomic_load(&enough))
		read_once();
	return 0;
}

static int writer_gets_in_body(void *arg)
{
	struct crew crew;

	(void)arg;
	atomic_store(&enough, false);
	crew_start(&crew, read_forever, NULL);
	/* The readers overlap, so the lock is never free by itself. */
	for (int i = 0; i < 100; i++)
		write_once();
	atomic_store(&enough, true);
	crew_join(&crew);
	return 0;
}

static void test_rwlock_writer_is_not_starved(void **state)
{
	(void)state;
	run_on(1, writer_gets_in_body, NULL);
	run_on(2, writer_gets_in_body, NULL);
}

static int want_to_write(void *arg)
{
	(void)arg;
	atomic_fetch_add(&book.waiting, 1);
	return sp_rwlock_wrlock(&book.lock);
}

static int want_to_read(void *arg)
{
	int err;

	(void)arg;
	atomic_fetch_add(&book.waiting, 1);
	err = sp_rwlock_rdlock(&book.lock);
	if (err == 0)
		EXPECT_EQ(sp_rwlock_unlock(&book.lock), 0);
	return err;
}

static int rwlock_give_up_body(void *arg)
{
	struct sp_task writer, reader;
	int ret = 1;

	(void)arg;
	atomic_store(&book.waiting, 0);
	EXPECT_EQ(sp_rwlock_rdlock(&book.lock), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, want_to_write, NULL, &writer), 0);
	until(&book.waiting, 1);
	EXPECT_EQ(sp_rwlock_tryrdlock(&book.lock), -EBUSY);
	EXPECT_EQ(sp_go_on(NULL, 0, want_to_read, NULL, &reader), 0);
	until(&book.waiting, 2);
	/* Once the writer is gone the reader behind it has no reason to wait. */
	EXPECT_EQ(sp_cancel(writer), 0);
	EXPECT_EQ(sp_join(reader, &ret), 0);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(sp_join(writer, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT_EQ(sp_rwlock_wrlock_until(&book.lock, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_rwlock_unlock(&book.lock), 0);

	EXPECT_EQ(sp_rwlock_unlock(&book.lock), -EPERM);
	EXPECT_EQ(sp_rwlock_trywrlock(&book.lock), 0);
	EXPECT_EQ(sp_rwlock_wrlock(&book.lock), -EDEADLK);
	EXPECT_EQ(sp_rwlock_rdlock(&book.lock), -EDEADLK);
	EXPECT_EQ(sp_rwlock_trywrlock(&book.lock), -EBUSY);
	EXPECT_EQ(sp_rwlock_unlock(&book.lock), 0);
	return 0;
}

static void test_rwlock_waiter_can_give_up(void **state)
{
	(void)state;
	run_on(1, rwlock_give_up_body, NULL);
	assert_int_equal(sp_rwlock_rdlock(&book.lock), -EPERM);
	assert_int_equal(sp_rwlock_unlock(&book.lock), -EPERM);
}

/* Wait group */

struct work {
	struct sp_wg wg;
	atomic_int done;
};

static int work_once(void *arg)
{
	struct work *work = arg;

	sp_yield();
	atomic_fetch_add(&work->done, 1);
	return sp_wg_done(&work->wg);
}

static int wg_body(void *arg)
{
	(void)arg;
	for (int round = 0; round < 200; round++) {
		/* On the stack: nobody may touch it once we were let go. */
		struct work work = { .wg = SP_WG_INIT };

		EXPECT_EQ(sp_wg_add(&work.wg, FIBERS), 0);
		for (uint32_t i = 0; i < FIBERS; i++)
			EXPECT_EQ(sp_go_on(NULL, i % 2, work_once, &work, NULL),
				  0);
		EXPECT_EQ(sp_wg_wait(&work.wg), 0);
		EXPECT_EQ(atomic_load(&work.done), FIBERS);
	}
	return 0;
}

static int wg_give_up_body(void *arg)
{
	struct sp_wg wg = SP_WG_INIT;

	(void)arg;
	EXPECT_EQ(sp_wg_wait(&wg), 0);
	EXPECT_EQ(sp_wg_done(&wg), -EINVAL);
	EXPECT_EQ(sp_wg_add(&wg, 1), 0);
	EXPECT_EQ(sp_wg_add(&wg, UINT32_MAX), -EOVERFLOW);
	EXPECT_EQ(sp_wg_wait_until(&wg, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_cancel(sp_self()), 0);
	EXPECT_EQ(sp_wg_wait(&wg), -ECANCELED);
	EXPECT_EQ(sp_wg_done(&wg), 0);
	EXPECT_EQ(sp_wg_wait(&wg), 0);
	return 0;
}

static void test_wg_waits_for_all(void **state)
{
	struct sp_wg wg = SP_WG_INIT;

	(void)state;
	run_on(2, wg_body, NULL);
	run_on(1, wg_give_up_body, NULL);
	assert_int_equal(sp_wg_wait(&wg), -EPERM);
}

/* Once */

static struct {
	struct sp_once once;
	atomic_int runs;
	atomic_bool may_end;
	int fail_first;
	int value;
} lazy;

static int make_value(void *arg)
{
	int run = atomic_fetch_add(&lazy.runs, 1);

	(void)arg;
	EXPECT_EQ(sp_once(&lazy.once, make_value, NULL), -EDEADLK);
	while (!atomic_load(&lazy.may_end))
		EXPECT_EQ(sp_sleep(100 * SP_US), 0);
	if (run < lazy.fail_first)
		return -EIO;
	lazy.value = 42;
	return 0;
}

static int use_value(void *arg)
{
	int err = sp_once(&lazy.once, make_value, NULL);

	(void)arg;
	EXPECT(err == 0 || err == -EIO);
	if (err == 0)
		EXPECT_EQ(lazy.value, 42);
	return 0;
}

static int once_body(void *arg)
{
	int fail_first = (int)(intptr_t)arg;
	struct crew crew;

	memset(&lazy, 0, sizeof(lazy));
	lazy.fail_first = fail_first;
	crew_start(&crew, use_value, NULL);
	until_waiting(sp_runtime(), "once", FIBERS - 1);
	atomic_store(&lazy.may_end, true);
	crew_join(&crew);
	EXPECT_EQ(atomic_load(&lazy.runs), fail_first + 1);
	EXPECT_EQ(sp_once(&lazy.once, make_value, NULL), 0);
	EXPECT_EQ(atomic_load(&lazy.runs), fail_first + 1);
	return 0;
}

static int run_slowly(void *arg)
{
	(void)arg;
	return sp_once(&lazy.once, make_value, NULL);
}

static int once_give_up_body(void *arg)
{
	struct sp_task task;

	(void)arg;
	memset(&lazy, 0, sizeof(lazy));
	EXPECT_EQ(sp_go_on(NULL, 0, run_slowly, NULL, &task), 0);
	until(&lazy.runs, 1);
	EXPECT_EQ(sp_once_until(&lazy.once, sp_now(), make_value, NULL),
		  -ETIMEDOUT);
	atomic_store(&lazy.may_end, true);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(atomic_load(&lazy.runs), 1);
	return 0;
}

static void test_once_runs_once(void **state)
{
	(void)state;
	run_on(1, once_body, (void *)0);
	run_on(2, once_body, (void *)0);
	run_on(2, once_body, (void *)2);
	run_on(1, once_give_up_body, NULL);
	assert_int_equal(sp_once(&lazy.once, make_value, NULL), -EPERM);
}

/* Barrier */

static struct sp_barrier barrier = SP_BARRIER_INIT(FIBERS);
static atomic_int laps[FIBERS];
static atomic_int lasts, next_runner;

static int run_laps(void *arg)
{
	int me = atomic_fetch_add(&next_runner, 1);

	(void)arg;
	for (int lap = 1; lap <= 500; lap++) {
		int ret;

		atomic_store(&laps[me], lap);
		ret = sp_barrier_wait(&barrier);
		EXPECT(ret == 0 || ret == 1);
		atomic_fetch_add(&lasts, ret);
		/* Nobody is behind, nobody more than a lap ahead. */
		for (int i = 0; i < FIBERS; i++) {
			int its = atomic_load(&laps[i]);

			EXPECT(its == lap || its == lap + 1);
		}
	}
	return 0;
}

static int barrier_body(void *arg)
{
	struct crew crew;

	(void)arg;
	atomic_store(&next_runner, 0);
	atomic_store(&lasts, 0);
	crew_start(&crew, run_laps, NULL);
	crew_join(&crew);
	EXPECT_EQ(atomic_load(&lasts), 500);
	/* Who gives up no longer counts. */
	EXPECT_EQ(sp_barrier_wait_until(&barrier, sp_in(SP_MS)), -ETIMEDOUT);
	return 0;
}

static void test_barrier_keeps_laps_together(void **state)
{
	struct sp_barrier none = SP_BARRIER_INIT(0);

	(void)state;
	run_on(1, barrier_body, NULL);
	run_on(2, barrier_body, NULL);
	assert_int_equal(sp_barrier_wait(&none), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mutex_excludes),
		cmocka_unit_test(test_mutex_excludes_fibers_that_move),
		cmocka_unit_test(test_mutex_misuse_is_an_error),
		cmocka_unit_test(test_mutex_waiter_can_give_up),
		cmocka_unit_test(test_mutex_is_not_kept_from_a_waiter),
		cmocka_unit_test(test_mutex_survives_waiters_that_give_up),
		cmocka_unit_test(test_cond_wakes_in_order_of_arrival),
		cmocka_unit_test(test_cond_loses_no_signal),
		cmocka_unit_test(test_cond_gives_the_mutex_back_when_cancelled),
		cmocka_unit_test(test_sem_bounds_its_holders),
		cmocka_unit_test(
			test_sem_unit_is_not_lost_on_a_cancelled_waiter),
		cmocka_unit_test(test_rwlock_keeps_writers_alone),
		cmocka_unit_test(test_rwlock_writer_is_not_starved),
		cmocka_unit_test(test_rwlock_waiter_can_give_up),
		cmocka_unit_test(test_wg_waits_for_all),
		cmocka_unit_test(test_once_runs_once),
		cmocka_unit_test(test_barrier_keeps_laps_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
