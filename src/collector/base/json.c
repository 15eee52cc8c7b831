#include "collector/base/json.h"

#include "bmp/text.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_SIZE 4096

static const char hex_digits[16] = "0123456789abcdef";

void json_fini(struct json *j)
{
	free(j->bytes);
	*j = (struct json){ 0 };
}

static bool json_grow(struct json *j, size_t more)
{
	size_t size = j->size > 0 ? j->size : FIRST_SIZE;
	char *bytes;

	while (size - j->len < more)
		size *= 2;
	bytes = realloc(j->bytes, size);
	if (bytes == NULL) {
		j->failed = true;
		return false;
	}
	j->bytes = bytes;
	j->size = size;
	return true;
}

/*
 * Reserve @more bytes, which the caller writes and counts. NULL if out of
 * memory, now or in an earlier call, because the text would then have a gap.
 */
static char *json_reserve(struct json *j, size_t more)
{
	if (j->failed || (j->size - j->len < more && !json_grow(j, more)))
		return NULL;
	return j->bytes + j->len;
}

static void json_append(struct json *j, const char *bytes, size_t len)
{
	char *to = json_reserve(j, len);

	if (to == NULL)
		return;
	memcpy(to, bytes, len);
	j->len += len;
}

static void put_char(struct json *j, char c)
{
	json_append(j, &c, 1);
}

/* A comma if one is needed before the next key or element, at @to. */
static char *put_comma(const struct json *j, char *to)
{
	*to = ',';
	return to + j->comma;
}

/* The same, in front of what is appended in parts. */
static void json_separate(struct json *j)
{
	if (j->comma)
		put_char(j, ',');
	j->comma = true;
}

/* Begin or end an object or a list. */
static void put_bracket(struct json *j, char c, bool separate, bool comma)
{
	char *to = json_reserve(j, 2);

	if (to != NULL) {
		char *at = separate ? put_comma(j, to) : to;

		*at++ = c;
		j->len += (size_t)(at - to);
	}
	j->comma = comma;
}

void json_object(struct json *j)
{
	put_bracket(j, '{', true, false);
}

void json_end_object(struct json *j)
{
	put_bracket(j, '}', false, true);
}

void json_array(struct json *j)
{
	put_bracket(j, '[', true, false);
}

void json_end_array(struct json *j)
{
	put_bracket(j, ']', false, true);
}

void json_key_of(struct json *j, const char *name, size_t len)
{
	char *to = json_reserve(j, len + 4);

	if (to != NULL) {
		char *at = put_comma(j, to);

		*at++ = '"';
		memcpy(at, name, len);
		at += len;
		*at++ = '"';
		*at++ = ':';
		j->len += (size_t)(at - to);
	}
	j->comma = false;
}

void json_raw(struct json *j, const char *text, size_t len)
{
	json_append(j, text, len);
}

void json_end_line(struct json *j)
{
	put_char(j, '\n');
	j->comma = false;
}

#define DIGITS_MAX 20

/* The digits of @value at @to; returns where they end. */
static char *put_digits(char *to, uint64_t value)
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char digits[DIGITS_MAX];
	size_t at = sizeof(digits);

	for (; value >= 100; value /= 100) {
		at -= 2;
		memcpy(digits + at, pairs + 2 * (value % 100), 2);
	}
	if (value >= 10) {
		at -= 2;
		memcpy(digits + at, pairs + 2 * value, 2);
	} else {
		digits[--at] = (char)('0' + value);
	}
	memcpy(to, digits + at, sizeof(digits) - at);
	return to + (sizeof(digits) - at);
}

static void put_uint(struct json *j, uint64_t value)
{
	char *to = json_reserve(j, DIGITS_MAX);

	if (to != NULL)
		j->len += (size_t)(put_digits(to, value) - to);
}

void json_uint(struct json *j, uint64_t value)
{
	char *to = json_reserve(j, DIGITS_MAX + 1);

	if (to != NULL)
		j->len += (size_t)(put_digits(put_comma(j, to), value) - to);
	j->comma = true;
}

void json_int(struct json *j, int64_t value)
{
	json_separate(j);
	if (value < 0)
		put_char(j, '-');
	put_uint(j, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_number(struct json *j, double value)
{
	char text[32];
	int len;

	json_separate(j);
	/* JSON cannot express NaN or infinity. */
	if (!isfinite(value))
		value = 0;
	len = snprintf(text, sizeof(text), "%.9g", value);
	json_append(j, text, (size_t)len);
}

void json_null(struct json *j)
{
	json_separate(j);
	json_append(j, "null", 4);
}

void json_time(struct json *j, uint64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000U);
	char text[64];
	struct tm t;
	size_t n;

	if (ns == 0) {
		json_null(j);
		return;
	}
	gmtime_r(&seconds, &t);
	n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &t);
	snprintf(text + n, sizeof(text) - n, ".%03uZ",
		 (unsigned)(ns / 1000000U % 1000));
	json_string(j, text);
}

