/*
 * spargio/stream/writer.h - what readers and frames want of a writer
 */
#ifndef SPARGIO_STREAM_WRITER_H
#define SPARGIO_STREAM_WRITER_H

#include <spargio/writer.h>

struct sp__halves;

/* From now on it owns its descriptor together with a reader. */
void sp__writer_share(struct sp_writer *w, struct sp__halves *halves);

/* Make the buffer have room for @len bytes, or be empty. Yields. */
int sp__writer_reserve(struct sp_writer *w, size_t len, int64_t deadline);

#endif
