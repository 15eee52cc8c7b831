/*
 * Streams: a service that does not know what it talks to. Here it answers
 * lines in memory, and lines through a socket behind a stream of our own that
 * counts bytes, as one of TLS would encrypt them.
 */
#include <spargio/fiber.h>
#include <spargio/reader.h>
#include <spargio/runtime.h>
#include <spargio/stream.h>
#include <spargio/writer.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Answer each line by its length, whatever the lines come from. */
static int serve(const struct sp_stream *from, const struct sp_stream *to)
{
	struct sp_reader *r = NULL;
	struct sp_writer *w = NULL;
	size_t len;
	char *line;
	int err = sp_reader_new_stream(from, 0, &r);

	if (err == 0)
		err = sp_writer_new_stream(to, 0, &w);
	while (err == 0 && (err = sp_reader_line(r, &line, &len)) > 0)
		err = sp_writer_printf(w, "%zu\n", len); /* yields */
	if (err == 0)
		err = sp_writer_flush(w); /* yields */
	sp_reader_free(r);
	sp_writer_free(w);
	return err;
}

static int serve_memory(void)
{
	static const char lines[] = "one\nthree\n";
	struct sp_memory question, answer;
	struct sp_stream from, to;
	int err;

	sp_memory_view(&question, lines, sizeof(lines) - 1);
	sp_memory_init(&answer, 4096); /* no more than this */
	sp_stream_memory(&question, &from);
	sp_stream_memory(&answer, &to);
	err = serve(&from, &to);
	if (err == 0)
		printf("in memory: %.*s", (int)answer.end, answer.data);
	sp_memory_fini(&answer);
	return err;
}

/* A stream of our own, on top of another one. */
struct counted {
	struct sp_stream inner;
	uint64_t in, out;
};

static ssize_t counted_read(void *object, void *data, size_t len,
			    int64_t deadline)
{
	struct counted *c = (struct counted *)object;
	ssize_t n = sp_stream_read_until(&c->inner, data, len, deadline);

	c->in += n > 0 ? (uint64_t)n : 0;
	return n;
}

static ssize_t counted_write(void *object, const struct iovec *parts, int count,
			     int64_t deadline)
{
	struct counted *c = (struct counted *)object;
	ssize_t n = sp_stream_writev_until(&c->inner, parts, count, deadline);

	c->out += n > 0 ? (uint64_t)n : 0;
	return n;
}

static void counted_close(void *object)
{
	struct counted *c = (struct counted *)object;

	sp_stream_close(&c->inner);
}

static const struct sp_stream_ops counted_ops = {
	.read = counted_read,
	.write = counted_write,
	.close = counted_close,
};

static int serve_main(void *arg)
{
	struct sp_stream *s = (struct sp_stream *)arg;
	int err = serve(s, s);

	sp_stream_close(s);
	return err;
}

static int ask(const struct sp_stream *s, struct sp_memory *answer)
{
	struct sp_stream to;
	int64_t n;
	int err = sp_stream_write_all(s, "over a socket\n", 14); /* yields */

	if (err == 0)
		err = sp_stream_shutdown(s);
	if (err < 0)
		return err;
	sp_stream_memory(answer, &to);
	n = sp_stream_copy(s, &to, INT64_MAX); /* yields */
	return n < 0 ? (int)n : 0;
}

static int serve_socket(void)
{
	struct counted counted = { 0 };
	struct sp_stream own = { &counted_ops, &counted };
	struct sp_stream client;
	struct sp_memory answer;
	struct sp_task task = { 0 };
	int fds[2];
	int err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -sp_errno();
	err = sp_stream_fd(fds[0], &counted.inner);
	if (err == 0)
		err = sp_stream_fd(fds[1], &client);
	if (err == 0)
		err = sp_go(serve_main, &own, &task);
	if (err < 0)
		return err;
	sp_memory_init(&answer, 4096);
	err = ask(&client, &answer);
	sp_stream_close(&client);
	sp_join(task, NULL); /* yields */
	if (err == 0)
		printf("through a socket: %.*s", (int)answer.end, answer.data);
	printf("%" PRIu64 " bytes in, %" PRIu64 " bytes out\n", counted.in,
	       counted.out);
	sp_memory_fini(&answer);
	return err;
}

static int body(void *arg)
{
	int err = serve_memory();

	(void)arg;
	return err < 0 ? err : serve_socket();
}

int main(void)
{
	return sp_run(NULL, body, NULL) == 0 ? 0 : 1;
}
