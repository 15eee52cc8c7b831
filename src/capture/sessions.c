#include "capture/sessions.h"

#include <stdlib.h>

#define FIRST_BUCKETS 64

static uint64_t hash_bytes(uint64_t hash, const uint8_t *p, size_t len)
{
	/*
	 * FNV-1a without a secret seed: the keys come from a local file, so no
	 * protection against deliberate collisions is needed.
	 */
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_of(const struct capture_endpoint *from,
			const struct capture_endpoint *to)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = hash_bytes(hash, from->address, sizeof(from->address));
	hash = hash_bytes(hash, (const uint8_t *)&from->port,
			  sizeof(from->port));
	hash = hash_bytes(hash, to->address, sizeof(to->address));
	hash = hash_bytes(hash, (const uint8_t *)&to->port, sizeof(to->port));
	return hash ^ hash >> 32;
}

static bool endpoint_equal(const struct capture_endpoint *a,
			   const struct capture_endpoint *b)
{
	return a->port == b->port &&
	       memcmp(a->address, b->address, sizeof(a->address)) == 0;
}

void capture_sessions_fini(struct capture_sessions *sessions)
{
	struct capture_session *newer;

	for (struct capture_session *s = sessions->oldest; s != NULL;
	     s = newer) {
		newer = s->newer;
		capture_session_fini(s);
		free(s);
	}
	free(sessions->buckets);
	*sessions = (struct capture_sessions){ 0 };
}

struct capture_session *capture_sessions_find(
	const struct capture_sessions *sessions,
	const struct capture_segment *segment)
{
	struct capture_session *s;
	uint64_t hash;

	if (sessions->bucket_count == 0)
		return NULL;
	hash = hash_of(&segment->from, &segment->to);
	s = sessions->buckets[hash & (sessions->bucket_count - 1)];
	while (s != NULL && !(endpoint_equal(&s->from, &segment->from) &&
			      endpoint_equal(&s->to, &segment->to)))
		s = s->chain;
	return s;
}

static void link_bucket(struct capture_sessions *sessions,
			struct capture_session *session)
{
	uint64_t hash = hash_of(&session->from, &session->to);
	struct capture_session **bucket =
		&sessions->buckets[hash & (sessions->bucket_count - 1)];

	session->chain = *bucket;
	*bucket = session;
}

/*
 * Double the buckets. If out of memory, the old ones stay in use; false if
 * there are none.
 */
static bool buckets_grow(struct capture_sessions *sessions)
{
	size_t count = sessions->bucket_count > 0 ? sessions->bucket_count * 2
						  : FIRST_BUCKETS;
	struct capture_session **buckets = calloc(count, sizeof(*buckets));

	if (buckets == NULL)
		return sessions->bucket_count > 0;
	free(sessions->buckets);
	sessions->buckets = buckets;
	sessions->bucket_count = count;
	for (struct capture_session *s = sessions->oldest; s != NULL;
	     s = s->newer)
		link_bucket(sessions, s);
	return true;
}

struct capture_session *capture_sessions_add(
	struct capture_sessions *sessions,
	const struct capture_segment *segment)
{
	struct capture_session *session;

	if (sessions->count >= sessions->bucket_count &&
	    !buckets_grow(sessions))
		return NULL;
	session = malloc(sizeof(*session));
	if (session == NULL)
		return NULL;
	capture_session_init(session, segment);
	link_bucket(sessions, session);
	session->older = sessions->newest;
	if (sessions->newest != NULL)
		sessions->newest->newer = session;
	else
		sessions->oldest = session;
	sessions->newest = session;
	sessions->count++;
	return session;
}

void capture_sessions_remove(struct capture_sessions *sessions,
			     struct capture_session *session)
{
	uint64_t hash = hash_of(&session->from, &session->to);
	struct capture_session **at =
		&sessions->buckets[hash & (sessions->bucket_count - 1)];

	while (*at != session)
		at = &(*at)->chain;
	*at = session->chain;
	if (session->older != NULL)
		session->older->newer = session->newer;
	else
		sessions->oldest = session->newer;
	if (session->newer != NULL)
		session->newer->older = session->older;
	else
		sessions->newest = session->older;
	sessions->count--;
	capture_session_fini(session);
	free(session);
}
