/*
 * collector/http/sse.h - server-sent events: the status and what happens
 *
 *	stats_poller --- sse_event(), sse_status() ---> ring --- streams ---> browsers
 *
 * Every text is made once and shared by all who read. A stream has a place in
 * the ring and nothing else of its own, so a slow reader costs nothing: what
 * it was too slow for is gone for it, and it is told how much.
 *
 * Threads	Any. A stream belongs to libmicrohttpd once it is a response.
 */
#ifndef COLLECTOR_HTTP_SSE_H
#define COLLECTOR_HTTP_SSE_H

#include "collector/router/event_ring.h"

#include <microhttpd.h>

struct sse;

/* @first_id: of its first event; larger than all of earlier runs. */
int sse_new(uint64_t first_id, struct sse **out);
void sse_free(struct sse *sse); /* closed, and no stream is left */

/* No more streams; those there are end after what they have. */
void sse_close(struct sse *sse);

/* Whether anybody reads. */
bool sse_is_read(struct sse *sse);

void sse_event(struct sse *sse, const struct event_ring_entry *e);
/* @events were overwritten before they could be fetched. */
void sse_lost(struct sse *sse, uint64_t events);
/* Replaces the one before. @json: an object without a newline. */
void sse_status(struct sse *sse, const struct json *json);

/*
 * A response that never ends. @last_id is what a browser saw last, or NULL.
 * -EAGAIN if there are too many, -EPIPE when it is closed, -ENOMEM.
 */
int sse_stream(struct sse *sse, struct MHD_Connection *connection,
	       const char *last_id, struct MHD_Response **out);

#endif
