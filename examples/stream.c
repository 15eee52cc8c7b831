/*
 * A receive stream: messages with their length in front, read where the kernel
 * has put them. Only a message that lies across two buffers is copied.
 */
#include <spargio/fiber.h>
#include <spargio/rstream.h>
#include <spargio/runtime.h>
#include <spargio/socket.h>
#include <spargio/stats.h>

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGES 1000
#define HEADER	 sizeof(uint32_t)

/* What is in front: the length of the whole, in network order. */
static size_t length_of(const uint8_t *data)
{
	uint32_t len;

	memcpy(&len, data, sizeof(len));
	return ntohl(len);
}

static int send_messages(void *arg)
{
	int fd = *(int *)arg;
	uint8_t message[2000] = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < MESSAGES && err == 0; i++) {
		uint32_t len = HEADER + i * 7 % 1900;
		uint32_t wire = htonl(len);

		memcpy(message, &wire, HEADER);
		err = sp_send_all(fd, message, len); /* yields */
	}
	close(fd);
	return err;
}

/* Read until the peer has ended. Returns how many messages there were. */
static int read_messages(struct sp_rstream *rs)
{
	struct sp_segment segment;
	int count = 0;
	int n;

	while ((n = sp_rstream_peek(rs, HEADER, &segment)) > 0) { /* yields */
		size_t len = length_of(segment.data);

		if (len < HEADER)
			return -EPROTO;
		n = sp_rstream_peek(rs, len, &segment); /* yields */
		if (n < (int)len)
			return n < 0 ? n : -EPIPE; /* it ended in the middle */
		/* Here is the whole message: segment.data, len bytes. */
		sp_rstream_consume(rs, len);
		count++;
	}
	return n < 0 ? n : count;
}

static int body(void *arg)
{
	struct sp_shard_stats stats;
	struct sp_rstream *rs;
	struct sp_task task;
	int fds[2], count, err;

	(void)arg;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0)
		return -sp_errno();
	err = sp_go(send_messages, &fds[0], &task);
	if (err < 0)
		return err;
	err = sp_rstream_open(fds[1], 0, &rs);
	if (err < 0)
		return err;
	count = read_messages(rs);
	sp_rstream_close(rs); /* before its socket */
	close(fds[1]);
	sp_join(task, NULL);
	if (count < 0)
		return count;
	printf("%d messages\n", count);
	sp_stats_shard(sp_runtime(), sp_shard(), &stats);
	printf("%" PRIu64 " bytes had to be copied\n", stats.recv_copied);
	return 0;
}

int main(void)
{
	return sp_run(NULL, body, NULL) == 0 ? 0 : 1;
}
