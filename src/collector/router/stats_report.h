/*
 * collector/router/stats_report.h - what a router counts, beside what we count
 *
 * Statistics of types 7 to 10 (RFC 7854 section 4.8) say how many routes the
 * router has in a RIB. They are compared at the moment they come, because the
 * next update changes our number and not the report. A RIB that we were never
 * told of is not compared: many routers count what they do not monitor. Nor is
 * a peer that is down.
 */
#ifndef COLLECTOR_ROUTER_STATS_REPORT_H
#define COLLECTOR_ROUTER_STATS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct bmp_message;
struct rib_peer;
struct rib_table;

#define STATS_REPORT_ROWS 12

enum stats_report_type {
	STATS_REPORT_ADJ_RIB_IN = 7,
	STATS_REPORT_LOC_RIB = 8,
	STATS_REPORT_ADJ_RIB_IN_FAMILY = 9,
	STATS_REPORT_LOC_RIB_FAMILY = 10,
};

struct stats_report_row {
	uint8_t type; /* enum stats_report_type */
	uint8_t safi; /* of the types by family */
	uint16_t afi;
	uint64_t value;
	uint64_t ours;
};

/* Of a peer: its last report. */
struct stats_report {
	uint64_t at_ns; /* wall clock */
	uint32_t count;
	struct stats_report_row rows[STATS_REPORT_ROWS];
};

/* Compare a Statistics Report with @peer. False: nothing in it concerns us. */
bool stats_report_read(const struct bmp_message *msg, struct rib_peer *peer,
		       uint64_t at_ns, struct stats_report *out);

/* Ours less the router's over all of it, no RIB counted twice. */
int64_t stats_report_difference(const struct stats_report *r);

/* The row that speaks of @table of @peer, or NULL. */
const struct stats_report_row *stats_report_find(const struct stats_report *r,
						 const struct rib_peer *peer,
						 const struct rib_table *table);

#endif
