#include "cli/client.h"

#include "cli/api_json.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "cli/xalloc.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN_MAX 1024
/* Hex digits of a token that a collector generates. */
#define OWN_TOKEN_LEN 64
#define WHY_MAX	      768
/*
 * Maximum bytes of an answer. A page of a list has 1 MiB and one row; a longer
 * answer is not from a collector, and its JSON would take 30 times as much
 * memory.
 */
#define ANSWER_MAX (8u << 20)

/* Collects the body of an answer. */
struct body {
	char *bytes;
	size_t len;
	size_t size;
};

struct client {
	struct client_options options;
	CURL *curl;
	bool local; /* the URL is on this host */
	struct body body;
	char token[TOKEN_MAX + 1];
	bool token_wanted; /* a request without a token was refused */
	char why[WHY_MAX];
	char curl_why[CURL_ERROR_SIZE];
};

const char *client_why(const struct client *c)
{
	return c->why;
}

size_t client_answer_bytes(const struct client *c)
{
	return c->body.len;
}

int client_exit_code(int err)
{
	return err == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
}

static int fail_request(struct client *c, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail_request(struct client *c, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->why, sizeof(c->why), format, args);
	va_end(args);
	return err;
}

/* Life cycle */

static bool is_loopback(const char *host)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (strcmp(host, "localhost") == 0)
		return true;
	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
	return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static bool url_is_local(const char *url)
{
	CURLU *parts = memory_must(curl_url());
	char *host = NULL;
	bool local = false;

	if (curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
	    curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
		if (host[0] == '[' && host[strlen(host) - 1] == ']') {
			host[strlen(host) - 1] = '\0';
			local = is_loopback(host + 1);
		} else {
			local = is_loopback(host);
		}
	}
	curl_free(host);
	curl_url_cleanup(parts);
	return local;
}

static size_t gather_body(char *bytes, size_t one, size_t n, void *arg)
{
	struct body *body = arg;

	n *= one;
	if (n > ANSWER_MAX - body->len)
		return 0;
	if (body->len + n + 1 > body->size) {
		body->size = (body->len + n + 1) * 2;
		body->bytes = memory_must(realloc(body->bytes, body->size));
	}
	memcpy(body->bytes + body->len, bytes, n);
	body->len += n;
	body->bytes[body->len] = '\0';
	return n;
}

/* True if a signal came. curl calls this at intervals while it waits. */
static int is_interrupted(void *arg, curl_off_t dltotal, curl_off_t dlnow,
			  curl_off_t ultotal, curl_off_t ulnow)
{
	const struct client *c = arg;
	struct pollfd fd = { .fd = c->options.signals, .events = POLLIN };

	(void)dltotal, (void)dlnow, (void)ultotal, (void)ulnow;
	return poll(&fd, 1, 0) > 0;
}

struct client *client_new(const struct client_options *options)
{
	struct client *c = memory_must(calloc(1, sizeof(*c)));

	c->options = *options;
	c->local = url_is_local(options->url);
	c->curl = memory_must(curl_easy_init());
	curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, c->curl_why);
	curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS, options->timeout_ms);
	curl_easy_setopt(c->curl, CURLOPT_USERAGENT,
			 "arancini/" ARANCINI_VERSION);
	curl_easy_setopt(c->curl, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, gather_body);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, &c->body);
	curl_easy_setopt(c->curl, CURLOPT_XFERINFOFUNCTION, is_interrupted);
	curl_easy_setopt(c->curl, CURLOPT_XFERINFODATA, c);
	curl_easy_setopt(c->curl, CURLOPT_NOPROGRESS, 0L);
	/* A collector on this host is not behind a proxy. */
	if (c->local)
		curl_easy_setopt(c->curl, CURLOPT_PROXY, "");
	if (options->tls_ca != NULL)
		curl_easy_setopt(c->curl, CURLOPT_CAINFO, options->tls_ca);
	return c;
}

void client_free(struct client *c)
{
	if (c == NULL)
		return;
	curl_easy_cleanup(c->curl);
	free(c->body.bytes);
	free(c);
}

/* The token */

/*
 * Read the token in the file @path. Returns 0 or -errno; -EINVAL if the file
 * has no token.
 */
static int read_token(const char *path, char token[TOKEN_MAX + 1])
{
	FILE *file = fopen(path, "re");
	size_t len;

	if (file == NULL)
		return -errno;
	len = fread(token, 1, TOKEN_MAX, file);
	fclose(file);
	token[len] = '\0';
	token[strcspn(token, "\r\n")] = '\0';
	for (const char *p = token; *p != '\0'; p++)
		if (*p < '!' || *p > '~')
			return -EINVAL;
	return token[0] == '\0' ? -EINVAL : 0;
}

