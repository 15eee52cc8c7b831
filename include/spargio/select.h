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
 * Exactly one case happens: no other item is sent or received, no other task is
 * joined, and nothing of the other cases remains. If several could happen, each
 * is equally likely.
 *
 * Threads	Fibers of any shard; sp_try_select() from any thread.
 * Ownership	The array and what it points to are in use until the call
 *		returns. It may be reused afterwards.
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

/* Make one with the functions below. An all-zero one never happens. */
struct sp_case {
	int result; /* of the case that happened; see below */
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

/* Result 0 or -EPIPE, see channel.h. A NULL channel never happens. */
struct sp_case sp_case_recv(struct sp_chan *chan, void *out);
struct sp_case sp_case_send(struct sp_chan *chan, const void *item);

/* The task has ended and is joined. Result 0, or an error of sp_join(). */
struct sp_case sp_case_join(struct sp_task task, int *ret);

/*
 * The result is what poll(2) would say, or a negative errno. Ready is a hint:
 * see sp_wait_fd().
 */
struct sp_case sp_case_fd(int fd, uint32_t events);

/* The token has been cancelled. Result 0. NULL never happens. */
struct sp_case sp_case_token(struct sp_token *token);

/* The time has come. Result 0. */
struct sp_case sp_case_at(int64_t when);

/* The timer's time has come, wherever it was moved. Result 0. NULL never. */
struct sp_case sp_case_timer(struct sp_timer *timer);

/* Wait for one. Yields. */
int sp_select(struct sp_case *cases, size_t count);
int sp_select_until(struct sp_case *cases, size_t count, int64_t deadline);

/* Do one that can happen now; -EAGAIN if none can. */
int sp_try_select(struct sp_case *cases, size_t count);

#ifdef __cplusplus
}
#endif

#endif
