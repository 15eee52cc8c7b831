#include "egress/nats/json.h"

#include <string.h>

#define NS INT64_C(1000000000)

/* The text that is left to read. */
struct scan {
	const uint8_t *p;
	const uint8_t *end;
};

static struct scan scan_of(struct wire_view v)
{
	return (struct scan){ v.p, v.len == 0 ? v.p : v.p + v.len };
}

static void skip_space(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' ||
				 *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

static bool char_take(struct scan *s, char c)
{
	if (s->p == s->end || *s->p != (uint8_t)c)
		return false;
	s->p++;
	return true;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool skip_string(struct scan *s)
{
	if (!char_take(s, '"'))
		return false;
	while (s->p < s->end && *s->p != '"') {
		if (*s->p < ' ')
			return false;
		if (*s->p++ == '\\' && s->p++ >= s->end)
			return false;
	}
	return char_take(s, '"');
}

static bool skip_digits(struct scan *s)
{
	const uint8_t *from = s->p;

	while (s->p < s->end && is_digit(*s->p))
		s->p++;
	return s->p > from;
}

static bool skip_number(struct scan *s)
{
	(void)char_take(s, '-');
	if (!skip_digits(s))
		return false;
	if (char_take(s, '.') && !skip_digits(s))
		return false;
	if (char_take(s, 'e') || char_take(s, 'E')) {
		if (!char_take(s, '-'))
			(void)char_take(s, '+');
		return skip_digits(s);
	}
	return true;
}

static bool skip_word(struct scan *s, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(s->end - s->p) < len || memcmp(s->p, word, len) != 0)
		return false;
	s->p += len;
	return true;
}

static bool skip_value(struct scan *s, int depth);

/* Skip "name": and the space around it. */
static bool skip_key(struct scan *s)
{
	if (!skip_string(s))
		return false;
	skip_space(s);
	if (!char_take(s, ':'))
		return false;
	skip_space(s);
	return true;
}

/*
 * Skip the rest of an object or array, after its opening bracket. The recursion
 * ends at NATS_JSON_DEPTH.
 */
static bool skip_rest(struct scan *s, char close, int depth)
{
	skip_space(s);
	if (char_take(s, close))
		return true;
	do {
		skip_space(s);
		if (close == '}' && !skip_key(s))
			return false;
		if (!skip_value(s, depth)) /* NOLINT(misc-no-recursion) */
			return false;
		skip_space(s);
	} while (char_take(s, ','));
	return char_take(s, close);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static bool skip_value(struct scan *s, int depth)
{
	if (s->p == s->end)
		return false;
	switch (*s->p) {
	case '{':
	case '[': {
		char close = *s->p++ == '{' ? '}' : ']';

		return depth < NATS_JSON_DEPTH &&
		       skip_rest(s, close, depth + 1);
	}
	case '"':
		return skip_string(s);
	case 't':
		return skip_word(s, "true");
	case 'f':
		return skip_word(s, "false");
	case 'n':
		return skip_word(s, "null");
	default:
		return skip_number(s);
	}
}

bool nats_json_is_object(struct wire_view text)
{
	struct scan s = scan_of(text);

	skip_space(&s);
	if (s.p == s.end || *s.p != '{' || !skip_value(&s, 0))
		return false;
	skip_space(&s);
	return s.p == s.end;
}

/* Get the next member or element. False at the end. */
static bool element_next(struct scan *s, struct wire_view *key,
			 struct wire_view *out)
{
	const uint8_t *from;

	skip_space(s);
	/* A bracket precedes the first element, a comma each other one. */
	if (!char_take(s, key != NULL ? '{' : '[') && !char_take(s, ','))
		return false;
	skip_space(s);
	if (key != NULL) {
		from = s->p;
		if (!skip_string(s))
			return false;
		*key = (struct wire_view){ from, (size_t)(s->p - from) };
		skip_space(s);
		if (!char_take(s, ':'))
			return false;
		skip_space(s);
	}
	from = s->p;
	if (!skip_value(s, 0))
		return false;
	*out = (struct wire_view){ from, (size_t)(s->p - from) };
	return true;
}

bool nats_json_next(struct wire_view *rest, struct wire_view *key,
		    struct wire_view *out)
{
	struct scan s = scan_of(*rest);

	if (!element_next(&s, key, out))
		return false;
	*rest = (struct wire_view){ s.p, (size_t)(s.end - s.p) };
	return true;
}

bool nats_json_member(struct wire_view object, const char *name,
		      struct wire_view *out)
{
	size_t len = strlen(name);
	struct wire_view key, value;

	while (nats_json_next(&object, &key, &value)) {
		if (key.len != len + 2 || memcmp(key.p + 1, name, len) != 0)
			continue;
		*out = value;
		return true;
	}
	return false;
}

bool nats_json_uint(struct wire_view value, uint64_t *out)
{
	uint64_t n = 0;

	if (value.len == 0)
		return false;
	for (size_t i = 0; i < value.len; i++) {
		uint8_t c = value.p[i];

		if (!is_digit(c) || n > (UINT64_MAX - (c - '0')) / 10)
			return false;
		n = n * 10 + (c - '0');
	}
	*out = n;
	return true;
}

bool nats_json_int(struct wire_view value, int64_t *out)
{
	bool negative = value.len > 0 && value.p[0] == '-';
	uint64_t n;

	if (negative)
		value = (struct wire_view){ value.p + 1, value.len - 1 };
	if (!nats_json_uint(value, &n) || n > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)n : (int64_t)n;
	return true;
}

static bool is_word(struct wire_view value, const char *word)
{
	return value.len == strlen(word) &&
	       memcmp(value.p, word, value.len) == 0;
}

bool nats_json_bool(struct wire_view value, bool *out)
{
	if (!is_word(value, "true") && !is_word(value, "false"))
		return false;
	*out = value.p[0] == 't';
	return true;
}

bool nats_json_null(struct wire_view value)
{
	return is_word(value, "null");
}

/* Strings */

static int hex_digit_value(uint8_t c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/*
 * The character that an escape sequence stands for; 0 if it is invalid or a
 * NUL.
 */
static char take_escape(struct scan *s)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	int code = 0;

	if (s->p == s->end || *s->p == '\0')
		return 0;
	at = strchr(from, *s->p++);
	if (at != NULL)
		return to[at - from];
	if (s->p[-1] != 'u' || s->end - s->p < 4)
		return 0;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit_value(*s->p++);

		if (digit < 0)
			return 0;
		code = code * 16 + digit;
	}
	if (code >= 0x80)
		return '?';
	return (char)code;
}

/* Get the text between the quotes. */
static bool string_unquote(struct wire_view value, struct scan *out)
{
	struct scan s = scan_of(value);

	if (!skip_string(&s) || s.p != s.end)
		return false;
	*out = (struct scan){ value.p + 1, s.end - 1 };
	return true;
}

bool nats_json_string(struct wire_view value, char *out, size_t size)
{
	struct scan s;
	size_t n = 0;

	if (!string_unquote(value, &s))
		return false;
	while (s.p < s.end) {
		char c = (char)*s.p++;

		if (c == '\\')
			c = take_escape(&s);
		if (c == '\0' || n + 1 >= size)
			return false;
		out[n++] = c;
	}
	if (n >= size)
		return false;
	out[n] = '\0';
	return true;
}

static int base64_digit_value(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (is_digit(c))
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

bool nats_json_base64(struct wire_view value, uint8_t *out, size_t *len)
{
	struct scan s;
	size_t n = 0;

	if (!string_unquote(value, &s) || (s.end - s.p) % 4 != 0)
		return false;
	for (; s.p < s.end; s.p += 4) {
		bool last = s.end - s.p == 4;
		int pad = !last || s.p[3] != '=' ? 0 : s.p[2] != '=' ? 1 : 2;
		uint32_t bits = 0;

		for (int i = 0; i < 4; i++) {
			int six = i < 4 - pad ? base64_digit_value(s.p[i]) : 0;

			if (six < 0)
				return false;
			bits = bits << 6 | (uint32_t)six;
		}
		out[n++] = (uint8_t)(bits >> 16);
		if (pad < 2)
			out[n++] = (uint8_t)(bits >> 8);
		if (pad < 1)
			out[n++] = (uint8_t)bits;
	}
	*len = n;
	return true;
}

/* Times */

static bool take_digits(struct scan *s, int digits, int64_t low, int64_t high,
			int64_t *out)
{
	int64_t n = 0;

	for (int i = 0; i < digits; i++) {
		if (s->p == s->end || !is_digit(*s->p))
			return false;
		n = n * 10 + (*s->p++ - '0');
	}
	*out = n;
	return n >= low && n <= high;
}

/*
 * Days from 1970-01-01 to a date of the Gregorian calendar. Years are counted
 * from March to February.
 */
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - (month <= 2);
	int64_t m = month > 2 ? month - 3 : month + 9;

	return y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day -
	       1 - 719468;
}

/*
 * Parse the fraction of a second, ".891944517", of up to nine digits, or
 * nothing.
 */
static bool take_fraction(struct scan *s, int64_t *ns)
{
	int64_t unit = NS / 10;

	*ns = 0;
	if (!char_take(s, '.'))
		return true;
	for (; s->p < s->end && is_digit(*s->p); s->p++) {
		*ns += (*s->p - '0') * unit;
		unit /= 10;
	}
	return unit < NS / 10;
}

/* Parse "Z" or "+01:00", to seconds. */
static bool take_zone(struct scan *s, int64_t *seconds)
{
	int64_t hours, minutes;
	bool west;

	*seconds = 0;
	if (char_take(s, 'Z'))
		return true;
	west = char_take(s, '-');
	if (!west && !char_take(s, '+'))
		return false;
	if (!take_digits(s, 2, 0, 23, &hours) || !char_take(s, ':') ||
	    !take_digits(s, 2, 0, 59, &minutes))
		return false;
	*seconds = (hours * 60 + minutes) * (west ? -60 : 60);
	return true;
}

bool nats_json_time(struct wire_view value, int64_t *out)
{
	int64_t year, month, day, hour, minute, second, ns, zone;
	struct scan s;

	if (!string_unquote(value, &s))
		return false;
	if (!take_digits(&s, 4, 1970, 2261, &year) || !char_take(&s, '-') ||
	    !take_digits(&s, 2, 1, 12, &month) || !char_take(&s, '-') ||
	    !take_digits(&s, 2, 1, 31, &day) || !char_take(&s, 'T') ||
	    !take_digits(&s, 2, 0, 23, &hour) || !char_take(&s, ':') ||
	    !take_digits(&s, 2, 0, 59, &minute) || !char_take(&s, ':') ||
	    !take_digits(&s, 2, 0, 60, &second) || !take_fraction(&s, &ns) ||
	    !take_zone(&s, &zone) || s.p != s.end)
		return false;
	*out = (((days_since_1970(year, month, day) * 24 + hour) * 60 +
		 minute) *
			60 +
		second - zone) *
		       NS +
	       ns;
	return true;
}
