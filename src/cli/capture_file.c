#include "cli/capture_file.h"

#include "capture/bmp_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Number of messages between two looks at the clock: one look for every message
 * would cost more than the message.
 */
#define PROGRESS_EVERY	 4096
#define PROGRESS_SECONDS 0.2

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) +
	       (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static void show_progress(struct capture_file *f)
{
	uint64_t done, total;

	if (!f->watched || ++f->steps % PROGRESS_EVERY != 0 ||
	    seconds_since(&f->progress_at) < PROGRESS_SECONDS)
		return;
	clock_gettime(CLOCK_MONOTONIC, &f->progress_at);
	capture_source_progress(f->source, &done, &total);
	if (total > 0)
		fprintf(stderr, "\r%s: %3.0f %%", f->name,
			100.0 * (double)done / (double)total);
	else
		fprintf(stderr, "\r%s: %.1f MB", f->name, (double)done / 1e6);
	f->progress_shown = true;
}

static void clear_progress(struct capture_file *f)
{
	if (f->progress_shown)
		fputs("\r\033[K", stderr);
	f->progress_shown = false;
}

/* Report a damaged file in one line. Returns the exit code. */
static int report_damage(struct capture_file *f, const char *what)
{
	clear_progress(f);
	f->ops->flush(f->arg);
	fprintf(stderr, "arancini %s: %s: %s\n", f->command, f->name, what);
	return EXIT_FAILURE;
}

static int read_bmp(struct capture_file *f)
{
	void *session = f->ops->open(f->arg, NULL);
	enum capture_bmp_stream_status status;
	struct capture_bmp_stream reader;
	struct bmp_frame frame;
	int code = 0;

	capture_bmp_stream_init(&reader, f->source);
	while ((status = capture_bmp_stream_next(&reader, &frame)) ==
		       CAPTURE_BMP_STREAM_FRAME &&
	       f->ops->frame(f->arg, session, &frame, 0))
		show_progress(f);
	if (status == CAPTURE_BMP_STREAM_DAMAGED)
		code = report_damage(f, reader.error);
	capture_bmp_stream_fini(&reader);
	f->ops->close(f->arg, session);
	return code;
}

static int read_mrt(struct capture_file *f)
{
	struct capture_mrt_record record;
	enum capture_mrt_status status;
	struct capture_mrt mrt;
	int code = 0;

	capture_mrt_init(&mrt, f->source);
	while ((status = capture_mrt_next(&mrt, &record)) ==
		       CAPTURE_MRT_RECORD &&
	       f->ops->record(f->arg, &record))
		show_progress(f);
	if (status == CAPTURE_MRT_DAMAGED)
		code = report_damage(f, mrt.error);
	capture_mrt_fini(&mrt);
	return code;
}

/*
 * Call the operation for an event. Returns true if a part of the session could
 * not be read.
 */
static bool session_event(struct capture_file *f, struct capture_session *tcp,
			  const struct capture_session_event *event)
{
	switch (event->kind) {
	case CAPTURE_SESSION_OPEN:
		tcp->user = f->ops->open(f->arg, tcp);
		return false;
	case CAPTURE_SESSION_FRAME:
		(void)f->ops->frame(f->arg, tcp->user, &event->frame,
				    tcp->time_ns);
		return false;
	case CAPTURE_SESSION_GAP:
	case CAPTURE_SESSION_LOST:
		f->ops->lost(f->arg, tcp, event);
		return true;
	case CAPTURE_SESSION_CLOSE:
		if (tcp->user != NULL)
			f->ops->close(f->arg, tcp->user);
		tcp->user = NULL;
		return false;
	}
	return false;
}

static int pcap_verdict(struct capture_file *f, struct capture_pcap *pcap,
			bool incomplete)
{
	const struct capture_pcap_counts *counts = capture_pcap_counts(pcap);

	if (incomplete)
		return report_damage(f,
				     "parts of its BMP sessions are missing; "
				     "lines of type error say where");
	if (counts->sessions > 0)
		return 0;
	if (counts->unknown_link > 0)
		return report_damage(f, "its link type is not supported");
	return report_damage(f, "no BMP session in it");
}

static int read_pcap(struct capture_file *f)
{
	struct capture_session_event event;
	enum capture_pcap_status status;
	struct capture_session *tcp;
	struct capture_pcap *pcap;
	bool incomplete = false;
	int code;

	if (capture_pcap_new(f->source, &pcap) < 0)
		return report_damage(f, "out of memory");
	while ((status = capture_pcap_next(pcap, &tcp, &event)) ==
	       CAPTURE_PCAP_EVENT) {
		incomplete |= session_event(f, tcp, &event);
		show_progress(f);
	}
	if (status == CAPTURE_PCAP_DAMAGED)
		code = report_damage(f, capture_pcap_error(pcap));
	else
		code = pcap_verdict(f, pcap, incomplete);
	capture_pcap_free(pcap);
	return code;
}

/*
 * Report that the format was not recognised, or the read error if there is one.
 * Returns the exit code.
 */
static int read_unknown(struct capture_file *f)
{
	enum capture_source_status status;
	uint8_t byte;
	size_t got;

	status = capture_source_read(f->source, &byte, 1, &got);
	if (status == CAPTURE_SOURCE_END)
		return report_damage(f, "the file is empty");
	if (status != CAPTURE_SOURCE_OK)
		return report_damage(f, capture_source_text(status));
	return report_damage(f, "neither BMP nor pcap, pcapng or MRT");
}

static int read_source(struct capture_file *f)
{
	switch (capture_source_format(f->source)) {
	case CAPTURE_BMP:
		return read_bmp(f);
	case CAPTURE_PCAP:
	case CAPTURE_PCAPNG:
		return read_pcap(f);
	case CAPTURE_MRT:
		return read_mrt(f);
	default:
		return read_unknown(f);
	}
}

int capture_file_open(struct capture_file *f)
{
	int err = capture_source_open(f->name, &f->source);

	return err < 0 ? report_damage(f, strerror(-err)) : 0;
}

int capture_file_read(struct capture_file *f)
{
	int code = read_source(f);

	clear_progress(f);
	return code;
}

void capture_file_close(struct capture_file *f)
{
	capture_source_close(f->source);
}
