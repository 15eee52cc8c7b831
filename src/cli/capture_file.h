/*
 * cli/capture_file.h - the messages in a FILE of a command: BMP, pcap, MRT
 *
 *	struct capture_file file = { "decode", path, &ops, arg };
 *
 *	if (capture_file_open(&file) != 0)
 *		return EXIT_FAILURE;
 *	code = capture_file_read(&file);
 *	capture_file_close(&file);
 *
 * The format is recognised, and an operation is called for each message. If the
 * file is damaged, everything that is readable is read; the damage is reported
 * in one line on standard error, and the exit code is EXIT_FAILURE.
 *
 * Threads	One, blocking.
 */
#ifndef CLI_CAPTURE_FILE_H
#define CLI_CAPTURE_FILE_H

#include "capture/mrt.h"
#include "capture/pcap.h"
#include "capture/source.h"

#include <time.h>

struct capture_file_ops {
	/*
	 * A BMP session begins. @tcp is the session of a packet capture; NULL
	 * if the whole file is one session. The result is passed to the other
	 * operations as @session.
	 */
	void *(*open)(void *arg, const struct capture_session *tcp);
	/*
	 * A message of a session; @time_ns is 0 if the time is not known. False
	 * = stop reading; but sessions of a packet capture are read to their
	 * end.
	 */
	bool (*frame)(void *arg, void *session, const struct bmp_frame *frame,
		      uint64_t time_ns);
	/* Bytes of a session are missing or could not be read as BMP. */
	void (*lost)(void *arg, const struct capture_session *tcp,
		     const struct capture_session_event *event);
	void (*close)(void *arg, void *session);
	/* A record of MRT. False = stop reading. */
	bool (*record)(void *arg, const struct capture_mrt_record *record);
	/*
	 * Write pending output, because a line will be written to standard
	 * error.
	 */
	void (*flush)(void *arg);
};

struct capture_file {
	const char *command; /* "decode", for errors */
	const char *name;    /* the path, or "-" */
	const struct capture_file_ops *ops;
	void *arg;
	bool watched; /* show progress on standard error */

	/* Set by capture_file_open() and capture_file_read() */
	struct capture_source *source;
	uint64_t steps;
	struct timespec progress_at;
	bool progress_shown;
};

/* Open the file. Returns 0, or EXIT_FAILURE after an error was printed. */
int capture_file_open(struct capture_file *f);
/* Read the file. Returns the exit code. */
int capture_file_read(struct capture_file *f);
void capture_file_close(struct capture_file *f);

#endif
