/*
 * spargio/stream/stream.h - functions of streams for readers and writers
 */
#ifndef SPARGIO_STREAM_STREAM_H
#define SPARGIO_STREAM_STREAM_H

#include <spargio/stream.h>

#include <stdatomic.h>

/* The stream that a reader and a writer own together. */
struct sp__halves {
	_Atomic int left; /* how many of the two have not been freed */
	struct sp_stream stream;
};

/* Close the stream if this was the last half. NULL is fine. May yield. */
void sp__halves_put(struct sp__halves *halves);

/*
 * Write all bytes; returns 0. *@put is the number of bytes written, also after
 * an error. Yields.
 */
int sp__stream_write_parts(const struct sp_stream *s, const struct iovec *parts,
			   int count, int64_t deadline, size_t *put);

#endif
