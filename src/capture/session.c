#include "capture/session.h"

#define PEER_HEADER_LEN 42
#define BGP_MARKER_LEN	16

/*
 * Minimum lengths of BMP types 0 to 6, including the common header (RFC 7854).
 */
static const struct {
	bool peer_header;
	uint16_t min;
} types[] = {
	{ true, 48 + 23 }, /* Route Monitoring: an empty UPDATE */
	{ true, 48 + 4 },  /* Statistics Report */
	{ true, 48 + 1 },  /* Peer Down */
	{ true, 48 + 20 }, /* Peer Up; its OPENs may be anything */
	{ false, 6 },	   /* Initiation */
	{ false, 6 },	   /* Termination */
	{ true, 48 },	   /* Route Mirroring */
};

#define TYPES (sizeof(types) / sizeof(types[0]))

/*
 * False if @bytes cannot begin with a BMP message. True also if there are too
 * few bytes to decide.
 */
static bool header_possible(struct wire_view bytes)
{
	uint32_t len;

	if (bytes.len > 0 && bytes.p[0] != 3 && bytes.p[0] != 4)
		return false;
	if (bytes.len < BMP_HEADER_LEN)
		return true;
	len = wire_get_u32(bytes.p + 1);
	return bytes.p[5] < TYPES && len >= types[bytes.p[5]].min &&
	       len <= BMP_MAX_FRAME_DEFAULT;
}

static bool all_bytes(const uint8_t *p, size_t len, uint8_t value)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != value)
			return false;
	return true;
}

static bool peer_header_plausible(const uint8_t *p)
{
	uint8_t type = p[0];
	uint8_t flags = p[1];
	bool ipv6 = type != 3 && (flags & 0x80) != 0;

	/*
	 * The address field is 16 bytes: an IPv4 address leaves the first 12
	 * zero, and so does a Loc-RIB, which has no address.
	 */
	return type <= 3 && (flags & 0x0f) == 0 &&
	       (ipv6 || all_bytes(p + 10, 12, 0));
}

static bool body_plausible(struct wire_view bytes)
{
	uint8_t version = bytes.p[0];
	uint8_t type = bytes.p[5];
	size_t marker = BMP_HEADER_LEN + PEER_HEADER_LEN;

	if (!types[type].peer_header)
		return true;
	if (bytes.len < BMP_HEADER_LEN + PEER_HEADER_LEN ||
	    !peer_header_plausible(bytes.p + BMP_HEADER_LEN))
		return false;
	/*
	 * The next bytes are a BGP message only in version 3; version 4 has
	 * TLVs.
	 */
	if (type != 0 || version != 3)
		return true;
	return bytes.len >= marker + BGP_MARKER_LEN &&
	       all_bytes(bytes.p + marker, BGP_MARKER_LEN, 0xff);
}

bool capture_session_plausible(struct wire_view bytes)
{
	size_t len;

	if (bytes.len < BMP_HEADER_LEN || !header_possible(bytes) ||
	    !body_plausible(bytes))
		return false;
	len = wire_get_u32(bytes.p + 1);
	if (bytes.len <= len)
		return true;
	return header_possible(
		(struct wire_view){ bytes.p + len, bytes.len - len });
}

void capture_session_init(struct capture_session *session,
			  const struct capture_segment *segment)
{
	bool syn = (segment->flags & CAPTURE_TCP_SYN) != 0;

	*session = (struct capture_session){
		.from = segment->from,
		.to = segment->to,
		.mid_session = !syn,
		.state = syn ? CAPTURE_SESSION_HANDSHAKE
			     : CAPTURE_SESSION_SEARCHING,
	};
	session->first = segment->sequence + syn;
	session->syn_len = syn ? segment->wire_len : 0;
	capture_reassembly_init(&session->reassembly, session->first);
}

void capture_session_fini(struct capture_session *session)
{
	capture_reassembly_fini(&session->reassembly);
	capture_stream_fini(&session->stream);
}

/*
 * True if the session has data on its SYN, and @segment continues as if the SYN
 * used no sequence number, as in captures made by a program (scapy,
 * traffic-reproducer). A segment with one byte is not taken for this, because
 * it may be a keepalive probe.
 */
static bool syn_not_counted(const struct capture_session *session,
			    const struct capture_segment *segment)
{
	bool fin = (segment->flags & CAPTURE_TCP_FIN) != 0;

	return session->syn_len > 0 &&
	       session->reassembly.next == session->first + session->syn_len &&
	       (segment->flags & CAPTURE_TCP_SYN) == 0 &&
	       segment->sequence + 1 == session->reassembly.next &&
	       (segment->wire_len > 1 || fin);
}

int capture_session_push(struct capture_session *session,
			 const struct capture_segment *segment)
{
	/* A SYN uses one sequence number, before any data. */
	uint32_t sequence =
		segment->sequence + ((segment->flags & CAPTURE_TCP_SYN) != 0);

	if ((segment->flags & CAPTURE_TCP_FIN) != 0) {
		session->fin_seen = true;
		session->fin_at = sequence + segment->wire_len;
	}
	if (session->state == CAPTURE_SESSION_FOREIGN ||
	    session->state == CAPTURE_SESSION_CLOSED)
		return 0;
	if (syn_not_counted(session, segment))
		session->reassembly.next--;
	return capture_reassembly_push(&session->reassembly, sequence,
				       segment->payload, segment->wire_len);
}

