/*
 * spargio/rstream.h - receive streams: multishot receive without copying
 *
 *	socket --> kernel --> buffers of the shard --> sp_rstream_peek()
 *	                            ^                         |
 *	                            +--- sp_rstream_consume() +
 *
 * One submission makes the kernel put received bytes into buffers that all
 * streams of a shard share. The fiber reads the bytes in the buffers and then
 * consumes them:
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
 * message that spans two buffers is copied, into memory of the stream. A
 * stream whose fiber waits for bytes holds no buffer.
 *
 * Sharing	A stream receives until it has filled its share of the shard's
 *		buffers, and again when its fiber has consumed them. Meanwhile
 *		further bytes stay in the socket, so that TCP slows the sender
 *		down. When no buffer is free, streams wait in turn for a
 *		returned buffer. A fiber that is about to wait long for
 *		something else should call sp_rstream_pause().
 * Shards	A stream belongs to the shard on which it was opened. A fiber on
 *		another shard migrates there when it peeks, pauses or closes.
 * Threads	One fiber at a time. While a stream is open on a socket, no
 *		other fiber may receive from the socket; sending is allowed.
 * Older kernels, epoll	The behaviour is the same; the stream polls the socket
 *		and reads when it is readable.
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

/* The shard to which the stream belongs. */
uint32_t sp_rstream_shard(const struct sp_rstream *rs);

/* Close and free @rs. Bytes not consumed are lost. Yields. NULL is fine. */
void sp_rstream_close(struct sp_rstream *rs);

/*
 * Wait until at least @want contiguous bytes are available, and set *@out to
 * all available contiguous bytes. They stay valid until they are consumed, or
 * until the next peek, pause or close. Yields only if it must wait.
 *
 * Returns the number of bytes in *@out: fewer than @want only at the end of
 * the stream, 0 if no bytes are left. Errors:
 *
 *	-EMSGSIZE	@want exceeds the stream's maximum
 *	-ETIMEDOUT	the deadline has passed
 *	-ECANCELED	the fiber was cancelled
 *	-ECONNRESET, -ECONNABORTED (see socket.h), ...
 *			the connection broke before @want bytes arrived
 *
 * After an error the bytes that have arrived can still be peeked with a
 * smaller @want.
 */
int sp_rstream_peek(struct sp_rstream *rs, size_t want, struct sp_segment *out);
int sp_rstream_peek_until(struct sp_rstream *rs, size_t want, int64_t deadline,
			  struct sp_segment *out);

/* Consume @len bytes of the segment of the last peek. */
void sp_rstream_consume(struct sp_rstream *rs, size_t len);

/*
 * Stop receiving from the socket until the next peek, and return the stream's
 * buffers to the shard: their bytes, up to the stream's maximum, are copied
 * into memory of the stream. 0, or -ENOMEM: the stream may then still hold
 * buffers. Yields.
 */
int sp_rstream_pause(struct sp_rstream *rs);

/*
 * Pause the stream and return the number of bytes that have arrived, in the
 * stream and in the socket, and were not consumed. So many bytes can be
 * peeked, in several calls, without waiting for the peer: a caller that closes
 * the connection can first read them all. A negative errno on failure. Yields.
 */
int64_t sp_rstream_arrived(struct sp_rstream *rs);

#ifdef __cplusplus
}
#endif

#endif
