#include "collector/http/server.h"

#include "collector/base/early_socket.h"
#include "collector/base/ip.h"
#include "collector/base/secret_memory.h"
#include "collector/config/options.h"
#include "collector/http/connections.h"
#include "collector/http/server_internal.h"
#include "collector/http/sse.h"
#include "collector/http/token.h"
#include "collector/http/stats_poller.h"
#include "collector/worker_state.h"

#include <spargio/fiber.h>
#include <spargio/net.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 512
#define PER_ADDRESS 384
#define RESERVED    32
/*
 * The limit of libmicrohttpd. It also counts connections that have ended but
 * are not closed yet.
 */
#define CONNECTIONS_MAX (CONNECTIONS + 4 * RESERVED)
/* maximum requests in fibers, without those of HTTP_RESERVED */
#define WORKING_MAX 64
/* bytes of memory per connection: limits the headers */
#define CONNECTION_SIZE (32 * 1024)
#define IDLE_SECONDS	30U
#define BODY_MAX	(64 * 1024)
#define STACK		(256 * 1024)
#define STOP_SECONDS	10 /* longer than HTTP_PATIENCE plus sp_stop() */

static void server_log(struct http *h, enum log_level level, const char *event,
		       const char *hint, int err)
{
	const struct config_address *at = &h->config->http.listen;
	struct log_line line;

	if (!log_begin(h->log, level, event, &line))
		return;
	log_address_port(&line, "at", at->address, at->port);
	if (err < 0)
		log_error(&line, "error", err);
	if (hint != NULL)
		log_text(&line, "hint", hint);
	log_end(&line);
}

void http_log_client(struct log_line *line, const struct sockaddr *from)
{
	uint8_t address[16];

	ip_from_sockaddr(from, address);
	log_address(line, "from", address);
}

/* Requests */

static int request_run(void *request)
{
	struct http_request *r = request;
	struct http *h = r->http;

	r->route->handle(r);
	r->phase = HTTP_DONE;
	/*
	 * From here on libmicrohttpd owns the request again, and may free it.
	 */
	MHD_resume_connection(r->connection);
	pthread_mutex_lock(&h->lock);
	h->working--;
	pthread_cond_signal(&h->idle);
	pthread_mutex_unlock(&h->lock);
	return 0;
}

/*
 * Pass the request to a fiber. False if there are too many requests or the
 * server stops; the reply is then an error.
 */
static bool hand_over(struct http_request *r)
{
	struct http *h = r->http;
	bool stopping, taken;

	pthread_mutex_lock(&h->lock);
	stopping = h->stopping;
	taken = !stopping &&
		(h->working < WORKING_MAX || r->route->flags & HTTP_RESERVED);
	if (taken) {
		h->working++;
		r->phase = HTTP_WORKING;
		MHD_suspend_connection(r->connection);
	}
	pthread_mutex_unlock(&h->lock);
	if (!taken) {
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE,
			   stopping ? "the collector is stopping"
				    : "too many requests",
			   stopping ? NULL : "ask again");
		return false;
	}
	if (sp_go_on(h->rt, 0, request_run, r, NULL) == 0)
		return true;
	http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE, "too many requests",
		   "ask again");
	r->phase = HTTP_DONE;
	MHD_resume_connection(r->connection);
	pthread_mutex_lock(&h->lock);
	h->working--;
	pthread_cond_signal(&h->idle);
	pthread_mutex_unlock(&h->lock);
	return true;
}

static enum MHD_Result request_reply(struct http_request *r)
{
	bool stream = r->response != NULL && r->route->flags & HTTP_STREAM;

	r->phase = HTTP_DONE;
	http_connection_set_state(r->place,
				  stream ? HTTP_CONNECTION_STREAMING
					 : HTTP_CONNECTION_SENDING,
				  sp_now());
	return http_reply(r);
}

/*
 * Run the handler of the request, which was read completely, or pass it to a
 * fiber. Then, or if the request was refused, send the reply.
 */
static enum MHD_Result request_dispatch(struct http_request *r)
{
	http_connection_set_state(r->place, HTTP_CONNECTION_WORKING, sp_now());
	if (r->admitted && r->route->flags & HTTP_DIRECT)
		r->route->handle(r);
	else if (r->admitted && hand_over(r))
		return MHD_YES;
	return request_reply(r);
}

