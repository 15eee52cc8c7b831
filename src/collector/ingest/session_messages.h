/*
 * collector/ingest/session_messages.h - process the bytes that a session reads
 * in a turn
 *
 * Frames are decoded to messages. Several Route Monitoring messages are
 * collected; their UPDATEs are decoded with the contexts of their peers and
 * applied together, until the budget of the turn is spent. Messages that are
 * not applied then stay in the receive stream and are read again in the next
 * turn.
 *
 * Threads	The owner shard only. No function here yields.
 */
#ifndef COLLECTOR_INGEST_SESSION_MESSAGES_H
#define COLLECTOR_INGEST_SESSION_MESSAGES_H

#include "bmp/wire.h"

struct session;

/*
 * Maximum number of pending withdraws of a router when a Peer Up or Peer Down
 * is applied, which adds to them.
 */
#define SESSION_DYING_MAX 1024

/*
 * Read the whole messages at the start of @in. Stops at a message that
 * changes the AS of a peer, before a Peer Up or Peer Down that must wait for
 * pending withdraws, and in a message in which the budget of the turn is spent.
 * Returns how many bytes were processed completely; s->need_bytes is the
 * minimum number of bytes of the next message.
 */
size_t session_decode_frames(struct session *s, struct wire_view in);

#endif
