#include "capture/recording.h"

#include "bmp/message.h"
#include "capture/pcap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_SIZE (256 * 1024)

static int recording_fail(struct capture_recording *r, int err,
			  const char *what)
{
	snprintf(r->error, sizeof(r->error), "%s", what);
	return err;
}

/* Tracks */

static int add_track(struct capture_recording *r, struct capture_track **out)
{
	struct capture_track **grown =
		realloc(r->tracks, (r->count + 1) * sizeof(*grown));
	struct capture_track *track;

	if (grown == NULL)
		return -ENOMEM;
	r->tracks = grown;
	track = calloc(1, sizeof(*track));
	if (track == NULL)
		return -ENOMEM;
	r->tracks[r->count++] = track;
	*out = track;
	return 0;
}

/* Reserve @n more bytes. */
static int track_reserve(struct capture_track *track, size_t n)
{
	size_t size = track->size + track->size / 2 + READ_SIZE;
	uint8_t *grown;

	if (track->size - track->len >= n)
		return 0;
	if (size - track->len < n)
		size = track->len + n;
	grown = realloc(track->bytes, size);
	if (grown == NULL)
		return -ENOMEM;
	track->bytes = grown;
	track->size = size;
	return 0;
}

/*
 * Add a mark: the bytes from @at on were sent at @ns. If @ns is not later than
 * the last mark, these bytes belong to the last mark.
 */
