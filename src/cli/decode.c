/*
 * arancini decode - print a capture as JSON, one object per line
 *
 * For a damaged file everything readable is printed, then one line on stderr
 * describes the damage. A message that cannot be parsed is not damage: it
 * becomes a line of type error.
 */
#include "cli/decode.h"

#include "collector/config/router_section.h"
#include "capture/bmp_stream.h"
#include "capture/pcap.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/xalloc.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#define FLUSH_AT (64 * 1024)

/* Reading the clock for every message would cost more than the message. */
#define PROGRESS_EVERY	 4096
#define PROGRESS_SECONDS 0.2

/* State of one input file. */
struct input {
	struct decode *decode;
	struct capture_source *source;
	const char *name;
	/* show progress, because the lines are not on the terminal */
	bool watched;
	uint64_t steps;
	struct timespec progress_at;
	bool progress_shown;
};

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
	json_object(&d->out);
	json_string_at(&d->out, "kind", kind);
}

void decode_end(struct decode *d)
{
	json_end_object(&d->out);
	json_end_line(&d->out);
	if (d->out.len >= FLUSH_AT)
		decode_flush(d);
}

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) +
	       (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

/* Show the progress. */
static void show_progress(struct input *in)
{
	uint64_t done, total;

	if (!in->watched || ++in->steps % PROGRESS_EVERY != 0 ||
	    seconds_since(&in->progress_at) < PROGRESS_SECONDS)
		return;
	clock_gettime(CLOCK_MONOTONIC, &in->progress_at);
	capture_source_progress(in->source, &done, &total);
	if (total > 0)
		fprintf(stderr, "\r%s: %3.0f %%", in->name,
			100.0 * (double)done / (double)total);
	else
		fprintf(stderr, "\r%s: %.1f MB", in->name, (double)done / 1e6);
	in->progress_shown = true;
}

/* Report a damaged file in one line. Returns the exit code. */
static int report_damage(struct input *in, const char *what)
{
	if (in->progress_shown)
		fputs("\r\033[K", stderr);
	in->progress_shown = false;
	decode_flush(in->decode);
	fprintf(stderr, "arancini decode: %s: %s\n", in->name, what);
	return EXIT_FAILURE;
}

static int read_bmp(struct input *in)
{
	struct decode_session session = { 0 };
	enum capture_bmp_stream_status status;
	struct capture_bmp_stream reader;
	struct bmp_frame frame;
	int code = 0;

	capture_bmp_stream_init(&reader, in->source);
	while ((status = capture_bmp_stream_next(&reader, &frame)) ==
		       CAPTURE_BMP_STREAM_FRAME &&
	       !in->decode->out_failed) {
		decode_message(in->decode, &session, &frame);
		show_progress(in);
	}
	if (status == CAPTURE_BMP_STREAM_DAMAGED)
		code = report_damage(in, reader.error);
	capture_bmp_stream_fini(&reader);
	peers_fini(&session.peers);
	return code;
}

static int read_mrt(struct input *in)
{
	struct decode_mrt *decoder = decode_mrt_new(in->decode);
	struct capture_mrt_record record;
	enum capture_mrt_status status;
	struct capture_mrt mrt;
	int code = 0;

	capture_mrt_init(&mrt, in->source);
	while ((status = capture_mrt_next(&mrt, &record)) ==
		       CAPTURE_MRT_RECORD &&
	       !in->decode->out_failed) {
		decode_mrt_record(decoder, &record);
		show_progress(in);
	}
	if (status == CAPTURE_MRT_DAMAGED)
		code = report_damage(in, mrt.error);
	capture_mrt_fini(&mrt);
	decode_mrt_free(decoder);
	return code;
}

static void session_open(struct input *in, struct capture_session *tcp)
{
	struct decode_session *session =
		memory_must(calloc(1, sizeof(*session)));

	session->number = tcp->number;
	session->router = tcp->from;
	tcp->user = session;
	if (in->decode->summary != NULL)
		in->decode->summary->sessions++;
}

static void session_close(struct capture_session *tcp)
{
	struct decode_session *session = tcp->user;

	if (session == NULL)
		return;
	peers_fini(&session->peers);
	free(session);
	tcp->user = NULL;
}

/* Report bytes of a session that were not captured, or that are not BMP. */
static void session_error(struct input *in, struct capture_session *tcp,
			  const struct capture_session_event *event)
{
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

/* Returns true if part of the session could not be read. */
static bool session_event(struct input *in, struct capture_session *tcp,
			  const struct capture_session_event *event)
{
	struct decode_session *session = tcp->user;

	switch (event->kind) {
	case CAPTURE_SESSION_OPEN:
		session_open(in, tcp);
		return false;
	case CAPTURE_SESSION_FRAME:
		session->time_received_ns = tcp->time_ns;
		decode_message(in->decode, session, &event->frame);
		return false;
	case CAPTURE_SESSION_GAP:
	case CAPTURE_SESSION_LOST:
		session_error(in, tcp, event);
		return true;
	case CAPTURE_SESSION_CLOSE:
		session_close(tcp);
		return false;
	}
	return false;
}

static int pcap_verdict(struct input *in, struct capture_pcap *pcap,
			bool incomplete)
{
	const struct capture_pcap_counts *counts = capture_pcap_counts(pcap);

	if (incomplete)
		return report_damage(in,
				     "parts of its BMP sessions are missing; "
				     "lines of type error say where");
	if (counts->sessions > 0)
		return 0;
	if (counts->unknown_link > 0)
		return report_damage(in, "its link type is not supported");
	return report_damage(in, "no BMP session in it");
}

static int read_pcap(struct input *in)
{
	struct capture_session_event event;
	enum capture_pcap_status status;
	struct capture_session *tcp;
	struct capture_pcap *pcap;
	bool incomplete = false;
	int code;

	if (capture_pcap_new(in->source, &pcap) < 0)
		return report_damage(in, "out of memory");
	while ((status = capture_pcap_next(pcap, &tcp, &event)) ==
	       CAPTURE_PCAP_EVENT) {
		incomplete |= session_event(in, tcp, &event);
		show_progress(in);
	}
	if (status == CAPTURE_PCAP_DAMAGED)
		code = report_damage(in, capture_pcap_error(pcap));
	else
		code = pcap_verdict(in, pcap, incomplete);
	capture_pcap_free(pcap);
	return code;
}

/* The format was not recognised; report a read error if there is one. */
static int read_unknown(struct input *in)
{
	enum capture_source_status status;
	uint8_t byte;
	size_t got;

	status = capture_source_read(in->source, &byte, 1, &got);
	if (status == CAPTURE_SOURCE_END)
		return report_damage(in, "the file is empty");
	if (status != CAPTURE_SOURCE_OK)
		return report_damage(in, capture_source_text(status));
	return report_damage(in, "neither BMP nor pcap, pcapng or MRT");
}

static int read_source(struct input *in)
{
	switch (capture_source_format(in->source)) {
	case CAPTURE_BMP:
		return read_bmp(in);
	case CAPTURE_PCAP:
	case CAPTURE_PCAPNG:
		return read_pcap(in);
	case CAPTURE_MRT:
		return read_mrt(in);
	default:
		return read_unknown(in);
	}
}

static void print_summary(struct input *in, const struct summary *summary)
{
	const char *format =
		capture_format_name(capture_source_format(in->source));
	struct decode *d = in->decode;

	if (isatty(STDOUT_FILENO)) {
		summary_print(summary, in->name, format);
		return;
	}
	json_object(&d->out);
	json_string_at(&d->out, "file", in->name);
	json_string_at(&d->out, "format", format);
	summary_json(summary, &d->out);
	decode_end(d);
}

static int decode_file(struct decode *d, const char *path, bool summarise)
{
	struct input in = {
		.decode = d,
		.name = path,
		.watched = isatty(STDERR_FILENO) &&
			   (summarise || !isatty(STDOUT_FILENO)),
	};
	struct summary summary = { 0 };
	int code;
	int err = capture_source_open(path, &in.source);

	if (err < 0)
		return report_damage(&in, strerror(-err));
	d->summary = summarise ? &summary : NULL;
	code = read_source(&in);
	if (in.progress_shown)
		fputs("\r\033[K", stderr);
	if (summarise)
		print_summary(&in, &summary);
	decode_flush(d);
	summary_fini(&summary);
	capture_source_close(in.source);
	return code;
}

/* Options */

struct decode_options {
	struct config_router router; /* how routes are parsed */
	bool summarise;
};

/* The same keys, values and errors as in the section of a router. */
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

static const struct option_row rows[] = {
	{ "summary",
	  .help = "counts by message type, peer and AFI/SAFI instead:\n"
		  "a table on a terminal, one JSON object a file elsewhere",
	  OPTION_FLAG(struct decode_options, summarise) },
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
"Print the updates and events in captures, one JSON object a line.\n"
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
	struct decode_options options = { .router.bmp_v4 = BMP_V4_OFF };
	struct operands files;
	struct decode d = { 0 };
	int code = 0;

	if (!options_read(&line, argc, argv, &options, &files))
		return files.exit_code;
	if (files.count == 0)
		return options_misuse(&line, "which file?", "");
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
	return code;
}