/*
 * Read the token that a collector generated, from a folder that the user did
 * not name. Anyone who may write to that folder could otherwise make us send
 * another file to the server at the URL: so a link is not followed, and only
 * text in the form of such a token is accepted.
 */
static bool read_own_token(const char *path, char token[TOKEN_MAX + 1])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		n = read(fd, token, OWN_TOKEN_LEN + 1);
	close(fd);
	token[OWN_TOKEN_LEN] = '\0';
	return n == OWN_TOKEN_LEN + 1 &&
	       strspn(token, "0123456789abcdef") == OWN_TOKEN_LEN;
}

/*
 * Find the token of a collector on this host: look into the folders where it
 * may have stored the token. c->token is "" if there is none.
 */
static void find_token(struct client *c)
{
	const char *state = getenv("ARANCINI_STATE");
	const char *folders[] = {
		state != NULL && *state != '\0' ? state : "data",
		"/var/lib/arancini/data",
	};
	char path[512];

	c->token[0] = '\0';
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/" CLIENT_TOKEN, folders[i]);
		if (read_own_token(path, c->token))
			return;
		c->token[0] = '\0';
	}
}

static int take_token(struct client *c)
{
	const char *path = c->options.token_file;
	int err;

	c->token[0] = '\0';
	if (path == NULL) {
		if (c->local)
			find_token(c);
		return 0;
	}
	err = read_token(path, c->token);
	if (err == -EINVAL)
		return fail_request(c, -EACCES, "there is no token in '%s'",
				    path);
	if (err < 0)
		return fail_request(c, -EACCES,
				    "cannot read the token '%s': %s", path,
				    strerror(-err));
	return 0;
}

/* Requests */

/* The URL without user and password, for messages. */
static const char *shown_url(const struct client *c)
{
	const char *url = c->options.url;
	const char *host = strstr(url, "://");
	const char *at;

	host = host != NULL ? host + 3 : url;
	at = memrchr(host, '@', strcspn(host, "/?#"));
	return at != NULL ? at + 1 : url;
}

static int explain_curl(struct client *c, CURLcode code)
{
	const char *url = shown_url(c);

	switch (code) {
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return fail_request(c, -EINVAL,
				    "'%s' is no URL such as " CLIENT_URL, url);
	case CURLE_ABORTED_BY_CALLBACK:
		return fail_request(c, -ECANCELED, "interrupted");
	case CURLE_OPERATION_TIMEDOUT:
		return fail_request(
			c, -ETIMEDOUT,
			"the collector at %s did not answer in %g s; give "
			"it longer with --timeout",
			url, (double)c->options.timeout_ms / 1000);
	case CURLE_COULDNT_RESOLVE_HOST:
		return fail_request(
			c, -ECONNREFUSED,
			"cannot find the host of %s; is --url right?", url);
	case CURLE_COULDNT_CONNECT:
		return fail_request(
			c, -ECONNREFUSED,
			"no collector answers at %s; is it running, and is "
			"--url its --http address?",
			url);
	default:
		return fail_request(c, -ECONNREFUSED, "asking %s failed: %s",
				    url,
				    c->curl_why[0] != '\0'
					    ? c->curl_why
					    : curl_easy_strerror(code));
	}
}

static int explain_token(struct client *c)
{
	if (c->token[0] != '\0' && c->options.token_file != NULL)
		return fail_request(
			c, -EACCES,
			"the token in '%s' is not the one of the collector "
			"at %s",
			c->options.token_file, shown_url(c));
	return fail_request(
		c, -EACCES,
		"the collector at %s wants %s token; name its file with "
		"--token-file (the collector keeps one as '" CLIENT_TOKEN
		"' in its --state folder)",
		shown_url(c), c->token[0] != '\0' ? "another" : "a");
}

/*
 * The error for a status. Only 400 concerns the user's input; the others
 * concern the collector.
 */
static int error_of_status(long status)
{
	switch (status) {
	case 400:
		return -EINVAL;
	case 403:
	case 421:
		return -EACCES;
	case 404:
		return -ENOENT;
	case 429:
	case 503:
		return -EBUSY;
	default:
		return -EPROTO;
	}
}

/*
 * Set the error text for a status that is not a success, and return the error.
 */
static int explain_status(struct client *c, long status,
			  const struct json_object *body)
{
	const char *error = answer_text(body, "error");
	const char *hint = answer_text(body, "hint");

	if (status == 401)
		return explain_token(c);
	if (error == NULL)
		return fail_request(
			c, -EPROTO,
			"%s answers with status %ld, but not as a collector "
			"does; is --url right?",
			shown_url(c), status);
	fail_request(c, 0, "%s%s%s", error, hint != NULL ? "; " : "",
		     hint != NULL ? hint : "");
	terminal_tame(c->why);
	return error_of_status(status);
}

