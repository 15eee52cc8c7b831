/*
 * spargio/stream/writer.h - functions of a writer for readers and frames
 */
#ifndef SPARGIO_STREAM_WRITER_H
#define SPARGIO_STREAM_WRITER_H

#include <spargio/writer.h>

struct sp__halves;

/* From now on the writer owns its descriptor together with a reader. */
void sp__writer_share(struct sp_writer *w, struct sp__halves *halves);

/*
 * Flush if needed, so that the buffer has space for @len bytes or is empty.
 * Yields.
 */
int sp__writer_reserve(struct sp_writer *w, size_t len, int64_t deadline);

#endif
