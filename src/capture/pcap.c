#include "capture/pcap.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

struct capture_pcap {
	struct capture_source *source;
	enum capture_source_status source_status; /* status of the last read */
	pcap_t *handle; /* NULL if the file could not be opened */
	enum capture_link link;
	bool ended;
	bool damaged;
	char error[PCAP_ERRBUF_SIZE + 64];

	struct capture_sessions sessions;
	struct capture_session *active; /* session that may have more events */
	bool restart; /* active is replaced by a new session ... */
	struct capture_segment pending; /* ... that begins with this segment */
	uint64_t time_ns;
	struct capture_pcap_counts counts;
};

/*
 * The read function of the FILE that libpcap reads from: reads from the source.
 */
static ssize_t cookie_read(void *cookie, char *to, size_t len)
{
	struct capture_pcap *pcap = cookie;
	size_t got = 0;

	if (len == 0)
		return 0;
	pcap->source_status =
		capture_source_read(pcap->source, (uint8_t *)to, len, &got);
	if (pcap->source_status == CAPTURE_SOURCE_OK)
		return (ssize_t)got;
	if (pcap->source_status == CAPTURE_SOURCE_END)
		return 0;
	errno = EIO;
	return -1; /* with errno: fopencookie(3) */
}

static enum capture_link link_of(int data_link)
{
	switch (data_link) {
	case DLT_EN10MB:
		return CAPTURE_LINK_ETHERNET;
	case DLT_RAW:
	case DLT_IPV4:
	case DLT_IPV6:
		return CAPTURE_LINK_RAW;
	case DLT_NULL:
	case DLT_LOOP:
		return CAPTURE_LINK_NULL;
	case DLT_LINUX_SLL:
		return CAPTURE_LINK_SLL;
	case DLT_LINUX_SLL2:
		return CAPTURE_LINK_SLL2;
	default:
		return CAPTURE_LINK_UNKNOWN;
	}
}

/*
 * Set the error text of the capture and end it. If bytes are missing because
 * they could not be decompressed, use the text of the source instead of
 * libpcap's.
 */
static void pcap_damaged(struct capture_pcap *pcap, const char *what)
{
	if (pcap->source_status > CAPTURE_SOURCE_END)
		what = capture_source_text(pcap->source_status);
	snprintf(pcap->error, sizeof(pcap->error), "after packet %llu: %s",
		 (unsigned long long)pcap->counts.packets, what);
	pcap->damaged = true;
	pcap->ended = true;
}

static int open_handle(struct capture_pcap *pcap)
{
	cookie_io_functions_t io = { .read = cookie_read };
	char why[PCAP_ERRBUF_SIZE] = "";
	FILE *file = fopencookie(pcap, "rb", io);

	if (file == NULL)
		return -ENOMEM;
	pcap->handle = pcap_fopen_offline_with_tstamp_precision(
		file, PCAP_TSTAMP_PRECISION_NANO, why);
	if (pcap->handle == NULL) {
		fclose(file);
		pcap_damaged(pcap, why);
		return 0;
	}
	/* From here on the handle owns the FILE. */
	pcap->link = link_of(pcap_datalink(pcap->handle));
	return 0;
}

int capture_pcap_new(struct capture_source *source, struct capture_pcap **out)
{
	struct capture_pcap *pcap = calloc(1, sizeof(*pcap));
	int err;

	if (pcap == NULL)
		return -ENOMEM;
	pcap->source = source;
	err = open_handle(pcap);
	if (err < 0) {
		free(pcap);
		return err;
	}
	*out = pcap;
	return 0;
}

void capture_pcap_free(struct capture_pcap *pcap)
{
	if (pcap == NULL)
		return;
	capture_sessions_fini(&pcap->sessions);
	if (pcap->handle != NULL)
		pcap_close(pcap->handle);
	free(pcap);
}

