/*
 * arancini decode - print a capture as JSON, one object per line
 *
 * For a damaged file everything readable is printed, then one line on stderr
 * describes the damage. A message that cannot be parsed is not damage: it
 * becomes a line of type error.
 */
#include "cli/decode.h"

#include "collector/config/router_section.h"
#include "cli/capture_file.h"
#include "cli/command.h"
#include "cli/decode_text.h"
#include "cli/options.h"
#include "cli/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define FLUSH_AT (64 * 1024)

void decode_flush(struct decode *d)
{
	const char *at = d->out.bytes;
	size_t left = d->out.len;

	memory_had(!d->out.failed);
	while (left > 0 && !d->out_failed) {
		ssize_t n = write(STDOUT_FILENO, at, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			fprintf(stderr, "arancini decode: cannot write: %s\n",
				strerror(errno));
			d->out_failed = true;
			break;
		}
		at += n;
		left -= (size_t)n;
	}
	json_reset(&d->out);
}

void decode_begin(struct decode *d, const char *kind)
{
	d->line_at = d->out.len;
	d->is_error = strcmp(kind, "error") == 0;
	json_object(&d->out);
	json_string_at(&d->out, "kind", kind);
}

/* Put the line of text in the place of the line of JSON. */
static void make_readable(struct decode *d)
{
	size_t len;
	char *text;

	memory_had(!d->out.failed);
	text = memory_must(decode_text_line(d->out.bytes + d->line_at,
					    d->out.len - d->line_at - 1, &len));
	d->out.len = d->line_at;
	json_raw(&d->out, text, len);
	free(text);
}

void decode_end(struct decode *d)
{
	json_end_object(&d->out);
	json_end_line(&d->out);
	if (d->form == DECODE_BGPDUMP) {
		d->out.len = d->line_at;
		d->unread += d->is_error;
		return;
	}
	if (d->form == DECODE_TEXT)
		make_readable(d);
	decode_line_done(d);
}

void decode_line_done(struct decode *d)
{
	if (d->out.len >= FLUSH_AT)
		decode_flush(d);
}

/* Files */

struct decode_input {
	struct decode *decode;
	struct decode_mrt *mrt; /* NULL until the first record */
};

static void *session_open(void *arg, const struct capture_session *tcp)
{
	struct decode_input *in = arg;
	struct decode_session *session =
		memory_must(calloc(1, sizeof(*session)));

	if (tcp == NULL)
		return session;
	session->number = tcp->number;
	session->router = tcp->from;
	if (in->decode->summary != NULL)
		in->decode->summary->sessions++;
	return session;
}

static void session_close(void *arg, void *user)
{
	struct decode_session *session = user;

	(void)arg;
	peers_fini(&session->peers);
	free(session);
}

static bool take_frame(void *arg, void *user, const struct bmp_frame *frame,
		       uint64_t time_ns)
{
	struct decode_input *in = arg;
	struct decode_session *session = user;

	session->time_received_ns = time_ns;
	decode_message(in->decode, session, frame);
	return !in->decode->out_failed;
}

/*
 * Write an error line, because bytes of a session were not captured or could
 * not be read as BMP.
 */
static void session_lost(void *arg, const struct capture_session *tcp,
			 const struct capture_session_event *event)
{
	struct decode_input *in = arg;
	struct decode *d = in->decode;

	if (d->summary != NULL) {
		d->summary->errors++;
		return;
	}
	decode_begin(d, "error");
	json_string_at(&d->out, "error",
		       event->kind == CAPTURE_SESSION_GAP
			       ? "bytes of the session were not captured"
		       : event->lost != BMP_FRAME_WHOLE
			       ? "the session is not BMP from here on"
			       : "the session ends inside a message");
	json_uint_at(&d->out, "missingBytes", event->missing);
	json_uint_at(&d->out, "skippedBytes", event->skipped);
	if (d->file != NULL)
		json_string_at(&d->out, "file", d->file);
	json_uint_at(&d->out, "session", tcp->number);
	json_key(&d->out, "routerAddr");
	json_address(&d->out, tcp->from.address);
	json_uint_at(&d->out, "routerPort", tcp->from.port);
	decode_end(d);
}

