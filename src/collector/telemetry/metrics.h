/*
 * collector/telemetry/metrics.h - numbers in the text form of Prometheus
 *
 *	metrics_family(j, "arancini_routes", METRICS_GAUGE, "Routes ...");
 *	metrics_label(&labels, "worker", "0");
 *	metrics_uint(j, "arancini_routes", &labels, 17);
 *
 * https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
 * All samples of a family must directly follow its head.
 */
#ifndef COLLECTOR_TELEMETRY_METRICS_H
#define COLLECTOR_TELEMETRY_METRICS_H

#include <stddef.h>
#include <stdint.h>

struct collector_stats;
struct json;
struct publisher_times;

#define METRICS_LABELS_MAX 512

enum metrics_type {
	METRICS_COUNTER,
	METRICS_GAUGE,
	METRICS_HISTOGRAM,
};

/* The labels of a sample. All zero = none. */
struct metrics_labels {
	char text[METRICS_LABELS_MAX]; /* name="value",name="value" */
	size_t len;
};

void metrics_family(struct json *j, const char *name, enum metrics_type type,
		    const char *help);

/* Add a label. A value that does not fit is truncated. */
void metrics_label(struct metrics_labels *l, const char *name,
		   const char *value);
void metrics_label_uint(struct metrics_labels *l, const char *name,
			uint64_t value);

/* Write a sample. @labels may be NULL. */
void metrics_uint(struct json *j, const char *name,
		  const struct metrics_labels *labels, uint64_t value);
void metrics_number(struct json *j, const char *name,
		    const struct metrics_labels *labels, double value);

/* Write a family of one sample without labels. */
void metrics_one(struct json *j, const char *name, enum metrics_type type,
		 double value, const char *help);

/* Write a whole histogram, with the head of the family. */
void metrics_times(struct json *j, const char *name,
		   const struct publisher_times *times, const char *help);

/* Write all metrics of the collector, in three parts. */
void metrics_workers(struct json *j, const struct collector_stats *p);
void metrics_output(struct json *j, const struct collector_stats *p,
		    int64_t spooling_since);
void metrics_runtime(struct json *j, const struct collector_stats *p);

#endif