/* Find or create the session of @segment, or ignore the segment. */
static void segment_dispatch(struct capture_pcap *pcap,
			     const struct capture_segment *segment)
{
	struct capture_session *session =
		capture_sessions_find(&pcap->sessions, segment);
	bool syn = (segment->flags & CAPTURE_TCP_SYN) != 0;

	if (session != NULL && syn && segment->sequence + 1 != session->first) {
		/*
		 * The same ports, but a new connection: end the old one first.
		 */
		capture_session_close(session, CAPTURE_SESSION_REPLACED);
		pcap->restart = true;
		pcap->pending = *segment;
		pcap->active = session;
		return;
	}
	if (session == NULL) {
		if (!syn && !capture_session_plausible(segment->payload))
			return;
		session = capture_sessions_add(&pcap->sessions, segment);
		if (session == NULL)
			return;
	}
	session->time_ns = pcap->time_ns;
	capture_session_push(session, segment);
	if ((segment->flags & CAPTURE_TCP_RST) != 0)
		capture_session_close(session, CAPTURE_SESSION_RST);
	pcap->active = session;
}

static void take_packet(struct capture_pcap *pcap,
			const struct pcap_pkthdr *header, const uint8_t *bytes)
{
	struct wire_view packet = { bytes, header->caplen };
	struct capture_segment segment;
	enum capture_packet_verdict verdict;

	pcap->counts.packets++;
	/*
	 * The timestamps were requested in nanoseconds, so tv_usec has
	 * nanoseconds.
	 */
	pcap->time_ns = (uint64_t)header->ts.tv_sec * 1000000000u +
			(uint64_t)header->ts.tv_usec;
	if (pcap->link == CAPTURE_LINK_UNKNOWN) {
		pcap->counts.unknown_link++;
		return;
	}
	verdict = capture_packet_parse(pcap->link, packet, &segment);
	pcap->counts.verdicts[verdict]++;
	if (verdict == CAPTURE_PACKET_SEGMENT)
		segment_dispatch(pcap, &segment);
}

static void read_packet(struct capture_pcap *pcap)
{
	struct pcap_pkthdr *header;
	const uint8_t *bytes;

	switch (pcap_next_ex(pcap->handle, &header, &bytes)) {
	case 1:
		take_packet(pcap, header, bytes);
		break;
	case PCAP_ERROR_BREAK: /* the end */
		pcap->ended = true;
		break;
	default:
		pcap_damaged(pcap, pcap_geterr(pcap->handle));
		break;
	}
}

/*
 * Call it when the active session has no more events for now: remove the
 * session if it has ended, and start the session that replaces it.
 */
static void session_settle(struct capture_pcap *pcap)
{
	struct capture_session *session = pcap->active;

	pcap->active = NULL;
	if (session->state == CAPTURE_SESSION_CLOSED ||
	    session->state == CAPTURE_SESSION_FOREIGN)
		capture_sessions_remove(&pcap->sessions, session);
	if (pcap->restart) {
		pcap->restart = false;
		segment_dispatch(pcap, &pcap->pending);
	}
}

/*
 * Close the oldest open session. Called after the last packet; false if none is
 * left.
 */
static bool close_next(struct capture_pcap *pcap)
{
	if (pcap->sessions.oldest == NULL)
		return false;
	pcap->active = pcap->sessions.oldest;
	capture_session_close(pcap->active, CAPTURE_SESSION_CAPTURE_ENDED);
	return true;
}

enum capture_pcap_status capture_pcap_next(struct capture_pcap *pcap,
					   struct capture_session **session,
					   struct capture_session_event *out)
{
	for (;;) {
		if (pcap->active != NULL) {
			if (capture_session_next(pcap->active, out)) {
				if (out->kind == CAPTURE_SESSION_OPEN)
					pcap->active->number =
						++pcap->counts.sessions;
				*session = pcap->active;
				return CAPTURE_PCAP_EVENT;
			}
			session_settle(pcap);
		} else if (!pcap->ended) {
			read_packet(pcap);
		} else if (!close_next(pcap)) {
			return pcap->damaged ? CAPTURE_PCAP_DAMAGED
					     : CAPTURE_PCAP_END;
		}
	}
}

const struct capture_pcap_counts *capture_pcap_counts(
	const struct capture_pcap *pcap)
{
	return &pcap->counts;
}

const char *capture_pcap_error(const struct capture_pcap *pcap)
{
	return pcap->error;
}
