/*
 * Export tables as updates. A file is loaded into a rib, which publishes the
 * table as in a resync; so an export has what consumers would get.
 */
#include "cli/snapshot.h"

#include "cli/xalloc.h"
#include "cli/tail.h"
#include "egress/encode/encode_update.h"
#include "egress/subject.h"

#include "rib/background.h"
#include "rib/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM ((size_t)1024 * 1024)
#define STEP 4096 /* routes per step */

struct exporter {
	const struct snapshot_export *what;
	const struct snapshot_file *file;
	struct tail tail;
	uint8_t *room;
	uint64_t routes;
};

static void print_change(struct exporter *x, const struct rib_change *c,
			 struct wire_view bytes)
{
	char subject[SUBJECT_MAX];
	struct tail_message m = {
		.subject = subject,
		.position = x->file->mark.position,
		.encoding = EGRESS_PLAIN,
		.bytes = bytes,
	};

	if (subject_update(x->what->prefix, x->file->token, c->table->peer_as,
			   c->table->afi, c->table->safi, subject) < 0)
		x->tail.failed = true;
	else
		tail_message(&x->tail, &m);
}

static void on_change(void *arg, const struct rib_change *change)
{
	struct exporter *x = arg;
	struct rib_route routes[RIB_CHANGE_MAX];
	struct rib_change c = *change;

	/* Unlike messages of the stream, an export has no sequence numbers. */
	memcpy(routes, change->routes, change->count * sizeof(*routes));
	for (size_t i = 0; i < change->count; i++)
		routes[i].sequence = 0;
	c.routes = routes;
	for (size_t first = 0; first < c.count;) {
		struct egress_encoded done =
			egress_encode_update(&c, first, c.count, x->room, ROOM);

		if (done.routes == 0) {
			x->tail.failed = true;
			return;
		}
		print_change(x, &c, (struct wire_view){ x->room, done.bytes });
		first += done.routes;
	}
	x->routes += c.count;
}

static void on_event(void *arg, const struct rib_event *event)
{
	(void)arg;
	(void)event;
}

static void export_router(struct exporter *x, const struct snapshot_file *f)
{
	struct rib_time when = { 1, f->facts->taken_s * UINT64_C(1000000000) };

	x->file = f;
	rib_resync(f->facts->router, &when);
	while (rib_background(f->rib, &when, STEP).more && !x->tail.failed)
		;
	x->file = NULL;
}

static void print_mark(const struct snapshot_file *f, uint64_t left_out)
{
	char mark[LOG_POSITION_MAX];

	log_position_format(&f->mark, mark);
	fprintf(stderr, "router %s routes %" PRIu64 " mark %s\n", f->token,
		f->facts->routes, mark);
	if (left_out > 0)
		fprintf(stderr,
			"arancini snapshot: %s: %" PRIu64
			" routes are known by key only and left out; their "
			"router announces them again, or they are withdrawn\n",
			f->path, left_out);
}

/*
 * True if the file was written with --curation presence, which stores keys
 * only.
 */
static bool is_presence(const struct rib_snapshot_facts *facts)
{
	return facts->mode_known && facts->mode == RIB_MODE_PRESENCE;
}

/*
 * True if the file may be of --curation presence: files before version 3 do not
 * have the curation mode, so this is assumed of a file with routes of which
 * none was @exported.
 */
static bool may_be_presence(const struct rib_snapshot_facts *facts,
			    uint64_t exported)
{
	return !facts->mode_known && exported == 0 && facts->routes > 0;
}

/*
 * Export one file, and set *@mark to its log position. False after an error on
 * standard error.
 */
static bool export_file(struct exporter *x, const struct snapshot_paths *p,
			const char *path, enum snapshot_load load,
			struct log_position *mark)
{
	const struct rib_sink sink = { .change = on_change,
				       .event = on_event,
				       .change_arg = x,
				       .event_arg = x };
	struct snapshot_file f;
	uint64_t before = x->routes;
	bool done = false;

	if (!snapshot_file_read(path, load, &sink, p, &f))
		return false;
	if (f.status != RIB_SNAPSHOT_OK || !f.has_mark) {
		fprintf(stderr,
			"arancini snapshot: %s: %s; nothing of it is "
			"exported\n",
			path,
			f.status != RIB_SNAPSHOT_OK
				? rib_snapshot_text(f.status)
				: "has no mark of ours");
	} else {
		if (load == SNAPSHOT_PRESENCE || !is_presence(f.facts))
			export_router(x, &f);
		done = !x->tail.failed;
		*mark = f.mark;
	}
	if (done && load == SNAPSHOT_ATTRIBUTES &&
	    (is_presence(f.facts) ||
	     may_be_presence(f.facts, x->routes - before)))
		done = export_file(x, p, path, SNAPSHOT_PRESENCE, mark);
	else if (done)
		print_mark(&f, f.facts->routes - (x->routes - before));
	snapshot_file_release(&f);
	return done;
}

/* True if @path is the file of @router. If @router is NULL, always true. */
static bool is_wanted(const char *router, const char *path)
{
	const char *base = snapshot_name(path);
	char token[IDENTITY_TOKEN_MAX + 1];
	struct rib_identity id;
	size_t len;

	if (router == NULL)
		return true;
	len = strlen(base);
	if (len < strlen(SNAPSHOT_SUFFIX))
		return false;
	len -= strlen(SNAPSHOT_SUFFIX);
	if (strlen(router) == len && memcmp(router, base, len) == 0)
		return true;
	if (len > IDENTITY_TOKEN_MAX)
		return false;
	memcpy(token, base, len);
	token[len] = '\0';
	if (identity_from_token(token, &id) == 0) {
		char text[RIB_NAME_MAX + 1];

		identity_text(&id, text, sizeof(text));
		return strcmp(text, router) == 0;
	}
	return false;
}

/*
 * Print the smallest mark of all routers. A consumer that reads on from there
 * reads a part twice for the other routers, which is harmless.
 */
static void print_smallest_mark(const struct log_position *mark)
{
	char text[LOG_POSITION_MAX];

	log_position_format(mark, text);
	fprintf(stderr, "mark %s\n", text);
}

static int export_all(struct exporter *x, const struct snapshot_paths *p)
{
	struct log_position smallest = { .identity = 0 };
	int code = EXIT_SUCCESS;
	size_t found = 0;

	for (size_t i = 0; i < p->count; i++) {
		struct log_position mark;

		if (!is_wanted(x->what->router, p->at[i]))
			continue;
		if (!export_file(x, p, p->at[i], SNAPSHOT_ATTRIBUTES, &mark)) {
			code = EXIT_FAILURE;
			continue;
		}
		if (found++ == 0 || mark.position < smallest.position)
			smallest = mark;
	}
	if (found > 0)
		print_smallest_mark(&smallest);
	else if (x->what->router != NULL) {
		fprintf(stderr, "arancini snapshot: no file of router %s\n",
			x->what->router);
		code = EXIT_FAILURE;
	}
	return code;
}

int snapshot_export(const struct snapshot_paths *p,
		    const struct snapshot_export *what)
{
	struct exporter x = {
		.what = what,
		.tail = { .form = what->capnp ? TAIL_RAW : TAIL_JSON },
		.room = memory_must(aligned_alloc(8, ROOM)),
	};
	int code = EXIT_FAILURE;

	if (egress_codec_new(&x.tail.codec) == 0)
		code = export_all(&x, p);
	egress_codec_free(x.tail.codec);
	json_fini(&x.tail.out);
	free(x.room);
	return code;
}
