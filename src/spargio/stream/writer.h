/*
 * spargio/stream/writer.h - functions of a writer for readers and frames
 */
#ifndef SPARGIO_STREAM_WRITER_H
#define SPARGIO_STREAM_WRITER_H

#include <spargio/writer.h>

struct sp__halves;

/* Make @w an owner of its descriptor, together with a reader. */
void sp__writer_share(struct sp_writer *w, struct sp__halves *halves);

/*
 * If the buffer does not have space for @len bytes, flush it. Yields.
 */
int sp__writer_reserve(struct sp_writer *w, size_t len, int64_t deadline);

#endif
