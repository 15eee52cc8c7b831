/*
 * A server of static files by HTTP/1.0.
 *
 *	static_server ADDRESS FOLDER
 *
 * A path cannot lead out of FOLDER: the kernel resolves it (RESOLVE_BENEATH).
 * A client has ten seconds for its request. SIGTERM ends the server.
 *
 * This program is C and C++.
 */
#include <spargio/spargio.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define REQUEST_MAX  4096
#define REQUEST_TIME (10 * SP_S)

struct server {
	struct sp_signals *signals;
	int listener;
	int folder;
};

/* A regular file, or a negative errno. */
static int open_below(int folder, const char *path)
{
	struct open_how how;
	struct statx st;
	int fd, err;

	memset(&how, 0, sizeof(how));
	how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	how.resolve = RESOLVE_BENEATH;
	fd = sp_openat2(folder, path, &how); /* yields */
	if (fd < 0)
		return fd;
	err = sp_fstat(fd, &st); /* yields */
	if (err == 0 && !S_ISREG(st.stx_mode))
		err = -EISDIR;
	if (err < 0)
		sp_close(fd);
	return err < 0 ? err : fd;
}

static int send_error(int fd, const char *status)
{
	char text[128];
	int len = snprintf(text, sizeof(text),
			   "HTTP/1.0 %s\r\nContent-Length: 0\r\n\r\n", status);

	return sp_send_all(fd, text, (size_t)len);
}

static int send_file(int fd, int file)
{
	struct statx st;
	char text[128];
	int64_t sent;
	int err = sp_fstat(file, &st);
	int len;

	if (err < 0)
		return send_error(fd, "500 Internal Server Error");
	len = snprintf(text, sizeof(text),
		       "HTTP/1.0 200 OK\r\nContent-Length: %" PRIu64 "\r\n\r\n",
		       (uint64_t)st.stx_size);
	err = sp_send_all(fd, text, (size_t)len); /* yields */
	if (err < 0)
		return err;
	sent = sp_copy(file, fd, (int64_t)st.stx_size); /* yields */
	/* If the file has become shorter, all we can do is to hang up. */
	return sent == (int64_t)st.stx_size ? 0 : -EIO;
}

/* "GET /path HTTP/1.1": the path, or NULL. */
static char *path_of(char *line)
{
	char *end;

	if (strncmp(line, "GET /", 5) != 0)
		return NULL;
	end = strchr(line + 5, ' ');
	if (end == NULL || strncmp(end, " HTTP/1.", 8) != 0)
		return NULL;
	*end = '\0';
	return line + 5;
}

static int answer(const struct server *server, int fd, char *line)
{
	const char *path = path_of(line);
	int file, err;

	if (path == NULL)
		return send_error(fd, "400 Bad Request");
	file = open_below(server->folder, *path == '\0' ? "index.html" : path);
	if (file < 0)
		return send_error(fd, "404 Not Found");
	err = send_file(fd, file);
	sp_close(file);
	return err;
}

/* One request; the connection is closed when this returns. */
static int session(struct sp_conn *conn, void *arg)
{
	const struct server *server = (const struct server *)arg;
	int64_t deadline = sp_in(REQUEST_TIME);
	char request[REQUEST_MAX], *line;
	struct sp_reader *reader;
	size_t len;
	int err = sp_reader_new(conn->fd, REQUEST_MAX, &reader);

	if (err < 0)
		return err;
	err = sp_reader_line_until(reader, deadline, &line, &len); /* yields */
	if (err > 0) {
		memcpy(request, line, len + 1);
		/* The headers are read, or closing would reset the answer. */
		while (err > 0 && len > 0)
			err = sp_reader_line_until(reader, deadline, &line,
						   &len); /* yields */
	}
	if (err > 0)
		err = answer(server, conn->fd, request);
	sp_reader_free(reader);
	return err;
}

static int serve(void *arg)
{
	struct server *server = (struct server *)arg;

	return sp_accept_loop(server->listener, SP_HOME_NEXT, NULL, session,
			      server);
}

static int body(void *arg)
{
	struct server *server = (struct server *)arg;
	struct sp_signal signal;
	struct sp_addr at;
	char text[SP_ADDR_TEXT];
	int err = sp_addr_local(server->listener, &at);

	if (err == 0)
		err = sp_go(serve, server, NULL);
	if (err < 0)
		return err;
	printf("listening on %s\n", sp_addr_format(&at, text));
	fflush(stdout);
	return sp_signals_wait(server->signals, &signal); /* yields */
}

int main(int argc, char **argv)
{
	static struct server server;
	struct sp_addr at;
	sigset_t set;
	int err = argc == 3 ? sp_addr_parse(argv[1], 0, &at) : -EINVAL;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	if (err == 0) {
		server.folder = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC);
		err = server.folder < 0 ? -errno : 0;
	}
	if (err == 0)
		err = sp_listen(&at, NULL, &server.listener);
	if (err == 0)
		err = sp_signals_new(&set, &server.signals);
	if (err == 0)
		err = sp_run(NULL, body, &server);
	if (err < 0)
		fprintf(stderr, "static_server ADDRESS FOLDER: %s\n",
			strerror(-err));
	return err < 0 ? 1 : 0;
}
