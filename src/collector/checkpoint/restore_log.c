/*
 * Replay the end of the log into the ribs. One thread reads it in order and
 * passes it in chunks to the shards that own the routers.
 */
#include "collector/checkpoint/restore_internal.h"

#include "collector/checkpoint/restore_apply.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/output.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "egress/journal/cursor.h"
#include "egress/log_reader.h"
#include "egress/nats/reader.h"
#include "egress/publisher/publisher.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum bytes of the log that are passed to a shard together. */
#define SHARE ((size_t)1024 * 1024)

/*
 * Minimum time to wait for the next message if the stream has one, even if the
 * deadline is earlier.
 */
#define WAIT_MIN (10 * SP_S)

/*
 * The header of a message for a shard; the router's token and the bytes follow.
 */
struct log_chunk {
	/* position in the log; UINT64_MAX for the spool, which follows it */
	uint64_t position;
	uint32_t token;
	uint32_t bytes;
	bool updates;
};

int restore_find_from(void *job)
{
	struct shard_job *s = job;
	const struct log_position *end = &s->restore->end;

	for (struct router *it = s->worker->routers; it != NULL;
	     it = it->next) {
		const struct log_position *since = &it->snapshot.replay_from;

		s->beyond |= log_position_same_log(since, end) &&
			     since->position >= end->position;
		if (!log_position_same_log(since, end) ||
		    since->position > end->position ||
		    (since->journal &&
		     publisher_position_lost(s->restore->publisher,
					     since->position))) {
			it->resync = true;
			continue;
		}
		if (!s->position_found || since->position < s->from.position)
			s->from = *since;
		s->position_found = true;
	}
	return 0;
}

int restore_check_reliance(void *job)
{
	struct shard_job *s = job;
	const struct reliance *held = &s->restore->reliance;

	for (struct router *it = s->worker->routers; it != NULL;
	     it = it->next) {
		if (it->resync ||
		    reliance_is_held(held, it->snapshot.relies_on))
			continue;
		it->resync = true;
		s->unbacked++;
	}
	return 0;
}

/*
 * Apply one message of the log, whose token and bytes are at @bytes. Runs on
 * the shard of its router.
 */
static int apply_chunk(struct shard_job *s, const struct log_chunk *chunk,
		       const uint8_t *bytes)
{
	const struct restore *r = s->restore;
	char token[IDENTITY_TOKEN_MAX + 1];
	struct wire_view batch = { bytes + chunk->token, chunk->bytes };
	struct rib_identity id;
	struct router *router;
	bool made;

	memcpy(token, bytes, chunk->token);
	token[chunk->token] = '\0';
	if (identity_from_token(token, &id) < 0)
		return 0; /* an event of the collector itself */
	router = restore_router(s, &id, &made);
	if (router == NULL)
		return -ENOMEM;
	if (made) {
		/*
		 * The router has no file: it gets a RESYNC, but its sequences
		 * continue.
		 */
		router->resync = true;
		router->snapshot.replay_from = r->from;
		s->routers++;
	}
	if (!log_position_same_log(&router->snapshot.replay_from, &r->end))
		return chunk->updates
			       ? restore_sequences(router, batch, &s->bad)
			       : 0;
	if (chunk->position <= router->snapshot.replay_from.position)
		return 0;
	if (!chunk->updates) {
		restore_events(router, batch);
		return 0;
	}
	s->updates++;
	return restore_updates(router, batch, &s->bad);
}

static int apply_chunks(void *job)
{
	struct shard_job *s = job;
	size_t at = 0;
	int err = 0;

	while (err == 0 && at < s->len) {
		struct log_chunk chunk;

		memcpy(&chunk, s->bytes + at, sizeof(chunk));
		err = apply_chunk(s, &chunk, s->bytes + at + sizeof(chunk));
		at += sizeof(chunk) + chunk.token + chunk.bytes;
	}
	s->len = 0;
	return err;
}

static int hand_over(struct shard_job *s)
{
	int ret = 0;
	int err = sp_call_on(s->restore->env->rt, s->worker->id, apply_chunks,
			     s, &ret);

	return err < 0 ? err : ret;
}

