/*
 * collector/ingest/session_messages.h - what a session does with the bytes of a turn
 *
 * Frames become messages. Route Monitoring is collected, some at a time; its
 * UPDATEs are decoded with the contexts of their peers and applied together,
 * until the budget of the turn is spent. What is not applied then stays in the
 * receive stream, and is read again in the next turn.
 *
 * Threads	The owner shard only. Nothing here yields.
 */
#ifndef COLLECTOR_INGEST_SESSION_MESSAGES_H
#define COLLECTOR_INGEST_SESSION_MESSAGES_H

#include "bmp/wire.h"

struct session;

/* Withdraws of the router that are still to come, before it adds to them. */
#define SESSION_DYING_MAX 1024

/*
 * Read all whole messages at the start of @in, up to one that moves a peer, or
 * that the budget of the turn ends in. Returns how many bytes those took that
 * are done with; s->need_bytes says how many the next one needs.
 */
size_t session_decode_frames(struct session *s, struct wire_view in);

#endif
