/*
 * capture/pcap.h - the BMP sessions inside a pcap or pcapng file
 *
 *	source --> libpcap --> packet --> session --> events
 *
 * Sessions are found by their content, not by port: a capture often has other
 * traffic, and BMP has no assigned port. Only the direction from router to
 * collector carries data (RFC 7854, 3.2).
 */
#ifndef CAPTURE_PCAP_H
#define CAPTURE_PCAP_H

#include "capture/sessions.h"
#include "capture/source.h"

enum capture_pcap_status {
	CAPTURE_PCAP_EVENT,
	CAPTURE_PCAP_END,
	CAPTURE_PCAP_DAMAGED, /* the rest is unreadable; see error */
};

struct capture_pcap;

/* Counts of all packets of the file, also of those that are not BMP. */
struct capture_pcap_counts {
	uint64_t packets;
	uint64_t verdicts[CAPTURE_PACKET_VERDICTS];
	uint64_t unknown_link; /* packets of a link type not known here */
	unsigned sessions;     /* sessions that were BMP */
};

/*
 * Begin to read a capture; @source is borrowed. Returns 0 or -ENOMEM; an error
 * at the beginning of the file is returned by the first capture_pcap_next().
 */
int capture_pcap_new(struct capture_source *source, struct capture_pcap **out);

void capture_pcap_free(struct capture_pcap *pcap);

/*
 * Set *@out to the next event, and *@session to its session; both are valid
 * until the next call. If the file is damaged, the events of all sessions up to
 * the damage are returned first, and then CAPTURE_PCAP_DAMAGED.
 */
enum capture_pcap_status capture_pcap_next(struct capture_pcap *pcap,
					   struct capture_session **session,
					   struct capture_session_event *out);

const struct capture_pcap_counts *capture_pcap_counts(
	const struct capture_pcap *pcap);

/* The error text after CAPTURE_PCAP_DAMAGED. */
const char *capture_pcap_error(const struct capture_pcap *pcap);

#endif
