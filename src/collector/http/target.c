#include "collector/http/target.h"

#include "bmp/text.h"

#include <string.h>

const char *http_target_words(enum http_target_status status)
{
	static const char *const words[HTTP_TARGET_STATUSES] = {
		[HTTP_TARGET_OK] = "nothing is wrong",
		[HTTP_TARGET_TOO_LONG] = "the URL is too long",
		[HTTP_TARGET_NO_PATH] = "the URL has no path",
		[HTTP_TARGET_BAD_ESCAPE] =
			"the URL has a % without two hex digits behind it",
		[HTTP_TARGET_BAD_TEXT] =
			"the URL has control characters or is not UTF-8",
		[HTTP_TARGET_TOO_MANY] = "the URL has too many parameters",
		[HTTP_TARGET_TWICE] = "a parameter is given twice",
		[HTTP_TARGET_NO_NAME] = "a parameter has no name",
	};

	return words[status];
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1; /* not a digit */
}

/*
 * True if the text can be displayed and compared: UTF-8 without control
 * characters.
 */
static bool is_text(const char *p, size_t len)
{
	struct wire_view v = { (const uint8_t *)p, len };

	while (v.len > 0) {
		size_t n = text_utf8_len(v);

		if (n == 0 || (n == 1 && (v.p[0] < 0x20 || v.p[0] == 0x7f)))
			return false;
		v.p += n;
		v.len -= n;
	}
	return true;
}

/*
 * Decode the escapes in @text in place; the result is never longer. If @plus is
 * set, "+" becomes a blank, as in forms.
 */
static enum http_target_status percent_decode(char *text, bool plus)
{
	char *to = text;

	for (const char *p = text; *p != '\0'; p++) {
		int high, low;

		if (*p != '%') {
			*to++ = *p;
			if (plus && *p == '+')
				to[-1] = ' ';
			continue;
		}
		high = hex_value(p[1]);
		low = high < 0 ? -1 : hex_value(p[2]);
		if (low < 0)
			return HTTP_TARGET_BAD_ESCAPE;
		*to++ = (char)(high << 4 | low);
		p += 2;
	}
	*to = '\0';
	/* An escaped NUL would hide the rest of the text. */
	return is_text(text, (size_t)(to - text)) ? HTTP_TARGET_OK
						  : HTTP_TARGET_BAD_TEXT;
}

static enum http_target_status take_path(struct http_target *t, char *path)
{
	char *rest = path + 1;

	if (*path != '/')
		return HTTP_TARGET_NO_PATH;
	while (rest != NULL && *rest != '\0') {
		char *segment = strsep(&rest, "/");
		enum http_target_status status = percent_decode(segment, false);

		if (status != HTTP_TARGET_OK)
			return status;
		if (t->segment_count < HTTP_SEGMENTS_MAX)
			t->segments[t->segment_count] = segment;
		if (t->segment_count <= HTTP_SEGMENTS_MAX)
			t->segment_count++;
	}
	return HTTP_TARGET_OK;
}

static enum http_target_status take_param(struct http_target *t, char *text)
{
	struct http_param *param = &t->params[t->param_count];
	char *value = text;
	char *name = strsep(&value, "=");
	enum http_target_status status = percent_decode(name, true);

	if (status == HTTP_TARGET_OK && value != NULL)
		status = percent_decode(value, true);
	if (status != HTTP_TARGET_OK)
		return status;
	if (*name == '\0')
		return HTTP_TARGET_NO_NAME;
	if (http_target_param(t, name) != NULL)
		return HTTP_TARGET_TWICE;
	*param = (struct http_param){ name, value != NULL ? value : "" };
	t->param_count++;
	return HTTP_TARGET_OK;
}

static enum http_target_status take_query(struct http_target *t, char *query)
{
	while (query != NULL) {
		char *text = strsep(&query, "&");
		enum http_target_status status;

		if (*text == '\0')
			continue;
		if (t->param_count == HTTP_PARAMS_MAX)
			return HTTP_TARGET_TOO_MANY;
		status = take_param(t, text);
		if (status != HTTP_TARGET_OK)
			return status;
	}
	return HTTP_TARGET_OK;
}

enum http_target_status http_target_parse(const char *target,
					  struct http_target *out)
{
	size_t len = strnlen(target, HTTP_TARGET_MAX + 1);
	enum http_target_status status;
	char *query;

	out->segment_count = out->param_count = 0;
	if (len > HTTP_TARGET_MAX)
		return HTTP_TARGET_TOO_LONG;
	memcpy(out->text, target, len + 1);
	query = strchr(out->text, '?');
	if (query != NULL)
		*query++ = '\0';
	status = take_path(out, out->text);
	return status != HTTP_TARGET_OK ? status : take_query(out, query);
}

const char *http_target_param(const struct http_target *t, const char *name)
{
	for (size_t i = 0; i < t->param_count; i++)
		if (strcmp(t->params[i].name, name) == 0)
			return t->params[i].value;
	return NULL;
}
