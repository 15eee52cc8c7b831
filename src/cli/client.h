/*
 * cli/client.h - ask a running collector, over HTTP
 *
 *	client_new(&options, &c);
 *	err = client_get(c, "/api/v1/status", &answer);
 *	if (err < 0)
 *		complain(client_why(c));	one line, says what to do
 *
 * One connection, kept open between requests and made again if need be: a
 * collector that restarts is met again by the next call. The token is read
 * again for each request, because a collector may make a new one when it
 * starts. One that was not named goes to this host only; none is sent to read
 * before the other side has asked for it.
 *
 * Threads	One. Blocking: each request, at most for the time-out.
 * Errors	0 or -errno: what it is, for scripts and for watching; client_why()
 *		says it to people.
 *
 *	-EINVAL		the collector does not understand the request, or the
 *			URL is none
 *	-EACCES		it wants a token, or another one, or there is none to
 *			show; it takes no action, or none from here
 *	-ENOENT		there is no such router, peer or page
 *	-EBUSY		it cannot answer now
 *	-ECONNREFUSED	nobody answers there
 *	-ETIMEDOUT	the answer took too long
 *	-ECANCELED	a signal came, see client_options.signals
 *	-EPROTO		what answers there is no collector, or refuses for a
 *			reason that is none of the above
 */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#define CLIENT_URL "http://127.0.0.1:8080"
/* Rows that one page may have, whatever it was asked for. */
#define CLIENT_ROWS_MAX 1000
/* What a collector calls the token it makes, in its state folder. */
#define CLIENT_TOKEN "http-token"

struct client;
struct json_object; /* of json-c; cli/api_json.h reads it */

struct client_options {
	const char *url;
	const char *token_file; /* NULL: that of a collector on this host */
	const char *tls_ca;	/* NULL: those the system trusts */
	long timeout_ms;
	int signals; /* a descriptor; readable: give up. -1: none */
};

#define CLIENT_DEFAULTS                                               \
	(struct client_options)                                       \
	{                                                             \
		.url = CLIENT_URL, .timeout_ms = 10000, .signals = -1 \
	}

/* Ends the program where there is no memory. @options must outlive it. */
struct client *client_new(const struct client_options *options);
void client_free(struct client *c);

/*
 * @path begins with a slash and is escaped. *@out is an object, and the
 * caller's: answer_free() it.
 */
int client_get(struct client *c, const char *path, struct json_object **out);
int client_post(struct client *c, const char *path, struct json_object **out);

/*
 * A list that comes in pages. @path has a query already. Each answer is shown
 * to @page, which says whether to go on to the next.
 */
int client_list(struct client *c, const char *path,
		bool (*page)(void *arg, const struct json_object *answer),
		void *arg);

/* The length of the last answer, which page() was given. */
size_t client_answer_bytes(const struct client *c);

/* Why the last one failed, without a full stop or a newline. */
const char *client_why(const struct client *c);

/* The exit code for such an error. */
int client_exit_code(int err);

/* @text for a query of a URL; the caller frees it. */
char *client_escape(const char *text);

#endif
