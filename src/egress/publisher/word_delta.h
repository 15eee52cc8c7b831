/*
 * egress/publisher/word_delta.h - leave out what a message repeats of the one before it
 *
 * A batch is Cap'n Proto messages back to back, and most words of an update are
 * those of the update before it. Each message becomes masks, a bit for each
 * word that differs from the word at the same place of the message before, and
 * these words. It takes less time than to copy the batch, and leaves a third
 * of it or less; zstd takes twenty times as long (docs/decisions/0114).
 *
 *	mask of words 0 to 63 | these of them that differ | mask of 64 to ...
 *
 * Pure.
 */
#ifndef EGRESS_PUBLISHER_WORD_DELTA_H
#define EGRESS_PUBLISHER_WORD_DELTA_H

#include "bmp/wire.h"

/* Bytes that are always enough for @len bytes. */
size_t word_delta_bound(size_t len);

/*
 * What @in becomes: its length in @out, or 0 if @in is not whole messages of
 * one segment each. Both are aligned to 8 bytes or not. Cost: bench/collector,
 * acked_tail_cost.
 */
size_t word_delta_encode(struct wire_view in, uint8_t *out);

/* The reverse: false if @in is not what becomes of @len bytes. */
bool word_delta_decode(struct wire_view in, uint8_t *out, size_t len);

#endif
