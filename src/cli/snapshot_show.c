#include "cli/snapshot.h"

#include "collector/checkpoint/state_store.h"
#include "bmp/names.h"
#include "bmp/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Functions for the sink of a rib that only stores: its output is ignored. */
static void no_change(void *arg, const struct rib_change *change)
{
	(void)arg;
	(void)change;
}

static void no_event(void *arg, const struct rib_event *event)
{
	(void)arg;
	(void)event;
}

static const char *mark_text(const struct snapshot_file *f,
			     char out[LOG_POSITION_MAX])
{
	if (!f->has_mark)
		return "-";
	log_position_format(&f->mark, out);
	return out;
}

static uint64_t age_of(const struct snapshot_file *f)
{
	uint64_t now = (uint64_t)time(NULL);

	return now > f->facts->taken_s ? now - f->facts->taken_s : 0;
}

static const char *router_text(const struct snapshot_file *f)
{
	return f->token[0] != '\0' ? f->token : "?";
}

/* ls */

static void print_line(const struct snapshot_file *f)
{
	char mark[LOG_POSITION_MAX];

	printf("%-28s %10" PRIu64 " %6" PRIu64 " %11" PRIu64 " %8" PRIu64
	       "  %-36s %s\n",
	       router_text(f), f->facts->routes, f->facts->tables, f->size,
	       age_of(f), mark_text(f, mark),
	       f->status == RIB_SNAPSHOT_OK ? ""
					    : rib_snapshot_text(f->status));
}

/* Print the routers of the manifest that have no valid file. */
static void print_new(const struct snapshot_paths *p)
{
	for (size_t i = 0; i < p->manifest.count; i++)
		if (!p->manifest.entries[i].filed)
			printf("%-28s no file counts: a restart publishes it "
			       "again\n",
			       p->manifest.entries[i].token);
}

int snapshot_ls(const struct snapshot_paths *p)
{
	int code = EXIT_SUCCESS;

	printf("%-28s %10s %6s %11s %8s  %s\n", "ROUTER", "ROUTES", "TABLES",
	       "BYTES", "AGE(s)", "MARK");
	for (size_t i = 0; i < p->count; i++) {
		struct snapshot_file f;

		if (!snapshot_file_read(p->at[i], SNAPSHOT_CHECK, NULL, p,
					&f)) {
			code = EXIT_FAILURE;
			continue;
		}
		print_line(&f);
		if (f.status != RIB_SNAPSHOT_OK)
			code = EXIT_FAILURE;
		snapshot_file_release(&f);
	}
	print_new(p);
	return code;
}

/* show */

static void print_table(const struct rib_table *table)
{
	const struct rib_table_info *info = rib_table_info(table);
	struct rib_table_state state;

	rib_table_state(table, &state);
	printf("    %-22s %u/%u  %10" PRIu64 " routes  sequence %" PRIu64 "\n",
	       bmp_view_name(info->view), info->afi, info->safi, state.routes,
	       state.sequence);
}

static void print_peer(const struct rib_peer *peer)
{
	struct rib_peer_state state;
	const struct rib_table *t = NULL;
	char address[64];
	struct text text = text_start(address, sizeof(address));

	rib_peer_state(peer, &state);
	text_ip(&text, state.address);
	text_end(&text);
	printf("  peer %s AS %" PRIu32 ", type %u, %" PRIu64 " routes\n",
	       address, state.as, state.type, state.routes);
	while ((t = rib_table_next(peer, t)) != NULL)
		print_table(t);
}

static void print_header(const struct snapshot_file *f)
{
	char mark[LOG_POSITION_MAX], address[64];
	struct text text = text_start(address, sizeof(address));

	printf("%s\n  it %s%s\n", f->path,
	       f->status == RIB_SNAPSHOT_OK ? "is " : "",
	       rib_snapshot_text(f->status));
	if (!f->facts->has_router)
		return;
	text_ip_port(&text, f->facts->address, f->facts->port);
	text_end(&text);
	printf("  router %s, last at %s\n", router_text(f), address);
	printf("  begun %" PRIu64 " s ago; %" PRIu64 " routes in %" PRIu64
	       " bytes\n",
	       age_of(f), f->facts->routes, f->size);
	printf("  start mark %.*s\n  end mark %.*s\n  read on from %s\n",
	       (int)f->facts->start_mark.len,
	       (const char *)f->facts->start_mark.p,
	       (int)f->facts->end_mark.len, (const char *)f->facts->end_mark.p,
	       mark_text(f, mark));
}

static int show_file(const struct snapshot_paths *p, const char *path)
{
	const struct rib_sink sink = { .change = no_change, .event = no_event };
	const struct rib_peer *peer = NULL;
	struct snapshot_file f;
	int code;

	if (!snapshot_file_read(path, SNAPSHOT_ATTRIBUTES, &sink, p, &f))
		return EXIT_FAILURE;
	print_header(&f);
	while (f.facts->router != NULL &&
	       (peer = rib_peer_next(f.facts->router, peer)) != NULL)
		print_peer(peer);
	code = f.status == RIB_SNAPSHOT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
	snapshot_file_release(&f);
	return code;
}

int snapshot_show(const struct snapshot_paths *p)
{
	int code = EXIT_SUCCESS;

	for (size_t i = 0; i < p->count; i++)
		if (show_file(p, p->at[i]) != EXIT_SUCCESS)
			code = EXIT_FAILURE;
	return code;
}

/* verify */

static bool verify_manifest(const struct snapshot_paths *p)
{
	if (p->single)
		return true;
	if (!p->has_manifest) {
		printf("%s/" MANIFEST_NAME ": there is none\n",
		       state_store_where(p->store));
		return false;
	}
	printf("%s/" MANIFEST_NAME ": %s\n", state_store_where(p->store),
	       p->manifest_status == MANIFEST_OK
		       ? "ok"
		       : manifest_text(p->manifest_status));
	return p->manifest_status == MANIFEST_OK;
}

static bool verify_file(const struct snapshot_paths *p, const char *path)
{
	const char *base = snapshot_name(path);
	struct snapshot_file f;
	bool good;

	if (!snapshot_file_read(path, SNAPSHOT_CHECK, NULL, p, &f))
		return false;
	good = f.status == RIB_SNAPSHOT_OK;
	if (!good) {
		printf("%s: %s, in the block at byte %" PRIu64 "\n", path,
		       rib_snapshot_text(f.status), f.facts->whole_bytes);
	} else if (!p->single &&
		   (strncmp(base, f.token, strlen(f.token)) != 0 ||
		    strcmp(base + strlen(f.token), SNAPSHOT_SUFFIX) != 0)) {
		printf("%s: is of another router, %s\n", path, f.token);
		good = false;
	} else {
		printf("%s: ok, %" PRIu64 " routes\n", path, f.facts->routes);
	}
	snapshot_file_release(&f);
	return good;
}

int snapshot_verify(const struct snapshot_paths *p)
{
	bool good = verify_manifest(p);

	for (size_t i = 0; i < p->count; i++)
		good &= verify_file(p, p->at[i]);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