void capture_session_close(struct capture_session *session,
			   enum capture_session_end end)
{
	session->end = end;
	capture_reassembly_close(&session->reassembly);
}

/* Skip to the next segment that starts with a message. */
static void session_search(struct capture_session *session)
{
	session->skipped += capture_stream_rest(&session->stream).len;
	capture_stream_reset(&session->stream);
	session->state = CAPTURE_SESSION_SEARCHING;
}

static void session_set_foreign(struct capture_session *session)
{
	session->state = CAPTURE_SESSION_FOREIGN;
	capture_reassembly_fini(&session->reassembly);
	capture_stream_fini(&session->stream);
}

/*
 * Handle the next bytes of the session according to its state: append them to
 * the stream if they belong to BMP, else skip them.
 */
static void chunk_take(struct capture_session *session,
		       const struct capture_chunk *chunk)
{
	if (chunk->missing > 0) {
		/*
		 * The first bytes are missing: treat the session as one that
		 * began before the capture.
		 */
		if (session->state == CAPTURE_SESSION_HANDSHAKE)
			session->mid_session = true;
		session->missing += chunk->missing;
		session->stream.offset += chunk->missing;
		session_search(session);
	}
	if (session->state == CAPTURE_SESSION_SEARCHING) {
		if (!chunk->segment_start ||
		    !capture_session_plausible(chunk->bytes)) {
			session->skipped += chunk->bytes.len;
			session->stream.offset += chunk->bytes.len;
			return;
		}
		session->state = CAPTURE_SESSION_SYNCED;
	}
	if (capture_stream_push(&session->stream, chunk->bytes) < 0) {
		session->missing += chunk->bytes.len;
		session_search(session);
		return;
	}
	if (session->state != CAPTURE_SESSION_HANDSHAKE)
		return;
	if (!header_possible(capture_stream_rest(&session->stream)))
		session_set_foreign(session);
	else if (capture_stream_rest(&session->stream).len >= BMP_HEADER_LEN)
		session->state = CAPTURE_SESSION_SYNCED;
}

/*
 * Report missing and skipped bytes as one event, when reading continues or the
 * session ends. False if there are none.
 */
static bool say_gap(struct capture_session *session,
		    struct capture_session_event *out)
{
	if (session->missing == 0 && session->skipped == 0)
		return false;
	*out = (struct capture_session_event){
		.kind = session->missing > 0 ? CAPTURE_SESSION_GAP
					     : CAPTURE_SESSION_LOST,
		.missing = session->missing,
		.skipped = session->skipped,
		.lost = session->lost,
	};
	session->missing = 0;
	session->skipped = 0;
	session->lost = BMP_FRAME_WHOLE;
	return true;
}

static bool say_open(struct capture_session *session,
		     struct capture_session_event *out)
{
	if (session->open_said)
		return false;
	session->open_said = true;
	/* Bytes before the session was recognised are not a gap. */
	session->missing = 0;
	session->skipped = 0;
	*out = (struct capture_session_event){ .kind = CAPTURE_SESSION_OPEN };
	return true;
}

/*
 * Set *@out to the next frame, or to an event before it (open, gap); false if
 * there is none yet.
 */
static bool next_in_stream(struct capture_session *session,
			   struct capture_session_event *out)
{
	uint64_t offset = session->stream.offset;
	enum bmp_frame_status status;
	struct bmp_frame frame;
	size_t need;

	if (session->state != CAPTURE_SESSION_SYNCED)
		return false;
	if (say_open(session, out) || say_gap(session, out))
		return true;
	status = capture_stream_next(&session->stream, &frame, &need);
	if (status == BMP_FRAME_WHOLE) {
		*out = (struct capture_session_event){
			.kind = CAPTURE_SESSION_FRAME,
			.frame = frame,
			.offset = offset,
		};
		return true;
	}
	if (status != BMP_FRAME_PARTIAL) {
		session->lost = status;
		session_search(session);
	}
	return false;
}

static bool session_is_over(struct capture_session *session)
{
	if (session->fin_seen && session->reassembly.next == session->fin_at)
		capture_session_close(session, CAPTURE_SESSION_FIN);
	return session->reassembly.closing;
}

bool capture_session_next(struct capture_session *session,
			  struct capture_session_event *out)
{
	struct capture_chunk chunk;

	if (session->state == CAPTURE_SESSION_CLOSED)
		return false;
	for (;;) {
		if (next_in_stream(session, out))
			return true;
		if (session->state == CAPTURE_SESSION_FOREIGN)
			return false;
		if (!capture_reassembly_next(&session->reassembly, &chunk))
			break;
		chunk_take(session, &chunk);
	}
	if (!session_is_over(session))
		return false;
	/* The bytes of an incomplete last message count as skipped. */
	session_search(session);
	if (session->open_said && say_gap(session, out))
		return true;
	session->state = CAPTURE_SESSION_CLOSED;
	*out = (struct capture_session_event){
		.kind = CAPTURE_SESSION_CLOSE,
		.end = session->end,
	};
	return session->open_said;
}
