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
 * The place belongs to the socket: whoever closes it gives the place back
 * first, once. That holds for a hand-over that fails as well. So the count is
 * exact at any moment, and no shard has to be asked.
 *
 * When all places are taken, the oldest session that may be evicted makes room:
 * one that has not named a peer and whose router is neither configured nor
 * known. It is not asked, its socket is shut down; the fiber that reads it sees
 * the end. Some places are kept free for routers that are configured or known:
 *
 *	a stranger	not those kept for the other two
 *	a known one	not those kept for configured ones
 *	a configured	all
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

/* Who asks for a place, as far as its address tells. */
enum limits_kind {
	LIMITS_STRANGER,
	LIMITS_KNOWN,	   /* a router named a peer from there before */
	LIMITS_CONFIGURED, /* it has a section, or we connected to it */
	LIMITS_KINDS
};

/* The place of one session; a part of its connection. */
struct limits_place {
	struct limits_place *next, **link; /* of those that may be evicted */
	int fd;
	uint8_t kind;		/* enum limits_kind, when it came */
	uint8_t counted_as[16]; /* its address, or its /64 */
	bool held;		/* under the lock */
	_Atomic bool evicted;	/* its socket was shut down by us */
};

struct limits_max {
	uint32_t sessions;
	uint32_t per_address;
	uint32_t configured; /* routers that have places of their own */
};

/* The first two above 0. -ENOMEM. @seed: of tables, random, told to nobody. */
int limits_new(const struct limits_max *max, uint64_t seed,
	       struct limits **out);
void limits_free(struct limits *l);

/*
 * Take a place for the session of @fd from @address. Addresses of IPv6 are
 * counted by their /64, which one customer has, but for configured ones.
 */
enum limits_verdict limits_admit(struct limits *l, const uint8_t address[16],
				 bool configured, int fd,
				 struct limits_place *place);

/* Give it back, before its socket is closed. */
void limits_leave(struct limits *l, struct limits_place *place);

/* It is not evicted any more: its router is configured, known, or has a peer. */
void limits_keep(struct limits *l, struct limits_place *place);

/* A router at @address is known from now on. Bounded: old ones may be lost. */
void limits_remember(struct limits *l, const uint8_t address[16]);

/*
 * New limits, at a reload. Sessions beyond them stay; nobody comes in until
 * enough have left. -ENOMEM; then the old limits hold.
 */
int limits_set(struct limits *l, const struct limits_max *max);

uint32_t limits_sessions(struct limits *l);
/* Those that are counted with @address. */
uint32_t limits_sessions_of(struct limits *l, const uint8_t address[16]);

/* Time. All in nanoseconds of the monotonic clock; SP_NEVER is for ever. */

struct limits_times {
	int64_t handshake; /* to the first whole message */
	int64_t idle;	   /* between messages after it */
	int64_t frame;	   /* from the first byte of a message to its last */
};

/* When a message that began at @began (0: none did) must be whole. */
int64_t limits_frame_deadline(const struct limits_times *t, int64_t began);

/*
 * When a session opened at @opened, with its last whole message at @last (0:
 * none yet), is given up.
 */
int64_t limits_deadline(const struct limits_times *t, int64_t opened,
			int64_t last);

#endif
