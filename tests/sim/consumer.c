/*
 * Consumers of the journal. They run on the host of the collector, as arancini
 * tail does, but what they have belongs to the world: it outlives a crash.
 */
#include "world.h"

#include "broker.h"

#include "egress/codec.h"
#include "egress/journal/cursor.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FOLDER	    "/state/journal"
#define POLL	    (200 * SP_MS)
#define SUBJECT_LEN 512

static int apply_record(struct model_view *v, struct egress_codec *codec,
			const struct journal_record *record)
{
	struct wire_view bytes = { record->payload, record->len };
	char subject[SUBJECT_LEN];
	int err;

	if (record->subject_len >= sizeof(subject))
		return -ENAMETOOLONG;
	memcpy(subject, record->subject, record->subject_len);
	subject[record->subject_len] = '\0';
	err = egress_codec_open(codec, (enum egress_encoding)record->encoding,
				bytes, &bytes);
	if (err < 0)
		return err;
	model_view_message(v, record->epoch, record->seq);
	model_view_apply(v, subject, bytes);
	return 0;
}

/* *@position is always that behind the last record that was applied. */
static int read_on(struct journal_cursor *cursor, struct egress_codec *codec,
		   struct model_view *v, uint64_t *position)
{
	struct journal_record record;
	int got;

	while ((got = journal_cursor_next(cursor, &record)) == 1) {
		int err = apply_record(v, codec, &record);

		if (err < 0)
			return err;
		*position = journal_cursor_position(cursor);
	}
	return got;
}

/* Streams */

static void apply_stored(struct model_view *v, struct egress_codec *codec,
			 const struct broker_stored *m)
{
	struct wire_view bytes = { m->data, m->len };
	enum egress_encoding encoding = EGRESS_PLAIN;

	if (m->encoding != NULL)
		encoding = strcmp(m->encoding, "zstd") == 0 ? EGRESS_ZSTD
							    : EGRESS_PACKED;
	if (egress_codec_open(codec, encoding, bytes, &bytes) == 0)
		model_view_apply(v, m->subject, bytes);
	else
		snprintf(v->wrong, sizeof(v->wrong),
			 "message %s cannot be unpacked", m->id);
}

static void read_stream(struct sim_collector *c, struct model_view *v,
			struct egress_codec *codec, uint64_t *position)
{
	struct broker_stored m;

	while (broker_read(c->world->broker, c->stream, *position + 1, &m)) {
		*position = m.seq;
		if (!v->lenient)
			model_view_id(v, m.id == NULL ? "" : m.id);
		else if (v->trace != NULL)
			fprintf(v->trace, "stream sequence %" PRIu64 " id %s\n",
				m.seq, m.id);
		apply_stored(v, codec, &m);
	}
}

/* Somebody removed messages, or the server or a spool lost some. */
static bool was_lost(const struct sim_collector *c)
{
	return c->removals > 0 || c->spools_lost > 0 ||
	       broker_count(c->world->broker).lost > 0;
}

static int read_whole_stream(struct sim_collector *c, struct model_view *v)
{
	struct egress_codec *codec;
	uint64_t position = 0;
	int err = egress_codec_new(&codec);

	if (err < 0)
		return err;
	/* Without the first messages the first numbers may be any. */
	model_view_any(v);
	v->lossy = was_lost(c);
	read_stream(c, v, codec, &position);
	egress_codec_free(codec);
	return 0;
}

void consumer_look(struct sim_collector *c)
{
	struct broker_state state;
	struct egress_codec *codec;

	if (!broker_is_up(c->world->broker) ||
	    !broker_look(c->world->broker, c->stream, &state) ||
	    egress_codec_new(&codec) < 0)
		return;
	c->live.lenient = true;
	c->live.lossy = was_lost(c);
	if (state.created_ns != c->live_stream ||
	    state.first_seq > c->live_position + 1) {
		/* Another stream, or messages that it has missed. */
		model_view_any(&c->live);
		c->live_stream = state.created_ns;
		c->live_position = 0;
	} else if (state.last_seq < c->live_position) {
		c->live_position = state.last_seq;
	}
	read_stream(c, &c->live, codec, &c->live_position);
	egress_codec_free(codec);
	if (c->live.wrong[0] != '\0')
		sp_sim_fail(c->world->sim, "collector %u: %s", c->number,
			    c->live.wrong);
}

int consumer_read_all(struct sim_collector *c, struct model_view *v)
{
	struct egress_codec *codec = NULL;
	uint64_t position = JOURNAL_OLDEST;
	struct journal_cursor *cursor;
	int err;

	if (c->world->broker != NULL)
		return read_whole_stream(c, v);
	err = journal_cursor_open(FOLDER, position, &cursor);

	if (err < 0)
		return err;
	err = egress_codec_new(&codec);
	if (err == 0)
		err = read_on(cursor, codec, v, &position);
	egress_codec_free(codec);
	journal_cursor_close(cursor);
	return err;
}

/* What it has read is not in the log any more: it begins again. */
static void begin_again(struct sim_collector *c)
{
	model_view_clear(&c->live);
	c->live_position = JOURNAL_OLDEST;
	c->restarts++;
}

static bool must_begin_again(int err)
{
	return err == -ERANGE || err == -ESTALE || err == -EIDRM;
}

static int follow_once(struct sim_collector *c, struct egress_codec *codec)
{
	struct journal_cursor *cursor;
	int err = journal_cursor_open(FOLDER, c->live_position, &cursor);

	while (err == 0) {
		err = read_on(cursor, codec, &c->live, &c->live_position);
		if (c->live.wrong[0] != '\0')
			sp_sim_fail(c->world->sim, "collector %u: %s",
				    c->number, c->live.wrong);
		if (err == 0)
			err = sp_sleep(POLL);
		if (err < 0)
			journal_cursor_close(cursor);
	}
	return err;
}

int consumer_follow(void *arg)
{
	struct sim_collector *c = arg;
	struct egress_codec *codec;
	int err;

	if (c->world->broker != NULL)
		return 0;
	if (egress_codec_new(&codec) < 0)
		return 0;
	do {
		err = follow_once(c, codec);
		if (must_begin_again(err))
			begin_again(c);
	} while (err != -ECANCELED && sp_sleep(POLL) == 0);
	egress_codec_free(codec);
	return 0;
}
