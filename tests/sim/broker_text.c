#include "broker_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define NS INT64_C(1000000000)

void *broker_realloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (p == NULL)
		abort();
	return p;
}

void *broker_alloc(size_t size)
{
	void *p = calloc(1, size);

	if (p == NULL)
		abort();
	return p;
}

char *broker_strdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(broker_alloc(size), text, size);
}

void broker_text_free(struct broker_text *t)
{
	free(t->at);
	*t = (struct broker_text){ 0 };
}

void broker_text_clear(struct broker_text *t)
{
	t->len = 0;
	if (t->at != NULL)
		t->at[0] = '\0';
}

void broker_text_bytes(struct broker_text *t, const void *bytes, size_t len)
{
	if (t->len + len + 1 > t->size) {
		t->size = 2 * (t->len + len + 1);
		t->at = broker_realloc(t->at, t->size);
	}
	if (len > 0)
		memcpy(t->at + t->len, bytes, len);
	t->len += len;
	t->at[t->len] = '\0';
}

void broker_text_add(struct broker_text *t, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		abort();
	broker_text_bytes(t, text, (size_t)len);
	free(text);
}

void broker_text_string(struct broker_text *t, const char *text)
{
	broker_text_bytes(t, "\"", 1);
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		/* Go escapes these for HTML. */
		if (c < ' ' || c == '<' || c == '>' || c == '&')
			broker_text_add(t, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			broker_text_add(t, "\\%c", c);
		else
			broker_text_bytes(t, text, 1);
	}
	broker_text_bytes(t, "\"", 1);
}

void broker_text_base64(struct broker_text *t, struct wire_view v)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
		"qrstuvwxyz0123456789+/";

	broker_text_bytes(t, "\"", 1);
	for (size_t i = 0; i < v.len; i += 3) {
		size_t left = v.len - i;
		uint32_t bits = (uint32_t)v.p[i] << 16;
		char four[4];

		if (left > 1)
			bits |= (uint32_t)v.p[i + 1] << 8;
		if (left > 2)
			bits |= v.p[i + 2];
		for (unsigned k = 0; k < 4; k++)
			four[k] =
				(char)(k <= left ? digits[bits >> (18 - 6 * k) &
							  63]
						 : '=');
		broker_text_bytes(t, four, 4);
	}
	broker_text_bytes(t, "\"", 1);
}

void broker_text_rfc3339(struct broker_text *t, int64_t ns)
{
	time_t seconds = (time_t)(ns / NS);
	char text[32], fraction[16];
	struct tm tm;
	size_t len;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(fraction, sizeof(fraction), ".%09lld", (long long)(ns % NS));
	/* Go leaves zeros at the end out. */
	for (len = strlen(fraction); len > 0 && fraction[len - 1] == '0';)
		fraction[--len] = '\0';
	if (len == 1)
		fraction[0] = '\0';
	broker_text_add(t, "%s%sZ", text, fraction);
}

void broker_text_time(struct broker_text *t, int64_t ns)
{
	broker_text_bytes(t, "\"", 1);
	broker_text_rfc3339(t, ns);
	broker_text_bytes(t, "\"", 1);
}

bool broker_header(struct wire_view block, const char *name, char *out,
		   size_t size)
{
	const char *p = (const char *)block.p;
	const char *end = p + block.len;
	size_t name_len = strlen(name);

	while (p < end) {
		const char *eol = memchr(p, '\r', (size_t)(end - p));
		const char *colon;

		if (eol == NULL)
			return false;
		colon = memchr(p, ':', (size_t)(eol - p));
		if (colon != NULL && (size_t)(colon - p) == name_len &&
		    memcmp(p, name, name_len) == 0) {
			for (colon++; colon < eol && *colon == ' ';)
				colon++;
			if ((size_t)(eol - colon) >= size)
				return false;
			memcpy(out, colon, (size_t)(eol - colon));
			out[eol - colon] = '\0';
			return true;
		}
		p = eol + 2;
	}
	return false;
}

bool broker_subject_valid(const char *subject, bool wildcards)
{
	for (;;) {
		size_t n = strcspn(subject, ".");

		if (n == 0 || strcspn(subject, " \t\r\n") < n)
			return false;
		if (n == 1 && (*subject == '*' || *subject == '>') &&
		    (!wildcards || (*subject == '>' && subject[1] != '\0')))
			return false;
		if (subject[n] == '\0')
			return true;
		subject += n + 1;
	}
}

bool broker_subject_matches(const char *pattern, const char *subject)
{
	for (;;) {
		size_t p = strcspn(pattern, ".");
		size_t s = strcspn(subject, ".");

		if (p == 1 && *pattern == '>')
			return true;
		if (!(p == 1 && *pattern == '*') &&
		    (p != s || memcmp(pattern, subject, p) != 0))
			return false;
		pattern += p;
		subject += s;
		if (*pattern == '\0' || *subject == '\0')
			return *pattern == *subject;
		pattern++;
		subject++;
	}
}

bool broker_subjects_overlap(const char *a, const char *b)
{
	for (;;) {
		size_t n = strcspn(a, ".");
		size_t m = strcspn(b, ".");
		bool wild = (n == 1 && *a == '*') || (m == 1 && *b == '*');

		if ((n == 1 && *a == '>') || (m == 1 && *b == '>'))
			return true;
		if (!wild && (n != m || memcmp(a, b, n) != 0))
			return false;
		a += n;
		b += m;
		if (*a == '\0' || *b == '\0')
			return *a == *b;
		a++;
		b++;
	}
}
