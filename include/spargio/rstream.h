/*
 * spargio/rstream.h - receive streams: multishot receive without copying
 *
 *	socket --> kernel --> buffers of the shard --> sp_rstream_peek()
 *	                            ^                         |
 *	                            +--- sp_rstream_consume() +
 *
 * One submission makes the kernel put received bytes into buffers that all
 * streams of a shard share. The fiber reads them in place and says how many it
 * has consumed:
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
 * A segment is all available contiguous bytes, usually many messages. Only a
 * message that spans two buffers is copied, into memory of the stream that is
 * freed when it is consumed. A waiting stream holds no buffer, and an idle one
 * only its own structure.
 *
 * Sharing	A stream gets its share of the shard's buffers and then waits
 *		until its fiber has consumed them; further bytes stay in the
 *		socket, so that TCP slows the sender down. When no buffer is
 *		free, streams wait in turn for returned ones. A fiber that is
 *		about to wait long for something else should call
 *		sp_rstream_pause().
 * Shards	A stream belongs to the shard it was opened on. A fiber that
 *		runs elsewhere migrates there when it peeks, pauses or closes.
 * Threads	One fiber at a time. While a stream is open on a socket no other
 *		fiber may receive from it; sending is allowed.
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