static int make_room(struct shard_job *s, size_t len)
{
	uint8_t *more;
	int err;

	if (s->len != 0 && s->len + len > SHARE) {
		err = hand_over(s);
		if (err < 0)
			return err;
	}
	if (len <= s->cap - s->len)
		return 0;
	more = realloc(s->bytes, s->len + len > SHARE ? s->len + len : SHARE);
	if (more == NULL)
		return -ENOMEM;
	s->bytes = more;
	s->cap = s->len + len > SHARE ? s->len + len : SHARE;
	return 0;
}

/* True if the stream already has this record of the spool. */
static bool is_stored(const struct restore *r, const struct log_message *m)
{
	return r->has_stored && record_id_compare(m->record, r->stored) <= 0;
}

/* Add a message of the log to the chunk for the shard of its router. */
static int message_dispatch(void *restore, const struct log_message *m)
{
	struct restore *r = restore;
	struct log_chunk chunk = {
		.position = r->spool ? UINT64_MAX : m->position,
		.token = (uint32_t)m->router.len,
		.bytes = (uint32_t)m->bytes.len,
		.updates = m->updates,
	};
	char token[IDENTITY_TOKEN_MAX + 1];
	struct rib_identity id;
	struct shard_job *s;
	int err = r->spool ? reliance_add_spooled(&r->reliance, m->record) : 0;

	if (err < 0)
		return err;
	if (chunk.token > IDENTITY_TOKEN_MAX || (r->spool && is_stored(r, m)))
		return 0;
	memcpy(token, m->router.p, chunk.token);
	token[chunk.token] = '\0';
	if (identity_from_token(token, &id) < 0)
		return 0; /* an event of the collector itself */
	/* In a journal m->position is the start of the record, not its end. */
	if (r->end.journal)
		chunk.position++;
	s = &r->jobs[identity_shard(&id, r->workers)];
	err = make_room(s, sizeof(chunk) + chunk.token + chunk.bytes);
	if (err < 0)
		return err;
	memcpy(s->bytes + s->len, &chunk, sizeof(chunk));
	memcpy(s->bytes + s->len + sizeof(chunk), m->router.p, chunk.token);
	memcpy(s->bytes + s->len + sizeof(chunk) + chunk.token, m->bytes.p,
	       chunk.bytes);
	s->len += sizeof(chunk) + chunk.token + chunk.bytes;
	return 0;
}

static int chunks_flush(struct restore *r)
{
	int err = 0;

	for (uint32_t i = 0; i < r->workers && err == 0; i++)
		err = hand_over(&r->jobs[i]);
	return err;
}

/* Read the journal or the spool. Runs in a fiber. */
static int read_journal(void *restore)
{
	struct restore *r = restore;
	uint64_t from = r->spool ? JOURNAL_OLDEST : r->from.position;
	int err = log_read_journal(output_journal_dir(r->env->output), from,
				   message_dispatch, r, r->why);

	return err < 0 ? err : chunks_flush(r);
}

static int read_journal_in_fiber(struct restore *r, struct nats_error *why)
{
	int ret = 0;
	int err;

	r->why = why;
	err = sp_call_on(r->env->rt, 0, read_journal, r, &ret);

	return err < 0 ? err : ret;
}

/*
 * Read the stream. Blocks the thread that starts the collector; no other part
 * runs yet.
 */
static int read_stream(struct restore *r, struct nats_error *why)
{
	int64_t wait = r->env->config->snapshot.restore_wait;
	struct nats_reader_options options;
	int err;

	output_reader(r->env->output, &options);
	err = log_read_stream(&options, &r->from, r->end.position,
			      wait < WAIT_MIN ? WAIT_MIN : wait,
			      message_dispatch, r, why);
	return err < 0 ? err : chunks_flush(r);
}

int restore_tail(struct restore *r, struct nats_error *why)
{
	return r->end.journal ? read_journal_in_fiber(r, why)
			      : read_stream(r, why);
}

int restore_spool(struct restore *r, struct nats_error *why)
{
	int err;

	if (r->env->config->nats.urls.count == 0)
		return 0; /* the journal is the log, not a spool */
	snprintf(why->text, sizeof(why->text), "reading the spool");
	r->has_stored = publisher_stored(r->publisher, &r->stored);
	r->spool = true;
	err = read_journal_in_fiber(r, why);
	return err == -ENOENT ? 0 : err;
}
