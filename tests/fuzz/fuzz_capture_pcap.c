/*
 * Any bytes, taken for a packet capture (or a compressed one), must be read to
 * an end without reading outside them, and every message handed out must be
 * whole: its length is the one in its header, all its bytes can be touched.
 */
#include "capture/pcap.h"

#include <stdlib.h>

/* Touches every byte. */
static size_t sum_of(struct wire_view v)
{
	size_t sum = 0;

	for (size_t i = 0; i < v.len; i++)
		sum += v.p[i];
	return sum;
}

static void check_event(const struct capture_session *session,
			const struct capture_session_event *event)
{
	const struct bmp_frame *frame = &event->frame;

	if (session->number == 0)
		abort();
	if (event->kind != CAPTURE_SESSION_FRAME)
		return;
	if (frame->whole.len < BMP_HEADER_LEN ||
	    frame->whole.len > BMP_MAX_FRAME_DEFAULT ||
	    wire_get_u32(frame->whole.p + 1) != frame->whole.len)
		abort();
	if (sum_of(frame->whole) > 255 * frame->whole.len)
		abort();
}

static void read_all(struct capture_source *source)
{
	struct capture_session_event event;
	struct capture_session *session;
	struct capture_pcap *pcap;
	enum capture_pcap_status status;
	unsigned opened = 0;

	if (capture_pcap_new(source, &pcap) < 0)
		return;
	while ((status = capture_pcap_next(pcap, &session, &event)) ==
	       CAPTURE_PCAP_EVENT) {
		/* Sessions are numbered as they open, and opened once. */
		if (event.kind == CAPTURE_SESSION_OPEN &&
		    session->number != ++opened)
			abort();
		check_event(session, &event);
	}
	if (opened != capture_pcap_counts(pcap)->sessions)
		abort();
	if (status == CAPTURE_PCAP_DAMAGED &&
	    capture_pcap_error(pcap)[0] == '\0')
		abort();
	/* The end stays the end. */
	if (capture_pcap_next(pcap, &session, &event) != status)
		abort();
	capture_pcap_free(pcap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct capture_source *source;

	if (capture_source_open_memory((struct wire_view){ data, len },
				       &source) < 0)
		return 0;
	read_all(source);
	capture_source_close(source);
	return 0;
}
