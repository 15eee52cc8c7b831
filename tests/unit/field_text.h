/*
 * field_text.h - described values as one line, for comparison in tests
 *
 *	type=1 name=aigp metric=10 list=[1 2] object={a=1}
 */
#ifndef TESTS_FIELD_TEXT_H
#define TESTS_FIELD_TEXT_H

#include "bmp/field_writer.h"

struct field_text {
	char line[16384];
	size_t len;
};

/* A writer that appends to @out, which is empty at first. */
struct field_writer field_text_writer(struct field_text *out);

#endif
