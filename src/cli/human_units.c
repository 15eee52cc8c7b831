#include "cli/human_units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *amount_count(int64_t value, char out[AMOUNT_MAX])
{
	char digits[AMOUNT_MAX];
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, size);
	char *p = out;

	if (value < 0)
		*p++ = '-';
	for (int i = 0; i < len; i++) {
		*p++ = digits[i];
		if ((len - i) % 3 == 1 && i + 1 < len)
			*p++ = ',';
	}
	*p = '\0';
	return out;
}

const char *amount_bytes(double value, char out[AMOUNT_MAX])
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	size_t unit = 0;

	/* 999.95 and more would be printed as 1000.0: use the next unit. */
	while (value >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1000;
		unit++;
	}
	snprintf(out, AMOUNT_MAX, unit == 0 ? "%.0f %s" : "%.1f %s", value,
		 units[unit]);
	return out;
}

const char *amount_seconds(double value, char out[AMOUNT_MAX])
{
	/* any number that a server can send fits: up to 3e10 years */
	uint64_t s = value > 0 && value < 1e18 ? (uint64_t)value : 0;

	if (value >= 1e18)
		snprintf(out, AMOUNT_MAX, "%.0e s", value);
	else if (value < 0.001)
		snprintf(out, AMOUNT_MAX, "%.0f us", value * 1e6);
	else if (value < 1)
		snprintf(out, AMOUNT_MAX, "%.1f ms", value * 1e3);
	else if (value < 60)
		snprintf(out, AMOUNT_MAX, "%.1f s", value);
	else if (s < 3600)
		snprintf(out, AMOUNT_MAX, "%" PRIu64 "m %" PRIu64 "s", s / 60,
			 s % 60);
	else if (s < 86400)
		snprintf(out, AMOUNT_MAX, "%" PRIu64 "h %" PRIu64 "m", s / 3600,
			 s / 60 % 60);
	else
		snprintf(out, AMOUNT_MAX, "%" PRIu64 "d %" PRIu64 "h",
			 s / 86400, s / 3600 % 24);
	return out;
}

const char *amount_age(const char *time, char out[AMOUNT_MAX])
{
	struct timespec now;
	struct tm tm = { 0 };
	double age;

	if (time == NULL || strptime(time, "%Y-%m-%dT%H:%M:%S", &tm) == NULL) {
		memcpy(out, "-", 2);
		return out;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	age = (double)(now.tv_sec - timegm(&tm));
	if (age < 0)
		age = 0;
	if (age < 60) {
		snprintf(out, AMOUNT_MAX, "%.0f s", age);
		return out;
	}
	return amount_seconds(age, out);
}
