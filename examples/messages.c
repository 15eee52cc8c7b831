/*
 * Messages between shards: plain, typed, hot and counted.
 */
#include <spargio/fiber.h>
#include <spargio/message.h>
#include <spargio/runtime.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum tag {
	TAG_NUMBER,
	TAG_POINT,
	TAG_STOP, /* hot: overtakes the others */
	TAG_HITS, /* counted: summed where it arrives */
};

#define HITS 1000

struct point {
	int32_t x, y;
};

/* Pinned to shard 1: messages are for a shard, so its receiver stays there. */
static int receive(void *arg)
{
	struct sp_msg msg;
	struct point point;
	uint64_t sum = 0;
	int err;

	(void)arg;
	while ((err = sp_msg_recv(&msg)) == 0) { /* yields */
		switch (msg.tag) {
		case TAG_STOP:
			puts("stop came first");
			break;
		case TAG_NUMBER:
			sum += msg.value;
			break;
		case TAG_POINT:
			memcpy(&point, msg.data, sizeof(point));
			printf("sum %u, then point %d,%d\n", (unsigned)sum,
			       point.x, point.y);
			return 0;
		default:
			return -EPROTO;
		}
	}
	return err;
}

/* The sum of what came since the last look; a wake-up for many messages. */
static int count(void *arg)
{
	uint64_t total = 0, some;
	int err = 0;

	(void)arg;
	while (total < HITS && err == 0) {
		err = sp_count_wait(TAG_HITS, &some); /* yields */
		total += err == 0 ? some : 0;
	}
	printf("%u hits\n", (unsigned)total);
	return err;
}

/*
 * A full mailbox is the receiver's way to say "not so fast": let it catch up
 * and try again.
 */
static int send_patiently(uint32_t shard, uint16_t tag, uint64_t value)
{
	int err;

	while ((err = sp_msg_send(shard, tag, value)) == -EAGAIN) {
		err = sp_msg_flush(shard); /* yields */
		if (err < 0)
			return err;
	}
	return err;
}

/* Nobody receives yet, so all of this waits in the mailbox. */
static int send_some(void)
{
	static const uint64_t numbers[] = { 1, 2, 3, 4, 5 };
	struct point point = { 3, 4 };
	int sent, err;

	sent = sp_msg_send_many(1, TAG_NUMBER, numbers, 5);
	if (sent != 5)
		return sent < 0 ? sent : -EAGAIN;
	err = sp_msg_send_data(1, TAG_POINT, &point, sizeof(point));
	return err < 0 ? err : sp_msg_send(1, TAG_STOP, 0);
}

static int body(void *arg)
{
	struct sp_task receiver, counter;
	int err;

	(void)arg;
	err = send_some();
	if (err < 0)
		return err;
	err = sp_go_on(NULL, 1, receive, NULL, &receiver);
	if (err < 0)
		return err;
	err = sp_join(receiver, NULL);
	if (err < 0)
		return err;

	err = sp_go_on(NULL, 1, count, NULL, &counter);
	for (int i = 0; i < HITS && err == 0; i++)
		err = send_patiently(1, TAG_HITS, 1);
	return err < 0 ? err : sp_join(counter, NULL);
}

int main(void)
{
	static const uint16_t hot[] = { TAG_STOP };
	static const uint16_t counted[] = { TAG_HITS };
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	opts.mailbox_capacity = 64;
	opts.hot_tags = hot;
	opts.hot_tag_count = 1;
	opts.counted_tags = counted;
	opts.counted_tag_count = 1;
	return sp_run(&opts, body, NULL) == 0 ? 0 : 1;
}
