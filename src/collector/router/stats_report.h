/*
 * collector/router/stats_report.h - compare a router's route counts with ours
 *
 * Statistics of types 7 to 10 (RFC 7854 section 4.8) give the number of routes
 * in a RIB of the router. They are compared when they arrive, because the next
 * update changes our number. A RIB of which no route was received is not
 * compared, because many routers count RIBs that they do not monitor. The
 * counts of a peer that is down are not compared, either.
 */
#ifndef COLLECTOR_ROUTER_STATS_REPORT_H
#define COLLECTOR_ROUTER_STATS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct bmp_message;
struct rib_peer;
struct rib_table;

/* Maximum numbers of counters of a report: stored, and looked at. */
#define STATS_REPORT_ROWS  12
#define STATS_REPORT_LOOKS 64

enum stats_report_type {
	STATS_REPORT_ADJ_RIB_IN = 7,
	STATS_REPORT_LOC_RIB = 8,
	STATS_REPORT_ADJ_RIB_IN_FAMILY = 9,
	STATS_REPORT_LOC_RIB_FAMILY = 10,
};

struct stats_report_row {
	uint8_t type; /* enum stats_report_type */
	uint8_t safi; /* SAFI, for types that count per family */
	uint16_t afi;
	uint64_t value;
	uint64_t ours;
};

/* The last Statistics Report of a peer. */
struct stats_report {
	uint64_t at_ns; /* wall clock */
	uint32_t count;
	uint32_t left_out; /* counters left out because of these limits */
	struct stats_report_row rows[STATS_REPORT_ROWS];
};

/*
 * Compare a Statistics Report with the tables of @peer. False if there is
 * nothing to compare. A router may send a million bytes of counters, and each
 * is compared with all tables of the peer, so only the first STATS_REPORT_LOOKS
 * counters are looked at.
 */
bool stats_report_read(const struct bmp_message *msg, struct rib_peer *peer,
		       uint64_t at_ns, struct stats_report *out);

/* Our count minus the router's, over all rows; no RIB is counted twice. */
int64_t stats_report_difference(const struct stats_report *r);

/* The row that counts @table of @peer, or NULL. */
const struct stats_report_row *stats_report_find(const struct stats_report *r,
						 const struct rib_peer *peer,
						 const struct rib_table *table);

#endif