void json_bool(struct json *j, bool value)
{
	json_separate(j);
	if (value)
		json_append(j, "true", 4);
	else
		json_append(j, "false", 5);
}

/* Write the escape of a code point below U+10000. */
static void put_escaped(struct json *j, uint32_t code)
{
	char escape[] = { '\\',
			  'u',
			  hex_digits[code >> 12 & 15],
			  hex_digits[code >> 8 & 15],
			  hex_digits[code >> 4 & 15],
			  hex_digits[code & 15] };

	json_append(j, escape, sizeof(escape));
}

static void put_sequence(struct json *j, const uint8_t *p, size_t len)
{
	uint32_t code;

	if (text_is_unsafe(p, len, &code)) {
		put_escaped(j, code);
		return;
	}
	if (code == '"' || code == '\\')
		put_char(j, '\\');
	json_append(j, (const char *)p, len);
}

/* How many bytes at @p are ASCII that is written as it is. */
static size_t plain_run(const uint8_t *p, size_t len)
{
	size_t n = 0;

	while (n < len && p[n] >= ' ' && p[n] < 0x7f && p[n] != '"' &&
	       p[n] != '\\')
		n++;
	return n;
}

void json_text(struct json *j, struct wire_view text)
{
	json_separate(j);
	put_char(j, '"');
	while (text.len > 0) {
		size_t n = plain_run(text.p, text.len);

		if (n > 0) {
			json_append(j, (const char *)text.p, n);
		} else {
			n = text_utf8_len(text);
			if (n == 0)
				put_escaped(j, 0xfffd);
			else
				put_sequence(j, text.p, n);
			n += n == 0;
		}
		text.p += n;
		text.len -= n;
	}
	put_char(j, '"');
}

void json_string(struct json *j, const char *text)
{
	json_text(j, (struct wire_view){ (const uint8_t *)text, strlen(text) });
}

void json_hex(struct json *j, struct wire_view bytes)
{
	char *to;

	json_separate(j);
	to = json_reserve(j, 2 * bytes.len + 2);
	if (to == NULL)
		return;
	*to++ = '"';
	for (size_t i = 0; i < bytes.len; i++) {
		*to++ = hex_digits[bytes.p[i] >> 4];
		*to++ = hex_digits[bytes.p[i] & 15];
	}
	*to = '"';
	j->len += 2 * bytes.len + 2;
}

void json_ipv6(struct json *j, const uint8_t address[16])
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, address, text, sizeof(text));
	json_string(j, text);
}

/* A quoted address of at most 15 characters, and a comma */
#define IPV4_MAX 18

void json_ipv4(struct json *j, uint32_t address)
{
	char *to = json_reserve(j, IPV4_MAX);

	if (to != NULL) {
		char *at = put_comma(j, to);

		*at++ = '"';
		at = put_digits(at, address >> 24);
		*at++ = '.';
		at = put_digits(at, address >> 16 & 0xff);
		*at++ = '.';
		at = put_digits(at, address >> 8 & 0xff);
		*at++ = '.';
		at = put_digits(at, address & 0xff);
		*at++ = '"';
		j->len += (size_t)(at - to);
	}
	j->comma = true;
}

void json_address(struct json *j, const uint8_t address[16])
{
	if (wire_is_mapped(address))
		json_ipv4(j, wire_get_u32(address + 12));
	else
		json_ipv6(j, address);
}

void json_colons(struct json *j, const uint32_t *numbers, size_t count)
{
	char *to = json_reserve(j, 3 + (DIGITS_MAX + 1) * count);

	if (to != NULL) {
		char *at = put_comma(j, to);

		*at++ = '"';
		for (size_t i = 0; i < count; i++) {
			if (i > 0)
				*at++ = ':';
			at = put_digits(at, numbers[i]);
		}
		*at++ = '"';
		j->len += (size_t)(at - to);
	}
	j->comma = true;
}

void json_splice(struct json *j, const struct json *part)
{
	j->failed |= part->failed;
	if (part->len == 0)
		return;
	json_separate(j);
	json_append(j, part->bytes, part->len);
}

void json_int_at(struct json *j, const char *name, int64_t value)
{
	json_key(j, name);
	json_int(j, value);
}

void json_number_at(struct json *j, const char *name, double value)
{
	json_key(j, name);
	json_number(j, value);
}

void json_bool_at(struct json *j, const char *name, bool value)
{
	json_key(j, name);
	json_bool(j, value);
}

void json_time_at(struct json *j, const char *name, uint64_t ns)
{
	json_key(j, name);
	json_time(j, ns);
}

void json_null_at(struct json *j, const char *name)
{
	json_key(j, name);
	json_null(j);
}

void json_string_at(struct json *j, const char *name, const char *text)
{
	json_key(j, name);
	if (text == NULL)
		json_null(j);
	else
		json_string(j, text);
}

void json_true_at(struct json *j, const char *name, bool value)
{
	if (!value)
		return;
	json_key(j, name);
	json_bool(j, true);
}
