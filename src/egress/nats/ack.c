#include "egress/nats/ack.h"

#include <stdio.h>
#include <string.h>

/*
 * Behind "name": in the text, or NULL. A quote inside a JSON string has a
 * backslash before it, so a value cannot look like a key.
 */
static const char *behind(const char *json, size_t len, const char *name)
{
	char key[32];
	int n = snprintf(key, sizeof(key), "\"%s\":", name);
	const char *at = memmem(json, len, key, (size_t)n);

	return at == NULL ? NULL : at + n;
}

static bool number(const char *json, size_t len, const char *name,
		   uint64_t *out)
{
	const char *p = behind(json, len, name);
	const char *end = json + len;
	uint64_t value = 0;

	if (p == NULL)
		return false;
	while (p < end && *p == ' ')
		p++;
	if (p == end || *p < '0' || *p > '9')
		return false;
	while (p < end && *p >= '0' && *p <= '9')
		value = value * 10 + (uint64_t)(*p++ - '0');
	*out = value;
	return true;
}

static void words(const char *json, size_t len, char out[NATS_ACK_TEXT_MAX])
{
	const char *p = behind(json, len, "description");
	const char *end = json + len;
	size_t n = 0;

	if (p != NULL && p < end && *p == '"')
		for (p++; p < end && *p != '"' && n + 1 < NATS_ACK_TEXT_MAX;
		     p++)
			out[n++] = *p;
	out[n] = '\0';
}

void nats_ack_parse(const char *json, size_t len, struct nats_ack *out)
{
	static const char yes[] = "true";
	const char *duplicate = behind(json, len, "duplicate");
	uint64_t code;

	*out = (struct nats_ack){ 0 };
	if (behind(json, len, "error") != NULL) {
		out->error = NATS_ACK_UNREADABLE;
		if (number(json, len, "err_code", &code) && code != 0 &&
		    code <= UINT32_MAX)
			out->error = (uint32_t)code;
		words(json, len, out->text);
		return;
	}
	if (!number(json, len, "seq", &out->seq) || out->seq == 0) {
		out->error = NATS_ACK_UNREADABLE;
		snprintf(out->text, sizeof(out->text),
			 "an acknowledgement without a sequence");
	}
	out->duplicate = duplicate != NULL &&
			 (size_t)(json + len - duplicate) >= strlen(yes) &&
			 memcmp(duplicate, yes, strlen(yes)) == 0;
}
