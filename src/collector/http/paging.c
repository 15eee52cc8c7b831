#include "collector/http/paging.h"

#include "collector/http/cursor.h"
#include "collector/query/worker_query.h"

#include <assert.h>
#include <string.h>

/* What a cursor has: the worker, then the place in it. */
struct mark {
	uint8_t bytes[HTTP_CURSOR_BYTES];
	size_t len;
};

static struct mark mark_of(const struct http_paging *l)
{
	struct mark m = { .len = sizeof(l->worker) + l->place_len };

	assert(m.len <= sizeof(m.bytes));
	memcpy(m.bytes, &l->worker, sizeof(l->worker));
	memcpy(m.bytes + sizeof(l->worker), l->place, l->place_len);
	return m;
}

static bool take_cursor(struct http_paging *l)
{
	struct http_request *r = l->request;
	const char *cursor = http_target_param(&r->target, "cursor");
	struct mark m = mark_of(l);
	uint32_t worker;

	if (cursor == NULL)
		return true;
	if (http_cursor_read(l->seed, l->kind, cursor, m.bytes, m.len)) {
		memcpy(&worker, m.bytes, sizeof(worker));
		if (worker < l->end) {
			l->worker = worker;
			memcpy(l->place, m.bytes + sizeof(worker),
			       l->place_len);
			return true;
		}
	}
	http_error(r, MHD_HTTP_BAD_REQUEST, "not a cursor of this list",
		   "use \"next\" of an answer as it is; it is of no use after "
		   "a restart");
	return false;
}

bool http_paging_start(struct http_paging *l)
{
	struct http_request *r = l->request;

	l->seed = http_cursor_seed(r->http->seed, &r->target);
	l->end = r->http->env->worker_count;
	return http_take_limit(r, &l->left) && take_cursor(l);
}

bool http_paging_router(struct http_paging *l, const char *token,
			struct rib_identity *out)
{
	uint32_t worker;

	if (!http_take_router(l->request, token, out, &worker))
		return false;
	if (l->worker < worker)
		l->worker = worker;
	l->end = worker + 1;
	return true;
}

/* One worker. *@more: it was not all of it. False: there is an error. */
static bool read_worker(struct http_paging *l, bool *more)
{
	struct worker_query *q = l->ask(l);
	bool good;

	if (q == NULL) {
		http_error(l->request, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "out of memory", NULL);
		return false;
	}
	if (!http_ask(l->request, l->worker, &q)) /* yields */
		return false;
	good = l->take(l, q, more);
	q->free(q);
	return good;
}

static bool read_page(struct http_paging *l)
{
	bool more = false;

	/* Who ran out of time makes a shorter page, not a longer wait. */
	while (!more && l->left > 0 && l->worker < l->end) {
		if (!read_worker(l, &more))
			return false;
		if (more)
			break;
		l->worker++;
		memset(l->place, 0, l->place_len);
	}
	return true;
}

static void put_next(struct http_paging *l)
{
	struct json *out = &l->request->out;
	struct mark m = mark_of(l);
	char cursor[HTTP_CURSOR_TEXT];

	if (l->worker >= l->end) {
		json_null_at(out, "next");
		return;
	}
	http_cursor_write(l->seed, l->kind, m.bytes, m.len, cursor);
	json_string_at(out, "next", cursor);
}

void http_paging_run(struct http_paging *l)
{
	struct json *out = &l->request->out;

	if (!read_page(l)) /* yields */
		return;
	json_end_array(out);
	put_next(l);
	json_end_object(out);
	json_end_line(out);
}
