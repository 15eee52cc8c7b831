#include "collector/checkpoint/restore_feed.h"

#include <spargio/channel.h>
#include <spargio/fiber.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES  ((size_t)1024 * 1024)
#define CHUNKS_QUEUE 4

struct chunk {
	size_t len;
	size_t capacity;
	uint8_t bytes[];
};

/* The part of a feed that belongs to a shard. */
struct target {
	struct restore_feed *feed;
	void *arg;
	uint32_t shard;
	struct sp_chan *chunks; /* of struct chunk * */
	struct chunk *open;	/* the chunk that the reader fills */
	struct sp_task task;
	bool is_started;
};

struct restore_feed {
	struct sp_rt *rt;
	restore_feed_apply *apply;
	uint32_t count;
	struct target targets[];
};

static int target_main(void *arg)
{
	struct target *target = arg;
	struct chunk *chunk;
	int err = 0;

	while (sp_chan_recv(target->chunks, &chunk) == 0) { /* yields */
		if (err == 0)
			err = target->feed->apply(
				target->arg,
				(struct wire_view){ chunk->bytes, chunk->len });
		free(chunk);
	}
	return err;
}

static int target_start(struct target *target)
{
	int err = sp_chan_new(sizeof(target->open), CHUNKS_QUEUE,
			      &target->chunks);

	if (err == 0)
		err = sp_go_on(target->feed->rt, target->shard, target_main,
			       target, &target->task);
	target->is_started = err == 0;
	return err;
}

int restore_feed_open(struct sp_rt *rt, uint32_t shards,
		      restore_feed_apply *apply, void *args, size_t size,
		      struct restore_feed **out)
{
	struct restore_feed *feed =
		calloc(1, sizeof(*feed) + shards * sizeof(feed->targets[0]));
	int err = 0;

	if (feed == NULL)
		return -ENOMEM;
	feed->rt = rt;
	feed->apply = apply;
	feed->count = shards;
	for (uint32_t i = 0; i < shards && err == 0; i++) {
		feed->targets[i].feed = feed;
		feed->targets[i].arg = (char *)args + i * size;
		feed->targets[i].shard = i;
		err = target_start(&feed->targets[i]);
	}
	if (err < 0) {
		(void)restore_feed_close(feed);
		return err;
	}
	*out = feed;
	return 0;
}

/* Runs on the shard of the target: the fiber that takes the chunks is there. */
static int send_open(void *arg)
{
	struct target *target = arg;

	return sp_chan_send(target->chunks, &target->open); /* yields */
}

/* Pass the open chunk on. Waits while the queue is full. */
static int target_send(struct target *target)
{
	int ret = 0;
	int err;

	if (target->open == NULL)
		return 0;
	err = sp_chan_try_send(target->chunks, &target->open);
	if (err == -EAGAIN) {
		err = sp_call_on(target->feed->rt, target->shard, send_open,
				 target, &ret);
		if (err == 0)
			err = ret;
	}
	if (err == 0)
		target->open = NULL;
	return err;
}

/* Make room for @len bytes in the open chunk. */
static int make_room(struct target *target, size_t len)
{
	size_t capacity = len > CHUNK_BYTES ? len : CHUNK_BYTES;
	int err;

	if (target->open != NULL &&
	    len <= target->open->capacity - target->open->len)
		return 0;
	err = target_send(target);
	if (err < 0)
		return err;
	target->open = malloc(sizeof(*target->open) + capacity);
	if (target->open == NULL)
		return -ENOMEM;
	target->open->len = 0;
	target->open->capacity = capacity;
	return 0;
}

int restore_feed_add(struct restore_feed *feed, uint32_t shard,
		     const struct wire_view *parts, size_t count)
{
	struct target *target = &feed->targets[shard];
	size_t len = 0;
	int err;

	for (size_t i = 0; i < count; i++)
		len += parts[i].len;
	err = make_room(target, len);
	for (size_t i = 0; i < count && err == 0; i++) {
		if (parts[i].len != 0)
			memcpy(target->open->bytes + target->open->len,
			       parts[i].p, parts[i].len);
		target->open->len += parts[i].len;
	}
	return err;
}

static int target_join(struct target *target)
{
	int ret = 0;
	int err;

	if (sp_shard() == SP_NO_SHARD)
		err = sp_join_thread(target->feed->rt, target->task, &ret);
	else
		err = sp_join(target->task, &ret);
	return err < 0 ? err : ret;
}

/* Free what the shard did not take because its runtime was stopped. */
static void target_free(struct target *target)
{
	struct chunk *chunk;

	while (target->chunks != NULL &&
	       sp_chan_try_recv(target->chunks, &chunk) == 0)
		free(chunk);
	free(target->open);
	sp_chan_free(target->chunks);
}

int restore_feed_close(struct restore_feed *feed)
{
	int err = 0;

	if (feed == NULL)
		return 0;
	for (uint32_t i = 0; i < feed->count; i++) {
		struct target *target = &feed->targets[i];
		int sent = target->is_started ? target_send(target) : 0;

		if (target->chunks != NULL)
			sp_chan_close(target->chunks);
		if (err == 0)
			err = sent;
	}
	for (uint32_t i = 0; i < feed->count; i++) {
		struct target *target = &feed->targets[i];
		int applied = target->is_started ? target_join(target) : 0;

		if (err == 0)
			err = applied;
		target_free(target);
	}
	free(feed);
	return err;
}
