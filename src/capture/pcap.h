/*
 * capture/pcap.h - the BMP sessions inside a pcap or pcapng file
 *
 *	source --> libpcap --> packet --> session --> events
 *
 * Sessions are found by what they carry, not by port: a capture often has
 * other traffic, and BMP has no port of its own. Only the direction from router
 * to collector ever carries data (RFC 7854, 3.2).
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

/* What was in the file, whether or not it was BMP. */
struct capture_pcap_counts {
	uint64_t packets;
	uint64_t verdicts[CAPTURE_PACKET_VERDICTS];
	uint64_t unknown_link; /* packets of a link type not known here */
	unsigned sessions;     /* that were BMP */
};

/*
 * @source is borrowed. Whatever is wrong with the file's beginning is reported
 * by the first capture_pcap_next(). 0 or -ENOMEM.
 */
int capture_pcap_new(struct capture_source *source, struct capture_pcap **out);

void capture_pcap_free(struct capture_pcap *pcap);

/*
 * The next event. *@session and views in *@out live until the next call. On
 * CAPTURE_PCAP_DAMAGED, too, every session was read to its end before.
 */
enum capture_pcap_status capture_pcap_next(struct capture_pcap *pcap,
					   struct capture_session **session,
					   struct capture_session_event *out);

const struct capture_pcap_counts *capture_pcap_counts(
	const struct capture_pcap *pcap);

/* After CAPTURE_PCAP_DAMAGED: what is wrong, for people. */
const char *capture_pcap_error(const struct capture_pcap *pcap);

#endif
