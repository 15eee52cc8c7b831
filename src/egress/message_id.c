#include "egress/message_id.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NUMBERS_MAX 3

bool collector_id_valid(const char *id)
{
	size_t len = strlen(id);

	if (len == 0 || len >= COLLECTOR_ID_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)id[i]) && id[i] != '-' &&
		    id[i] != '_')
			return false;
	return true;
}

/* Append ".42" or ".42-15360" to @out. */
static void append_record(struct record_id id, char out[MESSAGE_ID_MAX])
{
	size_t len = strlen(out);

	snprintf(out + len, MESSAGE_ID_MAX - len, ".%" PRIu64, id.seq);
	len = strlen(out);
	if (id.upto != 0)
		snprintf(out + len, MESSAGE_ID_MAX - len, "-%" PRIu32, id.upto);
}

void message_id_format(const char *collector, const struct message_id *id,
		       char out[MESSAGE_ID_MAX])
{
	if (id->epoch == id->record.epoch)
		snprintf(out, MESSAGE_ID_MAX, "%s.%" PRIu64, collector,
			 id->epoch);
	else
		snprintf(out, MESSAGE_ID_MAX, "%s.%" PRIu64 ".%" PRIu64,
			 collector, id->epoch, id->record.epoch);
	append_record(id->record, out);
}

/*
 * Take a number of at most 20 digits that fits into 64 bits, and advance
 * *@text.
 */
static bool take_number(const char **text, uint64_t *out)
{
	const char *p = *text;
	uint64_t value = 0;

	if (!isdigit((unsigned char)*p))
		return false;
	while (isdigit((unsigned char)*p)) {
		uint64_t digit = (uint64_t)(*p++ - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*text = p;
	*out = value;
	return true;
}

/* Parse all of @text: "-15360" or nothing. */
static bool take_upto(const char *text, uint32_t *out)
{
	uint64_t upto;

	*out = 0;
	if (*text == '\0')
		return true;
	if (*text++ != '-' || !take_number(&text, &upto) || *text != '\0' ||
	    upto == 0 || upto > UINT32_MAX)
		return false;
	*out = (uint32_t)upto;
	return true;
}

/*
 * Parse all of @text: numbers separated by dots. Returns how many; 0 if @text
 * is invalid.
 */
static int take_numbers(const char *text, uint64_t out[NUMBERS_MAX],
			uint32_t *upto)
{
	int n = 0;

	while (n < NUMBERS_MAX && take_number(&text, &out[n])) {
		n++;
		if (*text != '.')
			return take_upto(text, upto) ? n : 0;
		text++;
	}
	return 0;
}

bool message_id_parse(const char *text, char collector[COLLECTOR_ID_MAX],
		      struct message_id *out)
{
	const char *dot = strchr(text, '.');
	uint64_t numbers[NUMBERS_MAX];
	char id[COLLECTOR_ID_MAX];
	uint32_t upto;
	int n;

	if (dot == NULL || dot - text >= COLLECTOR_ID_MAX)
		return false;
	memcpy(id, text, (size_t)(dot - text));
	id[dot - text] = '\0';
	if (!collector_id_valid(id))
		return false;
	n = take_numbers(dot + 1, numbers, &upto);
	if (n < 2)
		return false;
	memcpy(collector, id, sizeof(id));
	*out = (struct message_id){
		.epoch = numbers[0],
		.record = { numbers[n == 2 ? 0 : 1], numbers[n - 1], upto },
	};
	return true;
}

void record_id_format(struct record_id id, char out[MESSAGE_ID_MAX])
{
	snprintf(out, MESSAGE_ID_MAX, "%" PRIu64, id.epoch);
	append_record(id, out);
}

bool record_id_parse(const char *text, struct record_id *out)
{
	uint64_t numbers[NUMBERS_MAX];
	uint32_t upto;

	if (take_numbers(text, numbers, &upto) != 2 || numbers[0] > EPOCH_MAX)
		return false;
	*out = (struct record_id){ numbers[0], numbers[1], upto };
	return true;
}
