#include "collector/http/paging.h"

#include "collector/http/cursor.h"
#include "collector/query/worker_query.h"

#include <assert.h>
#include <string.h>

/* The content of a cursor: the worker, then the position in it. */
struct cursor_data {
	uint8_t bytes[HTTP_CURSOR_BYTES];
	size_t len;
};

static struct cursor_data cursor_data_of(const struct http_paging *page)
{
	struct cursor_data m = { .len = sizeof(page->worker) +
					page->place_len };

	assert(m.len <= sizeof(m.bytes));
	memcpy(m.bytes, &page->worker, sizeof(page->worker));
	memcpy(m.bytes + sizeof(page->worker), page->place, page->place_len);
	return m;
}

static bool take_cursor(struct http_paging *page)
{
	struct http_request *r = page->request;
	const char *cursor = http_target_param(&r->target, "cursor");
	struct cursor_data m = cursor_data_of(page);
	uint32_t worker;

	if (cursor == NULL)
		return true;
	if (http_cursor_read(page->seed, page->kind, cursor, m.bytes, m.len)) {
		memcpy(&worker, m.bytes, sizeof(worker));
		if (worker < page->end) {
			page->worker = worker;
			memcpy(page->place, m.bytes + sizeof(worker),
			       page->place_len);
			return true;
		}
	}
	http_error(r, MHD_HTTP_BAD_REQUEST, "not a cursor of this list",
		   "use \"next\" of an answer as it is; it is of no use after "
		   "a restart");
	return false;
}

bool http_paging_start(struct http_paging *page)
{
	struct http_request *r = page->request;

	page->seed = http_cursor_seed(r->http->seed, &r->target);
	page->end = r->http->env->worker_count;
	return http_take_limit(r, &page->left) && take_cursor(page);
}

bool http_paging_router(struct http_paging *page, const char *token,
			struct rib_identity *out)
{
	uint32_t worker;

	if (!http_take_router(page->request, token, out, &worker))
		return false;
	if (page->worker < worker)
		page->worker = worker;
	page->end = worker + 1;
	return true;
}

/*
 * Read from one worker. *@more: it has more rows. False if it failed; the reply
 * is then an error.
 */
static bool read_worker(struct http_paging *page, bool *more)
{
	struct worker_query *q = page->ask(page);
	bool good;

	if (q == NULL) {
		http_error(page->request, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "out of memory", NULL);
		return false;
	}
	if (!http_ask(page->request, page->worker, &q)) /* yields */
		return false;
	good = page->take(page, q, more);
	q->free(q);
	return good;
}

static bool read_page(struct http_paging *page)
{
	bool more = false;

	/*
	 * After the deadline return a shorter page instead of waiting longer.
	 */
	while (!more && page->left > 0 && page->worker < page->end &&
	       page->request->out.len < HTTP_PAGE_BYTES) {
		if (!read_worker(page, &more))
			return false;
		if (more)
			break;
		page->worker++;
		memset(page->place, 0, page->place_len);
	}
	return true;
}

static void put_next(struct http_paging *page)
{
	struct json *out = &page->request->out;
	struct cursor_data m = cursor_data_of(page);
	char cursor[HTTP_CURSOR_TEXT];

	if (page->worker >= page->end) {
		json_null_at(out, "next");
		return;
	}
	http_cursor_write(page->seed, page->kind, m.bytes, m.len, cursor);
	json_string_at(out, "next", cursor);
}

void http_paging_run(struct http_paging *page)
{
	struct json *out = &page->request->out;

	if (!read_page(page)) /* yields */
		return;
	json_end_array(out);
	put_next(page);
	json_end_object(out);
	json_end_line(out);
}
