/*
 * collector/http/server_internal.h - what the files of the HTTP server share
 *
 *	libmicrohttpd's thread			our runtime, one shard
 *	reads a request, finds its row
 *	suspends the connection --- request --> a fiber: asks the workers' query queue,
 *	sends what is there   <--- resumed ----    writes the answer
 *
 * A request is in one hand at a time, so it has no lock.
 */
#ifndef COLLECTOR_HTTP_SERVER_INTERNAL_H
#define COLLECTOR_HTTP_SERVER_INTERNAL_H

#include "collector/base/json.h"
#include "collector/collector_env.h"
#include "collector/http/target.h"

#include <spargio/fiber.h>

#include <microhttpd.h>
#include <pthread.h>

#define HTTP_ARGS_MAX 2

/*
 * A page of a list ends behind the row that makes it so long. A row has at most
 * some 400 KiB: the attributes of one route.
 */
#define HTTP_PAGE_BYTES (1024 * 1024)

/*
 * Answers that wait to be read by their clients, all together; requests beyond
 * this get 503. Those with HTTP_RESERVED may have as much again.
 */
#define HTTP_HELD_BYTES (64 * 1024 * 1024)

/* How long one worker may take; who asks waits a little longer. */
#define HTTP_PATIENCE (2 * SP_S)

struct bmp_peer;
struct config;
struct http;
struct http_connection;
struct http_connections;
struct http_request;
struct log;
struct log_line;
struct rib_identity;
struct sockaddr;
struct sp_rt;
struct sse;
struct stats_poller;
struct worker_query;

enum http_route_flags {
	HTTP_OPEN = 1,	   /* needs no token anywhere: health */
	HTTP_DIRECT = 2,   /* asks nobody: answered where it was read */
	HTTP_POST = 4,	   /* changes something; else GET and HEAD */
	HTTP_RESERVED = 8, /* answered when all else has no place left */
	HTTP_STREAM = 16,  /* its answer has no end */
};

struct http_route {
	const char *path;   /* segments; "*" is any one, and an argument */
	const char *params; /* names with blanks between; "" for none */
	unsigned flags;	    /* enum http_route_flags */
	void (*handle)(struct http_request *r);
};

enum http_phase {
	HTTP_NEW,
	HTTP_READING, /* its body, which we do not want */
	HTTP_WORKING, /* a fiber has it */
	HTTP_DONE,
};

struct http_request {
	struct http *http;
	struct MHD_Connection *connection;
	struct http_connection *place;
	enum http_phase phase;
	enum http_target_status parsed;
	struct http_target target;
	bool admitted; /* else the answer is an error already */
	const struct http_route *route;
	const char *args[HTTP_ARGS_MAX];
	size_t body;
	/* The answer */
	unsigned status;
	const char *type;	       /* of the content; NULL: JSON */
	const char *allow;	       /* methods, with 405 */
	struct MHD_Response *response; /* made by the handler; NULL: of out */
	struct json out;
	size_t held; /* bytes of the answer, of http.held */
	bool close;  /* the connection, behind the answer */
};

struct http {
	const struct collector_env *env;
	const struct config *config;
	struct log *log;
	struct sp_rt *rt;
	struct MHD_Daemon *daemon;
	struct http_connections *connections;
	size_t held; /* bytes of answers; libmicrohttpd's thread */
	struct sse *sse;
	struct stats_poller *stats_poller;
	struct sp_task expiry; /* the fiber that ends connections */
	bool has_expiry;
	const char *token; /* NULL: there is none, and no action either */
	char *own_token;   /* to free() */
	bool loopback;
	uint16_t port;	      /* that was got */
	uint64_t seed;	      /* of cursors */
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t idle;  /* working has become less */
	pthread_cond_t end;   /* stopped has become true */
	bool stopping;
	bool stopped;	  /* nothing of the server runs any more */
	uint32_t working; /* requests that fibers have */
};

/* reply.c */

/* {"error": ..., "hint": ...}; @hint may be NULL. */
void http_error(struct http_request *r, unsigned status, const char *error,
		const char *hint);
/* The same about a value that was given: "error: 'value'". */
void http_error_of(struct http_request *r, unsigned status, const char *error,
		   const char *value, const char *hint);
/* Whether who asks wants it compressed. */
bool http_takes_gzip(struct MHD_Connection *connection);
/* Send what there is. On libmicrohttpd's thread. */
enum MHD_Result http_reply(struct http_request *r);

/* routes.c */

/* False: there is none, and the answer says so. */
bool http_route_find(struct http_request *r, const char *method);

/*
 * False: a parameter is not one of the route's, and the answer says so. An
 * ignored parameter would be a mistake that the client never notices.
 */
bool http_route_check_params(struct http_request *r);

/*
 * headers.c: false: a proxy in front might see another request than we do, and
 * the answer says so.
 */
bool http_headers_check(struct http_request *r);

/* auth.c: false: the answer says why not. */
bool http_access_check(struct http_request *r);

/* query_client.c. In a fiber: yields. */

/*
 * Ask a worker. False if there is no answer: the question is gone and the
 * request has its error.
 */
bool http_ask(struct http_request *r, uint32_t worker, struct worker_query **q);

/* 503, for what worker_query_run() said. */
void http_ask_failed(struct http_request *r, int err);

/* Parameters that many have. False: the request has its error. */
bool http_take_limit(struct http_request *r, size_t *out);
bool http_take_router(struct http_request *r, const char *token,
		      struct rib_identity *out, uint32_t *worker);
bool http_take_peer(struct http_request *r, const char *id,
		    struct bmp_peer *out);

/* server.c: "from", the address of who asks. */
void http_log_client(struct log_line *line, const struct sockaddr *from);

/* handle_static.c: the dashboard's files */
bool http_page_exists(const struct http_target *t);

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
