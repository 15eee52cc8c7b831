/*
 * A file server: a client sends a path in a line, the server answers with the
 * length in a line and the bytes, or with why not. A path that leads out of
 * the directory it serves does not get there. Here it is its own client.
 */
#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/group.h>
#include <spargio/net.h>
#include <spargio/path.h>
#include <spargio/reader.h>
#include <spargio/runtime.h>
#include <spargio/accept_loop.h>
#include <spargio/time.h>
#include <spargio/writer.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct server {
	int root; /* what is served */
	int listener;
};

/* The path is a stranger's: the kernel keeps it below the root. */
static int open_below(int root, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
				.resolve = RESOLVE_BENEATH };

	return sp_openat2(root, path, &how); /* yields */
}

static int send_file(int fd, int file, struct sp_writer *w)
{
	struct statx st;
	int err = sp_fstat(file, &st); /* yields */
	int64_t sent;

	if (err == 0 && !S_ISREG(st.stx_mode))
		err = -EISDIR;
	if (err < 0)
		return sp_writer_printf(w, "error %d\n", -err);
	err = sp_writer_printf(w, "ok %" PRIu64 "\n", (uint64_t)st.stx_size);
	if (err == 0)
		err = sp_writer_flush(w); /* before what goes past it; yields */
	if (err < 0)
		return err;
	sent = sp_copy(file, fd, (int64_t)st.stx_size); /* yields */
	/* It has become shorter meanwhile: all we can do is to hang up. */
	return sent == (int64_t)st.stx_size ? 0 : -EIO;
}

static int answer(const struct server *server, int fd, const char *path,
		  struct sp_writer *w)
{
	int file = open_below(server->root, path);
	int err;

	if (file < 0)
		return sp_writer_printf(w, "error %d\n", -file);
	err = send_file(fd, file, w);
	sp_close(file);
	return err;
}

/* A reader and a writer of one descriptor, which is ours to close. */
static int session(struct sp_conn *conn, void *arg)
{
	struct sp_reader *r = NULL;
	struct sp_writer *w = NULL;
	char *path;
	size_t len;
	int err = sp_reader_new(conn->fd, 4096, &r);

	if (err == 0)
		err = sp_writer_new(conn->fd, 0, &w);
	while (err == 0 && (err = sp_reader_line(r, &path, &len)) > 0) {
		err = answer(arg, conn->fd, path, w);
		if (err == 0)
			err = sp_writer_flush(w); /* yields */
	}
	sp_writer_free(w);
	sp_reader_free(r);
	sp_close(conn->fd);
	return err;
}

static int server_main(void *arg)
{
	static const struct sp_attr attr = { .place = SP_PREFER,
					     .name = "session" };
	struct server *server = arg;

	/* Until it is cancelled. */
	return sp_accept_loop(server->listener, SP_HOME_NEXT, &attr, session,
			      server);
}

/* The other side */

static int fetch(int fd, struct sp_reader *r, const char *path)
{
	char request[64], data[64] = "";
	char *line = data;
	size_t len, n;
	int err;

	snprintf(request, sizeof(request), "%s\n", path);
	err = sp_write_all(fd, request, strlen(request));
	if (err == 0)
		err = sp_reader_line(r, &line, &len);
	if (err <= 0)
		return err < 0 ? err : -EPIPE;
	printf("%s: %s\n", path, line);
	n = strncmp(line, "ok ", 3) == 0 ? strtoul(line + 3, NULL, 10) : 0;
	if (n == 0 || n >= sizeof(data))
		return 0;
	err = sp_reader_exact(r, data, n);
	printf("%s", data);
	return err == 1 ? 0 : -EPIPE;
}

static int client(const struct sp_addr *at)
{
	struct sp_reader *r;
	struct sp_conn conn;
	int err = sp_connect_until(at, SP_HOME_HERE, sp_in(SP_S), &conn);

	if (err < 0)
		return err;
	err = sp_reader_new(conn.fd, 0, &r);
	if (err == 0) {
		err = fetch(conn.fd, r, "hello");
		if (err == 0)
			err = fetch(conn.fd, r, "../../etc/passwd");
		if (err == 0)
			err = fetch(conn.fd, r, "nothing");
		sp_reader_free(r);
	}
	sp_close(conn.fd);
	return err;
}

static int serve_a_client(struct server *server)
{
	struct sp_addr at;
	struct sp_task task = { 0 };
	int err = sp_addr_parse("127.0.0.1", 0, &at);

	if (err == 0)
		err = sp_listen(&at, NULL, &server->listener);
	if (err == 0)
		err = sp_addr_local(server->listener, &at);
	if (err == 0)
		err = sp_go(server_main, server, &task);
	if (err < 0)
		return err;
	err = client(&at);
	sp_cancel(task);
	sp_join(task, NULL);
	return err;
}

static int body(void *arg)
{
	char path[] = "/tmp/spargio-example-XXXXXX";
	struct server server = { -1, -1 };
	int err;

	(void)arg;
	if (mkdtemp(path) == NULL)
		return -1;
	server.root = sp_openat(AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);
	err = sp_write_file(server.root, "hello", "hello yourself\n", 15, 0644);
	if (err == 0)
		err = serve_a_client(&server);
	sp_close(server.listener);
	sp_unlinkat(server.root, "hello", 0);
	sp_close(server.root);
	sp_unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
	return err;
}

int main(void)
{
	return sp_run(NULL, body, NULL) == 0 ? 0 : 1;
}
