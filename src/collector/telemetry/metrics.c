#include "collector/telemetry/metrics.h"

#include "collector/base/json.h"
#include "egress/publisher/publisher.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void metrics_put(struct json *j, const char *text)
{
	json_raw(j, text, strlen(text));
}

void metrics_family(struct json *j, const char *name, enum metrics_type type,
		    const char *help)
{
	static const char *const types[] = {
		[METRICS_COUNTER] = " counter\n",
		[METRICS_GAUGE] = " gauge\n",
		[METRICS_HISTOGRAM] = " histogram\n",
	};

	metrics_put(j, "# HELP ");
	metrics_put(j, name);
	metrics_put(j, " ");
	metrics_put(j, help);
	metrics_put(j, "\n# TYPE ");
	metrics_put(j, name);
	metrics_put(j, types[type]);
}

static void label_char(struct metrics_labels *l, char c)
{
	if (l->len < METRICS_LABELS_MAX - 1)
		l->text[l->len++] = c;
}

void metrics_label(struct metrics_labels *l, const char *name,
		   const char *value)
{
	size_t before = l->len;

	/* A label that does not fit is left out. */
	if (l->len + strlen(name) + 8 > METRICS_LABELS_MAX)
		return;
	if (before > 0)
		label_char(l, ',');
	for (; *name != '\0'; name++)
		label_char(l, *name);
	label_char(l, '=');
	label_char(l, '"');
	for (; *value != '\0' && l->len < METRICS_LABELS_MAX - 4; value++) {
		char c = *value;

		if (c == '\\' || c == '"' || c == '\n')
			label_char(l, '\\');
		if (c == '\n')
			c = 'n';
		label_char(l, c);
	}
	label_char(l, '"');
	l->text[l->len] = '\0';
}

void metrics_label_uint(struct metrics_labels *l, const char *name,
			uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	metrics_label(l, name, text);
}

static void sample_put(struct json *j, const char *name,
		       const struct metrics_labels *labels, const char *value)
{
	metrics_put(j, name);
	if (labels != NULL && labels->len > 0) {
		metrics_put(j, "{");
		metrics_put(j, labels->text);
		metrics_put(j, "}");
	}
	metrics_put(j, " ");
	metrics_put(j, value);
	metrics_put(j, "\n");
}

void metrics_uint(struct json *j, const char *name,
		  const struct metrics_labels *labels, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	sample_put(j, name, labels, text);
}

void metrics_number(struct json *j, const char *name,
		    const struct metrics_labels *labels, double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.17g", isfinite(value) ? value : 0);
	sample_put(j, name, labels, text);
}

void metrics_one(struct json *j, const char *name, enum metrics_type type,
		 double value, const char *help)
{
	metrics_family(j, name, type, help);
	metrics_number(j, name, NULL, value);
}

static void bucket_put(struct json *j, const char *name, const char *le,
		       uint64_t count)
{
	struct metrics_labels labels = { .len = 0 };

	metrics_label(&labels, "le", le);
	metrics_uint(j, name, &labels, count);
}

void metrics_times(struct json *j, const char *name,
		   const struct publisher_times *times, const char *help)
{
	char part[96], le[32];
	uint64_t count = 0;

	metrics_family(j, name, METRICS_HISTOGRAM, help);
	snprintf(part, sizeof(part), "%s_bucket", name);
	/* The last bucket counts all times above the others. */
	for (int i = 0; i < PUBLISHER_LATENCIES - 1; i++) {
		count += times->of[i];
		snprintf(le, sizeof(le), "%.9g",
			 (double)(UINT64_C(1) << i) / 1e6);
		bucket_put(j, part, le, count);
	}
	count += times->of[PUBLISHER_LATENCIES - 1];
	bucket_put(j, part, "+Inf", count);
	snprintf(part, sizeof(part), "%s_sum", name);
	metrics_number(j, part, NULL, (double)times->sum_us / 1e6);
	snprintf(part, sizeof(part), "%s_count", name);
	metrics_uint(j, part, NULL, count);
}
