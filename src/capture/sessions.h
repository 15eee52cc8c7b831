/*
 * capture/sessions.h - the TCP sessions of a capture that may be BMP
 *
 * A hash table by direction (from, to), and a list in the order of appearance,
 * so that sessions open at the end of a capture are closed in that order. A
 * session of another protocol is dropped as soon as its first bytes show that
 * it is not BMP.
 */
#ifndef CAPTURE_SESSIONS_H
#define CAPTURE_SESSIONS_H

#include "capture/session.h"

/* All zero is an empty table. */
struct capture_sessions {
	struct capture_session **buckets;
	size_t bucket_count; /* a power of two, or 0 */
	size_t count;
	struct capture_session *oldest;
	struct capture_session *newest;
};

void capture_sessions_fini(struct capture_sessions *sessions);

/* The session that @segment belongs to, or NULL. */
struct capture_session *capture_sessions_find(
	const struct capture_sessions *sessions,
	const struct capture_segment *segment);

/* Add a session that starts with @segment; NULL if out of memory. */
struct capture_session *capture_sessions_add(
	struct capture_sessions *sessions,
	const struct capture_segment *segment);

/* Remove @session and free it. */
void capture_sessions_remove(struct capture_sessions *sessions,
			     struct capture_session *session);

#endif
