/*
 * collector/http/sse.h - server-sent events: the status and what happens
 *
 *	vitals --- feed_event(), feed_status() ---> ring --- streams ---> browsers
 *
 * Every text is made once and shared by all who read. A stream has a place in
 * the ring and nothing else of its own, so a slow reader costs nothing: what
 * it was too slow for is gone for it, and it is told how much.
 *
 * Threads	Any. A stream belongs to libmicrohttpd once it is a response.
 */
#ifndef COLLECTOR_HTTP_SSE_H
#define COLLECTOR_HTTP_SSE_H

#include "collector/telemetry/event_ring.h"

#include <microhttpd.h>

struct feed;

/* @first_id: of its first event; larger than all of earlier runs. */
int feed_new(uint64_t first_id, struct feed **out);
void feed_free(struct feed *f); /* closed, and no stream is left */

/* No more streams; those there are end after what they have. */
void feed_close(struct feed *f);

/* Whether anybody reads. */
bool feed_is_read(struct feed *f);

void feed_event(struct feed *f, const struct bulletin_entry *e);
/* @events were overwritten before they could be fetched. */
void feed_lost(struct feed *f, uint64_t events);
/* Replaces the one before. @json: an object without a newline. */
void feed_status(struct feed *f, const struct json *json);

/*
 * A response that never ends. @last_id is what a browser saw last, or NULL.
 * -EAGAIN if there are too many, -EPIPE when it is closed, -ENOMEM.
 */
int feed_stream(struct feed *f, struct MHD_Connection *connection,
		const char *last_id, struct MHD_Response **out);

#endif
