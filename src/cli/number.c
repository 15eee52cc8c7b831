#include "cli/number.h"

#include <string.h>

#define PLACES	 6
#define DIGIT(c) ((unsigned)((c) - '0'))

/*
 * Take the digits at the start of @text, at least one. False if there is none
 * or on overflow.
 */
static bool take_digits(const char **text, uint64_t *value)
{
	const char *p = *text;

	for (; DIGIT(*p) < 10; p++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, DIGIT(*p), value))
			return false;
	if (p == *text)
		return false;
	*text = p;
	return true;
}

bool number_count(const char *text, uint64_t max, uint64_t *out)
{
	static const char units[] = "kMG";
	uint64_t value = 0, factor = 1;
	const char *unit;

	if (!take_digits(&text, &value))
		return false;
	unit = *text != '\0' ? strchr(units, *text) : NULL;
	if (unit != NULL) {
		for (const char *u = units; u <= unit; u++)
			factor *= 1000;
		text++;
	}
	if (*text != '\0' || __builtin_mul_overflow(value, factor, &value) ||
	    value > max)
		return false;
	*out = value;
	return true;
}

bool number_count32(const char *text, uint32_t max, uint32_t *out)
{
	uint64_t value;

	if (!number_count(text, max, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

bool number_millionths(const char *text, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;
	int places = 0;

	if (!take_digits(&text, &value))
		return false;
	if (*text == '.') {
		const char *fraction = ++text;

		if (!take_digits(&text, &value) || text - fraction > PLACES)
			return false;
		places = (int)(text - fraction);
	}
	for (; places < PLACES; places++)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	if (*text != '\0' || value > max)
		return false;
	*out = value;
	return true;
}