/*
 * Check the length of the body. False if it is too long; the reply is then an
 * error.
 */
static bool body_fits(struct http_request *r)
{
	const char *length =
		MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND,
					    MHD_HTTP_HEADER_CONTENT_LENGTH);

	if (length == NULL || strtoull(length, NULL, 10) <= BODY_MAX)
		return true;
	http_error(r, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too long",
		   "requests here need none; parameters are in the URL");
	return false;
}

/*
 * Check the request. False if it is refused; the error is sent when the body
 * was read.
 */
static bool request_admit(struct http_request *r, const char *method)
{
	if (r->parsed != HTTP_TARGET_OK) {
		http_error(r,
			   r->parsed == HTTP_TARGET_TOO_LONG
				   ? MHD_HTTP_URI_TOO_LONG
				   : MHD_HTTP_BAD_REQUEST,
			   http_target_words(r->parsed), NULL);
		return false;
	}
	if (!http_route_find(r, method))
		return false;
	if (http_connection_is_reserved(r->place) &&
	    !(r->route->flags & HTTP_RESERVED)) {
		r->close = true;
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "too many connections",
			   "only health and metrics are answered now");
		return false;
	}
	return http_access_check(r) && http_route_check_params(r);
}

static enum MHD_Result request_handle(void *http,
				      struct MHD_Connection *connection,
				      const char *url, const char *method,
				      const char *version, const char *body,
				      size_t *body_len, void **request)
{
	struct http_request *r = *request;

	(void)http;
	(void)url;
	(void)version;
	(void)body;
	if (r == NULL || r->place == NULL)
		return MHD_NO;
	r->connection = connection;
	switch (r->phase) {
	case HTTP_NEW:
		r->phase = HTTP_READING;
		if (!http_headers_check(r) || !body_fits(r)) {
			r->close = true;
			return request_reply(r);
		}
		r->admitted = request_admit(r, method);
		return MHD_YES;
	case HTTP_READING:
		if (*body_len == 0)
			return request_dispatch(r);
		r->body += *body_len;
		*body_len = 0;
		return r->body <= BODY_MAX ? MHD_YES : MHD_NO;
	default:
		return request_reply(r);
	}
}

static struct http_connection *place_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection,
					MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info != NULL ? info->socket_context : NULL;
}

/*
 * Make a request. libmicrohttpd calls this first for each request, with the
 * target as it was received.
 */
static void *request_begin(void *http, const char *target,
			   struct MHD_Connection *connection)
{
	struct http_request *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->http = http;
	r->connection = connection;
	r->place = place_of(connection);
	r->status = MHD_HTTP_OK;
	r->parsed = http_target_parse(target, &r->target);
	return r;
}

static void request_end(void *http, struct MHD_Connection *connection,
			void **request, enum MHD_RequestTerminationCode why)
{
	struct http_request *r = *request;

	(void)http;
	(void)connection;
	(void)why;
	if (r == NULL)
		return;
	if (r->place != NULL)
		http_connection_set_state(r->place, HTTP_CONNECTION_READING,
					  sp_now());
	r->http->held -= r->held;
	json_fini(&r->out);
	free(r);
	*request = NULL;
}

/* Connections */

static void connection_begin(struct http *h, struct MHD_Connection *connection,
			     void **place)
{
	int fd = MHD_get_connection_info(connection,
					 MHD_CONNECTION_INFO_CONNECTION_FD)
			 ->connect_fd;
	const struct sockaddr *peer =
		MHD_get_connection_info(connection,
					MHD_CONNECTION_INFO_CLIENT_ADDRESS)
			->client_addr;

	*place = http_connection_open(h->connections, fd, peer, sp_now());
	if (*place == NULL)
		shutdown(fd, SHUT_RDWR);
}

static void connection_notify(void *http, struct MHD_Connection *connection,
			      void **place,
			      enum MHD_ConnectionNotificationCode what)
{
	switch (what) {
	case MHD_CONNECTION_NOTIFY_STARTED:
		connection_begin(http, connection, place);
		break;
	case MHD_CONNECTION_NOTIFY_CLOSED:
		http_connection_close(*place);
		*place = NULL;
		break;
	}
}

