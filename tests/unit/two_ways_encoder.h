/*
 * tests/unit/two_ways_encoder.h - the encoder for two_ways.h
 *
 * What a consumer gets of a change, as bytes.
 */
#ifndef TESTS_TWO_WAYS_ENCODER_H
#define TESTS_TWO_WAYS_ENCODER_H

#include "egress/encode/encode_update.h"

static inline size_t way_encode(const struct rib_change *c, uint8_t *out,
				size_t cap)
{
	return egress_encode_update(c, 0, SIZE_MAX, out, cap).bytes;
}

#endif
