/*
 * spargio/rstream.h - receive streams: read without copying and without asking
 *
 *	socket --> kernel --> buffers of the shard --> sp_rstream_peek()
 *	                            ^                         |
 *	                            +--- sp_rstream_consume() +
 *
 * The kernel is asked once and then puts bytes into buffers that all streams
 * of a shard share, as they come. The fiber looks at them where they are and
 * says how many it has used up:
 *
 *	while ((n = sp_rstream_peek(rs, HEADER, &seg)) >= HEADER) {
 *		size_t len = length_of(seg.data);
 *
 *		n = sp_rstream_peek(rs, len, &seg);
 *		if (n < len)
 *			break;
 *		handle(seg.data, len);
 *		sp_rstream_consume(rs, len);
 *	}
 *
 * A segment is all that is there in one piece, mostly many messages. Only a
 * message that lies across two buffers is copied, into memory of the stream's
 * own that goes away when it is used up. A stream that waits holds no buffer,
 * and an idle one no memory but its own structure.
 *
 * Sharing	A stream gets its share of the shard's buffers and then waits
 *		until its fiber has used them up; the rest stays in the socket,
 *		so that TCP slows the sender down. When no buffer is free,
 *		streams wait in turn for those that come back. A fiber that is
 *		going to wait for something else, for long, should say so:
 *		sp_rstream_pause().
 * Shards	A stream belongs to the shard it was opened on. A fiber that
 *		runs elsewhere migrates there when it peeks, pauses or closes.
 * Threads	One fiber at a time. While a stream is open on a socket nobody
 *		else may receive from it; sending is free.
 * Older kernels, epoll	The same behaviour: read when readable.
 */
#ifndef SPARGIO_RSTREAM_H
#define SPARGIO_RSTREAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_rstream;

struct sp_segment {
	const uint8_t *data;
	size_t len;
};

/*
 * Open a stream on a connected socket, on the caller's shard. @max bounds the
 * bytes of a peek and the bytes that a pause copies; 0 = 1 MiB. The caller
 * keeps the socket: close the stream first, then the socket. -ENOMEM, -EPERM.
 */
int sp_rstream_open(int fd, size_t max, struct sp_rstream **out);

/*
 * Insert bytes that were received before the stream was opened in front of the
 * stream. They are copied; @max does not limit them. Call it before the first
 * peek. 0 or -ENOMEM.
 */
int sp_rstream_prepend(struct sp_rstream *rs, const void *data, size_t len);

/* Bytes that were not consumed are lost. Yields. NULL is fine. */
void sp_rstream_close(struct sp_rstream *rs);

/*
 * Wait until at least @want bytes are there in one piece, and look at all that
 * are. They stay valid until they are consumed, or until the next peek, pause
 * or close.
 *
 * Returns how many there are. Fewer than @want: the peer has ended, and these
 * are the last; 0: there are none left. -EMSGSIZE if @want is more than the
 * stream's maximum; -ECONNRESET, -ECONNABORTED (see socket.h) and the like if
 * fewer came before that, which can still be asked for; -ETIMEDOUT, which is
 * the deadline and nothing else, and -ECANCELED lose nothing. Yields only if it
 * must wait.
 */
int sp_rstream_peek(struct sp_rstream *rs, size_t want, struct sp_segment *out);
int sp_rstream_peek_until(struct sp_rstream *rs, size_t want, int64_t deadline,
			  struct sp_segment *out);

/* @len bytes, at most those of the last segment, are used up. */
void sp_rstream_consume(struct sp_rstream *rs, size_t len);

/*
 * Take no more from the socket until the next peek, and give back the buffers
 * the stream has: bytes in them are copied aside, up to the stream's maximum.
 * 0 or -ENOMEM (buffers may be left with it). Yields.
 */
int sp_rstream_pause(struct sp_rstream *rs);

/*
 * How many bytes have arrived and were not consumed, here and in the socket:
 * so many can be peeked at, in pieces, without waiting for the peer. For who
 * wants to end and lose nothing that has come. Pauses the stream, for what is
 * on its way from the socket is in neither place. Negative errno. Yields.
 */
int64_t sp_rstream_arrived(struct sp_rstream *rs);

#ifdef __cplusplus
}
#endif

#endif
