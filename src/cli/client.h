/*
 * cli/client.h - query a running collector over HTTP
 *
 *	client_new(&options, &c);
 *	err = client_get(c, "/api/v1/status", &answer);
 *	if (err < 0)
 *		complain(client_why(c));	one line, says what to do
 *
 * The client uses one connection, which stays open between requests and is
 * opened again if necessary; so the next call works after a restart of the
 * collector. The token is read for each request, because a collector may
 * generate a new one when it starts. If the user has not named a token file,
 * the token of a collector on this host is sent to this host only, and for
 * reading only after the server has asked for it.
 *
 * Threads	One. Blocking: each request, at most for the timeout.
 * Errors	0 or -errno, for scripts and for watching; client_why() has the
 *		text.
 *
 *	-EINVAL		the collector does not understand the request, or the
 *			URL is not valid
 *	-EACCES		the token is missing or wrong, or the collector does not
 *			allow this request from this client
 *	-ENOENT		there is no such router, peer or page
 *	-EBUSY		the collector cannot answer now
 *	-ECONNREFUSED	no server answers at the URL
 *	-ETIMEDOUT	the answer took too long
 *	-ECANCELED	a signal came, see client_options.signals
 *	-EPROTO		the server is not a collector, or refuses for another
 *			reason
 */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#define CLIENT_URL "http://127.0.0.1:8080"
/* Maximum rows of a page. */
#define CLIENT_ROWS_MAX 1000
/* File name of the generated token in the state folder. */
#define CLIENT_TOKEN "http-token"

struct client;
struct json_object; /* of json-c; cli/api_json.h reads it */

struct client_options {
	const char *url;
	/* NULL = the token file of a collector on this host */
	const char *token_file;
	const char *tls_ca; /* NULL = the system's certificates */
	long timeout_ms;
	int signals; /* descriptor that becomes readable to cancel; -1 = none */
};

#define CLIENT_DEFAULTS                                               \
	(struct client_options)                                       \
	{                                                             \
		.url = CLIENT_URL, .timeout_ms = 10000, .signals = -1 \
	}

/* Make a client; exits if out of memory. @options must outlive the client. */
struct client *client_new(const struct client_options *options);
void client_free(struct client *c);

/*
 * Send a request. @path begins with a slash and is escaped. On success *@out is
 * the answer, an object; the caller frees it with answer_free().
 */
int client_get(struct client *c, const char *path, struct json_object **out);
int client_post(struct client *c, const char *path, struct json_object **out);

/*
 * Get a list page by page. @path already has a query. Each answer is passed to
 * @page, which returns whether to continue.
 */
int client_list(struct client *c, const char *path,
		bool (*page)(void *arg, const struct json_object *answer),
		void *arg);

/* The length in bytes of the last answer passed to page(). */
size_t client_answer_bytes(const struct client *c);

/* The error of the last request, without a full stop or a newline. */
const char *client_why(const struct client *c);

/* The exit code for @err, an error of a request. */
int client_exit_code(int err);

/* Escape @text for the query of a URL; the caller frees the result. */
char *client_escape(const char *text);

#endif