static int read_answer(struct client *c, struct json_object **out)
{
	struct json_object *body = answer_parse(c->body.bytes, c->body.len);
	long status = 0;
	int err;

	curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status / 100 == 2 && body != NULL) {
		*out = body;
		return 0;
	}
	err = explain_status(c, status, body);
	answer_free(body);
	return err;
}

/*
 * The headers of a request. The token is sent only if the server has asked for
 * it, or with an action: reading on loopback needs no token, and any process
 * that listens there could otherwise get it.
 */
static struct curl_slist *headers_of(const struct client *c, bool with_token)
{
	char line[TOKEN_MAX + 32];
	struct curl_slist *headers = memory_must(
		curl_slist_append(NULL, "Accept: application/json"));

	if (!with_token || c->token[0] == '\0')
		return headers;
	snprintf(line, sizeof(line), "Authorization: Bearer %s", c->token);
	return memory_must(curl_slist_append(headers, line));
}

/* Send one request; the answer is then in c->body. */
static CURLcode send_request(struct client *c, const char *path,
			     bool with_token)
{
	size_t base = strlen(c->options.url);
	struct curl_slist *headers;
	CURLcode code;
	char *url;

	while (base > 0 && c->options.url[base - 1] == '/')
		base--;
	if (asprintf(&url, "%.*s%s", (int)base, c->options.url, path) < 0)
		url = memory_must(NULL);
	headers = headers_of(c, with_token);
	c->body.len = 0;
	c->curl_why[0] = '\0';
	curl_easy_setopt(c->curl, CURLOPT_URL, url);
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, headers);
	code = curl_easy_perform(c->curl);
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, NULL);
	curl_slist_free_all(headers);
	free(url);
	return code;
}

static bool wants_token(struct client *c)
{
	long status = 0;

	curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	return status == 401;
}

static int perform_request(struct client *c, const char *path, bool action,
			   struct json_object **out)
{
	CURLcode code;
	int err = take_token(c);

	if (err < 0)
		return err;
	code = send_request(c, path, action || c->token_wanted);
	if (code == CURLE_OK && !action && !c->token_wanted &&
	    c->token[0] != '\0' && wants_token(c)) {
		c->token_wanted = true;
		code = send_request(c, path, /* with_token= */ true);
	}
	return code == CURLE_OK ? read_answer(c, out) : explain_curl(c, code);
}

int client_get(struct client *c, const char *path, struct json_object **out)
{
	curl_easy_setopt(c->curl, CURLOPT_HTTPGET, 1L);
	return perform_request(c, path, /* action= */ false, out);
}

int client_post(struct client *c, const char *path, struct json_object **out)
{
	curl_easy_setopt(c->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, "");
	return perform_request(c, path, /* action= */ true, out);
}

static char *page_path(const char *path, const char *cursor)
{
	char *escaped = client_escape(cursor);
	char *at;

	if (asprintf(&at, "%s&cursor=%s", path, escaped) < 0)
		at = memory_must(NULL);
	free(escaped);
	return at;
}

/*
 * Set *@out to the path of the page after the one at @at; NULL if that was the
 * last. A page whose "next" is the page itself is an error: the list would not
 * end.
 */
static int page_next(struct client *c, const char *path, const char *at,
		     const struct json_object *answer, char **out)
{
	const char *next = answer_text(answer, "next");

	*out = NULL;
	if (next == NULL)
		return 0;
	*out = page_path(path, next);
	if (strcmp(*out, at) != 0)
		return 0;
	free(*out);
	*out = NULL;
	return fail_request(
		c, -EPROTO,
		"%s answers with a page that leads to itself; is --url right?",
		shown_url(c));
}

int client_list(struct client *c, const char *path,
		bool (*page)(void *arg, const struct json_object *answer),
		void *arg)
{
	char *at = memory_must(strdup(path));
	int err = 0;

	while (at != NULL) {
		struct json_object *answer = NULL;
		char *next = NULL;

		err = client_get(c, at, &answer);
		if (err == 0 && page(arg, answer))
			err = page_next(c, path, at, answer, &next);
		answer_free(answer);
		free(at);
		at = next;
	}
	return err;
}

char *client_escape(const char *text)
{
	char *escaped = memory_must(curl_easy_escape(NULL, text, 0));
	char *copy = memory_must(strdup(escaped));

	curl_free(escaped);
	return copy;
}
