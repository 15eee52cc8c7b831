#include "arancini/http_state.h"

#include "arancini/http_cursor.h"
#include "arancini/survey.h"

#include <string.h>

/* A page goes on here. */
struct place {
	uint32_t worker;
	uint32_t unused; /* so that all bytes are told */
	struct survey_place in;
};

/* One list being read: over the workers, one after the other. */
struct reading {
	struct http_request *request;
	uint64_t seed; /* of its cursors */
	enum survey_kind kind;
	struct survey asked; /* what each of them is asked */
	struct place at;
	uint32_t end; /* the worker behind the last */
	size_t left;
};

static bool take_place(struct reading *l)
{
	struct http_request *r = l->request;
	const char *cursor = http_target_param(&r->target, "cursor");

	if (cursor == NULL)
		return true;
	if (http_cursor_read(l->seed, (uint8_t)l->kind, cursor, &l->at,
			     sizeof(l->at)) &&
	    l->at.worker < l->end)
		return true;
	http_error(r, MHD_HTTP_BAD_REQUEST, "not a cursor of this list",
		   "use \"next\" of an answer as it is; it is of no use after "
		   "a restart");
	return false;
}

static bool take_filter(struct reading *l)
{
	struct http_request *r = l->request;
	const char *filter = http_target_param(&r->target, "filter");
	const char *state = http_target_param(&r->target, "state");

	if (filter != NULL && strlen(filter) > SURVEY_FILTER_MAX) {
		http_error(r, MHD_HTTP_BAD_REQUEST, "the filter is too long",
			   "at most 128 bytes");
		return false;
	}
	if (filter != NULL)
		memcpy(l->asked.filter, filter, strlen(filter) + 1);
	if (state != NULL && survey_state_find(state) < 0) {
		http_error_of(r, MHD_HTTP_BAD_REQUEST, "not a state", state,
			      "up, implied, stale, down");
		return false;
	}
	if (state != NULL)
		l->asked.states = (uint8_t)(1U << survey_state_find(state));
	return true;
}

static bool take_router(struct reading *l)
{
	struct http_request *r = l->request;
	const char *token = http_target_param(&r->target, "router");
	uint32_t worker;

	if (token == NULL)
		return true;
	if (!http_take_router(r, token, &l->asked.router, &worker))
		return false;
	l->asked.has_router = true;
	if (l->at.worker < worker)
		l->at.worker = worker;
	l->end = worker + 1;
	return true;
}

/* The question for the next worker, with what was asked for. */
static struct survey *next_question(struct reading *l)
{
	struct survey *v = survey_new(l->kind);

	if (v == NULL)
		return NULL;
	l->asked.question = v->question;
	l->asked.kind = l->kind;
	l->asked.limit = l->left;
	l->asked.place = l->at.in;
	*v = l->asked;
	return v;
}

static void step(struct reading *l, struct survey *v)
{
	json_splice(&l->request->out, &v->out);
	l->left = v->limit;
	l->at.in = v->place;
	if (v->more)
		return;
	l->at.worker++;
	l->at.in = (struct survey_place){ 0 };
}

/* Read until the page is full. False: the request has its error. */
static bool read_page(struct reading *l)
{
	bool more = true;

	while (more && l->left > 0 && l->at.worker < l->end) {
		struct survey *v = next_question(l);
		struct desk_question *q;

		if (v == NULL) {
			http_error(l->request, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "out of memory", NULL);
			return false;
		}
		q = &v->question;
		if (!http_ask(l->request, l->at.worker, &q)) /* yields */
			return false;
		/* It ran out of time: a shorter page, not a longer wait. */
		more = !v->more;
		step(l, v);
		survey_free(v);
	}
	return true;
}

static void put_next(struct reading *l)
{
	struct http_request *r = l->request;
	char cursor[HTTP_CURSOR_TEXT];

	if (l->at.worker >= l->end) {
		json_null_at(&r->out, "next");
		return;
	}
	http_cursor_write(l->seed, (uint8_t)l->kind, &l->at, sizeof(l->at),
			  cursor);
	json_string_at(&r->out, "next", cursor);
}

static void list(struct http_request *r, enum survey_kind kind,
		 const char *name)
{
	struct reading l = {
		.request = r,
		.seed = http_cursor_seed(r->http->seed, &r->target),
		.kind = kind,
		.end = collector_workers(r->http->collector),
	};

	if (!http_take_limit(r, &l.left) || !take_place(&l) ||
	    !take_filter(&l) || !take_router(&l))
		return;
	json_object(&r->out);
	json_key(&r->out, name);
	json_array(&r->out);
	if (!read_page(&l))
		return;
	json_end_array(&r->out);
	put_next(&l);
	json_end_object(&r->out);
	json_end_line(&r->out);
}

void http_get_routers(struct http_request *r)
{
	list(r, SURVEY_ROUTERS, "routers");
}

void http_get_peers(struct http_request *r)
{
	list(r, SURVEY_PEERS, "peers");
}

/* One router or peer, with its history. */
static void show(struct http_request *r, struct survey *v, uint32_t worker)
{
	struct desk_question *q = &v->question;
	bool peer = v->kind == SURVEY_PEERS;

	v->whole = true;
	v->limit = 1;
	if (!http_ask(r, worker, &q)) /* yields */
		return;
	if (v->count == 0) {
		http_error_of(r, MHD_HTTP_NOT_FOUND,
			      peer ? "no such peer" : "no such router",
			      r->args[peer ? 1 : 0],
			      peer ? "/api/v1/peers?router= lists them"
				   : "/api/v1/routers lists them");
	} else {
		json_splice(&r->out, &v->out);
		json_end_line(&r->out);
	}
	survey_free(v);
}

static void show_one(struct http_request *r, enum survey_kind kind)
{
	struct survey *v = survey_new(kind);
	uint32_t worker;

	if (v == NULL) {
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory",
			   NULL);
		return;
	}
	v->has_router = true;
	v->has_peer = kind == SURVEY_PEERS;
	if (!http_take_router(r, r->args[0], &v->router, &worker) ||
	    (v->has_peer && !http_take_peer(r, r->args[1], &v->peer))) {
		survey_free(v);
		return;
	}
	show(r, v, worker);
}

void http_get_router(struct http_request *r)
{
	show_one(r, SURVEY_ROUTERS);
}

void http_get_peer(struct http_request *r)
{
	show_one(r, SURVEY_PEERS);
}
