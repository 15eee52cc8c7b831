#include "collector/http/paging.h"

#include "collector/http/cursor.h"
#include "collector/base/router_identity.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* The bytes of a cursor: the number of the worker, and the position there. */
struct cursor_data {
	uint8_t bytes[HTTP_CURSOR_BYTES];
	size_t len;
};

static struct cursor_data cursor_data_of(const struct http_paging *page)
{
	const struct page_query *query = page->query;
	struct cursor_data m = { .len = sizeof(page->worker) +
					query->place_len };

	assert(m.len <= sizeof(m.bytes));
	memcpy(m.bytes, &page->worker, sizeof(page->worker));
	memcpy(m.bytes + sizeof(page->worker), query->place, query->place_len);
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
	if (http_cursor_read(page->seed, page->query->kind, cursor, m.bytes,
			     m.len)) {
		memcpy(&worker, m.bytes, sizeof(worker));
		if (worker < page->end) {
			page->worker = worker;
			memcpy(page->query->place, m.bytes + sizeof(worker),
			       page->query->place_len);
			return true;
		}
	}
	http_error(r, MHD_HTTP_BAD_REQUEST, "not a cursor of this list",
		   "use \"next\" of an answer as it is; it is of no use after "
		   "a restart");
	return false;
}

/* Free the query and set page->query to NULL. */
static void query_free(struct http_paging *page)
{
	if (page->query != NULL)
		page->query->head.free(&page->query->head);
	page->query = NULL;
}

bool http_paging_start(struct http_paging *page, struct http_request *r,
		       struct page_query *query)
{
	*page = (struct http_paging){
		.request = r,
		.query = query,
		.seed = http_cursor_seed(r->http->seed, &r->target),
		.end = r->http->env->worker_count,
	};
	if (query == NULL) {
		http_ask_failed(r, -ENOMEM);
		return false;
	}
	if (!http_params_read(r, query) || !take_cursor(page)) {
		query_free(page);
		return false;
	}
	if (query->router.given) {
		uint32_t owner =
			identity_shard(&query->router.identity, page->end);

		if (page->worker < owner)
			page->worker = owner;
		page->end = owner + 1;
	}
	return true;
}

/*
 * Append the rows of one worker. False if it failed; the reply is then an
 * error.
 */
static bool read_worker(struct http_paging *page)
{
	struct http_request *r = page->request;
	struct page_query *query = page->query;
	struct worker_query *q = &query->head;

	query->max_bytes = HTTP_PAGE_BYTES - r->out.len;
	page->query = NULL;
	if (!http_ask(r, page->worker, &q)) /* yields */
		return false;
	page->query = query;
	if (query->no_router) {
		http_no_router(r, http_target_param(&r->target, "router"));
		return false;
	}
	json_splice(&r->out, &query->out);
	json_reset(&query->out);
	return true;
}

static bool read_page(struct http_paging *page)
{
	struct page_query *query = page->query;

	/*
	 * Read one worker after the other until the page is full. A worker that
	 * reached the deadline of its query (query->more) ends the page early.
	 */
	while (query->limit > 0 && page->worker < page->end &&
	       page->request->out.len < HTTP_PAGE_BYTES) {
		if (!read_worker(page))
			return false;
		if (query->more)
			break;
		page->worker++;
		memset(query->place, 0, query->place_len);
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
	http_cursor_write(page->seed, page->query->kind, m.bytes, m.len,
			  cursor);
	json_string_at(out, "next", cursor);
}

void http_paging_run(struct http_paging *page)
{
	struct json *out = &page->request->out;

	if (read_page(page)) { /* yields */
		json_end_array(out);
		put_next(page);
		json_end_object(out);
		json_end_line(out);
	}
	query_free(page);
}
