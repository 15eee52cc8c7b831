/*
 * Replay the end of the log into the ribs. One reader passes its messages in
 * order to the shards that own the routers, which decompress and apply them at
 * the same time: see restore_feed.h.
 */
#include "collector/checkpoint/restore_internal.h"

#include "collector/checkpoint/restore_apply.h"
#include "collector/checkpoint/restore_feed.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/output.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "egress/codec.h"
#include "egress/journal/cursor.h"
#include "egress/log_reader.h"
#include "egress/nats/reader.h"
#include "egress/publisher/publisher.h"
#include "rib/rib.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Minimum time to wait for the next message if the stream has one, even if the
 * deadline is earlier.
 */
#define WAIT_MIN (10 * SP_S)

/*
 * The header of a message for a shard; the router's token and the bytes follow.
 */
struct log_item {
	/* position in the log; UINT64_MAX for the spool, which follows it */
	uint64_t position;
	uint32_t token;
	uint32_t bytes;
	bool updates;
	uint8_t encoding; /* enum egress_encoding of the bytes */
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
 * True if only the sequences of updates are of interest: the router gets a
 * RESYNC and has no file, so all its routes would come from the log, with
 * unknown attributes, and be forgotten before the RESYNC. (In presence mode
 * they would be published.)
 */
static bool only_sequences(const struct restore *r, const struct router *router)
{
	return !log_position_same_log(&router->snapshot.replay_from, &r->end) ||
	       (router->resync && !router->snapshot.filed &&
		rib_router_mode(router->rib_router) == RIB_MODE_ATTRIBUTES);
}

/* Apply the bytes of a message, which is behind the router's file. */
static int apply_bytes(struct shard_job *s, struct router *router,
		       const struct log_item *item, struct wire_view bytes)
{
	struct wire_view batch;
	int err = egress_codec_open(s->codec,
				    (enum egress_encoding)item->encoding, bytes,
				    &batch);

	if (err < 0)
		return err;
	if (!item->updates) {
		restore_events(router, batch);
		return 0;
	}
	if (only_sequences(s->restore, router)) {
		s->sequences++;
		return restore_sequences(router, batch, &s->bad);
	}
	s->updates++;
	return restore_updates(router, batch, &s->bad);
}

/* Apply a message on the shard of its router. @p is behind its header. */
static int apply_item(struct shard_job *s, const struct log_item *item,
		      const uint8_t *p)
{
	const struct restore *r = s->restore;
	char token[IDENTITY_TOKEN_MAX + 1];
	struct rib_identity id;
	struct router *router;
	bool made, same_log;

	memcpy(token, p, item->token);
	token[item->token] = '\0';
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
	same_log =
		log_position_same_log(&router->snapshot.replay_from, &r->end);
	if (same_log ? item->position <= router->snapshot.replay_from.position
		     : !item->updates)
		return 0;
	return apply_bytes(s, router, item,
			   (struct wire_view){ p + item->token, item->bytes });
}

/* The items of a chunk: each a header, the token and the bytes. */
static int apply_chunk(void *job, struct wire_view chunk)
{
	struct shard_job *s = job;
	size_t at = 0;
	int err = 0;

	while (err == 0 && at < chunk.len) {
		struct log_item item;

		memcpy(&item, chunk.p + at, sizeof(item));
		err = apply_item(s, &item, chunk.p + at + sizeof(item));
		at += sizeof(item) + item.token + item.bytes;
	}
	return err;
}

/* True if the stream already has this record of the spool. */
static bool is_stored(const struct restore *r, const struct log_message *m)
{
	return r->has_stored && record_id_compare(m->record, r->stored) <= 0;
}

/* Pass a message of the log to the shard of its router. */
static int message_dispatch(void *restore, const struct log_message *m)
{
	struct restore *r = restore;
	struct log_item item = {
		.position = r->spool ? UINT64_MAX : m->position,
		.token = (uint32_t)m->router.len,
		.bytes = (uint32_t)m->bytes.len,
		.updates = m->updates,
		.encoding = (uint8_t)m->encoding,
	};
	const struct wire_view parts[] = {
		{ (const uint8_t *)&item, sizeof(item) },
		m->router,
		m->bytes,
	};
	char token[IDENTITY_TOKEN_MAX + 1];
	struct rib_identity id;
	int err = r->spool ? reliance_add_spooled(&r->reliance, m->record) : 0;

	if (err < 0)
		return err;
	if (item.token > IDENTITY_TOKEN_MAX || (r->spool && is_stored(r, m)))
		return 0;
	memcpy(token, m->router.p, item.token);
	token[item.token] = '\0';
	if (identity_from_token(token, &id) < 0)
		return 0; /* an event of the collector itself */
	/* In a journal m->position is the start of the record, not its end. */
	if (r->end.journal)
		item.position++;
	return restore_feed_add(r->feed, identity_shard(&id, r->workers), parts,
				sizeof(parts) / sizeof(parts[0]));
}

/* Read with all shards at work. */
static int read_with_feed(struct restore *r, struct nats_error *why,
			  int (*read)(struct restore *r,
				      struct nats_error *why))
{
	int err = restore_feed_open(r->env->rt, r->workers, apply_chunk,
				    r->jobs, sizeof(r->jobs[0]), &r->feed);
	int applied;

	if (err < 0)
		return err;
	err = read(r, why);
	applied = restore_feed_close(r->feed);
	r->feed = NULL;
	return err < 0 ? err : applied;
}

/* Read the journal or the spool. Runs in a fiber. */
static int read_journal(void *restore)
{
	struct restore *r = restore;
	uint64_t from = r->spool ? JOURNAL_OLDEST : r->from.position;

	return log_read_journal(output_journal_dir(r->env->output), from,
				message_dispatch, r, r->why);
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

	output_reader(r->env->output, &options);
	return log_read_stream(&options, &r->from, r->end.position,
			       wait < WAIT_MIN ? WAIT_MIN : wait,
			       message_dispatch, r, why);
}

int restore_tail(struct restore *r, struct nats_error *why)
{
	return read_with_feed(r, why,
			      r->end.journal ? read_journal_in_fiber
					     : read_stream);
}

int restore_spool(struct restore *r, struct nats_error *why)
{
	int err;

	if (r->env->config->nats.urls.count == 0)
		return 0; /* the journal is the log, not a spool */
	snprintf(why->text, sizeof(why->text), "reading the spool");
	r->has_stored = publisher_stored(r->publisher, &r->stored);
	r->spool = true;
	err = read_with_feed(r, why, read_journal_in_fiber);
	return err == -ENOENT ? 0 : err;
}