/*
 * The main function of the fiber that closes connections at their deadline.
 * Yields.
 */
static int connections_expire_main(void *http)
{
	struct http *h = http;

	while (sp_sleep(SP_S) == 0)
		http_connections_expire(h->connections, sp_now());
	return 0;
}

/* Start and stop */

/*
 * Open the socket here and not in libmicrohttpd, so that errors have an errno.
 */
static int open_socket(const struct collector_env *env,
		       const struct config_address *at)
{
	int fd = early_socket_get(env->sockets, at->address, at->port);
	int err;

	if (fd == -ENOENT)
		fd = early_socket_bind_now(at->address, at->port);
	if (fd < 0 || listen(fd, CONNECTIONS) == 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* The port that a socket is bound to. */
static uint16_t port_of(int fd)
{
	struct sp_addr at;

	return sp_addr_local(fd, &at) < 0 ? 0 : sp_addr_port(&at);
}

static void log_listening(struct http *h)
{
	struct log_line line;

	if (!log_begin(h->log, LOG_LEVEL_INFO, "http_listening", &line))
		return;
	log_address_port(&line, "at", h->config->http.listen.address, h->port);
	log_end(&line);
}

/*
 * Set the token: the configured one, or a generated one in the state folder. If
 * there is no token, pages that need none are still served: a collector must be
 * able to start when its disk is full, because publishing frees space.
 */
static int take_token(struct http *h)
{
	static const char empty[HTTP_TOKEN_LEN];
	const char *state = h->config->snapshot.state;
	int err;

	h->token = h->config->http.token.value;
	if (h->token != NULL)
		return 0;
	if (config_state_is_url(h->config)) {
		server_log(
			h, LOG_LEVEL_WARNING, "http_without_token",
			"--state is no folder: actions need --http-token-file",
			0);
		return 0;
	}
	h->own_token = secret_copy(empty, HTTP_TOKEN_LEN);
	if (h->own_token == NULL)
		return -ENOMEM;
	err = http_token_get(state, h->own_token);
	if (err == 0)
		h->token = h->own_token;
	else
		server_log(h, LOG_LEVEL_ERROR, "http_without_token",
			   "no " HTTP_TOKEN_NAME " can be written to the state "
			   "folder: actions are refused until the next start",
			   err);
	return 0;
}

static int start_daemon(struct http *h, int fd)
{
	errno = 0;
	h->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			MHD_USE_ITC,
		0, NULL, NULL, request_handle, h, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_URI_LOG_CALLBACK, request_begin, h,
		MHD_OPTION_NOTIFY_COMPLETED, request_end, h,
		MHD_OPTION_NOTIFY_CONNECTION, connection_notify, h,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_SIZE,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (h->daemon != NULL)
		return 0;
	/*
	 * libmicrohttpd returns no error code: use errno of the failed system
	 * call.
	 */
	return errno != 0 ? -errno : -EIO;
}

static int start_parts(struct http *h, int fd)
{
	struct sp_opts opts = SP_OPTS_INIT;
	int err = take_token(h);

	opts.shards = 1;
	opts.name = "http";
	opts.stack_size = STACK;
	opts.pool_threads = 1;
	if (err == 0)
		err = sp_start(&opts, &h->rt);
	/*
	 * Ids of events begin at the wall clock in microseconds, so they are
	 * larger than in earlier runs.
	 */
	if (err == 0)
		err = sse_new(worker_now().wall_ns / 1000, &h->sse);
	if (err == 0)
		err = stats_poller_start(h->env, h->rt, h->sse,
					 &h->stats_poller);
	if (err == 0)
		err = sp_go_on(h->rt, 0, connections_expire_main, h,
			       &h->expiry);
	h->has_expiry = err == 0;
	if (err == 0)
		err = start_daemon(h, fd);
	return err;
}

static struct http *http_new(const struct collector_env *env)
{
	const struct http_connection_limits limits = {
		.all = CONNECTIONS,
		.per_address = PER_ADDRESS,
		.reserved = RESERVED,
	};
	struct http *h = calloc(1, sizeof(*h));
	pthread_condattr_t monotonic;

	if (h == NULL)
		return NULL;
	h->connections = http_connections_new(&limits);
	if (h->connections == NULL) {
		free(h);
		return NULL;
	}
	h->env = env;
	h->config = env->config;
	h->log = env->log;
	h->seed = env->seed;
	h->loopback = config_address_is_loopback(&h->config->http.listen);
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&h->idle, NULL);
	pthread_cond_init(&h->end, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return h;
}

static int server_start(struct http *h)
{
	const struct config_address *at = &h->config->http.listen;
	int fd = open_socket(h->env, at);
	int err;

	if (fd == -EADDRINUSE && config_is_default(h->config, "http")) {
		server_log(h, LOG_LEVEL_WARNING, "no_http",
			   "the default address is taken: --http ADDRESS:PORT, "
			   "or off",
			   fd);
		return fd;
	}
	if (fd < 0) {
		server_log(h, LOG_LEVEL_ERROR, "cannot_listen",
			   "--http ADDRESS:PORT", fd);
		return fd;
	}
	err = start_parts(h, fd);
	if (err < 0) {
		if (h->daemon == NULL)
			close(fd);
		server_log(h, LOG_LEVEL_ERROR, "cannot_serve_http", NULL, err);
		return err;
	}
	h->port = port_of(fd);
	log_listening(h);
	return 0;
}

uint16_t http_port(const struct http *h)
{
	return h->port;
}

int http_start(const struct collector_env *env, struct http **out)
{
	struct http *h;
	int err;

	*out = NULL;
	if (!env->config->http.listen.set)
		return 0;
	h = http_new(env);
	if (h == NULL)
		return -ENOMEM;
	err = server_start(h);
	if (err == 0) {
		*out = h;
		return 0;
	}
	http_stop(h);
	return err == -EADDRINUSE && config_is_default(env->config, "http")
		       ? 0
		       : err;
}

/*
 * Refuse new requests in fibers, and wait until all have ended: when the daemon
 * stops, no connection may be suspended.
 */
static void end_requests(struct http *h)
{
	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	while (h->working > 0)
		pthread_cond_wait(&h->idle, &h->lock);
	pthread_mutex_unlock(&h->lock);
}

/*
 * Stop the server. Runs on a thread of its own, because any step may wait for a
 * handler that does not return.
 */
static void *stop_main(void *http)
{
	struct http *h = http;

	end_requests(h);
	sse_close(h->sse);
	if (h->daemon != NULL)
		MHD_stop_daemon(h->daemon);
	if (h->has_expiry) {
		sp_cancel(h->expiry);
		sp_join_thread(h->rt, h->expiry, NULL);
	}
	stats_poller_stop(h->stats_poller);
	sse_free(h->sse);
	if (h->rt != NULL)
		sp_stop(h->rt, sp_in(5 * SP_S));
	pthread_mutex_lock(&h->lock);
	h->stopped = true;
	pthread_cond_signal(&h->end);
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/*
 * Wait until stop_main() has ended. False if it has not ended within
 * STOP_SECONDS.
 */
static bool wait_stopped(struct http *h)
{
	struct timespec deadline;
	bool stopped;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += STOP_SECONDS;
	pthread_mutex_lock(&h->lock);
	while (!h->stopped && err == 0)
		err = pthread_cond_timedwait(&h->end, &h->lock, &deadline);
	stopped = h->stopped;
	pthread_mutex_unlock(&h->lock);
	return stopped;
}

int http_stop(struct http *h)
{
	pthread_t stopper;

	if (h == NULL)
		return 0;
	if (pthread_create(&stopper, NULL, stop_main, h) != 0) {
		stop_main(h);
	} else if (wait_stopped(h)) {
		pthread_join(stopper, NULL);
	} else {
		pthread_detach(stopper);
		server_log(
			h, LOG_LEVEL_ERROR, "http_not_stopped",
			"a request did not end; the process exits without it",
			-ETIMEDOUT);
		return -ETIMEDOUT;
	}
	pthread_cond_destroy(&h->end);
	pthread_cond_destroy(&h->idle);
	pthread_mutex_destroy(&h->lock);
	http_connections_free(h->connections);
	secret_free(h->own_token);
	free(h);
	return 0;
}
