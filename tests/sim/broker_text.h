/*
 * tests/sim/broker_text.h - bytes that grow, JSON text, headers and subjects
 */
#ifndef TESTS_SIM_BROKER_TEXT_H
#define TESTS_SIM_BROKER_TEXT_H

#include "bmp/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct broker_text {
	char *at; /* with a NUL behind it */
	size_t len;
	size_t size;
};

void broker_text_free(struct broker_text *t);
void broker_text_clear(struct broker_text *t);
void broker_text_bytes(struct broker_text *t, const void *bytes, size_t len);
void broker_text_add(struct broker_text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A string of JSON, with its quotes. */
void broker_text_string(struct broker_text *t, const char *text);
/* A string of JSON with the bytes in base64. */
void broker_text_base64(struct broker_text *t, struct wire_view bytes);
/* A string of JSON with a time as RFC 3339, as Go writes it. */
void broker_text_time(struct broker_text *t, int64_t ns);
void broker_text_rfc3339(struct broker_text *t, int64_t ns);

/*
 * The first value of a header in a block "NATS/1.0\r\nName: value\r\n\r\n".
 * False if it is missing or does not fit.
 */
bool broker_header(struct wire_view block, const char *name, char *out,
		   size_t size);

/* True if @subject is a subject to publish to: tokens that are not empty. */
bool broker_subject_valid(const char *subject, bool wildcards);
bool broker_subject_matches(const char *pattern, const char *subject);
/* True if some subject matches both patterns. */
bool broker_subjects_overlap(const char *a, const char *b);

/* Memory. A test that runs out of it ends. */
void *broker_alloc(size_t size);
void *broker_realloc(void *old, size_t size);
char *broker_strdup(const char *text);

#endif
