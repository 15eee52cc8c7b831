/*
 * spargio/select.h - wait for the first of several events
 *
 *	struct sp_case cases[] = {
 *		sp_case_recv(chan, &item),
 *		sp_case_join(task, &ret),
 *		sp_case_fd(fd, POLLIN),
 *		sp_case_at(sp_in(SP_S)),
 *	};
 *	int i = sp_select(cases, 4);
 *
 *	if (i == 0 && cases[0].result == 0)
 *		...
 *
 * Exactly one case happens. The other cases have no effect: they send or
 * receive no item, join no task, and stop waiting. If several cases could
 * happen, each of them is equally likely.
 *
 * Threads	Fibers of any shard; sp_try_select() from any thread.
 * Ownership	The array and the objects that it points to are in use until the
 *		call returns. The array may be reused afterwards.
 * Errors	The index of the case, or -ECANCELED, -ETIMEDOUT, -EPERM,
 *		-EINVAL (too many cases). A closed channel, a task that cannot
 *		be joined or a bad descriptor is not an error of the call: the
 *		case happens, and its result is the error.
 */
#ifndef SPARGIO_SELECT_H
#define SPARGIO_SELECT_H

#include <spargio/fiber.h>

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_chan;
struct sp_timer;
struct sp_token;

#define SP_CASES_MAX 64

/* Made by the functions below. An all-zero case never happens. */
struct sp_case {
	int result; /* set if this case has happened; see below */
	uint32_t _kind;
	union {
		struct sp_chan *chan;
		struct sp_timer *timer;
		struct sp_token *token;
		struct sp_task task;
		int64_t when;
		struct {
			int fd;
			uint32_t events;
		} poll;
	} _on;
	void *_data;
	alignas(16) unsigned char _space[192];
};

/* Result 0 or -EPIPE, see channel.h. If @chan is NULL, never happens. */
struct sp_case sp_case_recv(struct sp_chan *chan, void *out);
struct sp_case sp_case_send(struct sp_chan *chan, const void *item);

/* Wait for @task to end, and join it. Result 0, or an error of sp_join(). */
struct sp_case sp_case_join(struct sp_task task, int *ret);

/*
 * Wait until @fd has one of @events. The result is the events that are set, as
 * poll(2) returns them, or a negative errno. Readiness is a hint, see
 * sp_wait_fd().
 */
struct sp_case sp_case_fd(int fd, uint32_t events);

/*
 * Wait until @token is cancelled. Result 0. If @token is NULL, never happens.
 */
struct sp_case sp_case_token(struct sp_token *token);

/* Wait until the time @when. Result 0. */
struct sp_case sp_case_at(int64_t when);

/*
 * Wait until @timer expires, even if it is reset during the wait. Result 0. If
 * @timer is NULL, never happens.
 */
struct sp_case sp_case_timer(struct sp_timer *timer);

/* Wait until a case happens. Yields. */
int sp_select(struct sp_case *cases, size_t count);
int sp_select_until(struct sp_case *cases, size_t count, int64_t deadline);

/* Carry out a case that can happen now; -EAGAIN if there is none. */
int sp_try_select(struct sp_case *cases, size_t count);

#ifdef __cplusplus
}
#endif

#endif
