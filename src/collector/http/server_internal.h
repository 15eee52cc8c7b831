/*
 * collector/http/server_internal.h - shared data of the files of the HTTP
 * server
 *
 *	libmicrohttpd's thread			our runtime, one shard
 *	reads a request, finds its row
 *	suspends the connection --- request --> a fiber: asks the workers' query queue,
 *	sends what is there   <--- resumed ----    writes the answer
 *
 * A request is used by one thread at a time, so it has no lock.
 */
#ifndef COLLECTOR_HTTP_SERVER_INTERNAL_H
#define COLLECTOR_HTTP_SERVER_INTERNAL_H

#include "collector/base/json.h"
#include "collector/collector_env.h"
#include "collector/http/target.h"
#include "collector/query/query_param.h"

#include <spargio/fiber.h>

#include <microhttpd.h>
#include <pthread.h>

#define HTTP_ARGS_MAX 2

/*
 * A page of a list ends after the row that exceeds this size. A row has at most
 * some 400 KiB: the attributes of one route.
 */
#define HTTP_PAGE_BYTES (1024 * 1024)

/*
 * Maximum bytes of all replies that clients have not read yet; further requests
 * get 503. Routes with HTTP_RESERVED may use the same amount again.
 */
#define HTTP_HELD_BYTES (64 * 1024 * 1024)

/* Maximum time of a query on one worker; the client waits a little longer. */
#define HTTP_PATIENCE (2 * SP_S)

struct config;
struct http;
struct http_connection;
struct http_connections;
struct http_request;
struct log;
struct log_line;
struct sockaddr;
struct sp_rt;
struct sse;
struct stats_poller;
struct worker_query;

enum http_route_flags {
	HTTP_OPEN = 1, /* no token is needed: health */
	/* answered on libmicrohttpd's thread, without a fiber */
	HTTP_DIRECT = 2,
	HTTP_POST = 4,	   /* the route changes something; its method is POST */
	HTTP_RESERVED = 8, /* answered even if all normal slots are occupied */
	HTTP_STREAM = 16,  /* the reply has no end */
};

struct http_route {
	/* segments; "*" matches any segment, which becomes an argument */
	const char *path;
	const struct query_param *params; /* parameters; NULL = none */
	unsigned flags;			  /* enum http_route_flags */
	void (*handle)(struct http_request *r);
};

enum http_phase {
	HTTP_NEW,
	HTTP_READING, /* the body is read and ignored */
	HTTP_WORKING, /* a fiber processes the request */
	HTTP_DONE,
};

struct http_request {
	struct http *http;
	struct MHD_Connection *connection;
	struct http_connection *place;
	enum http_phase phase;
	enum http_target_status parsed;
	struct http_target target;
	/* false if the request was refused; the reply is an error */
	bool admitted;
	const struct http_route *route;
	const char *args[HTTP_ARGS_MAX];
	size_t body;
	/* The reply */
	unsigned status;
	const char *type;  /* content type; NULL = JSON */
	const char *allow; /* the allowed methods, for 405 */
	/* made by the handler; NULL = http_reply() makes it from out */
	struct MHD_Response *response;
	struct json out;
	size_t held; /* number of bytes of the reply counted in http.held */
	bool close;  /* close the connection after the reply */
};

struct http {
	const struct collector_env *env;
	const struct config *config;
	struct log *log;
	struct sp_rt *rt;
	struct MHD_Daemon *daemon;
	struct http_connections *connections;
	/*
	 * bytes of replies that clients have not read yet; only for
	 * libmicrohttpd's thread
	 */
	size_t held;
	struct sse *sse;
	struct stats_poller *stats_poller;
	/* the fiber that closes connections at their deadline */
	struct sp_task expiry;
	bool has_expiry;
	/* the token; NULL = there is none, and actions are refused */
	const char *token;
	char *own_token; /* a generated token, to be freed */
	bool loopback;
	uint16_t port;	      /* the port on which the server listens */
	uint64_t seed;	      /* seed of cursors */
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t idle;  /* signalled when the count working decreases */
	pthread_cond_t end;   /* signalled when stopped becomes true */
	bool stopping;
	bool stopped;	  /* all parts of the server have ended */
	uint32_t working; /* number of requests in fibers */
};

/* reply.c */

/* Reply with {"error": ..., "hint": ...}; @hint may be NULL. */
void http_error(struct http_request *r, unsigned status, const char *error,
		const char *hint);
/* Reply with an error about an invalid value: "error: 'value'". */
void http_error_of(struct http_request *r, unsigned status, const char *error,
		   const char *value, const char *hint);
/* True if the client accepts gzip. */
bool http_takes_gzip(struct MHD_Connection *connection);
/* Send the reply. For libmicrohttpd's thread. */
enum MHD_Result http_reply(struct http_request *r);

/* routes.c */

/*
 * Find the route of the request. False if there is none; the reply is then an
 * error.
 */
bool http_route_find(struct http_request *r, const char *method);

/*
 * False if the request has a parameter that the route does not know; the reply
 * is then an error. So a client notices a misspelt parameter.
 */
bool http_route_check_params(struct http_request *r);

/*
 * Parse the parameters of the request into *@into, as the rows of its route
 * say. False if one is invalid or missing; the reply is then an error.
 */
bool http_params_read(struct http_request *r, void *into);

/* Return route number @i, for tools; NULL after the last. */
const struct http_route *http_route_at(size_t i);

/*
 * headers.c: check the headers. False if a proxy could parse the request in
 * another way; the reply is then an error.
 */
bool http_headers_check(struct http_request *r);

/*
 * auth.c: check the token and the origin. False if access is denied; the reply
 * gives the reason.
 */
bool http_access_check(struct http_request *r);

/* query_client.c, for fibers; these functions yield. */

/*
 * Run a query on a worker. False if there is no result: the query is then freed
 * and the reply is an error.
 */
bool http_ask(struct http_request *r, uint32_t worker, struct worker_query **q);

/* Reply 503 for @err, an error of worker_query_run(). */
void http_ask_failed(struct http_request *r, int err);

/* Reply 404, because the router or peer of the request does not exist. */
void http_no_router(struct http_request *r, const char *token);
void http_no_peer(struct http_request *r, const char *id);

/*
 * Parse the segment with a router's token. False if it is invalid; the reply is
 * then an error.
 */
bool http_take_router(struct http_request *r, const char *token,
		      struct query_router *out, uint32_t *worker);
bool http_take_peer(struct http_request *r, const char *id,
		    struct query_peer *out);

/* server.c: log the client's address as "from". */
void http_log_client(struct log_line *line, const struct sockaddr *from);

/* handle_static.c: true if the path is that of a file of the dashboard */
bool http_page_exists(const struct http_target *t);

/* handle_actions.c: parameters of /api/v1/log-level */
extern const struct query_param http_log_level_params[];

/* Handlers */
void http_get_health(struct http_request *r);
void http_get_ready(struct http_request *r);
void http_get_status(struct http_request *r);
void http_get_routers(struct http_request *r);
void http_get_router(struct http_request *r);
void http_get_peers(struct http_request *r);
void http_get_peer(struct http_request *r);
void http_get_rib(struct http_request *r);
void http_get_page(struct http_request *r);
void http_get_events(struct http_request *r);
void http_get_metrics(struct http_request *r);
void http_post_disconnect(struct http_request *r);
void http_post_purge(struct http_request *r);
void http_post_resync(struct http_request *r);
void http_post_snapshot(struct http_request *r);
void http_post_log_level(struct http_request *r);

#endif
