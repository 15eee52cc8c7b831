/*
 * collector/ingest/limits.h - limits on the number and the idle time of
 * sessions
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
 * A slot belongs to a socket. The fiber that closes the socket first releases
 * the slot, exactly once, also if a hand-over to another shard fails. So the
 * count is always exact, and no other shard must be asked.
 *
 * When all slots are occupied, the oldest session that may be evicted is
 * closed: one that has not named a peer and whose router is neither configured
 * nor known. Its socket is shut down, and the fiber that reads the socket then
 * sees the end of the stream. Some slots are reserved for routers that are
 * configured or known. Which slots a router may take depends on its kind:
 *
 *	a stranger	slots that are not reserved
 *	a known one	these, and slots reserved for known routers
 *	a configured	all slots
 *
 * Threads	Any. A lock is held for one table lookup and never during a
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
	LIMITS_ALL_FULL, /* all slots of --max-sessions are occupied */
	/* all slots of --max-sessions-per-ip are occupied */
	LIMITS_ADDRESS_FULL,
	LIMITS_VERDICTS
};

const char *limits_verdict_name(enum limits_verdict v);

/* The kind of a client, judged by its address. */
enum limits_kind {
	LIMITS_STRANGER,
	LIMITS_KNOWN, /* a router at this address has named a peer before */
	/* the router has a section, or the collector connected to it */
	LIMITS_CONFIGURED,
	LIMITS_KINDS
};

/* The slot of one session; a member of its connection. */
struct limits_place {
	/* links in the list of sessions that may be evicted */
	struct limits_place *next, **link;
	int fd;
	/* number of the connection in the order of admission */
	uint64_t number;
	uint8_t kind; /* enum limits_kind at admission */
	/*
	 * the address by which the session is counted: its address, or its /64
	 */
	uint8_t counted_as[16];
	bool held; /* the slot is taken; protected by the lock */
	/* the session was evicted: its socket was shut down by us */
	_Atomic bool evicted;
};

struct limits_max {
	uint32_t sessions;
	uint32_t per_address;
	uint32_t configured; /* number of configured routers */
};

/*
 * Make the limits; -ENOMEM. The first two members of @max must be above 0.
 * @seed is a secret random seed for the tables.
 */
int limits_new(const struct limits_max *max, uint64_t seed,
	       struct limits **out);
void limits_free(struct limits *l);

/*
 * Take a slot for the session of @fd from @address. Sessions from IPv6
 * addresses are counted per /64, unless the router is @configured.
 */
enum limits_verdict limits_admit(struct limits *l, const uint8_t address[16],
				 bool configured, int fd,
				 struct limits_place *place);

/* Release the slot, before its socket is closed. */
void limits_leave(struct limits *l, struct limits_place *place);

/*
 * Declare that the session must not be evicted any more, because its router is
 * configured, is known, or has a peer.
 */
void limits_keep(struct limits *l, struct limits_place *place);

/*
 * Remember that a router at @address is known. The table has a fixed size, so
 * old entries may be dropped.
 */
void limits_remember(struct limits *l, const uint8_t address[16]);

/*
 * Set new limits, at a reload. Sessions above them are not ended, but new ones
 * are refused until enough have ended. -ENOMEM: the old limits stay.
 */
int limits_set(struct limits *l, const struct limits_max *max);

uint32_t limits_sessions(struct limits *l);
/* The number of sessions that are counted together with @address. */
uint32_t limits_sessions_of(struct limits *l, const uint8_t address[16]);

/* Timeouts in nanoseconds; SP_NEVER = none. */

struct limits_times {
	int64_t handshake; /* from the start to the first whole message */
	int64_t idle;	   /* from one message to the next */
	int64_t frame;	   /* from the first byte of a message to its last */
};

/*
 * The deadline of a message whose first byte came at @began (0 = no message has
 * begun).
 */
int64_t limits_frame_deadline(const struct limits_times *t, int64_t began);

/*
 * The deadline for the next message of a session opened at @opened whose last
 * whole message came at @last (0 = none so far).
 */
int64_t limits_deadline(const struct limits_times *t, int64_t opened,
			int64_t last);

#endif