static bool take_record(void *arg, const struct capture_mrt_record *record)
{
	struct decode_input *in = arg;

	if (in->mrt == NULL)
		in->mrt = decode_mrt_new(in->decode);
	decode_mrt_record(in->mrt, record);
	return !in->decode->out_failed;
}

static void flush_lines(void *arg)
{
	struct decode_input *in = arg;

	decode_flush(in->decode);
}

static const struct capture_file_ops file_ops = {
	.open = session_open,
	.frame = take_frame,
	.lost = session_lost,
	.close = session_close,
	.record = take_record,
	.flush = flush_lines,
};

static void print_summary(struct decode *d, const struct capture_file *file,
			  const struct summary *summary)
{
	const char *format =
		capture_format_name(capture_source_format(file->source));

	if (isatty(STDOUT_FILENO)) {
		summary_print(summary, file->name, format);
		return;
	}
	json_object(&d->out);
	json_string_at(&d->out, "file", file->name);
	json_string_at(&d->out, "format", format);
	summary_json(summary, &d->out);
	decode_end(d);
}

static int decode_file(struct decode *d, const char *path, bool summarise)
{
	struct decode_input in = { .decode = d };
	struct capture_file file = {
		.command = "decode",
		.name = path,
		.ops = &file_ops,
		.arg = &in,
		.watched = isatty(STDERR_FILENO) &&
			   (summarise || !isatty(STDOUT_FILENO)),
	};
	struct summary summary = { 0 };
	int code = capture_file_open(&file);

	if (code != 0)
		return code;
	d->summary = summarise ? &summary : NULL;
	code = capture_file_read(&file);
	decode_mrt_free(in.mrt);
	if (summarise)
		print_summary(d, &file, &summary);
	decode_flush(d);
	if (d->unread > 0)
		fprintf(stderr,
			"arancini decode: %s: %" PRIu64
			" messages could not be read; without --bgpdump they "
			"have lines\n",
			file.name, d->unread);
	d->unread = 0;
	d->summary = NULL;
	summary_fini(&summary);
	capture_file_close(&file);
	return code;
}

/* Options */

struct decode_options {
	struct config_router router; /* how routes are parsed */
	bool summarise;
	bool explains;
	enum decode_form form;
};

static enum option_status set_form(const struct option_value *v)
{
	enum decode_form *form = v->field;

	*form = (enum decode_form)v->row->key;
	return OPTION_ACCEPTED;
}

/*
 * Set a key of the router. Keys, values and errors are those of the section of
 * a router in the configuration.
 */
static enum option_status set_router_key(const struct option_value *v)
{
	struct decode_options *options = v->field;
	char why[CONFIG_WHY_MAX];
	int err = config_router_parse(&options->router,
				      (enum config_router_key)v->row->key,
				      v->text, why);

	memory_had(err != -ENOMEM);
	if (err == 0)
		return OPTION_ACCEPTED;
	fprintf(stderr, "arancini decode: --%s '%s': %s\n", v->row->name,
		v->text, why);
	return OPTION_REPORTED;
}

/* clang-format off */
#define ROUTER_KEY(number) OPTION_SET(set_router_key), .key = (number)

#define DECODE_FORM(number) \
	.set = set_form, .key = (number), \
	OPTION_FIELD(struct decode_options, form, enum decode_form)

