/*
 * collector/http/sse.h - server-sent events: status and events
 *
 *	stats_poller --- sse_event(), sse_status() ---> ring --- streams ---> browsers
 *
 * Each text is stored once and shared by all streams. A stream has only a
 * position in the ring, so a slow reader costs nothing: events that are
 * overwritten before the stream has sent them are skipped.
 *
 * Threads	Any. A stream belongs to libmicrohttpd once it is a response.
 */
#ifndef COLLECTOR_HTTP_SSE_H
#define COLLECTOR_HTTP_SSE_H

#include "collector/router/event_ring.h"

#include <microhttpd.h>

struct sse;

/*
 * Make an empty ring. @first_id is the number of the first event; it must be
 * larger than all numbers of earlier runs.
 */
int sse_new(uint64_t first_id, struct sse **out);
/* Free the ring; call it after sse_close(), when there is no stream. */
void sse_free(struct sse *sse);

/* Refuse new streams; existing ones end after the text in the queue. */
void sse_close(struct sse *sse);

/* True if there is a stream. */
bool sse_is_read(struct sse *sse);

void sse_event(struct sse *sse, const struct event_ring_entry *e);
/*
 * Report to the streams that @events were lost, because they were overwritten
 * before they were fetched.
 */
void sse_lost(struct sse *sse, uint64_t events);
/* Replace the previous status by @json, an object without a newline. */
void sse_status(struct sse *sse, const struct json *json);

/*
 * Make a response that never ends. @last_id is the last event that the browser
 * has received, or NULL. -EAGAIN if there are too many streams, -EPIPE after
 * sse_close(), -ENOMEM.
 */
int sse_stream(struct sse *sse, struct MHD_Connection *connection,
	       const char *last_id, struct MHD_Response **out);

#endif
