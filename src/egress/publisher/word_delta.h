/*
 * egress/publisher/word_delta.h - delta encoding of the messages of a batch
 *
 * A batch is Cap'n Proto messages back to back. Most 8-byte words of an update
 * equal the word at the same offset of the update before it. Such words are
 * left out. For each 64 words of a message, a mask has one bit per word, set if
 * the word differs; the differing words follow their mask:
 *
 *	mask of words 0 to 63 | differing words | mask of words 64 to 127 | ...
 *
 * Encoding takes less time than copying the batch, and the result is a third of
 * its length or less; zstd takes twenty times as long (docs/decisions/0114).
 *
 * The functions are pure.
 */
#ifndef EGRESS_PUBLISHER_WORD_DELTA_H
#define EGRESS_PUBLISHER_WORD_DELTA_H

#include "bmp/wire.h"

/* The maximum length of the encoded form of @len bytes. */
size_t word_delta_bound(size_t len);

/*
 * Encode @in to @out, which has space for word_delta_bound() bytes. Returns the
 * length of the encoded form, or 0 if @in is not a sequence of complete
 * messages of one segment each. @in and @out need not be aligned. Cost:
 * bench/collector, acked_tail_cost.
 */
size_t word_delta_encode(struct wire_view in, uint8_t *out);

/* Decode @in to @out; false if @in is not the encoded form of @len bytes. */
bool word_delta_decode(struct wire_view in, uint8_t *out, size_t len);

#endif