static const struct option_row rows[] = {
	{ "summary",
	  .help = "counts by message type, peer and AFI/SAFI instead:\n"
		  "a table on a terminal, one JSON object a file elsewhere",
	  OPTION_FLAG(struct decode_options, summarise) },
	{ "json", .help = "JSON lines, also on a terminal",
	  DECODE_FORM(DECODE_JSON) },
	{ "text", .help = "lines for reading, as on a terminal",
	  DECODE_FORM(DECODE_TEXT) },
	{ "bgpdump", 'm', .help = "a line a route, as of \"bgpdump -m\"",
	  DECODE_FORM(DECODE_BGPDUMP) },
	{ "explain",
	  .help = "each message byte by byte, with the field that a byte\n"
		  "belongs to",
	  OPTION_FLAG(struct decode_options, explains) },
	{ "bmp-v4", .argument = "HOW",
	  .help = "read BMP version 4 as off (default), tlv20, tlv21 or\n"
		  "legacy",
	  ROUTER_KEY(CONFIG_ROUTER_BMP_V4) },
	OPTION_HELP_ROW,
	OPTION_ROWS_END,
};

static const struct option_row override_rows[] = {
	{ "add-path", .argument = "FAMILIES",
	  .help = "routes have path identifiers (RFC 7911);\n"
		  "all, or names as ipv4-unicast,ipv4-vpn",
	  ROUTER_KEY(CONFIG_ROUTER_ADD_PATH) },
	{ "no-add-path", .argument = "FAMILIES", .help = "they have none",
	  ROUTER_KEY(CONFIG_ROUTER_NO_ADD_PATH) },
	{ "as-width", .argument = "2|4",
	  .help = "bytes of an AS number in AS paths",
	  ROUTER_KEY(CONFIG_ROUTER_AS_WIDTH) },
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	{ .rows = rows, .column = 19 },
	{ .rows = override_rows, .column = 26,
	  .heading =
"\n"
"Peer Ups, flags of messages and subtypes of MRT records say how\n"
"routes are read. Where they are missing or wrong, for all peers of\n"
"all files:\n"
"\n" },
	OPTION_SECTIONS_END,
};

static const struct command_line line = {
	.command = "decode",
	.usage =
"Usage: arancini decode [OPTION]... FILE...\n"
"Print the updates and events in captures, one a line: as JSON, or as text\n"
"on a terminal.\n"
"\n"
"A FILE is a raw BMP stream, a pcap or pcapng file with BMP sessions, or\n"
"an MRT file; gzip, bzip2, xz and zstd are recognised by content. \"-\" is\n"
"standard input.\n"
"\n",
	.sections = sections,
	.has_operands = true,
	.notes =
"\n"
"In MRT these are for messages (BGP4MP); tables are read as they say.\n"
"\n"
"Exit status: 0 if all was read, 1 if a file is damaged or cannot be\n"
"opened (what could be read has been printed), 2 for wrong usage.\n",
};
/* clang-format on */

int decode_main(int argc, char **argv)
{
	struct decode_options options = {
		.router.bmp_v4 = BMP_V4_OFF,
		.form = isatty(STDOUT_FILENO) ? DECODE_TEXT : DECODE_JSON,
	};
	struct operands files;
	struct decode d = { 0 };
	int code = 0;

	if (!options_read(&line, argc, argv, &options, &files))
		return files.exit_code;
	if (files.count == 0)
		return options_misuse(&line, "which file?", "");
	d.form = options.form;
	d.explains = options.explains;
	if (d.explains && d.form == DECODE_BGPDUMP)
		return options_misuse(&line, "--explain has no line of ",
				      "bgpdump");
	d.v4 = (enum bmp_v4)options.router.bmp_v4;
	config_router_overrides(&options.router, &d.over);
	for (int i = 0; i < files.count && !d.out_failed; i++) {
		d.file = files.count > 1 ? files.words[i] : NULL;
		code |= decode_file(&d, files.words[i], options.summarise);
	}
	if (d.out_failed)
		code = EXIT_FAILURE;
	json_fini(&d.out);
	json_fini(&d.shared);
	json_fini(&d.attributes);
	json_fini(&d.bgpdump.peer);
	return code;
}
