/*
 * collector/ingest/limits.h - limits on the number and the idle time of sessions
 *
 * Sessions are counted in one place for all shards, because a socket is
 * accepted by one shard and served by another:
 *
 *	accepting shard				owner shard
 *	accept, ACL
 *	limits_admit() ---- the socket and its place travel ---> session
 *	(refused: close)					 close,
 *								 limits_leave()
 *
 * The place belongs to the socket: whoever closes it gives the place back,
 * once, with the address it was taken for. That holds for a hand-over that
 * fails as well. So the count is exact at any moment, and no shard has to be
 * asked.
 *
 * Threads	Any. A short lock, held for one look-up
 *		in a table and never across a wait; opening a session costs
 *		system calls worth a hundred of it.
 * Errors	0 or -errno; verdicts are enums, so that each can be counted.
 */
#ifndef COLLECTOR_INGEST_LIMITS_H
#define COLLECTOR_INGEST_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sessions */

struct limits;

enum limits_verdict {
	LIMITS_ADMIT,
	LIMITS_ALL_FULL,     /* --max-sessions */
	LIMITS_ADDRESS_FULL, /* --max-sessions-per-ip */
	LIMITS_VERDICTS
};

const char *limits_verdict_name(enum limits_verdict v);

/* Both above 0. -ENOMEM. @seed: of the table, random, told to nobody. */
int limits_new(uint32_t sessions, uint32_t per_address, uint64_t seed,
	       struct limits **out);
void limits_free(struct limits *l);

/* Take a place for a session from @address. */
enum limits_verdict limits_admit(struct limits *l, const uint8_t address[16]);

/* Give one back. */
void limits_leave(struct limits *l, const uint8_t address[16]);

/*
 * New limits, at a reload. Sessions beyond them stay; nobody comes in until
 * enough have left. -ENOMEM; then the old limits hold.
 */
int limits_set(struct limits *l, uint32_t sessions, uint32_t per_address);

uint32_t limits_sessions(struct limits *l);
uint32_t limits_sessions_of(struct limits *l, const uint8_t address[16]);

/* Time. All in nanoseconds of the monotonic clock; SP_NEVER is for ever. */

struct limits_times {
	int64_t handshake; /* to the first whole message */
	int64_t idle;	   /* between messages after it */
};

/*
 * When a session opened at @opened, with its last whole message at @last (0:
 * none yet), is given up.
 */
int64_t limits_deadline(const struct limits_times *t, int64_t opened,
			int64_t last);

#endif
