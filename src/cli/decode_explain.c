#include "cli/decode_explain.h"

#include "bmp/explain.h"
#include "bmp/text.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a field in a line; longer ones continue in lines of their own. */
#define BYTES_IN_LINE 8
#define NAME_COLUMN   36

/* JSON */

static void put_member(void *arg, const struct explain_field *f)
{
	struct json *j = arg;

	json_object(j);
	json_uint_at(j, "at", f->at);
	json_uint_at(j, "depth", f->depth);
	json_string_at(j, "name", f->name);
	if (!f->is_group) {
		json_key(j, "bytes");
		json_hex(j, f->bytes);
	}
	if (f->value[0] != '\0')
		json_string_at(j, "value", f->value);
	json_end_object(j);
}

static void begin_object(struct decode *d, struct explain *e)
{
	decode_begin(d, "explain");
	json_splice(&d->out, &d->shared);
	json_key(&d->out, "fields");
	json_array(&d->out);
	*e = (struct explain){ .field = put_member, .arg = &d->out };
}

static void end_object(struct decode *d)
{
	json_end_array(&d->out);
	json_end_object(&d->out);
	json_end_line(&d->out);
	decode_line_done(d);
}

/* Text */

/* What a router sent may not control the terminal. */
static void put_words(struct json *out, const char *text)
{
	struct wire_view v = { (const uint8_t *)text, strlen(text) };

	while (v.len > 0) {
		size_t len = text_utf8_len(v);
		uint32_t code;

		if (len == 0 || text_is_unsafe(v.p, len, &code))
			json_raw(out, "?", 1);
		else
			json_raw(out, (const char *)v.p, len);
		len += len == 0;
		v = (struct wire_view){ v.p + len, v.len - len };
	}
}

static void put_bytes(struct json *out, size_t at, struct wire_view bytes)
{
	char buf[16 + 3 * BYTES_IN_LINE + 1];
	int n = snprintf(buf, sizeof(buf), "%6zu  ", at);

	for (size_t i = 0; i < BYTES_IN_LINE; i++)
		n += i < bytes.len ? snprintf(buf + n, sizeof(buf) - (size_t)n,
					      "%02x ", bytes.p[i])
				   : snprintf(buf + n, sizeof(buf) - (size_t)n,
					      "   ");
	json_raw(out, buf, (size_t)n);
}

static void put_line(void *arg, const struct explain_field *f)
{
	static const char spaces[] = "                                        ";
	size_t indent = 2 * (size_t)f->depth;
	struct wire_view rest = f->bytes;
	struct json *out = arg;
	size_t width;

	if (rest.len > BYTES_IN_LINE)
		rest.len = BYTES_IN_LINE;
	put_bytes(out, f->at, rest);
	json_raw(out, spaces,
		 indent < sizeof(spaces) ? indent : sizeof(spaces) - 1);
	json_raw(out, f->name, strlen(f->name));
	width = indent + strlen(f->name);
	if (f->value[0] != '\0') {
		json_raw(out, spaces,
			 width < NAME_COLUMN ? NAME_COLUMN - width : 1);
		put_words(out, f->value);
	}
	json_end_line(out);
	for (size_t at = BYTES_IN_LINE; at < f->bytes.len;
	     at += BYTES_IN_LINE) {
		size_t left = f->bytes.len - at;

		rest = (struct wire_view){ f->bytes.p + at,
					   left < BYTES_IN_LINE
						   ? left
						   : BYTES_IN_LINE };
		put_bytes(out, f->at + at, rest);
		json_end_line(out);
	}
}

/* A line for the message as a whole, as of --text. */
static void begin_lines(struct decode *d, struct explain *e)
{
	decode_begin(d, "explain");
	json_splice(&d->out, &d->shared);
	decode_end(d);
	*e = (struct explain){ .field = put_line, .arg = &d->out };
}

/* Both */

static void begin_form(struct decode *d, struct explain *e)
{
	if (d->form == DECODE_TEXT)
		begin_lines(d, e);
	else
		begin_object(d, e);
}

static void end_form(struct decode *d)
{
	if (d->form == DECODE_TEXT)
		decode_line_done(d);
	else
		end_object(d);
}

void decode_explain_message(struct decode *d, const struct bmp_frame *frame,
			    const struct bmp_message *message, bool usable,
			    const struct bgp_decode_opts *opts)
{
	struct explain e;

	begin_form(d, &e);
	explain_message(&e, frame, message, usable, d->v4, opts);
	end_form(d);
}

void decode_explain_pdu(struct decode *d, struct wire_view pdu,
			const struct bgp_decode_opts *opts)
{
	struct explain e;

	begin_form(d, &e);
	explain_pdu(&e, pdu, opts);
	end_form(d);
}
