/*
 * collector/ingest/limits.h - limits on the number and the idle time of sessions
 *
 * Sessions are counted once for all shards, because one shard accepts a socket
 * and another serves it:
 *
 *	accepting shard				owner shard
 *	accept, ACL
 *	limits_admit() ---- the socket and its place travel ---> session
 *	(refused: close)					 close,
 *								 limits_leave()
 *
 * The slot belongs to the socket: the code that closes the socket first
 * releases the slot, once; also if a hand-over fails. So the count is always
 * exact, without asking other shards.
 *
 * When all slots are occupied, the oldest session that may be evicted is
 * closed: one that has not named a peer and whose router is neither configured
 * nor known. Its socket is shut down; the fiber that reads it sees the end.
 * Some slots are reserved for routers that are configured or known:
 *
 *	a stranger	not those kept for the other two
 *	a known one	not those kept for configured ones
 *	a configured	all
 *
 * Threads	Any. A short lock, held for one table lookup and never across a
 *		wait; opening a session costs a hundred times as much.
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

/* The kind of client, as far as its address tells. */
enum limits_kind {
	LIMITS_STRANGER,
	LIMITS_KNOWN,	   /* a router at this address named a peer before */
	LIMITS_CONFIGURED, /* it has a section, or we connected to it */
	LIMITS_KINDS
};

/* The slot of one session; a part of its connection. */
struct limits_place {
	/* list of sessions that may be evicted */
	struct limits_place *next, **link;
	int fd;
	uint64_t number;	/* connections in the order of admission */
	uint8_t kind;		/* enum limits_kind at admission */
	uint8_t counted_as[16]; /* its address, or its /64 */
	bool held;		/* protected by the lock */
	_Atomic bool evicted;	/* its socket was shut down by us */
};

struct limits_max {
	uint32_t sessions;
	uint32_t per_address;
	uint32_t configured; /* number of configured routers */
};

/*
 * The first two must be above 0. -ENOMEM. @seed: secret random seed of the
 * tables.
 */
int limits_new(const struct limits_max *max, uint64_t seed,
	       struct limits **out);
void limits_free(struct limits *l);

/*
 * Take a slot for the session of @fd from @address. IPv6 addresses are counted
 * per /64, except configured ones.
 */
enum limits_verdict limits_admit(struct limits *l, const uint8_t address[16],
				 bool configured, int fd,
				 struct limits_place *place);

/* Release the slot, before its socket is closed. */
void limits_leave(struct limits *l, struct limits_place *place);

/*
 * The session may no longer be evicted: its router is configured, known, or has
 * a peer.
 */
void limits_keep(struct limits *l, struct limits_place *place);

/*
 * A router at @address is known from now on. Bounded: old ones may be dropped.
 */
void limits_remember(struct limits *l, const uint8_t address[16]);

/*
 * Set new limits, at a reload. Sessions beyond them stay; new ones are refused
 * until enough have left. -ENOMEM: the old limits stay.
 */
int limits_set(struct limits *l, const struct limits_max *max);

uint32_t limits_sessions(struct limits *l);
/* The number of sessions counted with @address. */
uint32_t limits_sessions_of(struct limits *l, const uint8_t address[16]);

/* Times in nanoseconds of the monotonic clock; SP_NEVER = no limit. */

struct limits_times {
	int64_t handshake; /* until the first whole message */
	int64_t idle;	   /* between messages after it */
	int64_t frame;	   /* from the first byte of a message to its last */
};

/*
 * The deadline for a message whose first byte came at @began (0 = none has
 * begun).
 */
int64_t limits_frame_deadline(const struct limits_times *t, int64_t began);

/*
 * The deadline of a session opened at @opened, with its last whole message at
 * @last (0 = none yet).
 */
int64_t limits_deadline(const struct limits_times *t, int64_t opened,
			int64_t last);

#endif
