/*
 * tests/sim/broker.h - a model of a NATS server with JetStream
 *
 *	struct broker_options o = { .sim = sim, .address = "10.0.0.9:4222" };
 *
 *	broker_start(&o, &b);
 *	... a host connects to nats://10.0.0.9:4222 through broker_client.c ...
 *	broker_crash(b);
 *	broker_lose_unsynced(b);
 *	broker_restart(b);
 *	broker_free(b);
 *
 * The model is written from what nats-server 2.9.10 does;
 * tests/system/test_broker_model.py compares the two. It belongs to no host of
 * a simulation: a crash of a host does not touch it. Messages take time on
 * their way, and what arrives meanwhile is processed when somebody looks: each
 * function here, and each call of a client, first brings the broker up to date.
 *
 * A program that links the model has no libnats: broker_client.c stands in
 * place of src/egress/nats/{client,conn,inbox,options}.c. There a request is
 * answered at once, because a job of the simulated pool cannot wait; an answer
 * that does not come within its time-out is reported at once, too. Messages
 * that the publisher sends, and their acknowledgements, take virtual time.
 *
 * Threads	The thread of the simulation; any fiber, sp_sim_at() as well.
 * Blocking	Nothing.
 * Errors	Running out of memory ends the process.
 */
#ifndef TESTS_SIM_BROKER_H
#define TESTS_SIM_BROKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sp_sim;
struct broker;

struct broker_options {
	struct sp_sim *sim;  /* its time is the broker's */
	const char *address; /* "host:port", as after nats:// in a URL */
	uint64_t seed;	     /* of latencies */
	/* instead of @sim: the time in ns, which never goes back */
	int64_t (*clock)(void *arg);
	void *clock_arg;
	int64_t wall_ns;     /* wall clock at time 0; default in 2026 */
	int64_t latency_min; /* of a message, one way; default 100 us */
	int64_t latency_max; /* default 2 ms */
	int64_t sync_ns;     /* interval of syncs; default 2 min, -1 = always */
	int64_t max_payload; /* default 1 MiB */
	int64_t max_store;   /* bytes of all streams; default 1 TiB */
};

/* Life cycle */

int broker_start(const struct broker_options *options, struct broker **out);
/* Connections to it must not be used afterwards. NULL is fine. */
void broker_free(struct broker *b);

/*
 * As kill -9: connections are reset, and what was not processed is lost. What
 * was acknowledged is in the page cache and survives.
 */
void broker_crash(struct broker *b);
/*
 * Its machine lost power: go back to the last sync. Only between broker_crash()
 * and broker_restart().
 */
void broker_lose_unsynced(struct broker *b);
/*
 * Start again: streams in memory and consumers are gone, and the duplicate
 * table is made from stored messages that are younger than the window.
 */
void broker_restart(struct broker *b);
bool broker_is_up(const struct broker *b);
/* Sync now. */
void broker_sync(struct broker *b);

/* Connections. @client is the name in the options; NULL = all of them. */

/* Reset connections; what is on its way is lost. */
void broker_disconnect(struct broker *b, const char *client);
/*
 * Nothing arrives in either direction until it is @lost no more. A connection
 * breaks after 30 s of it.
 */
void broker_partition(struct broker *b, const char *client, bool lost);

/* Answers */

/* Acknowledgements of messages come @ns later than they would; 0 = in time. */
void broker_delay_acks(struct broker *b, int64_t ns);
/* The next @n acknowledgements are lost; the messages are stored. */
void broker_lose_acks(struct broker *b, uint32_t n);
/* Each message takes so long: 0 = no time. */
void broker_set_pace(struct broker *b, int64_t ns_per_message);
/*
 * For @ns JetStream has no leader: it neither stores nor answers, and messages
 * that arrive meanwhile are lost. Ephemeral consumers are gone afterwards.
 */
void broker_change_leader(struct broker *b, int64_t ns);

/* Rights: refuse to publish or subscribe to subjects that @pattern matches. */
void broker_deny(struct broker *b, const char *pattern);
void broker_allow_all(struct broker *b);

/* Streams. False if there is no such stream. */

enum broker_limit {
	BROKER_MAX_MSGS,
	BROKER_MAX_BYTES,
	BROKER_MAX_AGE, /* ns */
	BROKER_MAX_MSG_SIZE,
	BROKER_MAX_PER_SUBJECT,
	BROKER_DUPLICATE_WINDOW, /* ns */
	BROKER_DISCARD_NEW,	 /* 0 or 1 */
};

/* As an operator's STREAM.UPDATE; -1 = no limit, for an age 0. */
bool broker_set_limit(struct broker *b, const char *stream,
		      enum broker_limit limit, int64_t value);
bool broker_delete_stream(struct broker *b, const char *stream);
/* Remove messages with sequences below @before; 0 = all. */
bool broker_purge(struct broker *b, const char *stream, uint64_t before);
bool broker_delete_message(struct broker *b, const char *stream, uint64_t seq);
/* Bytes that all streams together may have. */
void broker_set_room(struct broker *b, int64_t bytes);
void broker_set_max_payload(struct broker *b, int64_t bytes);

/* A request to "$JS.API.<what>", as an operator's tool sends. For tests. */
const char *broker_request(struct broker *b, const char *what,
			   const char *body);

/* What is stored */

struct broker_state {
	int64_t created_ns; /* wall clock; identity together with the name */
	uint64_t messages;
	uint64_t bytes;
	uint64_t first_seq;
	uint64_t last_seq;
};

bool broker_look(struct broker *b, const char *stream,
		 struct broker_state *out);

/* Views are valid until the next call of a function of the broker. */
struct broker_stored {
	uint64_t seq;
	int64_t time_ns; /* wall clock */
	const char *subject;
	const char *id;	      /* Nats-Msg-Id, or NULL */
	const char *encoding; /* Content-Encoding, or NULL */
	const uint8_t *data;
	size_t len;
};

/* The first message at or after @seq; false if there is none. */
bool broker_read(struct broker *b, const char *stream, uint64_t seq,
		 struct broker_stored *out);

/* Counters since broker_start(), for properties and reports. */
struct broker_counters {
	uint64_t connects;
	uint64_t stored;
	uint64_t duplicates; /* messages with an id of the duplicate table */
	uint64_t refused;    /* messages answered with an error */
	uint64_t acks_lost;
	uint64_t lost; /* stored messages that broker_lose_unsynced() removed */
};

struct broker_counters broker_count(const struct broker *b);

#endif