static int track_mark(struct capture_track *track, size_t at, uint64_t ns)
{
	struct capture_mark *last =
		track->mark_count == 0 ? NULL
				       : &track->marks[track->mark_count - 1];

	if (last != NULL && ns <= last->ns)
		return 0;
	if (track->marks == NULL || track->mark_count == track->mark_size) {
		size_t size = track->mark_size * 2 + 64;
		struct capture_mark *grown =
			realloc(track->marks, size * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		track->marks = grown;
		track->mark_size = size;
	}
	track->marks[track->mark_count++] = (struct capture_mark){ at, ns };
	return 0;
}

/*
 * Nanoseconds since the first time found in the recording; 0 for an earlier
 * time.
 */
static uint64_t since_first(struct capture_recording *r, uint64_t time_ns)
{
	if (r->first_ns == 0)
		r->first_ns = time_ns;
	return time_ns > r->first_ns ? time_ns - r->first_ns : 0;
}

/* Raw BMP */

/* The time in the per-peer header of a message; 0 if the message has none. */
static uint64_t time_of(const struct bmp_frame *frame)
{
	struct wire_cursor c = wire_start(frame->body);
	struct bmp_peer peer;

	if (frame->type == BMP_INITIATION || frame->type == BMP_TERMINATION ||
	    !bmp_peer_decode(&c, &peer))
		return 0;
	return peer.time_ns;
}

static int mark_messages(struct capture_recording *r,
			 struct capture_track *track)
{
	size_t at = 0, need;
	struct bmp_frame frame;
	int err = track_mark(track, 0, 0);

	while (err == 0 &&
	       bmp_frame_next((struct wire_view){ track->bytes + at,
						  track->len - at },
			      UINT32_MAX, &frame, &need) == BMP_FRAME_WHOLE) {
		uint64_t time_ns = time_of(&frame);

		if (time_ns != 0)
			err = track_mark(track, at, since_first(r, time_ns));
		at += frame.whole.len;
	}
	return err;
}

int capture_recording_read_raw(struct capture_recording *recording,
			       struct capture_source *source)
{
	enum capture_source_status status;
	struct capture_track *track;
	int err = add_track(recording, &track);

	if (err < 0)
		return err;
	do {
		size_t got = 0;

		err = track_reserve(track, READ_SIZE);
		if (err < 0)
			return err;
		status = capture_source_read(source, track->bytes + track->len,
					     READ_SIZE, &got);
		track->len += got;
	} while (status == CAPTURE_SOURCE_OK);
	err = mark_messages(recording, track);
	if (err == 0 && status != CAPTURE_SOURCE_END)
		return recording_fail(recording, -EBADMSG,
				      capture_source_text(status));
	return err;
}

/* Packet captures */

static int add_frame(struct capture_recording *r,
		     const struct capture_session *session,
		     const struct bmp_frame *frame)
{
	struct capture_track *track = session->user;
	int err;

	if (track == NULL)
		return -ENOMEM;
	err = track_reserve(track, frame->whole.len);
	if (err == 0)
		err = track_mark(track, track->len,
				 since_first(r, session->time_ns));
	if (err < 0)
		return err;
	memcpy(track->bytes + track->len, frame->whole.p, frame->whole.len);
	track->len += frame->whole.len;
	return 0;
}

static int event_apply(struct capture_recording *r,
		       struct capture_session *session,
		       const struct capture_session_event *event)
{
	struct capture_track *track;
	int err;

	switch (event->kind) {
	case CAPTURE_SESSION_OPEN:
		err = add_track(r, &track);
		if (err == 0)
			session->user = track;
		return err;
	case CAPTURE_SESSION_FRAME:
		return add_frame(r, session, &event->frame);
	case CAPTURE_SESSION_GAP:
	case CAPTURE_SESSION_LOST:
		r->missing += event->missing + event->skipped;
		return 0;
	case CAPTURE_SESSION_CLOSE:
		return 0;
	}
	return 0;
}

static int read_pcap(struct capture_recording *r, struct capture_source *source)
{
	struct capture_session_event event;
	enum capture_pcap_status status;
	struct capture_session *session;
	struct capture_pcap *pcap;
	size_t before = r->count;
	int err = capture_pcap_new(source, &pcap);

	if (err < 0)
		return err;
	/* Read to the end in any case, because that frees the sessions. */
	while ((status = capture_pcap_next(pcap, &session, &event)) ==
	       CAPTURE_PCAP_EVENT)
		if (err == 0)
			err = event_apply(r, session, &event);
	if (err == 0 && status == CAPTURE_PCAP_DAMAGED)
		err = recording_fail(r, -EBADMSG, capture_pcap_error(pcap));
	else if (err == 0 && r->count == before)
		err = recording_fail(r, -EINVAL, "no BMP session in it");
	else if (err == 0 && r->missing > 0)
		err = recording_fail(r, -EBADMSG,
				     "parts of its BMP sessions are missing");
	capture_pcap_free(pcap);
	return err;
}

/*
 * Report that the format was not recognised, or the read error if there is one.
 */
static int read_unknown(struct capture_recording *r,
			struct capture_source *source)
{
	enum capture_source_status status;
	uint8_t byte;
	size_t got;

	status = capture_source_read(source, &byte, 1, &got);
	if (status == CAPTURE_SOURCE_END)
		return recording_fail(r, -EINVAL, "the file is empty");
	if (status != CAPTURE_SOURCE_OK)
		return recording_fail(r, -EBADMSG, capture_source_text(status));
	return recording_fail(r, -EINVAL, "neither BMP nor pcap or pcapng");
}

int capture_recording_read(struct capture_recording *recording,
			   struct capture_source *source)
{
	recording->error[0] = '\0';
	switch (capture_source_format(source)) {
	case CAPTURE_BMP:
		return capture_recording_read_raw(recording, source);
	case CAPTURE_PCAP:
	case CAPTURE_PCAPNG:
		return read_pcap(recording, source);
	case CAPTURE_MRT:
		return recording_fail(recording, -EINVAL,
				      "an MRT file holds no BMP session");
	default:
		return read_unknown(recording, source);
	}
}

void capture_recording_fini(struct capture_recording *recording)
{
	for (size_t i = 0; i < recording->count; i++) {
		free(recording->tracks[i]->bytes);
		free(recording->tracks[i]->marks);
		free(recording->tracks[i]);
	}
	free(recording->tracks);
	*recording = (struct capture_recording){ 0 };
}
